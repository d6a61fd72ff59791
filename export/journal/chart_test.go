package journal_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"concilia/config/problem"
	"concilia/export/journal"
	"concilia/store/ledger/bookkeeping"
)

const allEntries = "sale, fees, settled, split, cancelled, charged_back, taken_back, claim_written_off, slip_issued, slip_paid, slip_credited, " +
	"slip_cancelled, bank"

const allRoles = "receivable, service, claims, excess, loss, sales, returns, chargebacks, mdr, transaction_fee, antifraud_fee, anticipation, " +
	"split_cost, split_payable, slip_receivable, slip_transit, slip_sales, slip_discount, slip_charges, slip_tariff, bank, bank_tariffs, opening"

const (
	wantCode = "the reduced code of an account: up to 30 letters, digits, points, dashes and slashes, the first a letter or a digit"
	wantPath = "Assets, Liabilities, Equity, Income or Expenses, and parts after colons that begin with a capital letter"
	ofBoth   = "entry, line, set, posted_on, occurred_on, type, reverses, subject, version, brand, product, text, "
)

// TestChartIsRefusedWithEveryFault: what is wrong with a chart is said at once, each with its key and what it should be.
func TestChartIsRefusedWithEveryFault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says, text string
		want       []string // key, and what it should be; none: it is taken
	}{
		{"an empty chart is one without accounts", "", nil},
		{"codes and paths are written as offices and programs write them", `roles: {mdr: {code: "4301", path: "Expenses:MDR"}, sales: {code: 3.1.01-7}}`, nil},
		{"a CSV of the office's own", "columns: [{header: Data, value: posted_on}, {header: D, value: debit}, {header: C, value: credit}]", nil},
		{"a key that there is not", "layouts: pairs", []string{": line 1: field layouts not found in type journal.chartFile"}},
		{"another shape", "skip: sale", []string{": line 1: cannot unmarshal !!str `sale` into []string"}},
		{"no YAML", "roles: [", []string{": YAML: line 1: did not find expected node content"}},
		{"a megabyte and more", strings.Repeat("#", 1<<20+1), []string{": at most 1 MiB"}},
		{"a method that there is not", "method: both", []string{"method: accrual or cash"}},
		{"a grain that there is not", "grain: month", []string{"grain: day or row"}},
		{"entries that there are not, and the opening, which no ERP has", "skip: [sales, opening]", []string{
			"skip[0]: an entry: " + allEntries, "skip[1]: an entry: " + allEntries,
		}},
		{"a role that there is not", `roles: {banco: {code: "1"}}`, []string{"roles.banco: a role: " + allRoles}},
		{"a code with a blank, a path without root", `roles: {mdr: {code: "4301 X", path: "Despesas:MDR"}}`, []string{
			"roles.mdr.code: " + wantCode, "roles.mdr.path: " + wantPath,
		}},
		{"the same in an override, of an account that is none", "overrides: [{account: -1, roles: {mdr: {path: expenses}}}]", []string{
			"overrides[0].account: the number of an account", "overrides[0].roles.mdr.path: " + wantPath,
		}},
		{"a company with punctuation", "company: 12.345.678/0001-95", []string{"company: a CNPJ: fourteen characters without punctuation"}},
		{"a layout that there is not", "layout: rows", []string{"layout: lines or pairs"}},
		{"columns without header, with one that is there, with another line", `
columns:
- {value: posted_on}
- {header: Valor, value: debit}
- {header: Valor, value: credit}
- {header: "Da\nta", value: text}`, []string{
			"columns[0].header: a header of one line", "columns[2].header: a header that no column before it has", "columns[3].header: a header of one line",
		}},
		{"a value of the other layout, one twice, and no amount", "layout: pairs\ncolumns: [{header: A, value: debit}, {header: B, value: entry}, {header: C, value: entry}]", []string{
			"columns[0].value: a value of layout pairs: " + ofBoth + "debit_code, credit_code, amount, row_hash",
			"columns[2].value: a value that no column before it has",
			"columns: a column with value amount: by its sum the file is proved",
		}},
		{"debits alone", "columns: [{header: A, value: amount}, {header: B, value: debit}]", []string{
			"columns[0].value: a value of layout lines: " + ofBoth + "role, code, path, debit, credit, row_hash",
			"columns: a column with value credit: by its sum the file is proved",
		}},
	} {
		_, err := journal.ParseChart("accounts.yaml", []byte(c.text))
		if got := problemsOf(t, err); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%q, want\n%q", c.says, got, c.want)
		}
	}
}

