package cli

import (
	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

// configs are the settings of the daemon.
func (r *run) configs() *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "the settings of the daemon, and where each is set", Args: takes(0, 0),
		RunE: verb(r, "config", (*client.Client).Config, func(*cobra.Command, []string) (api.ConfigRequest, error) {
			return api.ConfigRequest{Common: r.common()}, nil
		}, asOwner),
	}
	cmd.AddCommand(&cobra.Command{
		Use: "set <key> <value>", Short: "change one in the configuration file; it counts from the daemon's next start", Args: takes(2, 2),
		RunE: verb(r, "config set", (*client.Client).ConfigSet, func(_ *cobra.Command, args []string) (api.ConfigSetRequest, error) {
			return api.ConfigSetRequest{Common: r.common(), Key: args[0], Value: args[1]}, nil
		}, asOwner),
	})
	return cmd
}
