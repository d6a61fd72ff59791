package jobs_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"concilia/cmd/sandbox/world"
	"concilia/export"
	"concilia/export/manifest"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/export/verify"
	"concilia/jobs"
	jobsbank "concilia/jobs/bank"
	"concilia/jobs/bank/match"
	"concilia/jobs/jobstest"
	"concilia/jobs/othersides"
	"concilia/jobs/setpublish"
	"concilia/store/ledger"
	"concilia/store/reports"
)

func (r *real) CreditedCards(
	ctx context.Context, p ledger.Period, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error,
) error {
	q := r.q
	q.Period = p
	return r.l.Credited(ctx, q, yield)
}

func (r *real) CreditedSlips(ctx context.Context, p ledger.Period, yield func(*ledger.Slip, *ledger.SlipExpectation) error) error {
	q := r.q
	q.Basis, q.Period = "credit", p
	return r.l.SlipRows(ctx, q, yield)
}

// What SQL says of a statement, what is written and what is read back are one figure, gross and net.
func TestStatementsTieToTheLedger(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	passed, failing := 0, false
	rapid.Check(t, func(rt *rapid.T) {
		if passed == 10 && !failing {
			return
		}
		before := failing
		failing = true
		l := newLedger(t, rt)
		j := job()
		j.Basis, j.Kinds = report.ByCredit, []report.Kind{report.StatementKind, report.ControlKind}
		j.Formats = []report.Format{report.EDI}
		j.Statement = export.StatementTerms{Net: rapid.Bool().Draw(rt, "net"), Opening: ledger.FromCents(rapid.Int64Range(-9999, 9999).Draw(rt, "opening"))}
		out := &jobstest.Folder{Root: t.TempDir()}
		target := export.Target{Staging: t.TempDir(), Publisher: out, Numbers: kept{l}}
		feed := &real{l: l, q: reports.Query{Account: 1001, Basis: string(j.Basis), Period: j.Period}}
		if _, err := render.Set(context.Background(), j, feed, target); err != nil {
			rt.Fatal(err)
		}
		if v, err := verify.CheckTree(context.Background(), out.Root, nil); err != nil || len(v.Faults) > 0 {
			rt.Fatal(v.Faults, err)
		}
		passed, failing = passed+1, before
	})
}

// extrato is a statement that was published, as the manifest of its set tells of it.
type extrato struct {
	nsa                       int
	opening, closing, credits ledger.Amount
	file                      string
}

