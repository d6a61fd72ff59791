package cnab

import (
	"fmt"
	"slices"
	"strings"

	"concilia/store/ledger"
)

// printTotals prints what a file adds up to, by movement too.
func (x *inspection) printTotals(f *File) {
	t := f.Totals
	fmt.Fprintf(x.w, "totals\n")
	x.printTotal("file", x.describeFile(f))
	x.printTotal("records", fmt.Sprint(t.Records))
	x.printTotal("lotes", fmt.Sprint(t.Lotes))
	if f.Service != extratoService {
		x.printTitleTotals(t)
		return
	}
	x.printTotal("entries", fmt.Sprint(t.Entries))
	x.printTotal("credits", formatReais(t.Credits))
	x.printTotal("debits", formatReais(t.Debits))
	opening, closing := f.Balances()
	x.printTotal("opening", formatReais(opening))
	x.printTotal("closing", formatReais(closing))
}

// describeFile says in a line what the file is, whose, and which: what its reader wants to know before any column.
func (x *inspection) describeFile(f *File) string {
	h := &f.Header
	what := "service " + f.Service
	switch f.Service {
	case cobrancaService:
		what = "cobrança"
	case extratoService:
		what = "extrato"
	case "":
		what = "no lote"
	}
	said := fmt.Sprintf("%s, bank %s, branch %s, account %s, NSA %d", what, orMissing(h.Account.BankCode),
		orMissing(withCheckDigit(h.Account.Branch, h.Account.BranchDigit)), orMissing(withCheckDigit(h.Account.Number, h.Account.NumberDigit)), h.NSA)
	if h.Created != 0 {
		said += ", written " + h.Created.String()
	}
	if h.Version != "" {
		said += ", layout " + h.Version
	}
	return said
}

func orMissing(s string) string {
	if s == "" {
		return "missing"
	}
	return s
}

// withCheckDigit are a number without its leading zeros, and its check digit.
func withCheckDigit(number, check string) string {
	number = strings.TrimLeft(number, "0")
	if check = strings.TrimSpace(check); check != "" && number != "" {
		number += "-" + check
	}
	return number
}

func (x *inspection) printTitleTotals(t Totals) {
	x.printTotal("titles", fmt.Sprint(t.Titles))
	for _, m := range sortedMovements(x.movements) {
		v := x.movements[m]
		x.printTotal("  movement "+m.String(), fmt.Sprintf("%d, face %s, %s", v.titles, formatReais(v.face), orUnknown(m.Text())))
	}
	for _, row := range []struct {
		name string
		sum  ledger.Amount
	}{
		{"face", t.Face},
		{"additions", t.Additions},
		{"discount", t.Discount},
		{"rebate", t.Rebate},
		{"paid", t.Paid},
		{"fee", t.Fee},
		{"other expenses", t.OtherExpenses},
		{"other credits", t.OtherCredits},
		{"net", t.Net},
	} {
		x.printTotal(row.name, formatReais(row.sum))
	}
	x.printTotal("shares", fmt.Sprintf("%d, %s", t.Splits, formatReais(t.SplitAmount)))
}

func (x *inspection) printTotal(name, value string) { fmt.Fprintf(x.w, "  %-16s %s\n", name, value) }

func (x *inspection) printFaults(name string, f Faults) {
	fmt.Fprintf(x.w, "\n%s: %d\n", name, f.Count())
	if f.Count() > 0 {
		fmt.Fprintf(x.w, "  %s\n", strings.ReplaceAll(f.Error(), "\n", "\n  "))
	}
}

func sortedMovements(m map[Movement]movementTotal) []Movement {
	keys := make([]Movement, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
