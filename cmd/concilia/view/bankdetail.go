package view

import (
	"fmt"
	"io"
	"strings"

	"concilia/jobs/bank"
	"concilia/store/ledger"
)

// BankDetail is a row of a bank account with the sales and slips that it should have paid.
type BankDetail struct {
	BankRow
	// Titles are twenty at most.
	Titles []BankTitle    `json:"titles"`
	More   BankMoreTitles `json:"more"`
}

// BankTitle is an installment or slip of a group.
type BankTitle struct {
	Subject string `json:"subject"`
	Brand   string `json:"brand"`
	Product string `json:"product"`
	Amount  Amount `json:"amount"`
}

// BankMoreTitles are those that are not listed.
type BankMoreTitles struct {
	Items  int64  `json:"items"`
	Amount Amount `json:"amount"`
}

// maxTitles is how many titles of a row are listed.
const maxTitles = 20

// BankDetailOf is a row without titles yet.
func BankDetailOf(row BankRow) *BankDetail { return &BankDetail{BankRow: row, Titles: []BankTitle{}} }

// Add takes a title.
func (d *BankDetail) Add(t bank.Title) {
	if len(d.Titles) < maxTitles {
		d.Titles = append(d.Titles, BankTitle{Subject: t.Subject, Brand: t.Brand, Product: t.Product, Amount: Amount(t.Amount)})
		return
	}
	d.More.Items++
	d.More.Amount += Amount(t.Amount)
}

// WriteText writes the row, then its titles.
func (d *BankDetail) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s: %s\n", d.Bank, d.BankDate, d.Payer, d.Status)
	for _, x := range []struct{ name, value string }{
		{"expected", formatOptional(d.Expected)},
		{"debits", formatNonZero(d.Debits)},
		{"credited", formatOptional(d.Credited)},
		{"difference", formatNonZero(d.Difference)},
		{"match", d.Match},
		{"text", Escape(d.Text)},
		{"where to look", Escape(d.Explanation)},
	} {
		if x.value != "" {
			fmt.Fprintf(&b, "  %-14s%s\n", x.name, x.value)
		}
	}
	for _, s := range d.Subjects {
		fmt.Fprintf(&b, "  %s\n", Escape(s))
	}
	if len(d.Titles) > 0 {
		fmt.Fprintf(&b, "%s:\n", countOf(d.Items, "item"))
	}
	for i := range d.Titles {
		t := &d.Titles[i]
		fmt.Fprintf(&b, "  %14s  %s %s\n", FormatReais(ledger.Amount(t.Amount)), Escape(t.Subject), Escape(strings.TrimSpace(t.Brand+" "+t.Product)))
	}
	if d.More.Items > 0 {
		fmt.Fprintf(&b, "  %14s  %s\n", FormatReais(ledger.Amount(d.More.Amount)), countOf(d.More.Items, "more item"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
