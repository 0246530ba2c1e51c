package x11

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vibespace/internal/need"
)

// fieldPage has one text field and tells in its title how much is in it and what:
// the length and a hash of the characters.
const fieldPage = `<!doctype html><meta charset="utf-8"><title>the page is empty</title>
<textarea autofocus style="position:fixed;inset:0;width:100%;height:100%"></textarea><script>
const field = document.querySelector("textarea")
field.addEventListener("input", () => {
  let hash = 2166136261, n = 0
  for (const c of field.value) { hash = Math.imul(hash ^ c.codePointAt(0), 16777619) >>> 0; n++ }
  document.title = "has " + n + " of " + hash + ";"
})
field.addEventListener("focus", () => { document.title = "the page has the focus" })
</script>`

func pageTitle(text string) string {
	hash, n := uint32(2166136261), 0
	for _, r := range text {
		hash = (hash ^ uint32(r)) * 16777619
		n++
	}
	return fmt.Sprintf("has %d of %d;", n, hash)
}

// TestTextIsExactInBrowsers types into a page, under layouts that leave too few
// keys for all the symbols at once. Browsers answer late and look symbols up
// late: a key mapped anew a moment too early changes what was typed before.
func TestTextIsExactInBrowsers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"chromium", "firefox"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			i := r.injector()
			id := r.browser(name)
			title := func() string {
				w, err := r.c.Window(soon(t), id)
				if err != nil {
					t.Fatal(err)
				}
				return w.Title
			}
			// There is no window manager, and a browser that is still starting may
			// miss that it got the focus: it is taken away and given again, since
			// giving it to who has it tells nobody anything.
			was := ""
			defer func() {
				if t.Failed() {
					t.Logf("the title was %q", was)
				}
			}()
			r.until("the field's focus", func() bool {
				r.focusOn(WindowID(r.c.root))
				r.focusOn(id)
				if err := i.Click(soon(t), Point{300, 400}, ClickOpts{}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(50 * time.Millisecond)
				was = title()
				return strings.HasPrefix(was, "the page has the focus")
			})
			whole := ""
			for _, layout := range []string{"us,ru", "fr"} {
				r.tool(need.Tool(t, "setxkbmap"), layout)
				if _, err := i.lockState(soon(t), modLock, modLock, 1); err != nil {
					t.Fatal(err)
				}
				for round := range 3 {
					text := fmt.Sprintf("%d %s\n%s ll OO\n", round, asciiText, foreignText)
					if _, err := i.Text(soon(t), text, TextOpts{}); err != nil {
						t.Fatal(err)
					}
					whole += text
				}
				until(t, "all of the text in the page: "+title(), func() bool { return strings.HasPrefix(title(), pageTitle(whole)) })
			}
		})
	}
}

// browser opens the page in a browser with a profile of its own.
func (r *rig) browser(name string) WindowID {
	r.t.Helper()
	page := filepath.Join(r.dir, "page.html")
	if err := os.WriteFile(page, []byte(fieldPage), 0o600); err != nil {
		r.t.Fatal(err)
	}
	profile := filepath.Join(r.dir, "profile")
	if err := os.Mkdir(profile, 0o700); err != nil {
		r.t.Fatal(err)
	}
	if name == "chromium" {
		r.run(nil, need.Chromium(r.t), "--no-sandbox", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--disable-gpu", "--user-data-dir="+profile, "--app=file://"+page)
	} else {
		r.run(nil, need.Firefox(r.t), "--no-remote", "--profile", profile, "file://"+page)
	}
	id := r.top("the page is empty", "the page has the focus")
	r.focusOn(id)
	return id
}
