package cli

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"vibespace/browser/provider"
	"vibespace/internal/api"
	"vibespace/internal/need"
)

// TestDoctorLooksForWhatTheLadderStarts: a browser that vibespace-browser starts
// is not told to be missing.
func TestDoctorLooksForWhatTheLadderStarts(t *testing.T) {
	t.Parallel()
	if want := provider.Chromiums(); !slices.Equal(chromiums, want) {
		t.Errorf("doctor looks for %q, and the ladder starts %q", chromiums, want)
	}
}

// TestPackagesAreTheList: doctor names what make setup installs for running
// and for the demo, no more and no less.
func TestPackagesAreTheList(t *testing.T) {
	f, err := os.Open("../../packaging/packages.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var want, got []string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) > 1 && (fields[1] == "run" || fields[1] == "demo") && fields[0] != "#" {
			want = append(want, fields[0])
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for _, d := range packages {
		got = append(got, d.name)
	}
	sort.Strings(want)
	sort.Strings(got)
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("doctor knows %v, the list has %v", got, want)
	}
}

// finding gives the finding of a name.
func finding(t *testing.T, list []api.Finding, what string) api.Finding {
	t.Helper()
	for _, f := range list {
		if f.What == what {
			return f
		}
	}
	t.Fatalf("nothing about %s in %v", what, list)
	return api.Finding{}
}

func TestMissingPackageIsNamed(t *testing.T) {
	t.Setenv("PATH", need.Dir(t))
	f := finding(t, lookAround(api.Paths{Runtime: "/nowhere/r", State: "/nowhere/s", Socket: "/nowhere/r/s"}), "xvfb")
	if f.OK || f.Mend != "sudo apt-get install xvfb" {
		t.Errorf("%+v", f)
	}
}

// TestWhatIsOptionalIsNamed: what only a part of the product needs is said and
// is no fault.
func TestWhatIsOptionalIsNamed(t *testing.T) {
	t.Setenv("PATH", need.Dir(t))
	list := lookAround(api.Paths{Runtime: "/nowhere/r", State: "/nowhere/s", Socket: "/nowhere/r/s"})
	for what, why := range map[string]string{"chromium (optional)": "apt-get install chromium", "vibespace-desktop (optional)": "make build"} {
		if f := finding(t, list, what); !f.OK || !strings.Contains(f.Why, why) {
			t.Errorf("%+v", f)
		}
	}
}

// TestTraceWithoutScreen: where nothing can show the page, its path is told and
// why it is not shown.
func TestTraceWithoutScreen(t *testing.T) {
	s := newStub(t)
	s.answer = `{"ok":true,"handle":"w1","rows":[]}`
	got := s.person("trace", "w1", "--open")
	if got.exit != 0 || !strings.Contains(got.stdout, "/trace/w1.html\n") || !strings.Contains(got.stdout, "neither DISPLAY nor WAYLAND_DISPLAY is set") {
		t.Errorf("%+v", got)
	}
}

// TestWrongModesAreMended: each wrong mode is a fault, and its command is one
// that mends it.
func TestWrongModesAreMended(t *testing.T) {
	dir := need.Dir(t)
	p := api.Paths{Runtime: filepath.Join(dir, "r"), State: filepath.Join(dir, "s"), Socket: filepath.Join(dir, "r", "api.sock")}
	for _, err := range []error{
		os.Mkdir(p.Runtime, 0o755), os.Mkdir(p.State, 0o755), os.WriteFile(p.OwnerFile(), nil, 0o644), os.WriteFile(p.LogFile(), nil, 0o640),
		os.WriteFile(p.CrashFile(), []byte("panic"), 0o600),
		os.Chmod(p.Runtime, 0o755), os.Chmod(p.State, 0o755), os.Chmod(p.OwnerFile(), 0o644), os.Chmod(p.LogFile(), 0o640),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	list := lookAround(p)
	for what, mend := range map[string]string{
		"runtime directory": "chmod 700 " + p.Runtime, "state directory": "chmod 700 " + p.State,
		"owner credential": "chmod 600 " + p.OwnerFile(), "daemon's log": "chmod 600 " + p.LogFile(), "crash": "rm " + p.CrashFile(),
	} {
		if f := finding(t, list, what); f.OK || f.Mend != mend {
			t.Errorf("%+v, want %q", f, mend)
		}
	}
	for _, err := range []error{os.Chmod(p.Runtime, 0o700), os.Chmod(p.OwnerFile(), 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	list = lookAround(p)
	for _, what := range []string{"runtime directory", "owner credential"} {
		if f := finding(t, list, what); !f.OK {
			t.Errorf("mended: %+v", f)
		}
	}
	if err := os.Remove(p.OwnerFile()); err != nil {
		t.Fatal(err)
	}
	if f := lookDir("x", p.LogFile()); f.OK {
		t.Errorf("a file for a directory: %+v", f)
	}
}

// TestUserWithoutName: doctor said that everything was in order where no
// display could start, because the message bus turns away a user without an
// entry in passwd.
func TestUserWithoutName(t *testing.T) {
	if f := lookUser(0); !f.OK || f.Why != "root" {
		t.Errorf("root: %+v", f)
	}
	if f := lookUser(3_999_999_999); f.OK || f.Mend != "getent passwd 3999999999" {
		t.Errorf("nobody's number: %+v", f)
	}
	t.Setenv("PATH", t.TempDir())
	if f := lookUser(0); !f.OK || !strings.Contains(f.Why, "not looked up") {
		t.Errorf("where nobody can be asked: %+v", f)
	}
}
