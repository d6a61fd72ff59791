package render_test

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/cnab"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/store/ledger"
)

// CreditedCards and CreditedSlips answer as a ledger does that goes by credit date.
func (f *feed) CreditedCards(
	_ context.Context, p ledger.Period, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error,
) error {
	rows := slices.Clone(f.cards)
	// Within a date the order is open: here it is the wrong one.
	slices.SortFunc(rows, func(a, b card) int {
		return cmp.Or(cmp.Compare(a.v.Effective, b.v.Effective), cmp.Compare(b.e.Key.Subject(), a.e.Key.Subject()))
	})
	for i := range rows {
		if p.Contains(rows[i].v.Effective) {
			if err := yield(&rows[i].v, &rows[i].e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *feed) CreditedSlips(_ context.Context, p ledger.Period, yield func(*ledger.Slip, *ledger.SlipExpectation) error) error {
	rows := slices.Clone(f.slips)
	slices.SortFunc(rows, func(a, b slip) int {
		return cmp.Or(cmp.Compare(a.s.CreditedOn, b.s.CreditedOn), cmp.Compare(a.s.ID, b.s.ID))
	})
	for i := range rows {
		if p.Contains(rows[i].s.CreditedOn) {
			if err := yield(&rows[i].s, &rows[i].e); err != nil {
				return err
			}
		}
	}
	return nil
}

// entrySums are those of November.
func (f *feed) entrySums(s *report.Sums, net bool) {
	add := func(v int64) {
		switch {
		case v > 0:
			s.Rows++
			s.Columns["credits"] += v
		case v < 0:
			s.Rows++
			s.Columns["debits"] -= v
		}
	}
	p := november()
	for i := range f.cards {
		if v := &f.cards[i].v; p.Contains(v.Effective) {
			add(rd(v.Received.Or(0)))
		}
	}
	for i := range f.slips {
		v, e := &f.slips[i].s, &f.slips[i].e
		if !p.Contains(v.CreditedOn) {
			continue
		}
		paid, tariff := rd(v.PaidValue.Or(0)), rd(e.Tariff.Or(0))
		if net {
			add(paid - tariff)
			continue
		}
		add(paid)
		add(-tariff)
	}
}

func november() ledger.Period { return ledger.Period{From: day("2026-11-01"), To: day("2026-11-30")} }

// statementJob is a statement of November that opens with ten below zero.
func statementJob() export.Job {
	j := job()
	j.Basis, j.Kinds, j.Formats = report.ByCredit, []report.Kind{report.StatementKind, report.ControlKind}, []report.Format{report.EDI}
	j.Statement = export.StatementTerms{Opening: brl("-10"), OpeningFrom: "entries since 2026-09-01"}
	return j
}

func TestStatement(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	f := everyClass()
	f.slips = append(f.slips, creditedSlips()...)
	r := renderJob(t, statementJob(), f, tg)
	got := strings.Split(strings.TrimSuffix(body(t, out, r, "statement", report.EDI), "\r\n"), "\r\n")
	var text strings.Builder
	for _, line := range got {
		text.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	golden(t, "statement_1001_credit_20261101_20261130_r0.ret.txt", []byte(text.String()))
	if v := verifyTree(t, out.root); len(v.Faults) > 0 {
		t.Error(v.Faults)
	}
	control := body(t, out, r, "control", report.CSV)
	for _, want := range []string{
		"1001,run,statement,opening_from,text,entries since 2026-09-01,",
		"1001,sums,statement.ret,count,count,,12.0000,12.0000,12.0000,0.0000,",
		"1001,sums,statement.ret,opening,brl,,-10.0000,-10.0000,-10.0000,0.0000,",
		"1001,sums,statement.ret,credits,brl,",
		"1001,left_out,cards,without_basis_date,count,2,",
	} {
		if !strings.Contains(control, want) {
			t.Errorf("control lacks %s:\n%s", want, control)
		}
	}
	if file := r.Files[0]; file.Rows != 12 || file.Sums["opening"] != "-10.00" || file.NSA == nil || len(r.Files) != 2 {
		t.Errorf("%+v", r.Files)
	}
}

// creditedSlips are what the other slips of the feed do not have.
func creditedSlips() []slip {
	twin := func(id, paid, tariff string) slip {
		s := everySlip()[2]
		s.s.ID, s.e.ID = "00000000-0000-0000-0000-0000000000"+id, "00000000-0000-0000-0000-0000000000"+id
		s.s.PaidValue, s.e.Tariff = opt(paid), opt(tariff)
		return s
	}
	small, back, free := twin("11", "2.00", "2.50"), twin("12", "-5.005", ""), twin("13", "7.00", "")
	small.s.ReferenceCode, back.s.ReferenceCode, back.s.OurNumber = "", "", ""
	return []slip{small, back, free}
}

// A statement opens with what the one before it closed with, stays current while nothing changed, and names those before it
// whose days are others now.
func TestStatementsFollowEachOther(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	first := statementJob()
	first.Period.To = day("2026-11-10")
	f := &fortnight{feed: everyClass(), period: first.Period}
	r1 := renderFrom(t, first, f, tg)
	e, ok := export.EarlierStatementOf(r1.Set, first.Period, r1.Fingerprints)
	if !ok || e.Closing != brl("-10")+brl("31.94")+brl("58.20") {
		t.Fatalf("%+v, %t", e, ok)
	}
	if _, ok := export.EarlierStatementOf("x", first.Period, map[string]string{"table:summary": "y"}); ok {
		t.Error("a set without a statement has one")
	}
	next := statementJob()
	next.Period.From, next.AsOf = day("2026-11-11"), day("2026-12-01")
	next.Statement = export.StatementTerms{Opening: e.Closing, OpeningFrom: e.Set, Earlier: []export.EarlierStatement{e}}
	f.period = next.Period
	r2 := renderFrom(t, next, f, tg)
	if got := body(t, out, r2, "control", report.CSV); strings.Contains(got, ",warnings,statement,") {
		t.Error("a statement whose days are the same is to be issued again")
	}
	next.Current = &export.CurrentRevision{Revision: 0, Fingerprints: r2.Fingerprints}
	if again := renderFrom(t, next, f, tg); !again.Unchanged {
		t.Errorf("the same statement is new: %v", again.Why)
	}
	// A receipt of the first fortnight changes: the second one's own entries do not.
	f.cards[0].v.Received = opt("31.95")
	if again := renderFrom(t, next, f, tg); !again.Unchanged {
		t.Errorf("the second statement is new: %v", again.Why)
	}
	next.Statement.Opening += brl("0.01")
	r3 := renderFrom(t, next, f, tg)
	if !slices.Equal(r3.Why, []string{"statement.ret changed"}) || r3.Revision != 1 {
		t.Errorf("revision %d because %v", r3.Revision, r3.Why)
	}
	if got := body(t, out, r3, "control", report.CSV); !strings.Contains(got, "1001,warnings,statement,"+e.Set+",text,days of this earlier statement changed") {
		t.Error(got)
	}
	if v := verifyTree(t, out.root); len(v.Faults) > 0 {
		t.Error(v.Faults)
	}
}

func renderFrom(t *testing.T, j export.Job, f export.ReportSource, tg export.Target) export.Result {
	t.Helper()
	r, err := render.Set(t.Context(), j, f, tg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fortnight is a feed whose sums are those of a period.
type fortnight struct {
	*feed
	period ledger.Period
}

func (f *fortnight) Sums(ctx context.Context, table string) (report.Sums, error) {
	part := *f.feed
	part.cards, part.slips = nil, nil
	for i := range f.cards {
		if f.period.Contains(f.cards[i].v.Effective) {
			part.cards = append(part.cards, f.cards[i])
		}
	}
	for i := range f.slips {
		if f.period.Contains(f.slips[i].s.CreditedOn) {
			part.slips = append(part.slips, f.slips[i])
		}
	}
	return part.Sums(ctx, table)
}

// A statement that is not what the ledger says is not published, and one that was changed afterwards is found out.
func TestStatementIsProven(t *testing.T) {
	t.Parallel()
	wrong := everyClass()
	f := &fortnight{feed: wrong, period: ledger.Period{From: day("2026-11-05"), To: day("2026-11-30")}}
	tg, out := target(t)
	_, err := render.Set(t.Context(), statementJob(), f, tg)
	if err == nil || !strings.Contains(err.Error(), "statement.ret, count: there are more rows than the ledger counts") || len(out.puts) > 0 {
		t.Errorf("error %v", err)
	}
	r := renderJob(t, statementJob(), everyClass(), tg)
	path := filepath.Join(out.root, r.Dir, r.Files[0].Path)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	raw[2*242+167]++ // the last cent of the first entry
	write(t, path, raw)
	faults := ""
	for _, x := range verifyTree(t, out.root).Faults {
		faults += x.Text.String() + "\n"
	}
	if !strings.Contains(faults, "soma_creditos") || !strings.Contains(faults, "SHA-256") {
		t.Error(faults)
	}
	if _, err := cnab.Read(strings.NewReader(string(raw)), cnab.ReadOptions{}); err == nil {
		t.Error("the changed file reads well")
	}
}

// statement renders the statement of the feed in files of at most so many records, and reads them back.
func statementIn(t *testing.T, records int) (root string, r export.Result, files []cnab.File) {
	t.Helper()
	tg, out := target(t)
	tg.Numbers = &numbers{}
	j, f := statementJob(), everyClass()
	f.slips = append(f.slips, creditedSlips()...)
	j.Hooks.MaxRecords = records
	r = renderJob(t, j, f, tg)
	for _, f := range r.Files {
		if f.Kind != report.StatementKind {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(out.root, r.Dir, f.Path))
		if err != nil {
			t.Fatal(err)
		}
		file, err := cnab.Read(bytes.NewReader(raw), cnab.ReadOptions{StrictIdentities: true})
		if err != nil || file.Totals.Records > records && records > 0 {
			t.Fatalf("%s, %d records: %v", f.Path, file.Totals.Records, err)
		}
		files = append(files, file)
	}
	return out.root, r, files
}

func entriesOf(files []cnab.File) (out []cnab.Entry) {
	for _, f := range files {
		for _, l := range f.Lotes {
			out = append(out, l.Entries...)
		}
	}
	return out
}

// Past the records of a file the entries go on in another one, with a number of its own; each opens with what the one before
// closed with, in the middle of a day too, and together they say what one file would.
func TestEntriesGoOnInAnotherFile(t *testing.T) {
	t.Parallel()
	_, _, whole := statementIn(t, 0)
	root, r, files := statementIn(t, 6) // two entries each
	all := entriesOf(whole)
	if len(whole) != 1 || len(files) != (len(all)+1)/2 || len(files) < 3 || !slices.Equal(all, entriesOf(files)) {
		t.Fatalf("%d entries in %d files, %d in one", len(entriesOf(files)), len(files), len(all))
	}
	if name := r.Files[1].Path; name != "statement-2_1001_credit_20261101_20261130_r0.ret" {
		t.Errorf("the second file is %s", name)
	}
	opening, closing := whole[0].Balances()
	for i := range files {
		o, c := files[i].Balances()
		if o != opening {
			t.Errorf("file %d opens with %s, should with %s", i+1, o, opening)
		}
		if opening = c; i > 0 && files[i].Header.NSA != files[i-1].Header.NSA+1 {
			t.Errorf("file %d has NSA %d after %d", i+1, files[i].Header.NSA, files[i-1].Header.NSA)
		}
	}
	if opening != closing {
		t.Errorf("the last file closes with %s, one alone with %s", opening, closing)
	}
	if v := verifyTree(t, root); len(v.Faults) > 0 {
		t.Error(v.Faults)
	}
	// Of a file that was cut out of the middle both balances are partial: the day goes on before and after it.
	for i, f := range r.Files[:len(files)] {
		raw, err := os.ReadFile(filepath.Join(root, r.Dir, f.Path))
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Split(raw, []byte("\r\n"))
		got := string(lines[1][169]) + string(lines[len(lines)-3][169])
		if want := map[bool]string{true: "FP", false: "PP"}[i == 0]; i < len(files)-1 && got != want {
			t.Errorf("%s: balances are %s, should be %s", f.Path, got, want)
		}
	}
}
