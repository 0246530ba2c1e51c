package client

import (
	"context"
	"errors"
	"os"
	"syscall"

	"vibespace/internal/api"
)

// The person's verbs need the owner credential: a client made with
// Config.Owner.

// Hello says which daemon answers, starting one as any verb does.
func (c *Client) Hello(ctx context.Context, r api.HelloRequest) (api.DaemonAnswer, error) {
	answer, err := call[api.DaemonAnswer](ctx, c, "hello", r)
	answer.Started = c.Started()
	return answer, err
}

// Down ends every display and the daemon, and returns when its process is
// gone.
func (c *Client) Down(ctx context.Context, r api.DownRequest) (api.DaemonAnswer, error) {
	answer, err := call[api.DaemonAnswer](ctx, c, "person/down", r)
	if err != nil {
		return answer, err
	}
	bounded, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	// A daemon within this very process, as tests have it, has no process of its
	// own to wait for.
	for answer.PID != os.Getpid() && !errors.Is(syscall.Kill(answer.PID, 0), syscall.ESRCH) {
		if !pause(bounded) {
			break // a zombie of a starter that does not reap: it is down all the same
		}
	}
	return answer, nil
}

// PersonApps lists what can be opened here.
func (c *Client) PersonApps(ctx context.Context, r api.AppsRequest) (api.AppsAnswer, error) {
	return call[api.AppsAnswer](ctx, c, "person/apps", r)
}

// PersonLogs reads what any window's application wrote.
func (c *Client) PersonLogs(ctx context.Context, r api.LogsRequest) (api.LogsAnswer, error) {
	return call[api.LogsAnswer](ctx, c, "person/logs", r)
}

// Launch starts an application as the person's own, hidden.
func (c *Client) Launch(ctx context.Context, r api.OpenRequest) (api.OpenAnswer, error) {
	return call[api.OpenAnswer](ctx, c, "person/launch", r)
}

// Share gives a window to a session or a group.
func (c *Client) Share(ctx context.Context, r api.ShareRequest) (api.SharesAnswer, error) {
	return call[api.SharesAnswer](ctx, c, "person/share", r)
}

// Unshare takes it back at once.
func (c *Client) Unshare(ctx context.Context, r api.ShareRequest) (api.SharesAnswer, error) {
	return call[api.SharesAnswer](ctx, c, "person/unshare", r)
}

// Shares lists who reaches a window.
func (c *Client) Shares(ctx context.Context, r api.HandleRequest) (api.SharesAnswer, error) {
	return call[api.SharesAnswer](ctx, c, "person/shares", r)
}

// Remembered lists the shares that are remembered for applications.
func (c *Client) Remembered(ctx context.Context, r api.RememberedRequest) (api.RememberedAnswer, error) {
	return call[api.RememberedAnswer](ctx, c, "person/remembered", r)
}

// Forget forgets some of them.
func (c *Client) Forget(ctx context.Context, r api.RememberedRequest) (api.RememberedAnswer, error) {
	return call[api.RememberedAnswer](ctx, c, "person/forget", r)
}

// EndHold ends a session's lease of a window.
func (c *Client) EndHold(ctx context.Context, r api.HandleRequest) (api.HandleAnswer, error) {
	return call[api.HandleAnswer](ctx, c, "person/end-hold", r)
}

// Takeover gives a window to the person. When it has answered, nothing more
// reaches the window from an agent.
func (c *Client) Takeover(ctx context.Context, r api.TakeoverRequest) (api.TakeoverAnswer, error) {
	return call[api.TakeoverAnswer](ctx, c, "person/takeover", r)
}

// Handback gives a window back to its agent.
func (c *Client) Handback(ctx context.Context, r api.HandbackRequest) (api.HandbackAnswer, error) {
	return call[api.HandbackAnswer](ctx, c, "person/handback", r)
}

// Driving is the sign of life of the viewer that drives.
func (c *Client) Driving(ctx context.Context, r api.DrivingRequest) (api.TakeoverAnswer, error) {
	return call[api.TakeoverAnswer](ctx, c, "person/driving", r)
}

// Input passes on what the person did in the viewer that drives.
func (c *Client) Input(ctx context.Context, r api.InputRequest) (api.InputAnswer, error) {
	return call[api.InputAnswer](ctx, c, "person/input", r)
}

// PersonList lists every window.
func (c *Client) PersonList(ctx context.Context, r api.ListRequest) (api.ListAnswer, error) {
	return call[api.ListAnswer](ctx, c, "person/list", r)
}

// PersonMode changes any window's mode.
func (c *Client) PersonMode(ctx context.Context, r api.ModeRequest) (api.OpenAnswer, error) {
	return call[api.OpenAnswer](ctx, c, "person/mode", r)
}

// PersonSize pins any window of the person's.
func (c *Client) PersonSize(ctx context.Context, r api.SizeRequest) (api.OpenAnswer, error) {
	return call[api.OpenAnswer](ctx, c, "person/size", r)
}