// problemsOf are the keys of problems, and what should stand there.
func problemsOf(t *testing.T, err error) (out []string) {
	t.Helper()
	var list problem.List
	if err != nil && !errors.As(err, &list) {
		t.Fatal(err)
	}
	for _, p := range list {
		if p.File != "accounts.yaml" {
			t.Errorf("the problem is of file %q", p.File)
		}
		out = append(out, p.Key+": "+p.Want.In("en"))
	}
	return out
}

// TestAccountsThatFormatsLack: each account that an entry needs, and that lacks what a format shows, is one problem that names the entry.
func TestAccountsThatFormatsLack(t *testing.T) {
	t.Parallel()
	cards, both := []bookkeeping.EventSource{bookkeeping.CardEvents}, []bookkeeping.EventSource{bookkeeping.CardEvents, bookkeeping.SlipEvents}
	const skipMost = "skip: [fees, settled, split, cancelled, charged_back, taken_back, claim_written_off, slip_issued, slip_paid, slip_credited, slip_cancelled]\n"
	const opening = `opening: {code: "2901", path: "Equity:Anterior"}`
	for _, c := range []struct {
		says, chart string
		formats     []string
		sources     []bookkeeping.EventSource
		banks       bool
		want        []string
	}{
		{"a table shows either", skipMost + `roles: {receivable: {code: "1"}, sales: {path: "Income:Vendas"}, ` + opening + `}`, []string{"csv", "jsonl"}, cards, false, nil},
		{"an account for nothing", skipMost + `roles: {sales: {code: "1"}, ` + opening + `}`, []string{"csv"}, cards, false, []string{
			"roles.receivable: a code or a path: entry sale needs it in format csv",
		}},
		{
			"beancount and hledger show paths, Domínio codes of digits", skipMost + `roles: {receivable: {code: 1.1.05}, sales: {path: "Income:Vendas"}, ` + opening + `}`,
			[]string{"dominio", "hledger"},
			cards, false,
			[]string{
				"roles.receivable: a code of digits: entry sale needs it in format dominio", "roles.sales: a code: entry sale needs it in format dominio",
			},
		},
		{"an override lacks what the account has", skipMost + `
roles: {receivable: {path: "Assets:R"}, sales: {path: "Income:V"}, ` + opening + `}
overrides: [{brand: visa, roles: {sales: {code: "9"}}}]`, []string{"beancount"}, cards, false, []string{
			"overrides[0].roles.sales: a path: entry sale needs it in format beancount",
		}},
		{"pairs show codes", "layout: pairs\n" + skipMost + `roles: {receivable: {code: "1"}, sales: {path: "Income:Vendas"}, ` + opening + `}`, []string{"csv"}, cards, false, []string{
			"roles.sales: a code: entry sale needs it in format csv",
		}},
		{"a CSV of one's own with paths shows paths", skipMost + `
columns: [{header: Conta, value: path}, {header: D, value: debit}, {header: C, value: credit}]
roles: {receivable: {code: "1"}, sales: {path: "Income:Vendas"}, ` + opening + `}`, []string{"csv"}, cards, false, []string{
			"roles.receivable: a path: entry sale needs it in format csv",
		}},
		{"by cash there is no sale, and nothing of slips without them", "method: cash\n" + skipMost + `roles: {` + opening + `}`, []string{"csv"}, cards, false, nil},
		{"with statements of banks there is their entry", "method: cash\n" + skipMost + `roles: {` + opening + `}`, []string{"csv"}, both, true, []string{
			"roles.bank: a code or a path: entry bank needs it in format csv", "roles.bank_tariffs: a code or a path: entry bank needs it in format csv",
			"roles.split_payable: a code or a path: entry bank needs it in format csv", "roles.service: a code or a path: entry bank needs it in format csv",
		}},
	} {
		chart, err := journal.ParseChart("accounts.yaml", []byte(c.chart))
		if err != nil {
			t.Fatalf("%s: %v", c.says, err)
		}
		if got := problemsOf(t, chart.CheckRoles("accounts.yaml", c.formats, c.sources, c.banks)); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%q, want\n%q", c.says, got, c.want)
		}
	}
}
