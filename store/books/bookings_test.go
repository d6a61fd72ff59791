package books

import (
	"slices"
	"testing"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/ledger/bookkeeping"
)

// TestBankBooking: a match moves from the service what came, what was agreed to be debited, and what beneficiaries got before.
func TestBankBooking(t *testing.T) {
	t.Parallel()
	line := func(r bookkeeping.Role, a ledger.Amount) bookkeeping.EntryLine {
		return bookkeeping.EntryLine{Role: r, Amount: a}
	}
	bank, tariffs, splits, service := bookkeeping.RoleBank, bookkeeping.RoleBankTariffs, bookkeeping.RoleSplitPayable, bookkeeping.RoleService
	for _, c := range []struct {
		says                       string
		credited, declared, splits ledger.Amount
		want                       []bookkeeping.EntryLine
	}{
		{"a credit", 357_9800, 0, 0, []bookkeeping.EntryLine{line(bank, 357_9800), line(service, -357_9800)}},
		{"a credit less rental", 238_1800, 119_8000, 0, []bookkeeping.EntryLine{line(bank, 238_1800), line(tariffs, 119_8000), line(service, -357_9800)}},
		{"rental debited apart", -119_8000, 119_8000, 0, []bookkeeping.EntryLine{line(tariffs, 119_8000), line(bank, -119_8000)}},
		{"a credit after splits", 87_4000, 0, 9_7100, []bookkeeping.EntryLine{line(bank, 87_4000), line(splits, 9_7100), line(service, -97_1100)}},
		{"money that is taken back", -77_6100, 0, 0, []bookkeeping.EntryLine{line(service, 77_6100), line(bank, -77_6100)}},
		{"a credit that was returned", 0, 0, 0, nil},
	} {
		b := newBankBooking(&banking.Deposit{
			Account: 1001, Bank: "itau-12345", Match: "0a", Payer: "service", Credited: ledger.Some(c.credited), Declared: c.declared, Splits: c.splits,
		})
		if !slices.Equal(b.Lines, c.want) || b.Subject != "match:1001:itau-12345:0a" {
			t.Errorf("%s: %+v", c.says, b)
		}
	}
}
