package bankview

import (
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"concilia/cmd/concilia/view"
	"concilia/export/words"
	jobsbank "concilia/jobs/bank"
	"concilia/store/bank"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// BankImport is what became of one statement of a file. Of a refused file it has the reason and nothing else.
type BankImport struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	*BankImported
	Refusal *view.FileRefusal `json:"refused,omitempty"`
}

// BankImported is what taking in a statement did.
type BankImported struct {
	Bank        string      `json:"bank"`
	Format      string      `json:"format"`
	From        ledger.Date `json:"from"`
	To          ledger.Date `json:"to"`
	Made        string      `json:"made"`
	Lines       int64       `json:"lines"`
	New         int64       `json:"new"`
	Same        int64       `json:"same"`
	Reworded    int64       `json:"reworded"`
	Vanished    int64       `json:"vanished"`
	Scheduled   int64       `json:"scheduled"`
	BalanceRows int         `json:"balance_rows"`
	Blocked     int         `json:"blocked"`
	PassedOver  int         `json:"passed_over"`
	SettledTo   ledger.Date `json:"settled_to"`
	Notes       []string    `json:"notes"`
	known       bool
}

// BankImports are what became of files, in their order.
type BankImports []BankImport

// RefusedBankFile is a file that was not taken in.
func RefusedBankFile(name string, sum ledger.FileHash, why *words.Refusal) BankImport {
	return BankImport{File: name, SHA256: sum.String(), Refusal: view.FileRefusalOf(why)}
}

// TakenBankFile is a statement that was taken in. passedOver are the statements of other accounts in its file.
func TakenBankFile(name string, sum ledger.FileHash, id string, st *banking.Statement, done *banking.Import, passedOver int) BankImport {
	notes := append([]string{}, st.Notes...)
	if done.Older {
		notes = append(notes, "older")
	}
	if done.Known || done.New == 0 {
		notes = append(notes, "nothing_new")
	}
	return BankImport{File: name, SHA256: sum.String(), BankImported: &BankImported{
		Bank: id, Format: st.Format, From: st.Window.From, To: st.Window.To, Made: st.Made.String(),
		Lines: done.Lines, New: done.New, Same: done.Same, Reworded: done.Reworded, Vanished: done.Vanished, Scheduled: done.Scheduled,
		BalanceRows: st.BalanceRows, Blocked: st.Blocked, PassedOver: passedOver, SettledTo: done.SettledTo, Notes: notes, known: done.Known,
	}}
}

// HasRefusal reports whether a file was refused.
func (v BankImports) HasRefusal() bool {
	for i := range v {
		if v[i].Refusal != nil {
			return true
		}
	}
	return false
}

