package daemon

import (
	"context"

	"vibespace/internal/api"
)

// Settings are those of the daemon's configuration, as a person changes them.
type Settings interface {
	File() string
	List() ([]api.Setting, error)
	Set(key, value string) (api.Setting, error)
}

// config lists the settings for the person.
func (d *Daemon) config(_ context.Context, c api.Caller, _ api.ConfigRequest) (api.ConfigAnswer, error) {
	if err := d.settable(c); err != nil {
		return api.ConfigAnswer{}, err
	}
	list, err := d.cfg.Settings.List()
	return api.ConfigAnswer{OK: true, File: d.cfg.Settings.File(), Settings: list}, err
}

// configSet changes one in the file. The daemon goes on as it was started.
func (d *Daemon) configSet(_ context.Context, c api.Caller, r api.ConfigSetRequest) (api.ConfigSetAnswer, error) {
	if err := d.settable(c); err != nil {
		return api.ConfigSetAnswer{}, err
	}
	s, err := d.cfg.Settings.Set(r.Key, r.Value)
	return api.ConfigSetAnswer{OK: true, File: d.cfg.Settings.File(), Setting: s}, err
}

// settable refuses whoever is not the person, and where there is nothing to set.
func (d *Daemon) settable(c api.Caller) error {
	switch {
	case !c.Owner:
		return ownerOnly()
	case d.cfg.Settings == nil:
		return api.Refuse(api.NotYet, "this daemon was started without a configuration")
	}
	return nil
}
