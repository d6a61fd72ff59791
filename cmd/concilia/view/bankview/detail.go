package bankview

import (
	"fmt"
	"io"
	"strings"

	"concilia/cmd/concilia/view"
	"concilia/export/words"
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
	Subject string      `json:"subject"`
	Brand   string      `json:"brand"`
	Product string      `json:"product"`
	Amount  view.Amount `json:"amount"`
}

// BankMoreTitles are those that are not listed.
type BankMoreTitles struct {
	Items  int64       `json:"items"`
	Amount view.Amount `json:"amount"`
}

// maxTitles is how many titles of a row are listed.
const maxTitles = 20

// BankDetailOf is a row without titles yet.
func BankDetailOf(row BankRow) *BankDetail { return &BankDetail{BankRow: row, Titles: []BankTitle{}} }

// Add takes a title, and reports whether more are to be listed.
func (d *BankDetail) Add(t bank.Title) (wantsMore bool) {
	d.Titles = append(d.Titles, BankTitle{Subject: t.Subject, Brand: t.Brand, Product: t.Product, Amount: view.Amount(t.Amount)})
	return len(d.Titles) < maxTitles
}

// CountMore counts what is not listed: the rest of the row.
func (d *BankDetail) CountMore() {
	d.More = BankMoreTitles{d.Items - int64(len(d.Titles)), view.Amount(d.Expected.V)}
	for i := range d.Titles {
		d.More.Amount -= d.Titles[i].Amount
	}
}

// WriteText writes the row, then its titles.
func (d *BankDetail) WriteText(w io.Writer, l view.Language) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s: %s\n", d.Bank, l.FormatDay(d.BankDate), d.Payer, words.Label(l, "bank_status", string(d.Status)))
	for _, x := range []struct{ nameID, value string }{
		{"bank_text.expected", formatOptional(l, d.Expected)},
		{"bank_text.debits", formatNonZero(l, d.Debits)},
		{"bank_text.credited", formatOptional(l, d.Credited)},
		{"bank_text.difference", formatNonZero(l, d.Difference)},
		{"bank_text.match", d.Match},
		{"bank_text.text", view.Escape(d.Text)},
		{"bank_text.where_to_look", view.Escape(describeReason(l, d.reason))},
	} {
		if x.value != "" {
			fmt.Fprintf(&b, "  %-14s%s\n", words.Text(l, x.nameID), x.value)
		}
	}
	for _, s := range d.Subjects {
		fmt.Fprintf(&b, "  %s\n", view.Escape(s))
	}
	if len(d.Titles) > 0 {
		fmt.Fprintf(&b, "%s:\n", l.Count(d.Items, "item"))
	}
	for i := range d.Titles {
		t := &d.Titles[i]
		fmt.Fprintf(&b, "  %14s  %s %s\n", l.FormatReais(ledger.Amount(t.Amount)), view.Escape(t.Subject), view.Escape(strings.TrimSpace(t.Brand+" "+words.Label(l, "product", t.Product))))
	}
	if d.More.Items > 0 {
		fmt.Fprintf(&b, "  %14s  %s\n", l.FormatReais(ledger.Amount(d.More.Amount)), l.Count(d.More.Items, "more_item"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
