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
func (d *BankDetail) WriteText(w io.Writer, l Language) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s: %s\n", d.Bank, l.formatDay(d.BankDate), d.Payer, l.label("bank_status", string(d.Status)))
	for _, x := range []struct{ nameID, value string }{
		{"bank_text.expected", l.formatOptional(d.Expected)},
		{"bank_text.debits", l.formatNonZero(d.Debits)},
		{"bank_text.credited", l.formatOptional(d.Credited)},
		{"bank_text.difference", l.formatNonZero(d.Difference)},
		{"bank_text.match", d.Match},
		{"bank_text.text", Escape(d.Text)},
		{"bank_text.where_to_look", Escape(d.reason.describe(l))},
	} {
		if x.value != "" {
			fmt.Fprintf(&b, "  %-14s%s\n", l.text(x.nameID), x.value)
		}
	}
	for _, s := range d.Subjects {
		fmt.Fprintf(&b, "  %s\n", Escape(s))
	}
	if len(d.Titles) > 0 {
		fmt.Fprintf(&b, "%s:\n", l.Count(d.Items, "item"))
	}
	for i := range d.Titles {
		t := &d.Titles[i]
		fmt.Fprintf(&b, "  %14s  %s %s\n", l.FormatReais(ledger.Amount(t.Amount)), Escape(t.Subject), Escape(strings.TrimSpace(t.Brand+" "+l.label("product", t.Product))))
	}
	if d.More.Items > 0 {
		fmt.Fprintf(&b, "  %14s  %s\n", l.FormatReais(ledger.Amount(d.More.Amount)), l.Count(d.More.Items, "more_item"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
