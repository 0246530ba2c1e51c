package x11

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
)

// The field's names of what an Xauthority file has.
const (
	cookieName  = "MIT-MAGIC-COOKIE-1"
	familyLocal = 256    // the host's name is its address
	familyWild  = 0xffff // any
)

// Cookie finds the cookie of a local display, like ":0", in an Xauthority file:
// the entry for this host before one for any. There may be none, which is nil
// without an error. The file's format is that of libXau.
func Cookie(path, display string) ([]byte, error) {
	number, err := displayNumber(display)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("look for the cookie of %s: %w", display, err)
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("look for the cookie of %s: %w", display, err)
	}
	var wild []byte
	for len(b) > 0 {
		family, fields, rest, ok := authorityEntry(b)
		if !ok {
			return wild, fmt.Errorf("look for the cookie of %s: %s ends in the middle of an entry", display, path)
		}
		b = rest
		address, of, name, cookie := string(fields[0]), string(fields[1]), string(fields[2]), fields[3]
		switch {
		case name != cookieName || of != "" && of != strconv.Itoa(number):
		case family == familyLocal && address == host:
			return cookie, nil
		case family == familyWild && wild == nil:
			wild = cookie
		}
	}
	return wild, nil
}

// authorityEntry reads the first entry: whose it is, the number of the display,
// the kind of secret, and the secret.
func authorityEntry(b []byte) (family uint16, fields [4][]byte, rest []byte, ok bool) {
	if len(b) < 2 {
		return 0, fields, nil, false
	}
	family, b = binary.BigEndian.Uint16(b), b[2:]
	for i := range fields {
		if len(b) < 2 {
			return 0, fields, nil, false
		}
		n := int(binary.BigEndian.Uint16(b))
		if len(b) < 2+n {
			return 0, fields, nil, false
		}
		fields[i], b = b[2:2+n], b[2+n:]
	}
	return family, fields, b, true
}
