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
		"CONCILIA_ACCOUNTS_1_NUMBER", "1002", "CONCILIA_BANKS_1_PAYERS_0_NAME", "service", "CONCILIA_BANKS_1_PAYERS_0_MATCH", "PIX",
		"CONCILIA_BANKS_1_PAYERS_0_DEBITS_0_NAME", "fee", "CONCILIA_BANKS_1_PAYERS_0_DEBITS_0_AMOUNT", "12.90")
	if p := c.Banks[1].Payers; len(p) != 1 || p[0].Match != "PIX" || p[0].Grain != "day" || len(p[0].Of) != 2 || p[0].Debits[0].Amount != "12.90" {
		t.Errorf("%+v", p)
	}
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
		{"what payers lack", `[{id: a, bank: "341", account: 12345-6, accounts: [1001], shift: 11, payers: [{of: []}]}]`, []string{
			`banks[0].shift: "11": 0 to 10 business days`,
			`banks[0].payers[0].name: missing: a name of lower-case letters, digits and -, such as service`,
			`banks[0].payers[0].match: missing: by what its lines are known: match, document or category`,
			`banks[0].payers[0].of: missing: what it pays: cards, slips`,
		}},
		{"payers", `[{id: a, bank: "341", account: 12345-6, accounts: [1001], payers: [{name: x, match: "/(/"}, {name: x, document: "1", grain: week, per_account: maybe, net_of_splits: 1, slip_tariff: x, of: [pix, cards], debit_match: "/(?P<brand>x)/", debits: [{name: "", amount: "0"}]}]}]`, []string{
			`banks[0].payers[0].match: "/(/": a piece of the text, or an expression (RE2) between slashes`,
			`banks[0].payers[1].document: "1": the 11 digits of a CPF or the 14 of a CNPJ, in quotes`,
			`banks[0].payers[1].grain: "week": one of day, brand, brand_product, slip, measured`,
			`banks[0].payers[1].per_account: "maybe": one of false, true, measured`,
			`banks[0].payers[1].net_of_splits: "1": one of false, true, measured`,
			`banks[0].payers[1].slip_tariff: "x": one of net, debit, none, measured`,
			`banks[0].payers[1].of[0]: "pix": one of cards, slips`,
			`banks[0].payers[1].debit_match: "/(?P<brand>x)/": an expression without the group brand, or the grain brand or brand_product`,
			`banks[0].payers[1].debits[0].name: a name of lower-case letters, digits and -, such as conectividade`,
			`banks[0].payers[1].debits[0].amount: "0": reais above 0 in quotes, such as "12.90"`,
			`banks[0].payers[1].name: "x": another name: banks[0].payers[0] has this one`,
			`banks[0].payers[1].of: "cards": what no other payer pays: banks[0].payers[0] does`,
		}},
		{"a preset that is none", `[{id: a, bank: "341", account: 12345-6, accounts: [1001], columns: {preset: open_banking}}]`, []string{
			`banks[0].columns.preset: "open_banking": one of open_finance`,
		}},
		{"columns beside a preset", `[{id: a, bank: "341", account: 12345-6, accounts: [1001], columns: {preset: open_finance, amount: Valor}}]`, []string{
			`banks[0].columns.preset: "open_finance": no column beside it: it says which member is what`,
		}},
		{"columns without the day", `[{id: a, bank: "341", account: 12345-6, accounts: [1001], columns: {amount: Valor}}]`, []string{
			`banks[0].columns.date.column: missing: the column of the day`,
		}},
		{"too many accounts", `[{id: a, bank: "341", account: 12345-6, accounts: [1001` + strings.Repeat(", 1001", 100) + `]}]`, []string{
			`banks[0].accounts: "101": 100 accounts at most`,
		}},
		{"too many payers", `[{id: a, bank: "341", account: 12345-6, accounts: [1001], payers: [{}` + strings.Repeat(", {}", 50) + `]}]`, []string{
			`banks[0].payers: "51": 50 payers at most`,
		}},
		{"files are moved to where they come from", `[{id: a, bank: "341", account: 12345-6, accounts: [1001], inbox: /srv/x, done: /srv/x/}]`, []string{
			`banks[0].done: "/srv/x/": another folder than inbox, which must be set too`,
		}},
		{"too many bank accounts", "[{}" + strings.Repeat(", {}", 1000) + "]", []string{`banks: "1001": 1000 bank accounts at most`}},
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
