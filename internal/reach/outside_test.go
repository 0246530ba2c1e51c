package reach

import (
	"database/sql"
	"testing"
)

// openOutside opens the database beside the daemon, as a person with sqlite3
// would, and gives what runs a statement on it. The driver is the store's.
func openOutside(t *testing.T, path string) func(string) error {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return func(statement string) error {
		_, err := db.ExecContext(t.Context(), statement)
		return err
	}
}
