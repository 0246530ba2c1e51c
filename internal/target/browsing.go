package target

import (
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
	if !isFirefox(p) {
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

// withProfile puts a browser's profile in the directory of its display: one
// profile shared by two displays would hand the second's page to the first.
func withProfile(p program, args []string, dir string) []string {
	profile := webKeep(dir)
	if isFirefox(p) {
		_ = os.WriteFile(filepath.Join(profile, "user.js"), []byte(firefoxPrefs), 0o600)
		return append([]string{"--profile", profile, "--no-remote", "--new-instance"}, args...)
	}
	return append([]string{"--user-data-dir=" + profile}, args...)
}
