package agreements_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

const goodContract = `
contracts:
  - account: 1001
    valid_from: 2024-01-01
    valid_to: 2024-12-31
    rates:
      - {brand: Visa, product: credit, installments: 1, mdr: 2.34, transaction_fee: 0.10, antifraud_fee: "0.30", anticipation: 1.09}
      - {brand: "*", product: credit, installments: 2-6, mdr: "2.90", transaction_fee: 0.1}
      - {brand: Master, product: "*", mdr: 1}
      - {brand: "*", product: debit, mdr: 1.10}
    settlement: {credit: D+30, debit: D+1 bd}
    slip: {tariff: 2.50, credit: D+2 bd, discount: {pct: 5, until_days: 3}}
    splits: [{beneficiary: "12345678000195", pct: 10}]
    rental: 59.9
    cdi_year_pct: 14.9
  - account: 1001
    valid_from: 2025-01-01
    fee_basis: sale
    rates: [{mdr: 3.000001}]
  - {account: 1002, valid_from: 2024-01-01, rates: [{product: credit, mdr: 0}], settlement: {voucher: D+27}}
`

func date(t testing.TB, s string) ledger.Date {
	t.Helper()
	d, err := ledger.ParseDate(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func contracts(t testing.TB, text string) *agreements.Contracts {
	t.Helper()
	c, err := agreements.ParseContracts("contract.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLine(t *testing.T) {
	t.Parallel()
	c := contracts(t, goodContract)
	for _, row := range []struct {
		because string
		account ledger.Account
		brand   string
		product ledger.Product
		count   int
		day     string
		want    string // empty: no line
	}{
		{"a brand of its own comes first", 1001, "visa", ledger.Credit, 1, "2024-10-21", "1001/2024-01-01/visa/credit/1"},
		{"no installments stated is one", 1001, "visa", ledger.Credit, 0, "2024-10-21", "1001/2024-01-01/visa/credit/1"},
		{"the band holds its first number", 1001, "visa", ledger.Credit, 2, "2024-10-21", "1001/2024-01-01/*/credit/2-6"},
		{"the band holds its last number", 1001, "elo", ledger.Credit, 6, "2024-10-21", "1001/2024-01-01/*/credit/2-6"},
		{"and nothing beyond it", 1001, "elo", ledger.Credit, 7, "2024-10-21", ""},
		{"no line for one installment of this brand", 1001, "elo", ledger.Credit, 1, "2024-10-21", ""},
		{"the first match wins, not the narrowest", 1001, "mastercard", ledger.Debit, 1, "2024-10-21", "1001/2024-01-01/mastercard/*/*"},
		{"a file's spelling of a brand is its canonical name", 1001, "mastercard", ledger.Credit, 12, "2024-10-21", "1001/2024-01-01/mastercard/*/*"},
		{"debit of any brand", 1001, "elo", ledger.Debit, 1, "2024-10-21", "1001/2024-01-01/*/debit/*"},
		{"the first day of validity", 1001, "visa", ledger.Credit, 1, "2024-01-01", "1001/2024-01-01/visa/credit/1"},
		{"the last day of validity", 1001, "visa", ledger.Credit, 1, "2024-12-31", "1001/2024-01-01/visa/credit/1"},
		{"the contract after it", 1001, "visa", ledger.Credit, 1, "2025-01-01", "1001/2025-01-01/*/*/*"},
		{"validity without end", 1001, "visa", ledger.Voucher, 24, "2099-01-01", "1001/2025-01-01/*/*/*"},
		{"before the first contract", 1001, "visa", ledger.Credit, 1, "2023-12-31", ""},
		{"another account", 1002, "visa", ledger.Credit, 3, "2024-10-21", "1002/2024-01-01/*/credit/*"},
		{"a product that account has no line for", 1002, "visa", ledger.Debit, 1, "2024-10-21", ""},
		{"an account without a contract", 1003, "visa", ledger.Credit, 1, "2024-10-21", ""},
	} {
		l, ok := c.FindRateLine(row.account, row.brand, row.product, row.count, date(t, row.day))
		if l.ID != row.want || ok != (row.want != "") {
			t.Errorf("%s: got %q, want %q", row.because, l.ID, row.want)
		}
	}
	if _, ok := c.FindRateLine(1001, "visa", ledger.Credit, 1, 0); ok {
		t.Error("no sale date has a line")
	}
}

func TestTermsOfAContract(t *testing.T) {
	t.Parallel()
	c := contracts(t, goodContract)
	l, _ := c.FindRateLine(1001, "visa", ledger.Credit, 1, date(t, "2024-10-21"))
	if l.MDR != 2_340_000 || l.TransactionFee != ledger.Some(ledger.Amount(1000)) ||
		l.AntifraudFee != ledger.Some(ledger.Amount(3000)) || l.Anticipation != ledger.Some(ledger.Rate(1_090_000)) ||
		l.FeeBasis != agreements.PerInstallment || l.Band != "1" {
		t.Errorf("visa credit 1: %+v", l)
	}
	l, _ = c.FindRateLine(1001, "visa", ledger.Credit, 2, date(t, "2024-10-21"))
	if l.AntifraudFee.OK || l.Anticipation.OK || l.Band != "2-6" {
		t.Errorf("what was not agreed is there: %+v", l)
	}
	l, _ = c.FindRateLine(1001, "visa", ledger.Credit, 2, date(t, "2025-10-21"))
	if l.MDR != 3_000_001 || l.FeeBasis != agreements.PerSale || l.Band != "*" {
		t.Errorf("2025: %+v", l)
	}
	k, ok := c.FindContract(1001, date(t, "2024-10-21"))
	if !ok {
		t.Fatal("no contract")
	}
	if term, ok := k.Settlement.TermOf(ledger.Credit); !ok || term != (agreements.Term{Days: 30}) {
		t.Errorf("credit: %v", term)
	}
	if term, ok := k.Settlement.TermOf(ledger.Debit); !ok || term != (agreements.Term{Days: 1, Business: true}) {
		t.Errorf("debit: %v", term)
	}
	if _, ok := k.Settlement.TermOf(ledger.Voucher); ok {
		t.Error("voucher has a term")
	}
	want := agreements.SlipTerms{
		Tariff: ledger.Some(ledger.Amount(25_000)), Credit: agreements.Term{Days: 2, Business: true},
		Discount: agreements.Discount{Pct: 5_000_000, UntilDays: 3},
	}
	if k.Slip != want || c.FindSlipTerms(1001, date(t, "2024-10-21")) != want {
		t.Errorf("slip: %+v", k.Slip)
	}
	if diff := cmp.Diff([]agreements.AgreedSplit{{Beneficiary: "12345678000195", Pct: 10_000_000}}, k.Splits); diff != "" {
		t.Error(diff)
	}
	if k.CDIYearPct != ledger.Some(ledger.Rate(14_900_000)) {
		t.Errorf("cdi: %v", k.CDIYearPct)
	}
	plain := agreements.SlipTerms{Credit: agreements.Term{Days: 1, Business: true}}
	for _, account := range []ledger.Account{1002, 1003} {
		if got := c.FindSlipTerms(account, date(t, "2024-10-21")); got != plain {
			t.Errorf("slips of %s: %+v", account, got)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	c := contracts(t, goodContract)
	for _, row := range []struct {
		because string
		account ledger.Account
		product ledger.Product
		want    bool
	}{
		{"a line of its own", 1001, ledger.Debit, true},
		{"a line for all products", 1001, ledger.Voucher, true},
		{"the settlement alone", 1002, ledger.Voucher, true},
		{"nowhere", 1002, ledger.Debit, false},
		{"no contract", 1003, ledger.Credit, false},
	} {
		if got := c.CoversProduct(row.account, row.product); got != row.want {
			t.Errorf("%s: %s of %s is %v", row.because, row.product, row.account, got)
		}
	}
}

func TestContractTextReadsAsTheSame(t *testing.T) {
	t.Parallel()
	c := contracts(t, goodContract)
	golden(t, "contract.yaml", string(c.Text()))
	again := contracts(t, string(c.Text()))
	if again.Hash() != c.Hash() {
		t.Error("the canonical text reads as something else")
	}
	if contracts(t, strings.ReplaceAll(goodContract, "2.34,", "2.340, # as agreed\n     ")).Hash() != c.Hash() {
		t.Error("a comment and a zero changed the hash")
	}
	if contracts(t, strings.ReplaceAll(goodContract, "2.34,", "2.35,")).Hash() == c.Hash() {
		t.Error("another rate has the same hash")
	}
	none := agreements.NoContracts()
	if !none.IsEmpty() || c.IsEmpty() || contracts(t, string(none.Text())).Hash() != none.Hash() {
		t.Error("no contracts: empty, hash or text is wrong")
	}
}

func TestAccountsShareARateTableByAnchor(t *testing.T) {
	t.Parallel()
	c := contracts(t, `
contracts:
  - {account: 1001, valid_from: 2024-01-01, rates: &standard [{mdr: 2.5}]}
  - {account: 1002, valid_from: 2024-01-01, rates: *standard}
`)
	if l, _ := c.FindRateLine(1002, "visa", ledger.Credit, 1, date(t, "2024-02-01")); l.MDR != 2_500_000 {
		t.Errorf("line %+v", l)
	}
}

// Every way a contract can be wrong: what is written after the heading, and the problems it gives.
func TestProblemsOfAContract(t *testing.T) {
	t.Parallel()
	const head = "contracts:\n  - account: 1001\n    valid_from: 2024-01-01\n"
	for _, row := range []struct {
		because string
		text    string
		want    []string
	}{
		{
			"a comma is no decimal point", head + "    rates: [{mdr: \"2,34\"}]",
			[]string{`contract.yaml line 4 contracts[0].rates[0].mdr: "2,34": a percent from 0 to 100, written with a point, such as 2.34`},
		},
		{
			"a rate is not a word, and all are told at once", head + "    rates:\n      - {mdr: high}\n      - {mdr: -1, product: debit}\n      - {mdr: 101, installments: 3}",
			[]string{
				`contract.yaml line 5 contracts[0].rates[0].mdr: "high": a percent from 0 to 100, written with a point, such as 2.34`,
				`contract.yaml line 6 contracts[0].rates[1].mdr: "-1": a percent from 0 to 100, written with a point, such as 2.34`,
				`contract.yaml line 6 contracts[0].rates[1]: never reached, since the first match wins and line 5 covers it: put it earlier, or drop it`,
				`contract.yaml line 7 contracts[0].rates[2].mdr: "101": a percent from 0 to 100, written with a point, such as 2.34`,
				`contract.yaml line 7 contracts[0].rates[2]: never reached, since the first match wins and line 5 covers it: put it earlier, or drop it`,
			},
		},
		{
			"more decimals than a rate has", head + "    rates: [{mdr: 2.3456789}]",
			[]string{`contract.yaml line 4 contracts[0].rates[0].mdr: "2.3456789": more than 6 decimals: a percent from 0 to 100, written with a point, such as 2.34`},
		},
		{
			"a fee of thousands is a slipped point", head + "    rates: [{mdr: 2, transaction_fee: 10000}]",
			[]string{`contract.yaml line 4 contracts[0].rates[0].transaction_fee: "10000": an amount in reais from 0 to 1000.00, written with a point, such as 0.30`},
		},
		{
			"a rate line needs its rate", head + "    rates: [{brand: visa, mdr: }]",
			[]string{`contract.yaml line 4 contracts[0].rates[0].mdr: missing: the rate in percent, such as 2.34`},
		},
		{
			"a band runs upwards", head + "    rates: [{installments: 6-2, mdr: 1}]",
			[]string{`contract.yaml line 4 contracts[0].rates[0].installments: "6-2": a number of installments or a range of them, such as 1 or 2-6, 1 to 99`},
		},
		{
			"a product is one of three", head + "    rates: [{product: Crédito, mdr: 1}]",
			[]string{`contract.yaml line 4 contracts[0].rates[0].product: "Crédito": one of credit, debit, voucher, *`},
		},
		{
			"a brand has a name", head + "    rates: [{brand: \"\", mdr: 1}]",
			[]string{`contract.yaml line 4 contracts[0].rates[0].brand: empty: a card brand, such as visa, or "*" for all`},
		},
		{
			"a misspelt key", head + "    rates: [{mrd: 1, mdr: 1}]",
			[]string{`contract.yaml line 4 contracts[0].rates[0].mrd: unknown key: did you mean mdr?`},
		},
		{
			"a key from nowhere", head + "    slip: {price: 1}",
			[]string{`contract.yaml line 4 contracts[0].slip.price: unknown key: one of tariff, credit, discount`},
		},
		{
			"a key written twice", head + "    fee_basis: sale\n    fee_basis: installment",
			[]string{`contract.yaml line 5 contracts[0].fee_basis: written before, on line 4: keep one`},
		},
		{
			"a term is counted in days", head + "    settlement: {credit: 30}",
			[]string{`contract.yaml line 4 contracts[0].settlement.credit: "30": D+30 (calendar days) or D+1 bd (business days), 0 to 400 days`},
		},
		{
			"a block where a value belongs", head + "    slip: {tariff: {value: 1}}",
			[]string{`contract.yaml line 4 contracts[0].slip.tariff: not a single value: an amount in reais from 0 to 1000.00, written with a point, such as 0.30`},
		},
		{
			"a value where a list belongs", head + "    rates: none",
			[]string{`contract.yaml line 4 contracts[0].rates: "none": a list: of rate lines`},
		},
		{
			"shares of more than all", head + "    splits: [{beneficiary: 12345678000195, pct: 60}, {beneficiary: 98765432000198, pct: 41}]",
			[]string{`contract.yaml line 4 contracts[0].splits: the shares add up to more than 100 percent`},
		},
		{
			"a beneficiary twice, one misspelt and one of nothing", head + "    splits:\n      - {beneficiary: 12345678000195, pct: 1}\n      - {beneficiary: 12345678000195, pct: 1}\n      - {beneficiary: 123.456.789-09, pct: 0}\n      - {}",
			[]string{
				`contract.yaml line 6 contracts[0].splits[1].beneficiary: named before in this contract: keep one`,
				`contract.yaml line 7 contracts[0].splits[2].beneficiary: a CPF of 11 or a CNPJ of 14 characters without punctuation (it may be a person's, so it is not shown)`,
				`contract.yaml line 7 contracts[0].splits[2].pct: "0": a percent from 0.000001 to 100, written with a point, such as 2.34`,
				`contract.yaml line 8 contracts[0].splits[3].beneficiary: missing: a split names who and how many percent`,
				`contract.yaml line 8 contracts[0].splits[3].pct: missing: a split names who and how many percent`,
			},
		},
		{
			"a contract says whose it is and from when", "contracts: [{}]",
			[]string{
				`contract.yaml line 1 contracts[0].account: missing: the number of an account`,
				`contract.yaml line 1 contracts[0].valid_from: missing: the first sale date it holds for`,
			},
		},
		{
			"an account is a positive number", "contracts: [{account: 0, valid_from: 2024-02-30}]",
			[]string{
				`contract.yaml line 1 contracts[0].account: "0": an account number, 1 to 999999999999999`,
				`contract.yaml line 1 contracts[0].valid_from: "2024-02-30": a date, such as 2024-01-31`,
			},
		},
		{
			"a validity ends after it begins", head + "    valid_to: 2023-12-31",
			[]string{`contract.yaml line 2 contracts[0].valid_to: "2023-12-31": no earlier than valid_from, 2024-01-01`},
		},
		{
			"validities of one account overlap", head + "    valid_to: 2024-06-30\n  - {account: 1001, valid_from: 2024-06-30}\n  - {account: 1001, valid_from: 2024-06-29, valid_to: 2024-06-29}",
			[]string{
				`contract.yaml line 5 contracts[1].valid_from: "2024-06-30": account 1001 has a contract on that day already, on line 2: give that one a valid_to before it`,
				`contract.yaml line 6 contracts[2].valid_from: "2024-06-29": account 1001 has a contract on that day already, on line 2: give that one a valid_to before it`,
			},
		},
		{
			"a later contract inside one without end", head + "  - {account: 1001, valid_from: 2030-01-01}",
			[]string{`contract.yaml line 4 contracts[1].valid_from: "2030-01-01": account 1001 has a contract on that day already, on line 2: give that one a valid_to before it`},
		},
		{
			"a star without quotes", "contracts:\n  - rates: [{brand: *, mdr: 1}]",
			[]string{`contract.yaml line 2: not YAML: did not find expected alphabetic or numeric character (a text that begins with *, & or % needs quotes)`},
		},
		{"an empty file", "# nothing yet\n", []string{`contract.yaml contracts: missing: a list of contracts`}},
		{
			"another file altogether", "rate_unit: percent",
			[]string{
				`contract.yaml line 1 rate_unit: unknown key: one of contracts`,
				`contract.yaml line 1 contracts: missing: a list of contracts`,
			},
		},
		{"two documents", "contracts: []\n---\ncontracts: []", []string{`contract.yaml line 2: one document; this is a second one`}},
		{
			"a tag", "contracts: [{account: !!int 1, valid_from: 2024-01-01}]",
			[]string{`contract.yaml line 1 contracts[0].account: "!!int": a plain value: tags mean nothing here`},
		},
		{
			"a merge key", "contracts: [{<<: {account: 1}, valid_from: 2024-01-01}]",
			[]string{
				`contract.yaml line 1 contracts[0].<<: a key is plain text; << and the like mean nothing here`,
				`contract.yaml line 1 contracts[0].account: missing: the number of an account`,
			},
		},
		{"an anchor that holds itself", "contracts: &c [*c]", []string{`contract.yaml line 1 contracts[0]: a block of keys and values`}},
	} {
		_, err := agreements.ParseContracts("contract.yaml", []byte(row.text))
		if err == nil {
			t.Errorf("%s: accepted", row.because)
			continue
		}
		if diff := cmp.Diff(strings.Join(row.want, "\n"), err.Error()); diff != "" {
			t.Errorf("%s:\n%s", row.because, diff)
		}
	}
}

func TestProblemsAreCapped(t *testing.T) {
	t.Parallel()
	_, err := agreements.ParseContracts("c.yaml", []byte("contracts: ["+strings.Repeat("1,", 2000)+"]"))
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 51 || lines[50] != "and 950 more problems" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

// A file of anchors that would unfold to millions of lines is refused and not unfolded.
func TestAnchorsDoNotUnfoldForEver(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("contracts:\n  - {account: 1, valid_from: 2024-01-01, splits: &a [")
	b.WriteString(strings.Repeat("{},", 2000) + "]}\n")
	for i := range 2000 {
		fmt.Fprintf(&b, "  - {account: %d, valid_from: 2024-01-01, splits: *a}\n", i+2)
	}
	_, err := agreements.ParseContracts("c.yaml", []byte(b.String()))
	if err == nil {
		t.Error("accepted")
	}
}

// golden compares with testdata/name, or rewrites it under UPDATE_GOLDEN=1.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (UPDATE_GOLDEN=1 rewrites it):\n%s", path, diff)
	}
}