// statement asks for the statement of a period.
func (m *merchant) statement(t *testing.T, from, to ledger.Date) extrato {
	t.Helper()
	s, err := m.Report(t.Context(), jobs.ReportRequest{Period: ledger.Period{From: from, To: to}, Basis: "credit", Kinds: []string{"statement"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range s.Unpublished {
		t.Fatal(err)
	}
	i := slices.IndexFunc(s.Files, func(f setpublish.FileSummary) bool { return f.Kind == "statement" })
	if i < 0 || len(s.Files) != 2 { // the other is control
		t.Fatalf("files %+v", s.Files)
	}
	name := strings.Replace(s.Files[i].Path, string(filepath.Separator)+"statement_", string(filepath.Separator)+"set_", 1)
	text, err := os.ReadFile(strings.TrimSuffix(name, ".ret") + ".manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var listed manifest.Manifest
	if err := json.Unmarshal(text, &listed); err != nil {
		t.Fatal(err)
	}
	for _, f := range listed.Files {
		if f.Kind == report.StatementKind {
			return extrato{*f.NSA, amount(t, f.Sums["opening"]), amount(t, f.Sums["closing"]), amount(t, f.Sums["credits"]), s.Files[i].Path}
		}
	}
	t.Fatalf("the manifest lists no statement: %s", text)
	return extrato{}
}

func amount(t *testing.T, s string) ledger.Amount {
	t.Helper()
	a, err := ledger.ParseAmount(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Statements of a merchant follow each other: what one closes with the next one opens with, whether the ones before it
// were made or not, and the numbers of their files never repeat.
func TestStatementsOfAMerchant(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 91, Days: 40, Installments: 300})
	m.Reports.Bases, m.Reports.Kinds = []report.Basis{report.ByCredit}, []report.Kind{report.SlipsKind, report.ControlKind}
	m.Accounts = m.Accounts[:1]
	m.Accounts[0].Block, m.Reports.EDIProfile = job().Block, "febraban"
	m.RunNight(t)
	m.Reports.Formats = append(m.Reports.Formats, report.EDI)
	since, err := m.Ledger.FirstDay(t.Context(), m.Accounts[0].Number)
	if err != nil {
		t.Fatal(err)
	}
	last := m.statement(t, since+20, since+29)
	whole := m.statement(t, since, since+19)
	next := m.statement(t, since+30, since+35)
	if whole.opening != 0 || last.opening == 0 || last.opening != whole.closing || next.opening != last.closing {
		t.Errorf("%s to %s, then %s to %s, then from %s", whole.opening, whole.closing, last.opening, last.closing, next.opening)
	}
	if next.nsa <= whole.nsa || whole.nsa <= last.nsa {
		t.Errorf("numbers %d, %d, %d of files", last.nsa, whole.nsa, next.nsa)
	}
	if again := m.statement(t, since+30, since+35); again.nsa != next.nsa {
		t.Error("a statement that stands took another number")
	}
	// The whole span from one statement is what the three say together.
	all := m.statement(t, since, since+35)
	if m.conciliateOwn(t, all, jobsbank.Payer{TariffDebited: true}) == 0 {
		t.Error("nothing is in the statement")
	}
	if all.closing != next.closing ||
		all.credits != whole.credits+last.credits+next.credits {
		t.Errorf("the whole closes with %s, the parts with %s", all.closing, next.closing)
	}
	// Net of tariffs the balance is the same; what is standing was made gross, and is named.
	m.Reports.NetStatement = true
	net := m.statement(t, since+30, since+34)
	if net.opening != last.closing {
		t.Errorf("net opens with %s, should be %s", net.opening, last.closing)
	}
	if m.conciliateOwn(t, m.statement(t, since, since+35), jobsbank.Payer{NetOfTariff: true}) == 0 {
		t.Error("net of tariffs nothing is in the statement")
	}
	if v, err := verify.CheckTree(t.Context(), m.Out, nil); err != nil || len(v.Faults) > 0 {
		t.Error(v.Faults, err)
	}
	control, err := filepath.Glob(filepath.Join(m.Out, "*", "*", "*", "control_*_credit_"+(since+30).Compact()+"_"+(since+34).Compact()+"_r0.csv"))
	if err != nil || len(control) != 1 {
		t.Fatal(control, err)
	}
	body, err := os.ReadFile(control[0])
	if err != nil || !strings.Contains(string(body), "closing balance of ") || !strings.Contains(string(body), "days of this earlier statement changed") {
		t.Errorf("control says %s", body)
	}
}

// conciliateOwnStatements publishes what the service says it settled with the first account, with tariffs of slips apart and taken off,
// and takes both in as statements of a bank: nothing is left on either side.
func (m *merchant) conciliateOwnStatements(t *testing.T) {
	t.Helper()
	m.Reports.EDIProfile, m.Reports.Formats = "febraban", []report.Format{report.EDI}
	m.Accounts = m.Accounts[:1]
	m.Accounts[0].Block = job().Block
	var proven []ledger.Amount
	for _, pays := range []jobsbank.Payer{{TariffDebited: true}, {NetOfTariff: true}} {
		m.Reports.NetStatement = pays.NetOfTariff
		proven = append(proven, m.conciliateOwn(t, m.statement(t, m.Accounts[0].Since, m.Today()-1), pays))
	}
	if proven[0] <= proven[1] || proven[1] == 0 {
		t.Errorf("of our own statements %s is proven, net of tariffs %s", proven[0], proven[1])
	}
}

// conciliateOwn takes a statement in that was published, as one of the bank it is addressed to, and holds it against what the service
// says it paid: every line of it is matched, to the cent, what is expected on its days is in it, and the bridge has nothing but debits
// that are declared or known. It returns what is proven.
func (m *merchant) conciliateOwn(t *testing.T, x extrato, pays jobsbank.Payer) (proven ledger.Amount) {
	t.Helper()
	file, err := jobsbank.OpenFile(x.file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	block := m.Accounts[0].Block.Bank
	pays.Name, pays.Category, pays.Cards, pays.Slips, pays.Grain = "service", []string{"222", "202", "103", "105"}, true, true, match.Day
	own := jobsbank.Account{
		ID: "own-" + strconv.Itoa(x.nsa), Bank: block.Code, Branch: block.Branch, Number: block.Account + block.AccountDigit,
		Accounts: []ledger.Account{m.Accounts[0].Number}, Payers: []jobsbank.Payer{pays},
	}
	_, _, err = othersides.TakeInStatements(t.Context(), m.Ledger, &othersides.StatementFile{
		File: file, Name: "extrato.ret", Accounts: []jobsbank.Account{own}, Options: jobsbank.ReadOptions{Own: true}, Actor: "ana", At: m.Wall(),
		Calendar: jobstest.BankDays(t)(m.Accounts[0].Number),
	})
	if err != nil {
		t.Fatal(err)
	}
	terms := m.OtherSides().BankTerms()
	terms.Calendar = jobstest.BankDays(t)(m.Accounts[0].Number)
	matched, err := othersides.ConciliateBank(t.Context(), m.Ledger, &own, terms, m.Today())
	if err != nil {
		t.Fatal(err)
	}
	last := matched.Days[len(matched.Days)-1].Day
	for i := range matched.Results {
		r := &matched.Results[i]
		for n := range r.Rows {
			row := &r.Rows[n]
			if len(row.Groups) > 0 && r.Groups[row.Groups[0]].Day > last {
				continue // the statement does not have that day
			}
			if !row.Matched || row.Difference() != 0 {
				t.Errorf("%s: %s, %s expected, %s credited: %+v", own.ID, row.Status, row.Expected, row.Credited, row)
			}
		}
		p, _ := r.Proven(last, r.Rows)
		proven += p
	}
	for _, month := range matched.Bridge() {
		if month.Residual() != 0 {
			t.Errorf("%s: the bridge of %s leaves %s", own.ID, month.Month, month.Residual())
		}
	}
	return proven
}

func TestStatementRefuses(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 61, Days: 10, Installments: 50})
	m.Accounts = m.Accounts[:1]
	m.RunNight(t)
	p := ledger.Period{From: m.Today() - 5, To: m.Today() - 1}
	for why, r := range map[string]jobs.ReportRequest{
		"by sale date":  {Period: p, Basis: "operation", Kinds: []string{"statement"}, Formats: []string{"edi"}},
		"in csv":        {Period: p, Basis: "credit", Kinds: []string{"statement"}, Formats: []string{"csv"}},
		"in no edi set": {Period: p, Basis: "credit", Kinds: []string{"statement"}}, // the configured formats are csv alone
	} {
		if _, err := m.Report(t.Context(), r); err == nil {
			t.Errorf("a statement %s is accepted", why)
		}
	}
}
