package api

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// contractCodes are the codes other programs rely on, as the contract lists
// them.
const contractCodes = `no_session bad_session owner_only not_exposed not_attached held window_paused takeover_held reach_unreadable mode_pixels
window_not_visible outside_window occluded stale_ref unknown_ref no_action not_editable cannot_set disabled ambiguous_action single_line
no_injection no_tree app_not_found app_exited start_failed not_responding display_cap desktop_app_cap not_live bad_size size_out_of_bounds
bad_mode bad_key bad_point text_too_long control_char size_not_honoured not_your_window not_your_browser browser_is_human no_cdp_on_this_backend
desktop_app_only desktop_app_lacks desktop_app_not_a_profile profile_required profile_changed profile_in_use tab_gone not_your_tab tab_in_batch
tabs_unreadable not_owner adopt_not_yours browser_paused browser_interrupted browser_stopped browser_cap method_refused dialog_open
navigation_blocked sensitive_field download_blocked page_crashed backend_unavailable backend_no_key backend_seat_taken provider_needs_local_key
provider_local_only downgrade_refused cannot_switch expect_failed timeout cancelled busy too_large store_failed store_newer not_yet`

// declared reads the codes of code.go.
func declared(t *testing.T) map[Code]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "code.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := map[Code]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); !ok || kind.Name != "Code" {
			return true
		}
		for _, v := range spec.Values {
			word, err := strconv.Unquote(v.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			codes[Code(word)] = true
		}
		return true
	})
	return codes
}

// TestFates walks every code to its HTTP status and its exit status.
func TestFates(t *testing.T) {
	codes := declared(t)
	for _, word := range strings.Fields(contractCodes) {
		if !codes[Code(word)] {
			t.Errorf("the contract's %s is not declared", word)
		}
	}
	exits := map[Code]int{
		ExpectFailed: ExitNotMet, Timeout: ExitNotMet, Cancelled: ExitInterrupted, BadRequest: ExitUsage, Internal: ExitUnreachable,
		Unreachable: ExitUnreachable,
	}
	for code := range codes {
		fate := FateOf(code)
		want, special := exits[code]
		if !special {
			want = ExitRefused
		}
		if fate.Exit != want || fate.HTTP < 400 || fate.HTTP > 599 {
			t.Errorf("%s: HTTP %d, exit %d (want %d)", code, fate.HTTP, fate.Exit, want)
		}
	}
	for code := range fates {
		if !codes[code] {
			t.Errorf("%s has a fate and is not declared", code)
		}
	}
}
