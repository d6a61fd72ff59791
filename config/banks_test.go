package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/config"
)

// twoBanks is a configuration with bank accounts.
const twoBanks = good + `
banks:
  - {id: itau-12345, bank: "341", branch: "1234", account: 12345-6, accounts: [1001]}
`

func TestBankAccountsAreRead(t *testing.T) {
	t.Parallel()
	c := loadConfig(t, twoBanks, "CONCILIA_BANKS_1_ID", "bb", "CONCILIA_BANKS_1_BANK", "001", "CONCILIA_BANKS_1_ACCOUNT", "99-X", "CONCILIA_BANKS_1_ACCOUNTS", "1002",
		"CONCILIA_ACCOUNTS_1_NUMBER", "1002")
	if len(c.Banks) != 2 || c.Banks[0].Balance != "use" || c.Banks[1].Balance != "use" || c.Banks[1].Accounts[0] != 1002 {
		t.Errorf("%+v", c.Banks)
	}
}

func TestProblemsOfBankAccounts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, banks string
		want        []string
	}{
		{"what is required", "[{}]", []string{
			`banks[0].id: missing: a name of lower-case letters, digits and -, such as itau-12345`,
			`banks[0].bank: missing: the bank's 3 digits in quotes, such as "341"`,
			`banks[0].account: missing: the account (conta) with its check digit, in quotes, such as "12345-6"`,
			`banks[0].accounts: missing: the accounts that settle into it, such as [1001]`,
		}},
		{"values", `[{id: Itau, bank: "34", branch: x, account: a, accounts: [7], since: x, balance: no, amounts: pence}]`, []string{
			`banks[0].id: "Itau": a name of lower-case letters, digits and -, such as itau-12345`,
			`banks[0].bank: "34": the bank's 3 digits in quotes, such as "341"`,
			`banks[0].branch: "x": the branch (agência) in quotes, such as "1234"`,
			`banks[0].account: "a": the account (conta) with its check digit, in quotes, such as "12345-6"`,
			`banks[0].since: "x": a date, such as 2026-09-01`,
			`banks[0].balance: "no": one of use, ignore`,
			`banks[0].amounts: "pence": one of reais, cents`,
			`banks[0].accounts[0]: "7": one of accounts`,
		}},
		{"columns of a table", `[{id: a, bank: "341", account: 12345-6, accounts: [1001], columns: {delimiter: ab, encoding: latin, date: {column: D, layout: d/m/y}, credit: C, sign: {column: S}, decimal: x}}]`, []string{
			`banks[0].columns.delimiter: "ab": one character, such as ;`,
			`banks[0].columns.encoding: "latin": one of auto, utf-8, windows-1252`,
			`banks[0].columns.date.layout: "d/m/y": dd, mm and yyyy with what stands between, such as dd/mm/yyyy`,
			`banks[0].columns.decimal: "x": one of ,, .`,
			`banks[0].columns.debit: missing: the column of debits, beside credit`,
			`banks[0].columns.sign.column: "S": nothing: credit and debit have columns of their own`,
			`banks[0].columns.text: missing: the columns of the text, such as [Histórico]`,
		}},
		{"columns without the day", `[{id: a, bank: "341", account: 12345-6, accounts: [1001], columns: {amount: Valor}}]`, []string{
			`banks[0].columns.date.column: missing: the column of the day`,
		}},
		{"two that are the same", `[{id: a, bank: "341", account: 12345-6, accounts: [1001]}, {id: a, bank: "341", account: "123456", accounts: [1001]}]`, []string{
			`banks[1].id: "a": another id: banks[0] has this one`,
			`banks[1].account: "123456": another account: banks[0] has this one`,
			`banks[1].accounts[0]: "1001": an account that settles into no other bank account: banks[0] has this one`,
		}},
	} {
		_, err := config.Load(write(t, good+"\nbanks: "+tt.banks), vars())
		if err == nil {
			t.Errorf("%s: no problem", tt.name)
			continue
		}
		var got []string
		for line := range strings.Lines(err.Error()) {
			if _, after, ok := strings.Cut(strings.TrimSpace(line), " banks"); ok {
				got = append(got, "banks"+after)
			}
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: wanted (-), told (+):\n%s", tt.name, d)
		}
	}
}