// WriteText writes a line for each statement, with what a person should know below it.
func (v BankImports) WriteText(w io.Writer, l view.Language) error {
	var b strings.Builder
	for i := range v {
		x := &v[i]
		switch {
		case x.Refusal != nil:
			x.Refusal.WriteText(&b, x.File, l)
		case x.known:
			fmt.Fprintf(&b, "%s: %s: %s\n", x.File, x.Bank, words.Text(l, "bank_text.same_bytes"))
		default:
			x.writeTaken(&b, l)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// BankAccount is a bank account and how far it is settled.
type BankAccount struct {
	Bank     string           `json:"bank"`
	Home     ledger.Account   `json:"home"`
	Accounts []ledger.Account `json:"accounts"`
	Since    ledger.Date      `json:"since"`
	Frontier ledger.Date      `json:"frontier"`
	Days     int              `json:"days"`
	Lines    int64            `json:"lines"`
	Received view.Amount      `json:"received"` // what the service says it paid, up to the frontier
	Proven   view.Amount      `json:"proven"`   // what of it came to the cent
}

// BankAccountOf describes a bank account by its days and both its sides. Without a configured first day, since is the first
// settled one.
func BankAccountOf(m *jobsbank.Matched) BankAccount {
	sides := BankConciliationOf(m)
	a := BankAccount{
		Bank: sides.Bank, Home: m.Home, Accounts: m.Account.Accounts, Since: m.Account.Since, Frontier: sides.Frontier, Days: len(m.Days),
		Received: view.Amount(sides.Received), Proven: view.Amount(sides.Proven),
	}
	for i := range m.Days {
		d := &m.Days[i]
		a.Lines += d.Lines
		if a.Since == 0 && d.Settled() {
			a.Since = d.Day
		}
	}
	return a
}

// BankAccounts are bank accounts in the order of the configuration.
type BankAccounts []BankAccount

// WriteText writes a table.
func (v BankAccounts) WriteText(w io.Writer, l view.Language) error {
	t := view.NewTable(w, 4, 5, 6, 7)
	t.AppendHeader(l.HeadRow("bank_text.bank_account", "bank_text.accounts", "bank_text.settled", "bank_text.days", "bank_text.lines", "bank_text.received", "bank_text.proven_column"))
	for _, a := range v {
		settled := words.Text(l, "bank_text.no_statement")
		switch {
		case a.Frontier != 0:
			settled = words.Text(l, "command.period", "from", l.FormatDay(a.Since), "to", l.FormatDay(a.Frontier))
		case a.Days > 0:
			settled = words.Text(l, "bank_text.no_day_yet")
		}
		t.AppendRow([]any{a.Bank, joinAccounts(a.Accounts), settled, a.Days, l.FormatCount(a.Lines), l.FormatReais(ledger.Amount(a.Received)), l.FormatReais(ledger.Amount(a.Proven))})
	}
	t.Render()
	return nil
}

func joinAccounts(all []ledger.Account) string {
	texts := make([]string, len(all))
	for i, a := range all {
		texts[i] = a.String()
	}
	return strings.Join(texts, " ")
}

// BankFile is a statement taken in.
type BankFile struct {
	Bank        string       `json:"bank"`
	File        string       `json:"file"`
	SHA256      string       `json:"sha256"`
	Format      string       `json:"format"`
	From        ledger.Date  `json:"from"`
	To          ledger.Date  `json:"to"`
	Stated      bool         `json:"stated"`
	Made        string       `json:"made"`
	AsOf        ledger.Date  `json:"as_of"`
	Lines       int64        `json:"lines"`
	Credits     view.Amount  `json:"credits"`
	Debits      view.Amount  `json:"debits"`
	BalanceRows int64        `json:"balance_rows"`
	Blocked     int64        `json:"blocked"`
	Notes       []string     `json:"notes"`
	Actor       string       `json:"actor"`
	Taken       view.Instant `json:"taken"`
}

// BankFiles are statements in the order the bank made them.
type BankFiles []BankFile

// BankFilesOf are the statements of a bank account.
func BankFilesOf(id string, files []bank.StatementFile) BankFiles {
	out := make(BankFiles, len(files))
	for i := range files {
		f := &files[i]
		out[i] = BankFile{
			Bank: id, File: f.Name, SHA256: f.Hash.String(), Format: f.Format, From: f.Window.From, To: f.Window.To, Stated: f.Stated,
			Made: f.Made.String(), AsOf: f.AsOf, Lines: f.Lines, Credits: view.Amount(f.Credits), Debits: view.Amount(f.Debits),
			BalanceRows: f.BalanceRows, Blocked: f.Blocked, Notes: append([]string{}, f.Notes...), Actor: f.Actor, Taken: view.Instant{Time: f.Taken},
		}
	}
	return out
}

// WriteText writes a table.
func (v BankFiles) WriteText(w io.Writer, l view.Language) error {
	t := view.NewTable(w, 6, 7, 8)
	t.AppendHeader(l.HeadRow("bank_text.bank_account", "bank_text.file", "bank_text.made", "bank_text.from", "bank_text.to", "bank_text.lines", "bank_text.credits", "bank_text.debits", "bank_text.taken_in", "bank_text.by"))
	for i := range v {
		f := &v[i]
		t.AppendRow([]any{
			f.Bank, f.File, l.FormatMade(f.Made), l.FormatDay(f.From), l.FormatDay(f.To), l.FormatCount(f.Lines), l.FormatReais(ledger.Amount(f.Credits)),
			l.FormatReais(ledger.Amount(f.Debits)), l.FormatLocal(f.Taken.Time, time.UTC), f.Actor,
		})
	}
	t.Render()
	return nil
}

// BankFileDetail is a statement taken in, and the days that it is the last word on.
type BankFileDetail struct {
	BankFile
	Days []BankDay `json:"days"`

	shown BankCoverage
}

// BankFileDetailOf is a statement with those of a bank account's days that go by it.
func BankFileDetailOf(f *bank.StatementFile, c BankAccountCoverage) BankFileDetail {
	c.Shown = slices.DeleteFunc(slices.Clone(c.Shown), func(d banking.Day) bool { return d.File != f.Hash })
	shown := BankCoverage{c}
	return BankFileDetail{BankFilesOf(c.Bank, []bank.StatementFile{*f})[0], append([]BankDay{}, shown.Days()...), shown}
}

// WriteText writes the statement, then its days as a calendar.
func (v BankFileDetail) WriteText(w io.Writer, l view.Language) error {
	if err := (BankFiles{v.BankFile}).WriteText(w, l); err != nil || len(v.Days) == 0 {
		return err
	}
	return v.shown.WriteText(w, l)
}

// BankLine is a line of a bank account.
type BankLine struct {
	Bank       string      `json:"bank"`
	Day        ledger.Date `json:"day"`
	Amount     view.Amount `json:"amount"`
	Text       string      `json:"text"`
	Document   string      `json:"document"`
	Category   string      `json:"category"`
	Occurrence int         `json:"occurrence"`
	Version    int         `json:"version"`
	State      string      `json:"state"` // booked, scheduled or vanished
}

// BankLines writes lines as they come.
type BankLines struct {
	lines *view.Lines // of JSON; nil: text
	l     view.Language
	w     io.Writer
}

// NewBankLines writes to w.
func NewBankLines(w io.Writer, asJSON bool, l view.Language) *BankLines {
	if asJSON {
		return &BankLines{lines: view.NewLines(w)}
	}
	return &BankLines{w: w, l: l}
}

// Add writes one line. Documents of persons in its text are masked.
func (b *BankLines) Add(id string, l *banking.Line) error {
	state := "booked"
	switch {
	case l.Vanished:
		state = "vanished"
	case l.Scheduled:
		state = "scheduled"
	}
	text := ledger.MaskPersonDocuments(l.Text)
	if b.lines != nil {
		return b.lines.Add(BankLine{
			Bank: id, Day: l.Day, Amount: view.Amount(l.Amount), Text: text, Document: ledger.MaskPersonDocuments(l.Document), Category: l.Category,
			Occurrence: l.Occurrence, Version: l.Version, State: state,
		})
	}
	if state == "booked" {
		state = ""
	}
	_, err := fmt.Fprintln(b.w, strings.TrimRight(fmt.Sprintf("%-12s  %s  %14s  %-9s  %s", id, b.l.FormatDay(l.Day), b.l.FormatReais(l.Amount), words.Label(b.l, "bank_line", state), text), " "))
	return err
}

// BankDay is a day of a bank account.
type BankDay struct {
	Bank     string              `json:"bank"`
	Day      ledger.Date         `json:"day"`
	State    banking.DayState    `json:"state"`
	Lines    int64               `json:"lines"`
	Credits  view.Amount         `json:"credits"`
	Debits   view.Amount         `json:"debits"`
	Balance  view.OptionalAmount `json:"balance"`
	Residual view.OptionalAmount `json:"residual"`
	File     string              `json:"file"` // 16 hex of the statement that shows it
}

// BankAccountCoverage are the days of a bank account.
type BankAccountCoverage struct {
	Bank     string
	Frontier ledger.Date
	Gap      ledger.Date // the first day answered for that is not settled although a later one is; 0: none
	Shown    []banking.Day
}

// BankCoverageOf describes the days within a period. The gap is looked for in all of them.
func BankCoverageOf(id string, since ledger.Date, days []banking.Day, p ledger.Period) BankAccountCoverage {
	c := BankAccountCoverage{Bank: id, Frontier: banking.Frontier(days, since)}
	first, last := since, ledger.Date(0)
	for i := range days {
		if days[i].Settled() {
			last = days[i].Day
			if first == 0 {
				first = days[i].Day
			}
		}
	}
	for i := range days {
		d := &days[i]
		if c.Gap == 0 && first != 0 && d.Day >= first && d.Day < last && !d.Settled() {
			c.Gap = d.Day
		}
		if p.Contains(d.Day) {
			c.Shown = append(c.Shown, *d)
		}
	}
	if since != 0 && len(days) > 0 && since < days[0].Day && since < last {
		c.Gap = since
	}
	return c
}

// BankCoverage is the coverage of bank accounts.
type BankCoverage []BankAccountCoverage

// HasGap reports whether a day is not settled before one that is.
func (v BankCoverage) HasGap() bool {
	for i := range v {
		if v[i].Gap != 0 {
			return true
		}
	}
	return false
}

// Days are all days, bank account by bank account.
func (v BankCoverage) Days() []BankDay {
	var out []BankDay
	for i := range v {
		for _, d := range v[i].Shown {
			file := ""
			if d.File != (ledger.FileHash{}) {
				file = hex.EncodeToString(d.File[:8])
			}
			out = append(out, BankDay{
				Bank: v[i].Bank, Day: d.Day, State: d.State, Lines: d.Lines, Credits: view.Amount(d.Credits), Debits: view.Amount(d.Debits),
				Balance: view.OptionalAmount(d.Balance), Residual: view.OptionalAmount(d.Residual), File: file,
			})
		}
	}
	return out
}

// bankDaySigns are how a day is drawn.
var bankDaySigns = map[banking.DayState]string{
	banking.DayProven: "#", banking.DayCovered: "+", banking.DayBroken: "!", banking.DayPartial: "~", banking.DayMissing: "x",
}

// WriteText draws a calendar of each bank account, a month a row, and the broken days below it.
func (v BankCoverage) WriteText(w io.Writer, l view.Language) error {
	var b strings.Builder
	for i := range v {
		v[i].writeCoverage(&b, l)
	}
	b.WriteString(words.Text(l, "bank_text.legend") + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (c *BankAccountCoverage) writeCoverage(b *strings.Builder, l view.Language) {
	if len(c.Shown) == 0 {
		fmt.Fprintf(b, "%s: %s\n\n", c.Bank, words.Text(l, "bank_text.no_statement"))
		return
	}
	days := c.Shown
	title := view.NameCalendar(l, c.Bank, days[0].Day, days[len(days)-1].Day)
	view.DrawDays(b, l, title, len(days), func(i int) (day ledger.Date, sign string) { return days[i].Day, bankDaySigns[days[i].State] })
	c.drawBreaks(b, l)
	if c.Frontier == 0 {
		b.WriteString(words.Text(l, "bank_text.no_day_settled") + "\n\n")
		return
	}
	b.WriteString(words.Text(l, "bank_text.settled_to", "day", l.FormatDay(c.Frontier)) + "\n\n")
}

// drawBreaks names each run of broken days with what its balances and lines differ by.
func (c *BankAccountCoverage) drawBreaks(b *strings.Builder, l view.Language) {
	for i := 0; i < len(c.Shown); i++ {
		first := &c.Shown[i]
		if first.State != banking.DayBroken {
			continue
		}
		for i+1 < len(c.Shown) && c.Shown[i+1].State == banking.DayBroken && c.Shown[i+1].Residual == first.Residual {
			i++
		}
		b.WriteString(words.Text(l, "bank_text.broken", "from", l.FormatDay(first.Day), "to", l.FormatDay(c.Shown[i].Day), "amount", l.FormatReais(first.Residual.V)) + "\n")
	}
}

// writeTaken writes what taking in a statement did.
func (x *BankImport) writeTaken(b *strings.Builder, l view.Language) {
	fmt.Fprintf(b, "%s: %s, %s: %s", x.File, x.Bank, words.Text(l, "command.period", "from", l.FormatDay(x.From), "to", l.FormatDay(x.To)), l.Count(x.New, "new_line"))
	for _, part := range l.CountParts(
		view.Part{N: x.Same, What: "known_line"}, view.Part{N: x.Reworded, What: "reworded_line"}, view.Part{N: x.Vanished, What: "vanished_line"},
		view.Part{N: x.Scheduled, What: "announced_line"},
	) {
		b.WriteString(", " + part)
	}
	if x.SettledTo != 0 {
		b.WriteString("; " + words.Text(l, "bank_text.settled_to", "day", l.FormatDay(x.SettledTo)))
	}
	b.WriteByte('\n')
	note := func(text string) { b.WriteString("  " + words.Text(l, "command.note", "note", text) + "\n") }
	for _, n := range x.Notes {
		if id := "bank_notes." + n; words.Has(id) {
			note(words.Text(l, id))
		}
	}
	if x.PassedOver > 0 {
		note(l.Count(int64(x.PassedOver), "statement_passed_over"))
	}
}
