package config_test

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"
)

// TestLedgerAddress: what is set in addition to the DSN reaches the server's address, and only there; what the address says itself stays.
func TestLedgerAddress(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pass word")
	if err := os.WriteFile(file, []byte("not-a-secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ because, ledger, want string }{
		{"a file", "dsn: sqlite:a.db, pool: 20", "sqlite:a.db"},
		{"a server", "dsn: postgres://u@127.0.0.1/l", "postgres://u@127.0.0.1/l?pool_max_conns=10"},
		{"with more connections", "dsn: 'postgres://u@127.0.0.1/l?connect_timeout=5', pool: 20", "postgres://u@127.0.0.1/l?connect_timeout=5&pool_max_conns=20"},
		{"which the address has", "dsn: 'postgres://u@127.0.0.1/l?pool_max_conns=30', pool: 20", "postgres://u@127.0.0.1/l?pool_max_conns=30"},
		{"with a password", "dsn: postgres://u@127.0.0.1/l, password_file: '" + file + "'", "postgres://u@127.0.0.1/l?pool_max_conns=10&password_file=" + url.QueryEscape(file)},
	} {
		c := loadConfig(t, good+"ledger: {"+row.ledger+"}\n")
		if got := c.Ledger.Address(); got != row.want {
			t.Errorf("%s: %s, not %s", row.because, got, row.want)
		}
	}
}
