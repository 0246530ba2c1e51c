package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// machine is a pretended Debian: a PATH of scripts that note what they were
// asked, and a file of what is installed.
type machine struct {
	dir string
}

// fakes are the commands of the pretended machine. STATE is its directory.
var fakes = map[string]string{
	"go": `echo go1.26.0`,
	"dpkg-query": `shift 2
for p in "$@"; do grep -qx "$p" "$STATE/installed" && echo "installed $p"; done; exit 1`,
	// It installs nothing: what lies in bin is the machine's own.
	"npm":  `exit 1`,
	"id":   `cat "$STATE/uid"`,
	"sudo": `echo "sudo" >>"$STATE/said"; exec "$@"`,
	"apt-get": `echo "apt-get $*" >>"$STATE/said"
case "$*" in
*update*) touch "$STATE/lists" ;;
*" -s "*|"-s "*) [ -e "$STATE/lists" ] ;;
*install*) [ -e "$STATE/lists" ] || exit 100
	for p in "$@"; do echo "$p" >>"$STATE/installed"; done ;;
esac`,
}

// newMachine makes one with every package but those lacking.
func newMachine(t *testing.T, uid string, lacking ...string) machine {
	t.Helper()
	m := machine{t.TempDir()}
	for name, script := range fakes {
		m.write(t, name, "#!/bin/bash\n"+script+"\n", 0o755)
	}
	list, err := os.ReadFile(filepath.Join(root(t), "packaging/packages.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var installed []string
	for line := range strings.Lines(string(list)) {
		f := strings.Fields(line)
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			continue
		}
		if !strings.Contains(" "+strings.Join(lacking, " ")+" ", " "+f[0]+" ") {
			installed = append(installed, f[0])
		}
	}
	m.write(t, "installed", strings.Join(installed, "\n")+"\n", 0o644)
	m.write(t, "uid", uid, 0o644)
	return m
}

func (m machine) write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// setup runs scripts/setup on the machine; said is what it asked of apt.
func (m machine) setup(t *testing.T, args ...string) (said, out string, err error) {
	t.Helper()
	cmd := exec.Command(filepath.Join(root(t), "scripts/setup"), args...)
	cmd.Env = []string{"PATH=" + m.dir + ":/usr/bin:/bin", "STATE=" + m.dir, "HOME=" + m.dir}
	printed, err := cmd.CombinedOutput()
	asked, _ := os.ReadFile(filepath.Join(m.dir, "said"))
	return string(asked), string(printed), err
}

func TestSetup(t *testing.T) {
	t.Run("nothing missing", func(t *testing.T) {
		said, out, err := newMachine(t, "1000").setup(t)
		if err != nil || said != "" || !strings.Contains(out, "are here") {
			t.Errorf("asked %q, printed %q, %v", said, out, err)
		}
	})
	t.Run("bare, as root", func(t *testing.T) {
		said, out, err := newMachine(t, "0", "xvfb", "xterm").setup(t)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if strings.Contains(said, "sudo") || strings.Count(said, " update") != 1 {
			t.Errorf("asked %q", said)
		}
		if !strings.Contains(out, "installing 2 packages: xterm xvfb") {
			t.Errorf("printed %q", out)
		}
	})
	t.Run("lists are here, as somebody", func(t *testing.T) {
		m := newMachine(t, "1000", "xvfb")
		m.write(t, "lists", "", 0o644)
		said, out, err := m.setup(t)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if !strings.Contains(said, "sudo") || strings.Contains(said, " update") {
			t.Errorf("asked %q", said)
		}
	})
	t.Run("only asking", func(t *testing.T) {
		said, out, err := newMachine(t, "0", "xvfb").setup(t, "--check")
		if err == nil || said != "" || !strings.Contains(out, "missing: xvfb") {
			t.Errorf("asked %q, printed %q, %v", said, out, err)
		}
	})
}
