package main

import (
	"slices"
	"testing"

	"vibespace/internal/api"
	"vibespace/internal/config"
)

// TestSettingsReachTheDaemon: a variable of the configuration that a starter
// has is one of those the daemon starts with.
func TestSettingsReachTheDaemon(t *testing.T) {
	for _, k := range config.Keys() {
		if kv := k.Env + "=x"; !slices.Contains(api.DaemonEnv([]string{kv}), kv) {
			t.Errorf("%s would not reach a daemon that a client starts", k.Env)
		}
	}
}
