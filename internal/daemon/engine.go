package daemon

import (
	"context"
	"os"

	"vibespace/internal/api"
	"vibespace/internal/audit"
	"vibespace/internal/lease"
	"vibespace/internal/reach"
	"vibespace/internal/target"
)

// openEngine joins the store, the lease table, the book of reach and the audit
// into the window engine.
func (d *Daemon) openEngine(ctx context.Context) error {
	var err error
	if d.reach, err = reach.Open(ctx, d.store, reach.Config{RequireToken: d.cfg.RequireToken, Lives: agentLives}); err != nil {
		return err
	}
	leases, err := lease.Open(ctx, d.store, lease.Config{Lapse: d.cfg.Lapse})
	if err != nil {
		return err
	}
	d.audit, err = audit.Open(ctx, d.store, audit.Config{Keep: d.cfg.AuditKeep, Age: d.cfg.AuditAge})
	if err != nil {
		return err
	}
	d.engine, err = target.New(ctx, target.Config{
		RuntimeDir: d.cfg.Paths.Runtime, StateDir: d.cfg.Paths.State, Socket: d.cfg.Paths.Socket, Version: d.cfg.Version,
		Store: d.store, Leases: leases, Reach: d.reach, Audit: d.audit, Log: d.log,
		NoTrace: d.cfg.NoTrace, EndGrace: d.cfg.SessionGrace, Inject: d.cfg.Inject, CheckTrees: d.cfg.CheckTrees,
		Displays: d.cfg.Displays, Footprint: d.cfg.Footprint, Screen: d.cfg.Screen, Apps: d.cfg.Apps, Env: d.cfg.Env,
		TakeoverIdle: d.cfg.TakeoverIdle, TakeoverAway: d.cfg.TakeoverAway,
	})
	if err != nil {
		return err
	}
	return d.openBrowsers(ctx, leases)
}

// hello says which daemon this is; it tells nothing of any session.
func (d *Daemon) hello(context.Context, api.Caller, api.HelloRequest) (api.DaemonAnswer, error) {
	return api.DaemonAnswer{OK: true, Version: d.cfg.Version, PID: os.Getpid(), Socket: d.cfg.Paths.Socket}, nil
}

// down ends the daemon and answers when its displays are gone.
func (d *Daemon) down(ctx context.Context, c api.Caller, _ api.DownRequest) (api.DaemonAnswer, error) {
	if !c.Owner {
		return api.DaemonAnswer{}, ownerOnly()
	}
	d.askOnce.Do(func() { close(d.asked) })
	select {
	case <-d.ended:
	case <-ctx.Done():
		return api.DaemonAnswer{}, ctx.Err()
	}
	answer, err := d.hello(ctx, c, api.HelloRequest{})
	answer.Ended = int(d.before.Load())
	return answer, err
}
