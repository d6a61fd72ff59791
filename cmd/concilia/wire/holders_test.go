package wire_test

import (
	"testing"

	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/store/ledger"
)

// TestLettersNameTheBankOfTheDeposits: a letter named the bank of the account's EDI files, into which no deposit went.
func TestLettersNameTheBankOfTheDeposits(t *testing.T) {
	t.Parallel()
	block := config.Bank{Code: "001", Branch: "1234", BranchDigit: "5", Account: "567890", AccountDigit: "1", Name: "BANCO DO BRASIL"}
	c := &config.Config{
		Accounts: []config.Account{{Number: 1001, Bank: block}, {Number: 1002, Bank: block}, {Number: 1003, Bank: block}, {Number: 1004}},
		Banks: []config.BankAccount{
			{ID: "itau-1001", Bank: "341", Branch: "1234", Account: "57001-0", Accounts: []int64{1001}},
			{ID: "bradesco-1002", Bank: "237", Account: "57002-1", Accounts: []int64{1002}},
		},
	}
	holders := wire.HoldersOf(c)
	want := []string{"341, 1234, 57001-0", "237, 57002-1", "001 BANCO DO BRASIL, 1234-5, 567890-1", ""}
	for i := range c.Accounts {
		if got := holders[ledger.Account(c.Accounts[i].Number)].Bank; got != want[i] {
			t.Errorf("account %d is told to be at %q, want %q", c.Accounts[i].Number, got, want[i])
		}
	}
}
