package cnab

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"concilia/export/words"
	"concilia/store/ledger"
)

// InspectOptions choose how much Inspect prints. The zero value prints every record without its blank fillers.
type InspectOptions struct {
	Fillers bool // the blank columns too
	Summary bool // only totals, faults and warnings
	Limit   int  // as in ReadOptions
	// Language is that of the explanations; empty: English. Fields and codes are Portuguese, as in the standard.
	Language string
}

// Report is what Inspect found.
type Report struct {
	File   File   // without titles and entries
	Faults Faults // empty: the file is in order
}

// OK reports whether the file has no fault; it may have warnings.
func (r Report) OK() bool { return r.Faults.Count() == 0 }

// Inspect explains a file line by line and column by column on w, names and documents of payers and beneficiaries
// masked, and ends with totals and every fault and warning. Memory does not grow with the file. A file at fault is
// no error: the error is that of r or w.
func Inspect(r io.Reader, w io.Writer, o InspectOptions) (Report, error) {
	out := &inspection{w: bufio.NewWriter(w), options: o, movements: map[Movement]movementTotal{}}
	rd := newReader(ReadOptions{Limit: o.Limit, OnTitle: out.addTitle, OnEntry: func(int, Entry) error { return nil }})
	if out.options.Language == "" {
		out.options.Language = "en"
	}
	if !o.Summary {
		rd.options.OnRecord = func(line int, rec *Record) error { return out.printRecord(line, rec, rd.fieldFaults, rd.malformed) }
		rd.onSkipped = out.printSkipped
	}
	err := rd.readFile(newLineReader(r))
	report := Report{File: rd.file, Faults: rd.faults}
	if err != nil {
		return report, errors.Join(err, out.w.Flush())
	}
	out.printSummary(report)
	return report, out.w.Flush()
}

// text is a text of the page, by its name, in the language of the explanations.
func (x *inspection) text(name string, values ...any) string {
	return words.Text(x.options.Language, "inspect."+name, values...)
}

// inspection prints; a bufio.Writer keeps its first error until Flush.
type inspection struct {
	w         *bufio.Writer
	options   InspectOptions
	movements map[Movement]movementTotal
	anyMarked bool // an exclamation mark has been printed
}

type movementTotal struct {
	titles int
	face   ledger.Amount
}

func (x *inspection) addTitle(_ int, t Title) error {
	m := x.movements[t.Movement]
	m.titles++
	if err := addAmount(&m.face, t.Face); err != nil {
		return err
	}
	x.movements[t.Movement] = m
	return nil
}

// printRecord prints one record, with an exclamation mark before each field that has a fault or a warning. After
// the first line, a malformed record is masked but for its short codes: its columns may be shifted, and what is under a field
// is then another's.
func (x *inspection) printRecord(line int, rec *Record, marked map[string]bool, malformed bool) error {
	masked, note := malformed && line > 1, ""
	if masked {
		note = ", " + x.text("masked_record")
	}
	fmt.Fprintf(x.w, "%s  %s%s\n", x.text("line", "line", line), words.Label(x.options.Language, "cnab_record", rec.layout.name), note)
	for i := range rec.layout.fields {
		f := &rec.layout.fields[i]
		if f.meaning == blank && !x.options.Fillers && !marked[f.ID] {
			continue
		}
		mark := ' '
		if marked[f.ID] {
			mark, x.anyMarked = '!', true
		}
		content, text := displayContent(rec, f), f.Name
		if masked && f.Width() > widestShown {
			content = maskName(rec.Raw(f.ID))
		} else if m := explainField(rec, f, x.options.Language); m != "" {
			text += ": " + m
		}
		row := fmt.Sprintf("%c %-6s %-24s %-8s [%s]", mark, f.Number, f.ID, f.columnRange(), content)
		fmt.Fprintf(x.w, "%-*s  %s\n", meaningColumn, row, text)
	}
	fmt.Fprintln(x.w)
	return nil
}

// meaningColumn is the screen column where the meanings begin; only texts wider than 20 push them to the right.
const meaningColumn = 65

// printSkipped prints a line number in place of a line of another length. Its columns cannot be assigned to fields, so
// parts of a name could show under a field that is not masked.
func (x *inspection) printSkipped(line int) error {
	fmt.Fprintf(x.w, "%s  %s\n\n", x.text("line", "line", line), x.text("not_shown"))
	return nil
}

func (x *inspection) printSummary(r Report) {
	if r.File.Totals.Records > 0 { // else there is nothing to add up
		x.printTotals(&r.File)
	}
	x.printFaults(x.text("faults"), r.Faults)
	x.printFaults(x.text("warnings"), r.File.Warnings)
	if x.anyMarked {
		fmt.Fprintf(x.w, "\n%s\n", x.text("marks"))
	}
}

// printTotals prints what a file adds up to, by movement too.
func (x *inspection) printTotals(f *File) {
	t := f.Totals
	fmt.Fprintln(x.w, x.text("totals"))
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

// describeFile is one line with the service, bank, account, NSA, date and layout of the file.
func (x *inspection) describeFile(f *File) string {
	h := &f.Header
	what := x.text("service", "service", f.Service)
	switch f.Service {
	case cobrancaService:
		what = "cobrança"
	case extratoService:
		what = "extrato"
	case "":
		what = x.text("no_lote")
	}
	text := x.text("described", "what", what, "bank", x.orMissing(h.Account.BankCode),
		"branch", x.orMissing(withCheckDigit(h.Account.Branch, h.Account.BranchDigit)),
		"account", x.orMissing(withCheckDigit(h.Account.Number, h.Account.NumberDigit)), "nsa", h.NSA)
	if h.Created != 0 {
		text += ", " + x.text("written", "day", h.Created)
	}
	if h.Version != "" {
		text += ", " + x.text("layout", "version", h.Version)
	}
	return text
}

func (x *inspection) orMissing(s string) string {
	if s == "" {
		return x.text("missing")
	}
	return s
}

// withCheckDigit joins a number without its leading zeros and its check digit.
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
		fmt.Fprintf(x.w, "    %-14s %s\n", x.text("total_movement", "code", m),
			x.text("titles_of", "n", v.titles, "face", formatReais(v.face), "movement", orUnknown(m.Text(), x.options.Language)))
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
		{"other_expenses", t.OtherExpenses},
		{"other_credits", t.OtherCredits},
		{"net", t.Net},
	} {
		x.printTotal(row.name, formatReais(row.sum))
	}
	x.printTotal("shares", fmt.Sprintf("%d, %s", t.Splits, formatReais(t.SplitAmount)))
}

func (x *inspection) printTotal(name, value string) {
	fmt.Fprintf(x.w, "  %-16s %s\n", x.text("total_"+name), value)
}

func (x *inspection) printFaults(name string, f Faults) {
	fmt.Fprintf(x.w, "\n%s: %d\n", name, f.Count())
	if f.Count() > 0 {
		fmt.Fprintf(x.w, "  %s\n", strings.ReplaceAll(f.In(x.options.Language), "\n", "\n  "))
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
