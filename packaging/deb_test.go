// Package packaging holds what makes packages of the programs; its tests build
// one, install it and take it away again.
package packaging

import (
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"debug/elf"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vibespace/internal/need"
)

func TestMain(m *testing.M) { need.Main(m) }

// programs are those the package installs.
var programs = []string{"vibespace", "vibespace-browser", "vibespace-desktop", "vibespace-window", "vibespaced"}

// do runs a command in the repository and gives what it printed.
func do(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = ".."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, &stderr)
	}
	return strings.TrimSpace(string(out))
}

// dpkg acts on a root of the test's own, which knows the packages of this
// machine, so that what is depended on is looked for; no root is wanted for it.
func dpkg(t *testing.T, root string, args ...string) {
	t.Helper()
	do(t, "dpkg", append([]string{
		"--root=" + root, "--log=" + root + "/log", "--force-not-root,bad-path,script-chrootless", "--no-triggers",
	}, args...)...)
}

// files lists what is below a directory, but dpkg's own.
func files(t *testing.T, root string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if rel := strings.TrimPrefix(path, root); rel != "" && !strings.HasPrefix(rel, "/var/") && rel != "/log" {
			list = append(list, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestDeb builds the package as make deb does, twice, installs it beside this
// machine's packages, and removes it: the same to the byte, its dependencies
// met, its programs of one version and of one daemon, and nothing left.
// make deb-test does it in a fresh Debian.
func TestDeb(t *testing.T) {
	for _, tool := range []string{"Xvfb", "xterm", "desktop-file-validate", "groff"} {
		need.Tool(t, tool)
	}
	bin := filepath.Join(need.Shared(t), "deb")
	deb := do(t, "make", "-s", "deb", "BIN="+bin, "DEB_COMPRESS=-Zgzip -z1")
	deb = deb[strings.LastIndexByte(deb, '\n')+1:]
	first, err := os.ReadFile(deb)
	if err != nil {
		t.Fatal(err)
	}
	// Again, with the daemon linked anew; the others take their time, the app's
	// toolkit above all.
	do(t, "make", "-s", "programs", "COMMANDS=vibespaced", "BIN="+bin)
	version := do(t, filepath.Join(bin, "vibespaced"), "--version")
	m := regexp.MustCompile(`^(\S+) \((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)\)$`).FindStringSubmatch(version)
	if m == nil {
		t.Fatalf("the version is %q: no commit and date", version)
	}
	commit, date := m[1], m[2]
	if head := do(t, "git", "-c", "safe.directory=*", "rev-parse", "HEAD"); !strings.HasPrefix(head, regexp.MustCompile(`^.*-g|-dirty$`).ReplaceAllString(commit, "")) {
		t.Errorf("the version is of %s, and this is %s", commit, head)
	}
	again := do(t, "scripts/deb", bin, commit, date, "-Zgzip", "-z1")
	if second, err := os.ReadFile(again); err != nil || again != deb || !bytes.Equal(first, second) {
		t.Errorf("%s and %s are not the same package: %v", deb, again, err)
	}

	root := t.TempDir()
	admin := filepath.Join(root, "var/lib/dpkg")
	if err := os.MkdirAll(admin, 0o755); err != nil {
		t.Fatal(err)
	}
	do(t, "sh", "-c", "mkdir "+admin+"/info "+admin+"/updates && cp /var/lib/dpkg/status "+admin)
	before := files(t, root)
	dpkg(t, root, "--install", deb)
	if got := do(t, "dpkg-query", "--admindir="+admin, "-W", "-f", "${db:Status-Abbrev}", "vibespace"); got != "ii" {
		t.Errorf("dpkg calls it %q", got)
	}
	t.Run("programs", func(t *testing.T) { checkPrograms(t, filepath.Join(root, "usr/bin"), version) })
	t.Run("at work", func(t *testing.T) { work(t, filepath.Join(root, "usr/bin")) })
	t.Run("pages", func(t *testing.T) { checkPages(t, root) })
	dpkg(t, root, "--purge", "vibespace")
	if after := files(t, root); !slices.Equal(before, after) {
		t.Errorf("the removal left %v of %v", after, before)
	}
}

// checkPrograms: a release is without cgo but for the desktop app, which wants
// the libraries the package recommends and no other; all say their commit.
func checkPrograms(t *testing.T, bin, version string) {
	for _, name := range programs {
		path := filepath.Join(bin, name)
		if said := do(t, path, "--version"); said != version {
			t.Errorf("%s --version says %q, want %q", name, said, version)
		}
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		settings := map[string]string{}
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		desktop := name == "vibespace-desktop"
		if settings["CGO_ENABLED"] != map[bool]string{true: "1", false: "0"}[desktop] || settings["-trimpath"] != "true" {
			t.Errorf("%s is built with %v", name, settings)
		}
		file, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		libraries, err := file.ImportedLibraries()
		if err != nil {
			t.Fatal(err)
		}
		if desktop {
			checkLibraries(t, libraries)
		} else if len(libraries) > 0 {
			t.Errorf("%s wants %v", name, libraries)
		}
	}
}

// checkLibraries compares what the desktop app links with what is recommended.
func checkLibraries(t *testing.T, libraries []string) {
	raw, err := os.ReadFile("packages.txt")
	if err != nil {
		t.Fatal(err)
	}
	stated := []string{"libc6"}
	for _, m := range regexp.MustCompile(`(?m)^(\S+)\s+app\s`).FindAllSubmatch(raw, -1) {
		stated = append(stated, string(m[1]))
	}
	for _, library := range libraries {
		out := do(t, "dpkg", "-S", "*/"+library)
		found := slices.ContainsFunc(strings.Split(out, "\n"), func(line string) bool {
			owner, _, _ := strings.Cut(line, ":")
			return slices.Contains(stated, owner)
		})
		if !found {
			t.Errorf("the desktop app links %s, which none of %v brings: %s", library, stated, out)
		}
	}
}

// work opens an application with the installed programs and ends it all.
func work(t *testing.T, bin string) {
	dir := need.Dir(t)
	env := []string{
		"PATH=/usr/bin:/bin", "HOME=" + dir, "VIBESPACE_SOCKET=" + dir + "/run/api.sock", "VIBESPACE_STATE_DIR=" + dir + "/state",
	}
	run := func(program string, args ...string) string {
		cmd := exec.Command(filepath.Join(bin, program), args...)
		cmd.Env = env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s %q: %v\n%s", program, args, err, out)
		}
		return string(out)
	}
	defer run("vibespace", "down")
	run("vibespace-window", "open", "xterm", "--timeout", "90s")
	run("vibespace-window", "key", "w1", "Return", "--timeout", "90s")
	run("vibespace-window", "stop", "w1", "--timeout", "90s")
}

// checkPages: the manual pages are pages, without a complaint of the
// typesetter; completions are scripts, and the menu entry is one.
func checkPages(t *testing.T, root string) {
	share := filepath.Join(root, "usr/share")
	for _, name := range programs {
		if _, err := os.Stat(filepath.Join(share, "man/man1", name+".1.gz")); err != nil {
			t.Error(err)
		}
	}
	pages, err := filepath.Glob(filepath.Join(share, "man/man1/*.gz"))
	if err != nil || len(pages) < 80 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	var all bytes.Buffer
	for _, path := range pages {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&all, z); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		f.Close()
	}
	cmd := exec.Command("groff", "-man", "-Kutf8", "-Tutf8", "-ww", "-rLL=100n", "-P-cbou")
	cmd.Stdin = &all
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	shown, err := cmd.Output()
	if err != nil || complaints.Len() > 0 {
		t.Errorf("groff: %v\n%.2000s", err, &complaints)
	}
	for _, words := range []string{"click <handle> @e7", "run --session <label>"} {
		if !bytes.Contains(shown, []byte(words)) {
			t.Errorf("no page says %q", words)
		}
	}
	for _, name := range programs[:2] {
		do(t, "bash", "-n", filepath.Join(share, "bash-completion/completions", name))
	}
	do(t, "desktop-file-validate", filepath.Join(share, "applications/vibespace.desktop"))
}
