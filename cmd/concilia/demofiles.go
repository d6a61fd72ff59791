package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"concilia/store/ledger"
)

// demoUser logs in to the sandbox of the demo.
const demoUser = "demo"

// demoFiles is what the demo writes before the night begins: a configuration and a contract, as a user would.
type demoFiles struct {
	dir      string
	base     string // address of the sandbox
	since    ledger.Date
	contract string
}

func (d *demoFiles) path(name string) string { return filepath.Join(d.dir, name) }

// write lays the files out. A folder that holds a demo of other data is refused: its ledger would be at odds with this
// one's service.
func (d *demoFiles) write(what string) error {
	mark := d.path("demo.txt")
	old, err := os.ReadFile(mark)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if entries, _ := os.ReadDir(d.dir); len(entries) > 0 {
			return usage("name a new folder with --dir", "%s is not empty and holds no demo", d.dir)
		}
	case err != nil:
		return err
	case string(old) != what+"\n":
		return usage("remove it, or name another with --dir", "%s holds another demo: %.60s", d.dir, string(old))
	}
	if err := os.MkdirAll(d.dir, 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"demo.txt": what + "\n", "contract.yaml": d.contract, "concilia.yaml": d.config(),
	} {
		if err := os.WriteFile(d.path(name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// config is the demo's configuration file.
func (d *demoFiles) config() string {
	slash := filepath.ToSlash
	return fmt.Sprintf(`# Written by concilia demo. The ledger and the reports are found from the folder the demo was started in; the
# sandbox behind these addresses ended with it.
timezone: America/Sao_Paulo
ledger:
  dsn: sqlite:%s
service:
  gateway_url: %s/gateway
  integration_url: %s/integration
  user_name: %s
  requests_per_second: 1000
accounts:
  - number: 1001
    name: Loja Centro
    since: %s
    document: "11222333000181"
    bank: {code: "001", branch: "1234", branch_digit: "5", account: "567890", account_digit: "1", digit: "", agreement: "1234567", name: BANCO DO BRASIL}
  - number: 1002
    name: Loja Norte
    since: %s
    document: "11444777000161"
    bank: {code: "237", branch: "4321", branch_digit: "0", account: "98765", account_digit: "4", digit: "", agreement: "7654321", name: BRADESCO}
contract: contract.yaml
reports:
  out: %s
`, slash(d.path("concilia.db")), d.base, d.base, demoUser, d.since, d.since, slash(d.path("reports")))
}

// environment is all that the demo's worker sees of the outside: a password, and a morning to live in.
func (d *demoFiles) environment(password string, now time.Time) func(string) (string, bool) {
	vars := map[string]string{
		"CONCILIA_SERVICE_PASSWORD": password,
		"CONCILIA_CLOCK":            now.Format(time.RFC3339),
	}
	return func(key string) (string, bool) {
		v, ok := vars[key]
		return v, ok
	}
}
