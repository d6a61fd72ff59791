package main

import (
	"fmt"
	"os"
	"path/filepath"

	"concilia/cmd/sandbox/world"
)

// plantedAll are the differences of the service and, where the demo has them, of the bank's statements and the stores' own sales.
func (m *mornings) plantedAll() []world.Planted {
	all := m.world.Planted()
	if len(m.banks) > 0 {
		all = append(all, m.world.PlantedAtBanks()...)
	}
	if len(m.stores) > 0 {
		all = append(all, m.world.PlantedInStores()...)
	}
	return all
}

// banksText is the part of the configuration about bank accounts.
func (d *demoFiles) banksText() string {
	var b []byte
	for i, a := range d.banks {
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
`, a.ID, a.Bank, a.Branch, a.Number, a.Account, d.since, a.ID, a.Grain, a.Debit.Cents())
	}
	return string(b)
}

// writeStatements lays out what a person would have downloaded by the morning of a day: for one bank account files in OFX, for the
// next one in CNAB 240. Downloads overlap.
func (m *mornings) writeStatements(morning world.Date) error {
	first, _ := m.world.Days()
	last := morning - 1
	made := func(d world.Date) world.StatementPeriod {
		return world.StatementPeriod{From: first, To: d, Made: (d + 1).At(5 * 60 * 60)}
	}
	for i, b := range m.banks {
		files := map[string][]byte{}
		newest := made(last)
		switch half := last - (last-first)/3; {
		case morning > m.world.AsOf():
			newest.From = max(first, last-2)
		case i%2 == 0:
			files["extrato-"+half.String()+".ofx"] = m.world.StatementOFX(b, made(half), true)
			newest.From = max(first, half-10)
		}
		if i%2 == 0 {
			files["extrato-"+last.String()+".ofx"] = m.world.StatementOFX(b, newest, true)
		} else {
			files["extrato-"+last.String()+".ret"] = m.world.StatementCNAB(b, newest, true)
		}
		folder := m.filePath(filepath.Join("extratos", b.ID))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		for name, file := range files {
			path := filepath.Join(folder, name)
			if err := os.WriteFile(path, file, 0o644); err != nil {
				return err
			}
			// It was there before the night began: nobody has to wait whether it still grows.
			if err := os.Chtimes(path, newest.Made, newest.Made); err != nil {
				return err
			}
		}
	}
	return nil
}