// Rung moves the display of a window to another rung while it runs.
func (c *Client) Rung(ctx context.Context, r api.RungRequest) (api.OpenAnswer, error) {
	return call[api.OpenAnswer](ctx, c, "person/rung", r)
}

// PersonStop ends any window.
func (c *Client) PersonStop(ctx context.Context, r api.HandleRequest) (api.HandleAnswer, error) {
	return call[api.HandleAnswer](ctx, c, "person/stop", r)
}

// PersonClose asks any window to close.
func (c *Client) PersonClose(ctx context.Context, r api.CloseRequest) (api.Acted, error) {
	return call[api.Acted](ctx, c, "person/close", r)
}

// SessionNew makes a session and shows its token, this once.
func (c *Client) SessionNew(ctx context.Context, r api.SessionRequest) (api.SessionAnswer, error) {
	return call[api.SessionAnswer](ctx, c, "person/session-new", r)
}

// SessionList lists the sessions.
func (c *Client) SessionList(ctx context.Context, r api.SessionRequest) (api.SessionsAnswer, error) {
	return call[api.SessionsAnswer](ctx, c, "person/session-list", r)
}

// SessionEnd ends a session.
func (c *Client) SessionEnd(ctx context.Context, r api.SessionRequest) (api.SessionsAnswer, error) {
	return call[api.SessionsAnswer](ctx, c, "person/session-end", r)
}

// Run makes a session, or reuses the one that lives, and gives a token for a
// command that is run as it.
func (c *Client) Run(ctx context.Context, r api.SessionRequest) (api.SessionAnswer, error) {
	return call[api.SessionAnswer](ctx, c, "person/run", r)
}

// GroupNew makes a group.
func (c *Client) GroupNew(ctx context.Context, r api.GroupRequest) (api.GroupsAnswer, error) {
	return call[api.GroupsAnswer](ctx, c, "person/group-new", r)
}

// GroupAdd puts a session into a group.
func (c *Client) GroupAdd(ctx context.Context, r api.GroupRequest) (api.GroupsAnswer, error) {
	return call[api.GroupsAnswer](ctx, c, "person/group-add", r)
}

// GroupRemove takes a session out of a group, or ends the group.
func (c *Client) GroupRemove(ctx context.Context, r api.GroupRequest) (api.GroupsAnswer, error) {
	return call[api.GroupsAnswer](ctx, c, "person/group-remove", r)
}

// GroupList lists the groups.
func (c *Client) GroupList(ctx context.Context, r api.GroupRequest) (api.GroupsAnswer, error) {
	return call[api.GroupsAnswer](ctx, c, "person/group-list", r)
}

// Questions lists what sessions asked the person.
func (c *Client) Questions(ctx context.Context, r api.QuestionsRequest) (api.QuestionsAnswer, error) {
	return call[api.QuestionsAnswer](ctx, c, "person/questions", r)
}

// Reply answers a question; its session is told with its next command.
func (c *Client) Reply(ctx context.Context, r api.ReplyRequest) (api.ReplyAnswer, error) {
	return call[api.ReplyAnswer](ctx, c, "person/answer", r)
}

// Audit reads the audit.
func (c *Client) Audit(ctx context.Context, r api.AuditRequest) (api.AuditAnswer, error) {
	return call[api.AuditAnswer](ctx, c, "person/audit", r)
}

// Trace lists what was done to a window, with pictures.
func (c *Client) Trace(ctx context.Context, r api.TraceRequest) (api.TraceAnswer, error) {
	return call[api.TraceAnswer](ctx, c, "person/trace", r)
}

// TraceDelete deletes those pictures.
func (c *Client) TraceDelete(ctx context.Context, r api.TraceRequest) (api.TraceAnswer, error) {
	return call[api.TraceAnswer](ctx, c, "person/trace-delete", r)
}

// Config lists the settings of the daemon.
func (c *Client) Config(ctx context.Context, r api.ConfigRequest) (api.ConfigAnswer, error) {
	return call[api.ConfigAnswer](ctx, c, "person/config", r)
}

// ConfigSet changes one in its file.
func (c *Client) ConfigSet(ctx context.Context, r api.ConfigSetRequest) (api.ConfigSetAnswer, error) {
	return call[api.ConfigSetAnswer](ctx, c, "person/config-set", r)
}

// Ps lists what runs.
func (c *Client) Ps(ctx context.Context, r api.ListRequest) (api.PsAnswer, error) {
	return call[api.PsAnswer](ctx, c, "person/ps", r)
}

// Doctor asks the daemon what it knows to be wrong.
func (c *Client) Doctor(ctx context.Context, r api.ListRequest) (api.DoctorAnswer, error) {
	return call[api.DoctorAnswer](ctx, c, "person/doctor", r)
}
