package target

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"vibespace/internal/api"
)

// firefoxPrefs keep a fresh Firefox profile on the page it was given: no
// first-run page, no question, no report, and its accessibility on.
const firefoxPrefs = `user_pref("accessibility.force_disabled", -1);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("browser.startup.page", 0);
user_pref("browser.tabs.warnOnClose", false);
user_pref("browser.warnOnQuit", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("datareporting.policy.dataSubmissionPolicyBypassNotification", true);
user_pref("app.update.enabled", false);
user_pref("app.normandy.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
user_pref("toolkit.telemetry.enabled", false);
user_pref("trailhead.firstrun.didSeeAboutWelcome", true);
user_pref("termsofuse.acceptedVersion", 999);
user_pref("termsofuse.bypassNotification", true);
`

// isFirefox says whether a browser takes Firefox' arguments.
func isFirefox(p program) bool {
	base := filepath.Base(p.path)
	return strings.Contains(base, "firefox") || base == "librewolf" || base == "waterfox" || p.name == "firefox-esr"
}

// browserArgs are a browser's own arguments and its page.
func browserArgs(p program, r api.OpenRequest) []string {
	var args []string
	for _, a := range p.args {
		if a != "" {
			args = append(args, a)
		}
	}
	if isChromium(p) {
		args = append(args, "--force-renderer-accessibility", "--no-first-run", "--no-default-browser-check",
			"--password-store=basic", "--disable-background-networking", "--disable-component-update", "--disable-sync")
		if os.Getuid() == 0 {
			// Chromium does not start as root inside its own sandbox.
			args = append(args, "--no-sandbox")
		}
	}
	if r.URL != "" {
		args = append(args, r.URL)
	}
	return args
}

// browserEnv switches a browser's accessibility on.
func browserEnv(p program) []string {
	if isFirefox(p) {
		return []string{"GNOME_ACCESSIBILITY=1", "MOZ_CRASHREPORTER_DISABLE=1", "MOZ_NO_REMOTE=1"}
	}
	return nil
}

// isChromium says whether a browser takes Chromium's arguments.
func isChromium(p program) bool {
	for _, name := range []string{p.name, filepath.Base(p.path), realBase(p.path)} {
		for _, part := range []string{"chrom", "brave", "edge", "vivaldi", "opera", "thorium"} {
			if strings.Contains(name, part) {
				return true
			}
		}
	}
	return false
}

// realBase is the name of what a path leads to, "" for nothing.
func realBase(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return filepath.Base(real)
}

// singleton is what Chromium adds to the directory for temporary files, for the
// socket by which it is one process a profile, and the longest path a socket
// can have.
const (
	singleton     = len("/org.chromium.Chromium.") + 6 + len("/SingletonSocket") // six random letters between
	maxSocketPath = 107
)

// withRoom gives Chromium a directory for temporary files whose path leaves
// room for its socket; it ends at once without. dir is the display's own.
func withRoom(p program, env []string, dir string) ([]string, error) {
	switch {
	case !isChromium(p) || len(filepath.Join(dir, "tmp"))+singleton <= maxSocketPath:
		return env, nil
	case len(dir)+singleton <= maxSocketPath:
		return append([]string{"TMPDIR=" + dir}, env...), nil
	}
	return nil, fmt.Errorf("the runtime directory's path is too long for Chromium's socket: a shorter VIBESPACE_RUNTIME_DIR is needed (%s)", dir)
}

// withProfile gives a browser a profile directory that nothing else uses: one
// profile shared by two displays would hand the second's page to the first.
func withProfile(p program, args []string, profile string) ([]string, error) {
	if err := os.MkdirAll(profile, 0o700); err != nil {
		return nil, err
	}
	switch {
	case isFirefox(p):
		if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(firefoxPrefs), 0o600); err != nil {
			return nil, err
		}
		return append([]string{"--profile", profile, "--no-remote", "--new-instance"}, args...), nil
	case isChromium(p):
		return append([]string{"--user-data-dir=" + profile}, args...), nil
	}
	return args, nil // it keeps what it keeps in its home, which is its display's
}
