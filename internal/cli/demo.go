package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

// demoApp and demoText are what the demo opens and types.
const (
	demoApp  = "mousepad"
	demoText = "Hello from VibeSpace: typed through the accessibility tree, é ü 你好 😀"
)

// demoAnswer is the demo with --json.
type demoAnswer struct {
	OK       bool                  `json:"ok"`
	Window   api.Window            `json:"window"`
	Tree     *api.Snapshot         `json:"tree"`
	Act      *api.Acted            `json:"act"`
	Text     string                `json:"text"`
	Verified bool                  `json:"verified"`
	Picture  *api.ScreenshotAnswer `json:"picture"`
	Ended    int                   `json:"ended"`
}

// demonstration is one run of the demo.
type demonstration struct {
	*run
	ctx    context.Context
	person *client.Client
	agent  *client.Client
	label  api.SessionID // "" until the session is made
	answer demoAnswer
}

// demo drives a real editor from end to end, the way an agent would, in a
// session of its own that ends with it.
func (r *run) demo() *cobra.Command {
	return &cobra.Command{
		Use: "demo", Short: "see a real editor driven through its tree", Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			person, err := r.dial(asOwner)
			if err != nil {
				return err
			}
			d := &demonstration{run: r, ctx: cmd.Context(), person: person}
			if err = d.begin(); err == nil {
				err = d.play()
			}
			if last := d.end(); err == nil {
				err = last
			}
			if err != nil || !r.json {
				return err
			}
			d.answer.OK = true
			return r.print(d.answer)
		},
	}
}

// tell writes a line of the demo; with --json there is only the object at the
// end.
func (d *demonstration) tell(format string, args ...any) error {
	if d.json {
		return nil
	}
	return d.say(nil, fmt.Sprintf(format, args...))
}

// step writes what would be typed, then what came of it.
func (d *demonstration) step(command, came string) error {
	return d.tell("$ %s\n%s\n", command, came)
}

// begin makes the demo's session and its agent.
func (d *demonstration) begin() error {
	label := api.SessionID("demo-" + strconv.FormatInt(time.Now().UnixMilli(), 36))
	s, err := d.person.SessionNew(d.ctx, api.SessionRequest{Label: label})
	if err != nil {
		return err
	}
	d.label = label
	d.agent, err = d.dial(func(c *client.Config) { c.Tokens, c.Session = []string{s.Token}, s.Label })
	if err != nil {
		return err
	}
	return d.tell("A real text editor, on a display of its own, driven through its accessibility tree.\n"+
		"Session %s, the way an agent does it:\n\n", label)
}

// end ends what the demo made, whatever happened, interrupted or not: the
// window, the session, and the daemon if the demo started it.
func (d *demonstration) end() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(d.ctx), 20*time.Second)
	defer cancel()
	var first error
	if h := d.answer.Window.Handle; h != "" && d.answer.Ended == 0 {
		_, first = d.agent.Stop(ctx, api.HandleRequest{Handle: h})
	}
	if d.label != "" {
		if _, err := d.person.SessionEnd(ctx, api.SessionRequest{Label: d.label}); err != nil && first == nil {
			first = err
		}
	}
	if d.person.Started() {
		if _, err := d.person.Down(ctx, api.DownRequest{}); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// play is the demo: open, read, act, verify, see, stop.
func (d *demonstration) play() error {
	open, err := d.agent.Open(d.ctx, api.OpenRequest{Common: d.common(), App: demoApp})
	if err != nil {
		return err
	}
	d.answer.Window = open.Window
	h := open.Window.Handle
	if err := d.step("vibespace-window open "+demoApp, api.Text("open", open)); err != nil {
		return err
	}
	tree, err := d.agent.Snapshot(d.ctx, api.SnapshotRequest{Common: d.common(), Handle: h})
	if err != nil {
		return err
	}
	d.answer.Tree = &tree
	if err := d.step(fmt.Sprintf("vibespace-window snapshot %s", h), api.Text("snapshot", tree)); err != nil {
		return err
	}
	field, ok := editable(tree.Nodes)
	if !ok {
		return api.Refuse(api.NotEditable, "%s shows no text field in its tree", demoApp)
	}
	if err := d.act(h, field); err != nil {
		return err
	}
	return d.look(h)
}

// editable finds the largest text field of a tree: an editor's page, not its
// search bar.
func editable(nodes []api.Node) (api.Ref, bool) {
	var best api.Ref
	area := 0
	for _, n := range nodes {
		if n.Bounds == nil || !has(n.States, "editable") {
			continue
		}
		if a := n.Bounds.W * n.Bounds.H; a > area {
			best, area = n.Ref, a
		}
	}
	return best, best != ""
}

// has says whether a list holds a word.
func has(list []string, word string) bool {
	for _, s := range list {
		if s == word {
			return true
		}
	}
	return false
}

// act types into the field and reads it back from the application.
func (d *demonstration) act(h api.Handle, field api.Ref) error {
	act, err := d.agent.Type(d.ctx, api.TypeRequest{Act: api.Act{Common: d.common(), Handle: h}, Ref: field, Text: demoText})
	if err != nil {
		return err
	}
	d.answer.Act = &act
	if err := d.step(fmt.Sprintf("vibespace-window type %s %s %q", h, field, demoText), api.Text("type", act)); err != nil {
		return err
	}
	got, err := d.agent.Get(d.ctx, api.GetRequest{Common: d.common(), Handle: h, Ref: field, What: "text"})
	if err != nil {
		return err
	}
	if got.Node.Text != nil {
		d.answer.Text = *got.Node.Text
	}
	d.answer.Verified = act.Verified != nil && *act.Verified && strings.Contains(d.answer.Text, demoText)
	if err := d.step(fmt.Sprintf("vibespace-window get %s %s text", h, field), api.Text("get", got)); err != nil {
		return err
	}
	if !d.answer.Verified {
		return api.Refuse(api.ExpectFailed, "the editor does not hold the text that was typed").With("text", d.answer.Text)
	}
	return nil
}

// look takes the picture, stops the editor and sums up.
func (d *demonstration) look(h api.Handle) error {
	picture, err := d.agent.Screenshot(d.ctx, api.ScreenshotRequest{Common: d.common(), Handle: h})
	if err != nil {
		return err
	}
	d.answer.Picture = &picture
	if err := d.step(fmt.Sprintf("vibespace-window screenshot %s", h), api.Text("screenshot", picture)); err != nil {
		return err
	}
	stop, err := d.agent.Stop(d.ctx, api.HandleRequest{Common: d.common(), Handle: h})
	if err != nil {
		return err
	}
	d.answer.Ended = stop.Ended
	if err := d.step(fmt.Sprintf("vibespace-window stop %s", h), api.Text("stop", stop)); err != nil {
		return err
	}
	return d.tell("verified: the editor itself says it holds %q\npicture:  %s\n", demoText, picture.Path)
}
