package atspi

// maxName is the longest bus name the protocol allows.
const maxName = 255

// validName reports whether the bus would accept s as a destination. A message
// to anything else is not refused by the bus: it closes the connection of
// whoever sent it, so a stranger's reference must be looked at first.
func validName(s string) bool {
	if len(s) == 0 || len(s) > maxName {
		return false
	}
	unique := s[0] == ':'
	if unique {
		s = s[1:]
	}
	elements, fresh := 1, true
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '.':
			if fresh {
				return false
			}
			elements, fresh = elements+1, true
			continue
		case c >= '0' && c <= '9':
			if fresh && !unique {
				return false
			}
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '-':
		default:
			return false
		}
		fresh = false
	}
	return elements > 1 && !fresh
}

// uniqueName reports whether s is the name the bus gave a connection. Objects
// of a tree live on such names alone; one that claims to live on the bus
// itself or on the registry does not.
func uniqueName(s string) bool { return validName(s) && s[0] == ':' }
