package display

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// serviceDirs are where the system's packages put what a session bus can start.
var serviceDirs = []string{"/usr/local/share/dbus-1/services", "/usr/share/dbus-1/services"}

// The only services a display's bus can start. No portal, keyring, gvfs or
// notification daemon: they would act on the person's files and desktop.
const (
	a11yService  = "org.a11y.Bus"
	dconfService = "ca.desrt.dconf"
)

// busTemplate is the session bus of a display: one socket at a path of ours,
// peers of our own uid by their credentials alone, and one service directory of
// ours. The stock configuration listens in the temporary directory and starts
// whatever is installed. The limits are the stock ones that matter for a large
// message; the rest are the daemon's own, which are those of a system bus and so
// small enough that one application cannot take the machine's memory.
const busTemplate = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>%s</listen>
  <auth>EXTERNAL</auth>
  <servicedir>%s</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
  <limit name="max_incoming_bytes">134217728</limit>
  <limit name="max_outgoing_bytes">134217728</limit>
  <limit name="max_message_size">134217728</limit>
  <limit name="max_completed_connections">1000</limit>
  <limit name="max_connections_per_user">1000</limit>
  <limit name="max_names_per_connection">1000</limit>
  <limit name="max_match_rules_per_connection">10000</limit>
  <limit name="max_replies_per_connection">10000</limit>
</busconfig>
`

// sessionAddress is the bus address of the session socket.
func (l layout) sessionAddress() string { return "unix:path=" + escapeAddress(l.session()) }

// escapeAddress writes a path as a value of a bus address, whose plain bytes are
// these few.
func escapeAddress(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-_/.\\*", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}

// writeBusConfig writes the configuration and the service files beside it.
func (l layout) writeBusConfig() error {
	config := fmt.Sprintf(busTemplate, xmlText(l.sessionAddress()), xmlText(l.services()))
	if err := os.WriteFile(l.busConfig(), []byte(config), 0o600); err != nil {
		return err
	}
	for _, name := range []string{a11yService, dconfService} {
		text, err := systemService(name)
		if err != nil {
			continue // not installed: the start of the accessibility bus says so, and dconf can do without
		}
		if err := os.WriteFile(filepath.Join(l.services(), name+".service"), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// systemService reads an installed service file without its line for systemd,
// which would start the service in the person's own session.
func systemService(name string) ([]byte, error) {
	var text []byte
	err := os.ErrNotExist
	for _, dir := range serviceDirs {
		if text, err = os.ReadFile(filepath.Join(dir, name+".service")); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	var kept bytes.Buffer
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte("SystemdService")) {
			kept.Write(line)
		}
	}
	return kept.Bytes(), nil
}

// serviceProgram is the program a service file starts.
func serviceProgram(name string) (string, error) {
	text, err := systemService(name)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if exec, ok := strings.CutPrefix(line, "Exec="); ok {
			if f := strings.Fields(exec); len(f) > 0 {
				return f[0], nil
			}
		}
	}
	return "", fmt.Errorf("service %s starts no program", name)
}

// xmlText escapes text for an element.
func xmlText(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}
