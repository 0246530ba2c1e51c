// Command vibespaced is the daemon: it reads the configuration, cleans its
// environment, and serves until it is asked to go down.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"vibespace/browser/keeper"
	"vibespace/internal/api"
	"vibespace/internal/config"
	"vibespace/internal/daemon"
	"vibespace/internal/proc"
	"vibespace/internal/store"
)

// version is the build, set by the linker.
var version = "dev"

func main() {
	if len(os.Args) == 2 && os.Args[1] == keeperWord {
		os.Exit(keep())
	}
	ready := readyPipe()
	if err := clean(); err != nil {
		os.Exit(fail(ready, err))
	}
	if err := command(ready).Execute(); err != nil {
		os.Exit(fail(ready, err))
	}
}

// keeperWord makes this program the keeper of one browser. It is no command of
// anybody's: the daemon starts it, with an environment from nothing.
const keeperWord = "keeper"

// keep runs a keeper and gives the exit status; its starter is told the rest.
func keep() int {
	if err := keeper.Serve(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "vibespaced keeper:", err)
		return api.ExitRefused
	}
	return api.ExitOK
}

// keepers is the command that keeps a browser, nil when this program cannot be
// found again: then no browser starts, and says so.
func keepers() []string {
	exe, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{exe, keeperWord}
}

// configHelp says where the configuration lies, as config.DefaultFile finds it.
const configHelp = "the configuration file ($XDG_CONFIG_HOME/vibespace/config.yaml, or ~/.config/vibespace/config.yaml, if it is there)"

// command is the command line of the daemon: a flag a setting.
func command(ready *os.File) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: "vibespaced", Short: "the daemon of VibeSpace", Version: version, Args: cobra.NoArgs,
		SilenceUsage: true, SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	cmd.SetVersionTemplate("{{.Version}}\n")
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return api.Refuse(api.BadRequest, "%v", err).WithHint("vibespaced --help lists the settings")
	})
	cmd.Flags().StringVar(&file, "config", os.Getenv("VIBESPACE_CONFIG"), configHelp)
	for _, k := range config.Keys() {
		cmd.Flags().String(k.Name, "", k.Doc+" ("+k.Default+")")
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		flags := map[string]string{}
		for _, k := range config.Keys() {
			if f := cmd.Flags().Lookup(k.Name); f.Changed {
				flags[k.Name] = f.Value.String()
			}
		}
		src := config.Source{File: file, Flags: flags}
		cfg, err := config.Load(src)
		if err != nil {
			return api.Refuse(api.BadRequest, "%v", err)
		}
		editor, err := config.Edit(src, store.PutKept)
		if err != nil {
			return api.Refuse(api.BadRequest, "%v", err)
		}
		return serve(cfg, editor, ready)
	}
	return cmd
}

// serve opens the daemon, says that it listens, and runs it.
func serve(cfg config.Config, editor *config.Editor, ready *os.File) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	syscall.Umask(0o077)
	if err := os.Chdir("/"); err != nil {
		return err
	}
	log, file, err := daemon.OpenLog(cfg.Paths, cfg.LogLevel)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	keepCrash(cfg.Paths.CrashFile())
	if err := proc.Reap(ctx); err != nil {
		log.Warn("what applications leave behind may stay as zombies", "err", err)
	}
	d, err := daemon.Open(ctx, daemon.Config{
		Paths: cfg.Paths, Version: version, RequireToken: cfg.RequireToken, SessionGrace: cfg.SessionGrace, NoTrace: !cfg.TracePictures, Inject: cfg.Injection,
		CheckTrees: cfg.TreeCheck, Displays: cfg.MaxDisplays, Footprint: int64(cfg.FootprintLine) << 20,
		Screen: cfg.Screen, Apps: cfg.Apps, Lapse: cfg.LeaseLapse, AuditKeep: cfg.AuditKeep, AuditAge: cfg.AuditAge,
		TakeoverIdle: cfg.TakeoverIdle, TakeoverAway: cfg.TakeoverAway, Env: os.Environ(), Keeper: keepers(),
		MaxBrowsers: cfg.MaxBrowsers, BrowserIdle: cfg.BrowserIdle, Headless: cfg.Headless, Eval: cfg.Eval, Log: log, Settings: editor,
	})
	if err != nil {
		log.Error("not started", "err", err)
		return err
	}
	said, err := json.Marshal(api.DaemonAnswer{OK: true, Version: version, PID: os.Getpid(), Socket: cfg.Paths.Socket})
	if err != nil {
		return errors.Join(err, d.Close())
	}
	tell(ready, said)
	return d.Run(ctx)
}

// clean runs this program again in an environment without anything that is
// not on the list, when it has anything else: what a process started with
// stays readable in /proc for its whole life, whatever it unsets.
func clean() error {
	kept := api.DaemonEnv(os.Environ())
	if slices.Equal(kept, os.Environ()) {
		return nil
	}
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("clean the environment: %w", err)
	}
	return fmt.Errorf("clean the environment: %w", syscall.Exec(exe, os.Args, kept))
}

// readyPipe is the descriptor the starter waits on, nil when there is none.
func readyPipe() *os.File {
	fd, err := strconv.Atoi(os.Getenv(api.ReadyFD))
	if err != nil || fd < 3 {
		return nil
	}
	return os.NewFile(uintptr(fd), "ready")
}

// tell says the one line the starter waits for, and closes the descriptor
// before any child could inherit it.
func tell(ready *os.File, line []byte) {
	if ready == nil {
		return
	}
	_, _ = ready.Write(append(line, '\n')) // a starter that is gone needs no word
	_ = ready.Close()
}

// fail says why the daemon does not serve, to its starter and to a terminal,
// and gives the exit status.
func fail(ready *os.File, err error) int {
	e := api.AsError(err, api.StartFailed)
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	if line, err := json.Marshal(api.Refusal{Error: e}); err == nil {
		tell(ready, line)
	}
	fmt.Fprintf(os.Stderr, "vibespaced: %s", e.Text())
	return api.FateOf(e.Code).Exit
}

// keepCrash sends what the runtime says of a crash to a file: the daemon has
// no terminal. Without it a crash is only silent.
func keepCrash(path string) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_ = debug.SetCrashOutput(f, debug.CrashOptions{}) // it keeps a descriptor of its own
	_ = f.Close()
}
