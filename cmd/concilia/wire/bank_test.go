package wire

import (
	"testing"

	"concilia/config"
	"concilia/jobs/agreements"
)

// What the configuration says of a payer holds; what it says is measured is as the profile says, and without that the default.
func TestBanksOfMeasuredPayers(t *testing.T) {
	t.Parallel()
	c := &config.Config{Banks: []config.BankAccount{{ID: "itau", Account: "12345-6", Accounts: []int64{1001}, Payers: []config.Payer{
		{Name: "service", Grain: config.Measured, PerAccount: "true", NetOfSplits: config.Measured, SlipTariff: config.Measured},
	}}}}
	none := agreements.BankReadings("")
	for _, tt := range []struct {
		name     string
		readings agreements.BankReadings
		want     map[agreements.BankKey]string
	}{
		{"nothing is decided", none, map[agreements.BankKey]string{"grain": "day", "per_account": "true", "net_of_splits": "false", "slip_tariff": "net"}},
		{
			"two keys are decided", none.With("itau", "service", agreements.BankGrain, "brand").With("itau", "service", agreements.BankSlipTariff, "debit"),
			map[agreements.BankKey]string{"grain": "brand", "per_account": "true", "net_of_splits": "false", "slip_tariff": "debit"},
		},
		{
			"what the configuration says is not measured", none.With("itau", "service", agreements.BankPerAccount, "false"),
			map[agreements.BankKey]string{"grain": "day", "per_account": "true", "net_of_splits": "false", "slip_tariff": "net"},
		},
		{
			"of another bank account", none.With("bb", "service", agreements.BankGrain, "brand"),
			map[agreements.BankKey]string{"grain": "day", "per_account": "true", "net_of_splits": "false", "slip_tariff": "net"},
		},
	} {
		all, err := BanksOf(c, tt.readings)
		if err != nil || len(all) != 1 || len(all[0].Payers) != 1 {
			t.Fatal(all, err)
		}
		p := &all[0].Payers[0]
		for key, want := range tt.want {
			if got := p.Value(key); got != want {
				t.Errorf("%s: %s is %s, want %s", tt.name, key, got, want)
			}
		}
		if len(p.Measured) != 3 {
			t.Errorf("%s: measured %v", tt.name, p.Measured)
		}
	}
}
