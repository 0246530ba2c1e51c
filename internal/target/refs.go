package target

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"

	"vibespace/atspi"
	"vibespace/internal/api"
)

// fingerprint is what an element was when it was told: acting on one that is
// something else by now would be acting on another element.
type fingerprint struct {
	role atspi.Role
	name string
	// trail is the roles of the ancestors, nearest first, up to the window;
	// parent is the nearest of them. The same parent has the same ancestors as
	// far as an act is concerned, and costs no walk to compare.
	trail  string
	parent atspi.Ref
	// under is the ancestor that disables it; not every toolkit says disabled
	// of what is in something that is.
	under atspi.Ref
}

// element is what one ref stands for: an object of the application, never a
// position.
type element struct {
	ref  api.Ref
	id   atspi.Ref
	mark fingerprint
	// epoch is the lease under which the ref was last told. A ref told to an
	// earlier holder, or before a hand-back, is stale until it is told again.
	epoch uint64
	// part is the window of the target the element lay in.
	part int
	// given says that a caller was shown the ref. Until then it is nobody's.
	given bool
	// seen is what the element was when it was looked at last, shown or not.
	seen     fingerprint
	seenPart int
}

// refs gives elements their numbers. A number is never given twice in the life
// of a window, and an object keeps its own as long as it is the same element.
type refs struct {
	mu   sync.Mutex
	last int
	// base is the first number of this daemon's: lower ones were an earlier one's.
	// Numbers below kept are on disk as given, in file, "" for none.
	base, kept int
	file       string
	byID       map[atspi.Ref]*element
	byRef      map[api.Ref]*element
}

// newRefs starts a window's numbering.
func newRefs() *refs {
	return &refs{byID: map[atspi.Ref]*element{}, byRef: map[api.Ref]*element{}}
}

// tell gives the ref of an element that is being shown to the holder of epoch.
// An object path that a toolkit uses again for another element (another role,
// or another place and another name) is another element and gets a new number.
func (r *refs) tell(id atspi.Ref, mark fingerprint, part int, epoch uint64) api.Ref {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.lookLocked(id, mark, part)
	e.sayLocked(epoch)
	return e.ref
}

// number gives the ref of an element that was looked at and is not shown: it is
// good for nothing until it is told.
func (r *refs) number(id atspi.Ref, mark fingerprint, part int) api.Ref {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lookLocked(id, mark, part).ref
}

// say tells the holder of epoch elements as they were looked at last.
func (r *refs) say(shown []api.Ref, epoch uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, ref := range shown {
		if e := r.byRef[ref]; e != nil {
			e.sayLocked(epoch)
		}
	}
}

// lookLocked finds the element, or makes it.
func (r *refs) lookLocked(id atspi.Ref, mark fingerprint, part int) *element {
	e := r.byID[id]
	if e != nil && !sameElement(e.mark, mark) {
		e = nil
	}
	if e == nil {
		e = &element{ref: api.Ref("@e" + strconv.Itoa(r.last)), id: id, mark: mark}
		r.last++
		r.keepLocked()
		r.byID[id], r.byRef[e.ref] = e, e
	}
	e.seen, e.seenPart = mark, part
	return e
}

// sayLocked makes an element as it was seen last what a caller was told.
func (e *element) sayLocked(epoch uint64) {
	e.mark, e.part, e.epoch, e.given = e.seen, e.seenPart, epoch, true
}

// sameElement allows an element to be renamed, or moved under another parent,
// not both at once and never to change its role. What is pressed for what it
// says is never the same under another name: an answer that told the new name
// in passing would otherwise turn a remembered "Keep" into a "Delete".
func sameElement(was, is fingerprint) bool {
	return was.role == is.role && (was.name == is.name || was.trail == is.trail && !pressed[is.role])
}

