package salesview

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"concilia/cmd/concilia/view"
	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sales"
)

// SalesImport is what became of one file of a store. Of a refused file it has the reason and nothing else.
type SalesImport struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	Store  string `json:"store"`
	*SalesImported
	Refusal *view.FileRefusal `json:"refused,omitempty"`
}

// SalesImported is what taking in a file did.
type SalesImported struct {
	From        ledger.Date     `json:"from"`
	To          ledger.Date     `json:"to"`
	Rows        int64           `json:"rows"`
	New         int64           `json:"new"`
	Changed     int64           `json:"changed"`
	Same        int64           `json:"same"`
	Vanished    int64           `json:"vanished"`
	Quarantined int64           `json:"quarantined"`
	Faults      []SalesFault    `json:"faults,omitempty"`
	Unmapped    []SalesUnmapped `json:"unmapped,omitempty"`
	known       bool
	voided      int64
}

// SalesFault is a row that was left out.
type SalesFault struct {
	Where  words.Message `json:"where"`
	Reason words.Message `json:"reason"`
}

// SalesUnmapped is a value that the store's map does not declare.
type SalesUnmapped struct {
	Member string `json:"member"`
	Value  string `json:"value"`
}

// SalesImports are what became of files, in their order.
type SalesImports []SalesImport

// RefusedSales is a file that was not taken in.
func RefusedSales(name string, sum ledger.FileHash, store string, why *words.Refusal) SalesImport {
	x := SalesImport{File: name, Store: store, Refusal: view.FileRefusalOf(why)}
	if sum != (ledger.FileHash{}) {
		x.SHA256 = sum.String()
	}
	return x
}

// TakenSales is a file that was taken in.
func TakenSales(name string, sum ledger.FileHash, store string, done *ownsales.Import) SalesImport {
	x := &SalesImported{
		From: done.Shown.From, To: done.Shown.To, Rows: done.Rows, New: done.New, Changed: done.Changed + done.Voided, Same: done.Same + done.Left,
		Vanished: done.Vanished, Quarantined: done.Quarantined, known: done.Known, voided: done.Voided,
	}
	for _, f := range done.Faults {
		x.Faults = append(x.Faults, SalesFault{words.Unpack(f.Where), words.Unpack(f.Reason)})
	}
	for _, u := range done.Unmapped {
		x.Unmapped = append(x.Unmapped, SalesUnmapped(u))
	}
	return SalesImport{File: name, SHA256: sum.String(), Store: store, SalesImported: x}
}

// HasFault reports whether a file was refused, or rows of one were left out.
func (v SalesImports) HasFault() bool {
	for i := range v {
		if v[i].Refusal != nil || v[i].Quarantined > 0 {
			return true
		}
	}
	return false
}

