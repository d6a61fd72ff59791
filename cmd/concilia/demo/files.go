package demo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/sandbox/world"
	"concilia/store/ledger"
)

// User logs in to the sandbox of the demo.
const User = "demo"

// Files is what the demo writes before the night begins: a configuration and a contract, as a user would.
type Files struct {
	Dir    string
	Since  ledger.Date // the first day that is answered for
	Eve    ledger.Date // of the first morning: the first day whose events are in the movement
	Banks  []world.BankAccount
	Stores []world.Store

	base     string // address of the sandbox
	contract string
	desk     bool // people sign in to a console
}

func (d *Files) filePath(name string) string { return filepath.Join(d.Dir, name) }

// Write lays the files out. A folder that holds a demo of other data is refused: its ledger would be at odds with this
// one's service.
func (d *Files) Write(what string) error {
	doneMarker := d.filePath("demo.txt")
	old, err := os.ReadFile(doneMarker)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if entries, _ := os.ReadDir(d.Dir); len(entries) > 0 {
			return exit.NewUsageError("error.folder_not_empty", "hint.new_folder", "path", d.Dir)
		}
	case err != nil:
		return err
	case string(old) != what+"\n":
		return exit.NewUsageError("error.other_demo", "hint.other_demo", "path", d.Dir, "demo", string(old[:min(len(old), 60)]))
	}
	if err := os.MkdirAll(d.Dir, 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"demo.txt": what + "\n", "contract.yaml": d.contract, "concilia.yaml": d.ConfigText(), "accounts.yaml": Chart,
	} {
		if err := os.WriteFile(d.filePath(name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// ConfigText is the demo's configuration file.
func (d *Files) ConfigText() string {
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
    bank: {code: "001", branch: "1234", branch_digit: "5", account: "57001", account_digit: "0", digit: "", agreement: "1234567", name: BANCO DO BRASIL}
  - number: 1002
    name: Loja Norte
    since: %s
    document: "11444777000161"
    bank: {code: "237", branch: "1234", branch_digit: "0", account: "57002", account_digit: "1", digit: "", agreement: "7654321", name: BRADESCO}
contract: contract.yaml
%sreports:
  out: %s
  formats: [csv, xlsx, edi, html]
movement: {from: %s, journal: [beancount, csv]}
journal: accounts.yaml
%s`, slash(d.filePath("concilia.db")), d.base, d.base, User, d.Since, d.Since, d.banksText()+d.storesText(), slash(d.filePath("reports")), d.Eve, d.deskText())
}

// banksText is the part of the configuration about bank accounts.
func (d *Files) banksText() string {
	var b []byte
	for i, a := range d.Banks {
		if i == 0 {
			b = append(b, "banks:\n"...)
		}
		b = fmt.Appendf(b, `  - id: %s
    bank: %q
    branch: %q
    account: %q
    accounts: [%d]
    since: %s
    inbox: extratos/%s
    payers:
      - {name: service, match: SERVICO PAGAMENTOS, grain: %s, debits: [{name: conectividade, amount: %q}]}
`, a.ID, a.Bank, a.Branch, a.Number, a.Account, d.Since, a.ID, a.Grain, a.Debit.Cents())
	}
	return string(b)
}

// storesText is the part of the configuration about stores.
func (d *Files) storesText() string {
	var b []byte
	for i, s := range d.Stores {
		if i == 0 {
			b = append(b, "stores:\n"...)
		}
		format := "neutral"
		if s.Notes {
			format = fmt.Sprintf("nfe, documents: [%q]", s.Document)
		}
		b = fmt.Appendf(b, "  - {id: %s, accounts: [%d], format: %s}\n", s.ID, s.Account, format)
	}
	return string(b)
}

// ContractText is the sandbox's contract as a contract file.
func ContractText(w *world.World) string {
	b := []byte("# What the merchant agreed with the service. Rates in percent, fees in reais.\ncontracts:\n")
	for _, c := range w.Contract() {
		b = fmt.Appendf(b, "  - account: %d\n    valid_from: %s\n    fee_basis: %s\n    rates:\n", c.Account, c.ValidFrom, c.FeeBasis)
		for _, r := range c.Rates {
			b = fmt.Appendf(b, "      - {brand: \"*\", product: %s, installments: %s, mdr: %s", r.Product, formatInstallments(r.From, r.To), r.MDR)
			for _, f := range []struct{ key, value string }{
				{"transaction_fee", r.TransactionFee}, {"antifraud_fee", r.AntifraudFee}, {"anticipation", r.Anticipation},
			} {
				if f.value != "" {
					b = fmt.Appendf(b, ", %s: %s", f.key, f.value)
				}
			}
			b = append(b, "}\n"...)
		}
		b = fmt.Appendf(b, "    settlement: {credit: %s, debit: %s}\n", c.SettlementCredit, c.SettlementDebit)
		b = fmt.Appendf(b, "    slip: {tariff: %s, credit: %s}\n", c.SlipTariff, c.SlipCredit)
		if len(c.Splits) == 0 {
			continue
		}
		b = append(b, "    splits:\n"...)
		for _, s := range c.Splits {
			b = fmt.Appendf(b, "      - {beneficiary: %q, pct: %s}\n", s.Beneficiary, s.Pct)
		}
	}
	return string(b)
}

func formatInstallments(from, to int) string {
	if from == to {
		return fmt.Sprint(from)
	}
	return fmt.Sprintf("%d-%d", from, to)
}