// pressed are the roles whose name says what a click on them does.
var pressed = map[atspi.Role]bool{
	atspi.RolePushButton: true, atspi.RoleToggleButton: true, atspi.RoleCheckBox: true, atspi.RoleRadioButton: true,
	atspi.RoleMenu: true, atspi.RoleMenuItem: true, atspi.RoleCheckMenuItem: true, atspi.RoleRadioMenuItem: true,
	atspi.RoleListItem: true, atspi.RoleTreeItem: true, atspi.RolePageTab: true, atspi.RoleLink: true,
}

// refsFile, in a display's directory, has the number below which all may have
// been given; refsAhead is how many are written as given at once.
const (
	refsFile  = "refs"
	refsAhead = 100
)

// keepIn makes the numbering outlive this daemon, in a file of the display.
func (r *refs) keepIn(file string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.file = file
}

// keepLocked writes ahead that numbers are given. The display does not outlive
// the machine, so nothing is forced to the disk.
func (r *refs) keepLocked() {
	if r.file == "" || r.last <= r.kept {
		return
	}
	if os.WriteFile(r.file, []byte(strconv.Itoa(r.last+refsAhead)), 0o600) == nil {
		r.kept = r.last + refsAhead
	}
}

// resume goes on after the numbers that an earlier daemon gave.
func (r *refs) resume(file string) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it gave none
	}
	n := 0
	if err == nil {
		n, err = strconv.Atoi(string(text))
	}
	if err != nil {
		return fmt.Errorf("the numbers of refs: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last, r.base, r.kept = n, n, n
	return nil
}

// before says whether a ref may be an earlier daemon's.
func (r *refs) before(ref api.Ref) bool {
	n, err := strconv.Atoi(strings.TrimPrefix(string(ref), "@e"))
	return err == nil && n < r.base
}

// find gives the element of a ref told to the holder of epoch.
func (r *refs) find(ref api.Ref, epoch uint64) (element, error) {
	if err := checkRef(ref); err != nil {
		return element{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.byRef[ref]
	switch {
	case e == nil && r.before(ref):
		return element{}, api.Refuse(api.StaleRef, "%s was told before the daemon was started anew", ref).
			WithHint("take a new snapshot: elements have other refs now").With("was", nil).With("is", nil)
	case e == nil || !e.given:
		return element{}, unknownRef(ref)
	case e.epoch != epoch:
		return element{}, api.Refuse(api.StaleRef, "%s was told before the window changed hands", ref).
			WithHint("take a new snapshot: elements that are still there keep their refs").
			With("was", describe(e.mark)).With("is", nil)
	}
	return *e, nil
}

// checkRef refuses what cannot be a ref.
func checkRef(ref api.Ref) error {
	digits, ok := strings.CutPrefix(string(ref), "@e")
	if ok && len(digits) > 0 && len(digits) < 10 {
		if _, err := strconv.ParseUint(digits, 10, 32); err == nil {
			return nil
		}
	}
	return unknownRef(ref)
}

// unknownRef refuses a ref that was never given.
func unknownRef(ref api.Ref) error {
	return api.Refuse(api.UnknownRef, "%s was never given in this window", api.Quote(string(ref), 40)).
		WithHint("refs look like @e12 and come from a snapshot or a find of the same window")
}

// describe is an element in a refusal: its role and name.
func describe(f fingerprint) string {
	if f.name == "" {
		return f.role.String()
	}
	return f.role.String() + " " + api.Quote(f.name, 80)
}

// staleRef refuses a ref whose element is gone (is == nil) or another by now.
func staleRef(e element, is *fingerprint) error {
	err := api.Refuse(api.StaleRef, "%s was %s and is gone", e.ref, describe(e.mark)).
		WithHint("take a new snapshot").With("was", describe(e.mark)).With("is", nil)
	if is != nil {
		err.Message = string(e.ref) + " was " + describe(e.mark) + " and is now " + describe(*is)
		return err.With("is", describe(*is))
	}
	return err
}