// WriteText writes a line for each file, with what was wrong in it below.
func (v SalesImports) WriteText(w io.Writer, l view.Language) error {
	var b strings.Builder
	for i := range v {
		x := &v[i]
		switch {
		case x.Refusal != nil:
			x.Refusal.WriteText(&b, x.File, l)
		case x.known:
			fmt.Fprintf(&b, "%s: %s: %s\n", x.File, x.Store, words.Text(l, "bank_text.same_bytes"))
		default:
			x.describeImport(&b, l)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (x *SalesImport) describeImport(b *strings.Builder, l view.Language) {
	fmt.Fprintf(b, "%s: %s", x.File, x.Store)
	if x.From != 0 {
		b.WriteString(", " + words.Text(l, "command.period", "from", l.FormatDay(x.From), "to", l.FormatDay(x.To)))
	}
	b.WriteString(": " + l.Count(x.New, "new_payment"))
	for _, part := range l.CountParts(
		view.Part{N: x.Changed - x.voided, What: "changed_payment"}, view.Part{N: x.voided, What: "cancelled_payment"},
		view.Part{N: x.Same, What: "known_payment"}, view.Part{N: x.Vanished, What: "vanished_payment"}, view.Part{N: x.Quarantined, What: "left_out"},
	) {
		b.WriteString(", " + part)
	}
	b.WriteByte('\n')
	for _, f := range x.Faults {
		b.WriteString("  " + words.Text(l, "sales_text.left_out", "where", f.Where.In(string(l)), "why", f.Reason.In(string(l))) + "\n")
	}
	if more := x.Quarantined - int64(len(x.Faults)); more > 0 && len(x.Faults) >= 20 {
		b.WriteString("  " + words.Text(l, "command.and_more", "n", l.FormatCount(more)) + "\n")
	}
	for _, u := range x.Unmapped {
		b.WriteString("  " + words.Text(l, "command.note", "note", words.Text(l, "sales_text.not_declared", "member", u.Member, "value", strconv.Quote(u.Value))) + "\n")
	}
}

// SalesFile is a file that was taken in.
type SalesFile struct {
	Store       string       `json:"store"`
	File        string       `json:"file"`
	SHA256      string       `json:"sha256"`
	Format      string       `json:"format"`
	From        ledger.Date  `json:"from"`
	To          ledger.Date  `json:"to"`
	Made        string       `json:"made"`
	Rows        int64        `json:"rows"`
	New         int64        `json:"new"`
	Changed     int64        `json:"changed"`
	Same        int64        `json:"same"`
	Vanished    int64        `json:"vanished"`
	Quarantined int64        `json:"quarantined"`
	Actor       string       `json:"actor"`
	Taken       view.Instant `json:"taken"`
}

// SalesFiles are files in the order they were made.
type SalesFiles []SalesFile

// SalesFilesOf are the files of a store.
func SalesFilesOf(id string, files []sales.File) SalesFiles {
	out := make(SalesFiles, len(files))
	for i := range files {
		f := &files[i]
		out[i] = SalesFile{
			Store: id, File: f.Name, SHA256: f.Hash.String(), Format: f.Format, From: f.Whole.From, To: f.Whole.To, Made: f.Made.String(), Rows: f.Rows,
			New: f.Created, Changed: f.Changed, Same: f.Same, Vanished: f.Vanished, Quarantined: f.Quarantined, Actor: f.Actor, Taken: view.Instant{Time: f.Taken},
		}
	}
	return out
}

// WriteText writes a table.
func (v SalesFiles) WriteText(w io.Writer, l view.Language) error {
	t := view.NewTable(w, 6, 7, 8)
	t.AppendHeader(l.HeadRow("sales_text.store", "sales_text.file", "sales_text.format", "sales_text.whole_from", "sales_text.to", "sales_text.rows", "sales_text.new",
		"sales_text.left_out_column", "sales_text.taken_in", "sales_text.by"))
	for i := range v {
		f := &v[i]
		t.AppendRow([]any{
			f.Store, f.File, f.Format, l.FormatDay(f.From), l.FormatDay(f.To), l.FormatCount(f.Rows), l.FormatCount(f.New), l.FormatCount(f.Quarantined),
			l.FormatLocal(f.Taken.Time, time.UTC), f.Actor,
		})
	}
	t.Render()
	return nil
}

// OwnSale is a payment as a store records it.
type OwnSale struct {
	Store        string          `json:"store"`
	Sale         string          `json:"sale_id"`
	Number       int             `json:"payment_no"`
	SoldAt       string          `json:"sold_at"`
	Amount       view.Amount     `json:"amount"`
	Method       ownsales.Method `json:"method"`
	Status       ownsales.Status `json:"status"`
	CancelledAt  string          `json:"cancelled_at,omitempty"`
	Installments int             `json:"installments,omitempty"`
	Interest     string          `json:"interest,omitempty"`
	Brand        string          `json:"brand,omitempty"`
	NSU          string          `json:"nsu,omitempty"`
	Auth         string          `json:"auth,omitempty"`
	TID          string          `json:"tid,omitempty"`
	Reference    string          `json:"reference,omitempty"`
	PaymentID    string          `json:"payment_id,omitempty"`
	Last4        string          `json:"last4,omitempty"`
	Terminal     string          `json:"terminal,omitempty"`
	Account      ledger.Account  `json:"account,omitempty"`
	Institution  string          `json:"institution,omitempty"`
	SlipID       string          `json:"slip_id,omitempty"`
	OurNumber    string          `json:"our_number,omitempty"`
	Document     string          `json:"document,omitempty"`
	Version      int             `json:"version,omitempty"`
	Vanished     bool            `json:"vanished"`
}

// OwnSaleOf describes a payment of a store.
func OwnSaleOf(id string, k *sales.Kept) OwnSale {
	x := OwnSale{
		Store: id, Sale: k.Sale, Number: k.Number, SoldAt: soldAt(&k.Payment), Amount: view.Amount(k.Amount), Method: k.Method, Status: k.Status,
		CancelledAt: k.CancelledAt.String(), Installments: k.Installments, Brand: k.Brand, NSU: k.NSU, Auth: k.Auth, TID: k.TID,
		Reference: k.Reference, PaymentID: k.PaymentID, Last4: k.Last4, Terminal: k.Terminal, Account: k.Account, Institution: k.Institution,
		SlipID: k.SlipID, OurNumber: k.OurNumber, Document: k.Document, Version: k.Version, Vanished: k.Vanished,
	}
	if k.Interest.OK {
		x.Interest = k.Interest.V.Fixed(2)
	}
	return x
}

// soldAt is the day of a sale, with its time if it has one.
func soldAt(p *ownsales.Payment) string {
	if !p.Timed {
		return p.Day().String()
	}
	return p.SoldAt.String()
}

// OwnSales writes payments as they come.
type OwnSales struct {
	lines *view.Lines // of JSON; nil: text
	l     view.Language
	w     io.Writer
}

// NewOwnSales writes to w.
func NewOwnSales(w io.Writer, asJSON bool, l view.Language) *OwnSales {
	if asJSON {
		return &OwnSales{lines: view.NewLines(w)}
	}
	return &OwnSales{w: w, l: l}
}

// Add writes one payment.
func (o *OwnSales) Add(id string, k *sales.Kept) error {
	if o.lines != nil {
		return o.lines.Add(OwnSaleOf(id, k))
	}
	_, err := fmt.Fprintln(o.w, describePayment(o.l, id, k))
	return err
}

// SaleVersion is a version of a payment with the files that have it.
type SaleVersion struct {
	OwnSale
	FirstFile string `json:"first_file"`
	LastFile  string `json:"last_file"`
	Current   bool   `json:"current"`
	kept      sales.Kept
	names     [2]string
}

// SaleVersions are the versions of the payments of a sale.
type SaleVersions []SaleVersion

// SaleVersionsOf are the versions of a sale of a store, whose files are given.
func SaleVersionsOf(id string, all []sales.Kept, files []sales.File) SaleVersions {
	names := map[ledger.FileHash]string{}
	for i := range files {
		names[files[i].Hash] = files[i].Name
	}
	out := make(SaleVersions, len(all))
	for i := range all {
		k := &all[i]
		last := k.Last
		if last == (ledger.FileHash{}) {
			last = k.First // which showed it until another map read it
		}
		out[i] = SaleVersion{
			OwnSale: OwnSaleOf(id, k), FirstFile: k.First.String(), LastFile: last.String(), Current: !k.Ended, kept: *k,
			names: [2]string{names[k.First], names[last]},
		}
	}
	return out
}

// Files are the names of the file that brought the version and of the one that showed it last.
func (v *SaleVersion) Files() [2]string { return v.names }

// WriteText writes a line for each version, with its files below.
func (v SaleVersions) WriteText(w io.Writer, l view.Language) error {
	var b strings.Builder
	for i := range v {
		x := &v[i]
		mark := " "
		if x.Current {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %s  %s\n", mark, words.Text(l, "sales_text.version", "number", x.Version), describePayment(l, x.Store, &x.kept))
		b.WriteString("    " + words.Text(l, "sales_text.brought_by", "first", x.names[0], "first_hash", fmt.Sprintf("%.16s", x.FirstFile), "last", x.names[1],
			"last_hash", fmt.Sprintf("%.16s", x.LastFile)) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// SalesDay is a day of a store.
type SalesDay struct {
	Store    string            `json:"store"`
	Day      ledger.Date       `json:"day"`
	State    ownsales.DayState `json:"state"`
	Payments int64             `json:"payments"`
	Why      string            `json:"why,omitempty"`
}

// StoreCoverage are the days of a store.
type StoreCoverage struct {
	Store string
	Shown []ownsales.Day
}

// SalesCoverage is the coverage of stores.
type SalesCoverage []StoreCoverage

// SalesCoverageOf are the days of a store within a period.
func SalesCoverageOf(id string, days []ownsales.Day, p ledger.Period) StoreCoverage {
	c := StoreCoverage{Store: id}
	for i := range days {
		if p.Contains(days[i].Day) {
			c.Shown = append(c.Shown, days[i])
		}
	}
	return c
}

// Days are all days, store by store.
func (v SalesCoverage) Days() []SalesDay {
	var out []SalesDay
	for i := range v {
		for _, d := range v[i].Shown {
			out = append(out, SalesDay{Store: v[i].Store, Day: d.Day, State: d.State, Payments: d.Payments, Why: d.Why})
		}
	}
	return out
}

// ownDaySigns are how a day is drawn.
var ownDaySigns = map[ownsales.DayState]string{ownsales.DayComplete: "+", ownsales.DayPartial: "~", ownsales.DayMissing: "x"}

// WriteText draws a calendar of each store, a month a row, and why days are open below it.
func (v SalesCoverage) WriteText(w io.Writer, l view.Language) error {
	var b strings.Builder
	for i := range v {
		v[i].writeCoverage(&b, l)
	}
	b.WriteString(words.Text(l, "sales_text.legend") + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (c *StoreCoverage) writeCoverage(b *strings.Builder, l view.Language) {
	if len(c.Shown) == 0 {
		fmt.Fprintf(b, "%s: %s\n\n", c.Store, words.Text(l, "sales_text.no_file"))
		return
	}
	days := c.Shown
	title := view.NameCalendar(l, c.Store, days[0].Day, days[len(days)-1].Day)
	view.DrawDays(b, l, title, len(days), func(i int) (day ledger.Date, sign string) { return days[i].Day, ownDaySigns[days[i].State] })
	for i := 0; i < len(days); i++ {
		first := &days[i]
		if first.Why == "" {
			continue
		}
		for i+1 < len(days) && days[i+1].Why == first.Why {
			i++
		}
		fmt.Fprintf(b, "%s: %s\n", l.FormatPeriod(first.Day, days[i].Day), DescribeOpenDay(l, first.Why))
	}
	b.WriteByte('\n')
}

func describePayment(l view.Language, id string, k *sales.Kept) string {
	state := string(k.Status)
	if k.Vanished {
		state = "vanished"
	}
	method := string(k.Method)
	if method == "" {
		method = "?"
	}
	text := fmt.Sprintf("%-10s  %-19s  %14s  %-7s  %-9s  %s/%d", id, l.FormatMade(soldAt(&k.Payment)), l.FormatReais(k.Amount), words.Label(l, "own_method", method),
		words.Label(l, "own_status", state), k.Sale, k.Number)
	for _, p := range []struct{ name, value string }{{"nsu", k.NSU}, {"auth", k.Auth}, {"ref", k.Reference}} {
		if p.value != "" {
			text += "  " + words.Label(l, "own_number", p.name) + " " + p.value
		}
	}
	return text
}
