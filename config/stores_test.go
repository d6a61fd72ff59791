package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"concilia/config"
)

// Each mistake in stores is reported, and a map is found in the configuration's folder.
func TestStores(t *testing.T) {
	t.Parallel()
	path := write(t, good+`
stores:
  - {}
  - {id: Centro, accounts: [7], format: neutral, documents: ["11222333000181"]}
  - {id: a, accounts: [1001], format: nfe}
  - {id: a, accounts: [1001], format: nfe, documents: ["12345678909"], days: sundays}
sales: {from: 31/12/2026}
institutions: [{cnpj: "1", participant: "a|b"}, {cnpj: "11444777000161", participant: IP01}, {cnpj: "11444777000161", participant: IP02}]
`)
	_, err := config.Load(path, vars())
	for _, want := range []string{
		"stores[0].id: missing: a name of lower-case letters, digits and -, such as centro",
		"stores[0].accounts: missing: the accounts its sales are in, such as [1001]",
		"stores[0].format: missing: nfe, nuvemshop, shopify-transactions, vtex, neutral, or the path of a column map",
		`stores[1].id: "Centro": a name of lower-case letters`,
		`stores[1].accounts[0]: "7": one of accounts`,
		`stores[1].documents: "11222333000181": nothing: only notes (format nfe) name who issued them`,
		`stores[2].documents: missing: the CNPJs that issue its notes`,
		`stores[3].id: "a": another id: stores[2] has this one`,
		`stores[3].documents[0]: "12345678909": the 14 characters of a CNPJ, in quotes`,
		`stores[3].days: "sundays": one of every, business`,
		`sales.from: "31/12/2026": `,
		`institutions[0].cnpj: "1": the 14 characters of a CNPJ, in quotes`,
		`institutions[0].participant: "a|b": its code in record 0150 of the EFD`,
		`institutions[2].cnpj: "11444777000161": another CNPJ: institutions[1] has this one`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("not told: %s\n%v", want, err)
		}
	}
	path = write(t, good+"stores: [{id: a, accounts: [1001], format: mapas/a.yaml, inbox: vendas, days: business}]\nsales: {from: 2026-11-01}\n")
	c, err := config.LoadOffline(path, vars())
	if err != nil || c.Stores[0].Format != filepath.Join(filepath.Dir(path), "mapas", "a.yaml") {
		t.Errorf("the map: %v %v", c, err)
	}
	if c.Stores[0].Inbox != filepath.Join(filepath.Dir(path), "vendas") {
		t.Errorf("the inbox: %s", c.Stores[0].Inbox)
	}
}
