package atspi

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// What PickAction refuses with; errors.As finds [ActionError] for the names the
// node has.
var (
	// ErrNoAction says that a node has no action that a click may use.
	ErrNoAction = errors.New("no action that a click may use")
	// ErrAmbiguous says that a node has the action twice, so that its name
	// does not say which one is meant.
	ErrAmbiguous = errors.New("the action is there more than once")
)

// ActionError is a refusal of [PickAction] or [NamedAction] with the actions
// the node does have.
type ActionError struct {
	Role    Role
	Wanted  string   // the name that was asked for; empty when picked by role
	Actions []string // as the toolkit names them; never nil
	Err     error    // ErrNoAction or ErrAmbiguous
}

// Error says what the node is, why it was refused and which actions it has.
func (e *ActionError) Error() string {
	what := e.Role.String()
	if e.Wanted != "" {
		what += fmt.Sprintf(", action %q", e.Wanted)
	}
	return fmt.Sprintf("%s: %v (it has %d: %s)", what, e.Err, len(e.Actions), strings.Join(e.Actions, ", "))
}

// Unwrap returns the kind of refusal.
func (e *ActionError) Unwrap() error { return e.Err }

// The words a click may use, best first. Only whole words of these lists are
// ever chosen: GTK 4 mixes the actions of every ancestor into a node's own
// ("clipboard.paste", "selection.delete", "window.close", and whatever the
// application calls its own), and all of those hold a dot. "showMenu" and
// "showContextMenu" open a context menu and are no click. "increase" and
// "decrease" are no click either, nor is "edit".
//
// In a text field GTK's "activate" is the Enter key, which submits a form; a
// click there means the caret, so it is not in the list for text.
var (
	pressWords  = []string{"click", "press", "activate", "jump", "open", "select", "switch", "toggle", "dodefault"}
	checkWords  = []string{"toggle", "click", "press", "check", "uncheck", "switch", "select", "activate", "dodefault"}
	tabWords    = []string{"press", "switch", "click", "select", "activate", "jump", "dodefault"}
	rowWords    = []string{"click", "press", "select", "activate", "jump", "open", "switch", "toggle", "dodefault"}
	comboWords  = []string{"press", "open", "click", "expand", "activate", "close", "dodefault"}
	menuWords   = []string{"click", "press", "open", "select", "expand", "activate", "dodefault", "showmenu"}
	textWords   = []string{"click", "press", "setfocus"}
	sortWords   = []string{"click", "press", "sort", "cycle", "activate", "dodefault"}
	focusWords  = []string{"setfocus"}
	staticWords = []string{"click", "press", "activate", "jump", "open", "select", "switch", "dodefault", "clickancestor"}
)

// wordsByRole are the lists of the roles that differ from staticWords.
// A Qt menu bar entry is a "menu item" whose one action, showMenu, opens its
// own menu. A window has no click of its own at all.
var wordsByRole = map[Role][]string{
	RolePushButton: pressWords, RolePushButtonMenu: pressWords, RoleLink: pressWords, RoleIcon: pressWords,
	RoleCheckBox: checkWords, RoleRadioButton: checkWords, RoleToggleButton: checkWords,
	RoleCheckMenuItem: menuWords, RoleRadioMenuItem: menuWords, RoleMenuItem: menuWords, RoleMenu: menuWords,
	RoleTearoffMenuItem: menuWords, RoleDesktopIcon: rowWords,
	RolePageTab:  tabWords,
	RoleListItem: rowWords, RoleTableCell: rowWords, RoleTableRow: rowWords, RoleTreeItem: rowWords,
	RoleComboBox: comboWords,
	RoleText:     textWords, RoleEntry: textWords, RolePasswordText: textWords, RoleTerminal: textWords,
	RoleAutocomplete: textWords, RoleSpinButton: textWords, RoleDateEditor: textWords, RoleDocumentText: textWords,
	RoleSlider: focusWords, RoleDial: focusWords, RoleScrollBar: nil, RoleProgressBar: nil,
	RoleColumnHeader: sortWords, RoleRowHeader: sortWords, RoleTableColumnHeader: sortWords, RoleTableRowHeader: sortWords,
	RoleFrame: nil, RoleWindow: nil, RoleDialog: nil, RoleAlert: nil, RoleApplication: nil, RoleDesktopFrame: nil,
	RoleInternalFrame: nil, RoleFileChooser: nil, RoleColorChooser: nil, RoleFontChooser: nil,
}

// PickAction chooses the action that means a click on a node of that role:
// by whole name from a list for the role, case folded, best word first, never
// by position. actions are the names as [Conn.Actions] returned them; index
// counts among them and name is the toolkit's own spelling. [ErrNoAction] and
// [ErrAmbiguous] come as an [ActionError] with the node's actions.
func PickAction(role Role, actions []string) (index int, name string, err error) {
	return pick(role, wordsFor(role), actions)
}

// PickActionIn is [PickAction] with what is known of one toolkit: browsers
// call taking the caret into a text field "activate", where GTK calls the
// Enter key so. toolkit is [App.Toolkit].
func PickActionIn(toolkit string, role Role, actions []string) (index int, name string, err error) {
	words := wordsFor(role)
	if isBrowser(toolkit) && slices.Equal(words, textWords) {
		words = append(slices.Clone(words), "activate")
	}
	return pick(role, words, actions)
}

// isBrowser recognises the toolkits of web engines by the name they give.
func isBrowser(toolkit string) bool {
	return strings.EqualFold(toolkit, "Gecko") || strings.EqualFold(toolkit, "Chromium")
}

// wordsFor is the list of one role.
func wordsFor(role Role) []string {
	words, known := wordsByRole[role]
	if !known {
		return staticWords
	}
	return words
}

// pick finds the first word that the node has exactly once.
func pick(role Role, words, actions []string) (int, string, error) {
	folded := foldAll(actions)
	for _, word := range words {
		i := slices.Index(folded, word)
		if i < 0 {
			continue
		}
		if slices.Contains(folded[i+1:], word) {
			return -1, "", refuse(role, "", actions, ErrAmbiguous)
		}
		return i, actions[i], nil
	}
	return -1, "", refuse(role, "", actions, ErrNoAction)
}

// NamedAction finds an action the caller asked for by name, case folded. Any
// action can be named: who names "window.close" means it.
func NamedAction(role Role, actions []string, wanted string) (index int, name string, err error) {
	folded, word := foldAll(actions), fold(wanted)
	i := slices.Index(folded, word)
	switch {
	case i < 0 || word == "":
		return -1, "", refuse(role, wanted, actions, ErrNoAction)
	case slices.Contains(folded[i+1:], word):
		return -1, "", refuse(role, wanted, actions, ErrAmbiguous)
	}
	return i, actions[i], nil
}

// refuse is the error that lists what the node has.
func refuse(role Role, wanted string, actions []string, kind error) error {
	return &ActionError{Role: role, Wanted: clean(wanted), Actions: append([]string{}, actions...), Err: kind}
}

// fold makes two spellings of one action equal.
func fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// foldAll is fold for a list.
func foldAll(names []string) []string {
	folded := make([]string, len(names))
	for i, name := range names {
		folded[i] = fold(name)
	}
	return folded
}

// Disabled reports whether a node says that it takes no input now. Toolkits
// answer an action on such a node with success and do nothing (GTK 3), or hide
// its actions (Qt), so it is asked before an act. The states are those of
// [Node.States], after normalisation: GTK 4.8 never says "enabled" by itself.
func Disabled(states States) bool {
	return states&(StateEnabled|StateSensitive) == 0 || states.Has(StateDefunct)
}
