package render_test

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"concilia/export"
	"concilia/export/cnab"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/export/table"
	"concilia/store/ledger"
	"concilia/store/ledger/ledgertest"
)

// The short names of values in these tests.
var (
	day  = ledgertest.Date
	at   = ledgertest.LocalTime
	brl  = ledgertest.Reais
	rate = ledgertest.Percent
	opt  = ledgertest.OptReais
)

// card is an installment of the hand-made feed.
type card struct {
	v ledger.InstallmentVersion
	e ledger.Expectation
}

type slip struct {
	s ledger.Slip
	e ledger.SlipExpectation
}

// feed is a ledger in memory. Its sums are worked out here, from the rows and not from what is written.
type feed struct {
	closedFeed
	cards  []card
	slips  []slip
	drop   int // the row that the query of rows forgets; 0: none
	cases  map[string]ledger.Severity
	basis  report.Basis
	asOf   ledger.Date
	forget string // column the sums leave out
	state  []report.Case
	ahead  []report.NotDue
	roots  []export.UnresolvedCase
	off    ledger.Amount // by which the ledger's own figure of what is lost is wrong
}

func (f *feed) Installments(_ context.Context, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	for i := range f.cards {
		if f.drop == i+1 {
			continue
		}
		if err := yield(&f.cards[i].v, &f.cards[i].e); err != nil {
			return err
		}
	}
	return nil
}

func (f *feed) Slips(_ context.Context, yield func(*ledger.Slip, *ledger.SlipExpectation) error) error {
	for i := range f.slips {
		if err := yield(&f.slips[i].s, &f.slips[i].e); err != nil {
			return err
		}
	}
	return nil
}

func (f *feed) Firing(_ context.Context, yield func(*report.LineCases) error) error {
	counted := map[string]bool{}
	for i := range f.cards {
		v, e := &f.cards[i].v, &f.cards[i].e
		line := report.LineCases{Account: v.Account, Day: f.basis.CardDate(v), Brand: e.Brand, Product: e.Product, Band: e.Band}
		for subject, severity := range f.cases {
			row := rowSubject(subject)
			if counted[subject] || row != v.Key().Subject() && row != v.SaleKey().Subject() {
				continue
			}
			counted[subject] = true
			switch severity {
			case ledger.Error:
				line.Errors++
			case ledger.Warning:
				line.Warnings++
			}
		}
		if err := yield(&line); err != nil {
			return err
		}
	}
	return nil
}

func (f *feed) LeftOut(context.Context) (cards, slips int64, err error) { return 2, 1, nil }

// numbers hands out title numbers and NSAs as the ledger does: a file that has one keeps it.
type numbers struct {
	nsa    int
	files  map[string]int
	next   int
	titles map[string]string
}

func (n *numbers) ReserveEDI(_ context.Context, file string, subjects []string, own map[string]string) (int, map[string]string, error) {
	if n.titles == nil {
		n.titles, n.files = make(map[string]string), make(map[string]int)
	}
	out := make(map[string]string)
	for _, s := range slices.Sorted(slices.Values(subjects)) {
		if n.titles[s] == "" {
			n.next++
			n.titles[s] = strconv.Itoa(n.next)
			if own[s] != "" {
				n.titles[s] = own[s]
			}
		}
		out[s] = n.titles[s]
	}
	if n.files[file] == 0 {
		n.nsa++
		n.files[file] = n.nsa
	}
	return n.files[file], out, nil
}

func (n *numbers) TitleNumbers(_ context.Context, subjects []string) (map[string]string, error) {
	out := make(map[string]string)
	for _, s := range subjects {
		if n.titles[s] != "" {
			out[s] = n.titles[s]
		}
	}
	return out, nil
}

// folder is a publisher that copies and remembers the order.
type folder struct {
	root string
	puts []string
}

func (f *folder) Put(_ context.Context, name, local string) error {
	b, err := os.ReadFile(local)
	if err != nil {
		return err
	}
	to := filepath.Join(f.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	f.puts = append(f.puts, name)
	return os.WriteFile(to, b, 0o644)
}

func (f *folder) Read(_ context.Context, name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(f.root, filepath.FromSlash(name)))
}

func (f *folder) Withdraw(_ context.Context, name string) error {
	err := os.Remove(filepath.Join(f.root, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// sale is what differs between the cards of the feed.
type sale struct {
	at, nsu          string
	number, of       int
	gross            string
	cents            int64
	mdr, fee, af     string
	anticipation     string
	received         string
	forecast, credit string
	class            ledger.Class
	rest             ledger.BridgeLine
	contract         string // N*, empty: N
	brand            string
	splits           []ledger.Split
	codes            []string
	line             string                       // of the contract; empty: none
	off              map[ledger.BridgeLine]string // what a rule found off the contract
	wide             func(*ledger.Installment)    // what no other sale has
}

func (s sale) card() card {
	v := ledger.InstallmentVersion{
		Installment: ledger.Installment{
			Account: 1001, SoldAt: at(s.at), Terminal: "T1", Card: "411111******1111", CardType: "CREDIT", CardName: "VISA",
			Auth: "A" + s.nsu, NSU: s.nsu, Number: s.number, Count: s.of, Gross: brl(s.gross), Status: "Autorizado",
			MDR: opt(s.mdr), MDRRate: ledger.Some(rate("2.99")), Fee: opt(s.fee), Antifraud: opt(s.af),
			Anticipation: opt(s.anticipation), Received: opt(s.received), Reference: "PEDIDO-" + s.nsu, Splits: s.splits,
		},
		Version: 1, FirstSeen: day("2026-11-03"), LastChanged: day("2026-11-05"),
	}
	if s.class.IsReversal() {
		v.ClassSince = day("2026-11-05")
	}
	if v.Received.Or(0) < 0 {
		v.TakenBackSince = day("2026-11-05")
	}
	if s.wide != nil {
		s.wide(&v.Installment)
	}
	if s.forecast != "" {
		v.Forecast = day(s.forecast)
	}
	if s.credit != "" {
		v.Effective = day(s.credit)
	}
	e := ledger.Expectation{
		Key: v.Key(), Version: 1, Class: s.class, Brand: cmp.Or(s.brand, "visa"), Product: ledger.Credit, Band: "1",
		GrossCents: s.cents, Rest: s.rest, Verdict: ledger.RowOK, Codes: s.codes,
		ContractMDRRate: ledger.Some(rate("2.99")),
	}
	if s.of > 1 {
		e.Band = "2-6"
	}
	if len(s.codes) > 0 {
		e.Verdict, e.Impact = ledger.RowBreak, ledger.Some(brl("0.10"))
	}
	if !s.class.IsReversal() {
		e.Net = v.Gross - v.MDR.Or(0) - v.Fee.Or(0) - v.Antifraud.Or(0) - v.Anticipation.Or(0)
		e.NetContract = e.Net
		if s.contract != "" {
			e.NetContract = brl(s.contract)
		}
	}
	e.ContractLine = s.line
	for _, line := range slices.Sorted(maps.Keys(s.off)) {
		e.Brackets = append(e.Brackets, ledger.Bracket{
			Line: line, Amount: brl(s.off[line]), Code: "CODE", Case: ledger.CaseID(1001, e.Key.Subject(), string(line)),
		})
	}
	for range s.splits {
		e.Splits = append(e.Splits, ledger.SplitExpectation{
			Expected: ledger.Some(brl("9.66")), ContractPct: ledger.Some(rate("10")), Verdict: ledger.RowOK,
		})
	}
	return card{v, e}
}

func share(who, value string) ledger.Split {
	return ledger.Split{Beneficiary: who, Type: "P", Pct: ledger.Some(rate("10")), Base: opt("96.61"), Value: opt(value)}
}

// everyClass is a feed with a row of every class and standing, cents that do not divide, texts that need quoting.
func everyClass() *feed {
	sales := []sale{
		{
			at: "2026-11-02T09:00:00", nsu: "000101", number: 1, of: 3, gross: "33.3333", cents: 3334, mdr: "0.9967", fee: "0.10",
			af: "0.30", received: "31.94", forecast: "2026-11-04", credit: "2026-11-04", class: ledger.Received, rest: ledger.LineReceived,
		},
		{
			at: "2026-11-02T09:00:00", nsu: "000101", number: 2, of: 3, gross: "33.3333", cents: 3333, mdr: "0.9967", fee: "0.10",
			af: "0.30", forecast: "2026-12-04", class: ledger.Open, rest: ledger.LineNotDue,
		},
		{
			at: "2026-11-02T09:00:00", nsu: "000101", number: 3, of: 3, gross: "33.3333", cents: 3333, mdr: "0.9967", fee: "0.10",
			af: "0.30", class: ledger.Open, rest: ledger.LineNoForecast,
		},
		{
			at: "2026-11-02T10:30:00.5", nsu: "000102", number: 1, of: 1, gross: "100.00", cents: 10000, mdr: "2.99", fee: "0.10",
			af: "0.30", received: "96.51", forecast: "2026-11-18", credit: "2026-11-19", class: ledger.Received,
			rest: ledger.LineReceived, codes: []string{"RECEIVED_LATE", "RECEIVED_VALUE_MISMATCH"},
			line: "1001/2024-01-01/visa/credit/1", off: map[ledger.BridgeLine]string{ledger.LineMDR: "0.65", ledger.LineFee: "0.10"},
			splits: []ledger.Split{share("11444777000161", "9.66"), share("52998224725", "9.661")},
		},
		{
			at: "2026-11-02T11:00:00", nsu: "000103", number: 1, of: 1, gross: "50.00", cents: 5000, mdr: "1.50", received: "49.00",
			forecast: "2026-11-18", credit: "2026-11-18", class: ledger.Received, rest: ledger.LineReceived, contract: "48.60",
			line: "1001/2024-01-01/visa/credit/1", off: map[ledger.BridgeLine]string{ledger.LineMDR: "-0.005"},
			wide: func(v *ledger.Installment) { v.MDRRate = ledger.Opt[ledger.Rate]{} },
		},
		{
			at: "2026-11-03T08:00:00", nsu: "=1+1", number: 1, of: 1, gross: "80.00", cents: 8000, mdr: "2.40",
			forecast: "2026-11-05", class: ledger.Open, rest: ledger.LineOverdue, codes: []string{"RECEIVED_OVERDUE"},
			splits: []ledger.Split{share("Loja, \"do\" Centro", "7.76")},
		},
		{
			at: "2026-11-03T08:10:00", nsu: "000105", number: 1, of: 1, gross: "70.00", cents: 7000, mdr: "2.10",
			forecast: "2026-11-05", class: ledger.Blocked, rest: ledger.LineBlocked,
		},
		{
			at: "2026-11-03T08:20:00", nsu: "000106", number: 1, of: 1, gross: "50.00", cents: 5000, mdr: "1.57",
			class: ledger.Cancelled, brand: "elo",
		},
		{
			at: "2026-11-03T08:30:00", nsu: "000107", number: 1, of: 1, gross: "60.00", cents: 6000, received: "58.20",
			credit: "2026-11-05", class: ledger.Cancelled, brand: "elo",
		},
		{
			at: "2026-11-03T08:40:00", nsu: "000108", number: 1, of: 1, gross: "40.00", cents: 4000, received: "-38.80",
			class: ledger.Chargeback, brand: "elo",
		},
		{
			at: "2026-11-04T08:40:00", nsu: "000109", number: 1, of: 2, gross: "100.00", cents: 10000, mdr: "3.00", fee: "-0.20",
			anticipation: "1.05", received: "96.15", forecast: "2026-12-04", credit: "2026-11-16", class: ledger.Received,
			rest: ledger.LineRounding, brand: "elo", line: "1001/2026-11-01/*/credit/2-6",
			off: map[ledger.BridgeLine]string{ledger.LineAnticipation: "0.55", ledger.LineFee: "-0.30"},
			wide: func(v *ledger.Installment) {
				v.AnticipationRate, v.SaleFee = ledger.Some(rate("1.99")), ledger.Some(brl("0.15"))
			},
		},
		{
			at: "2026-11-04T08:40:00", nsu: "000109", number: 2, of: 2, gross: "100.00", cents: 10000, mdr: "3.00",
			received: "-1.005", forecast: "2027-01-04", credit: "2026-11-16", class: ledger.Received, rest: ledger.LineReceived, brand: "elo",
			line: "1001/2026-11-01/*/credit/2-6",
		},
	}
	f := &feed{
		basis: report.ByOperation, asOf: day("2026-11-18"),
		cases: map[string]ledger.Severity{
			"card:1001:2026-11-03:=1+1:A=1+1:1":                   ledger.Error,
			"sale:1001:2026-11-04:000109:A000109":                 ledger.Warning,
			"split:1001:2026-11-02:000102:A000102:1:ae9351af:P:1": ledger.Error,
			"month:1001:2026-11:visa:credit:2-6":                  ledger.Warning,
		},
	}
	for _, s := range sales {
		f.cards = append(f.cards, s.card())
	}
	f.slips = everySlip()
	return f
}

func everySlip() []slip {
	base := func(id, value, issued, due string) slip {
		v := ledger.SlipView{
			Account: 1001, ID: id, Value: brl(value), Issued: day(issued), Due: day(due), List: ledger.SlipsDue,
			PayerDocument: "52998224725", PayerName: "MARIA JOSE",
		}
		return slip{
			s: ledger.Slip{
				SlipView: v, Version: 1, FirstSeen: day("2026-11-02"), LastChanged: day("2026-11-02"),
				Views: []ledger.SlipVersion{{SlipView: v}},
			},
			e: ledger.SlipExpectation{
				Account: 1001, ID: id, Class: ledger.Open, Day: day(due), DueAdjusted: day(due),
				Face: brl(value), Verdict: ledger.RowOK,
			},
		}
	}
	open := base("00000000-0000-0000-0000-000000000001", "100.00", "2026-11-01", "2026-12-01")
	open.s.Status = ledger.Some(int64(ledger.BillIssued))
	past := base("00000000-0000-0000-0000-000000000002", "75.555", "2026-11-01", "2026-11-10")
	past.s.Status = ledger.Some(int64(ledger.BillOverdue))
	pay := func(s *slip, on, credit, value, tariff string) {
		s.e.Class = ledger.Paid
		s.s.Status, s.s.PaidOn, s.s.PaidValue = ledger.Some(int64(ledger.BillPaid)), day(on), opt(value)
		s.e.DaysLate, s.e.Tariff, s.e.CreditLimit = ledger.Some(int64(0)), opt(tariff), day(on)+2
		if credit != "" {
			s.s.CreditedOn, s.e.FloatDays = day(credit), ledger.Some(int64(1))
			s.e.NetCredited = ledger.Some(brl(value) - brl(tariff))
			s.s.OurNumber, s.s.ReferenceCode = "00000000000000000777", "FAT-000001"
		}
	}
	paid := base("00000000-0000-0000-0000-000000000003", "159.90", "2026-11-02", "2026-11-19")
	pay(&paid, "2026-11-16", "2026-11-17", "163.10", "3.50")
	paid.s.PenaltyReceived, paid.s.InterestReceived = opt("3.00"), opt("0.20")
	short := base("00000000-0000-0000-0000-000000000004", "20.00", "2026-11-02", "2026-11-19")
	pay(&short, "2026-11-17", "", "2.00", "2.50")
	late := base("00000000-0000-0000-0000-000000000005", "30.00", "2026-11-02", "2026-11-05")
	pay(&late, "2026-11-05", "", "30.00", "2.50")
	late.e.Rest = ledger.LineCreditOverdue
	cancelled := base("00000000-0000-0000-0000-000000000006", "40.00", "2026-11-03", "2026-11-19")
	cancelled.e.Class, cancelled.s.CancelledOn, cancelled.s.CancelReason = ledger.Cancelled, day("2026-11-04"), "-dup"
	failed := base("00000000-0000-0000-0000-000000000007", "50.00", "2026-11-03", "2026-11-19")
	failed.e.Class, failed.s.Integration = ledger.Failed, ledger.Some(int64(ledger.IntegrationRejected))
	failed.s.Views = []ledger.SlipVersion{{SlipView: failed.s.SlipView, LastChanged: failed.s.LastChanged}}
	waiting := base("00000000-0000-0000-0000-000000000008", "60.00", "2026-11-03", "2026-11-19")
	waiting.s.Status = ledger.Some(int64(ledger.BillProcessing))
	return []slip{open, past, paid, short, late, cancelled, failed, waiting}
}

// agreed is the contract of the feed: one line on each installment, one with fees of the sale and no antifraud fee.
func agreed() map[string]report.AgreedLine {
	return map[string]report.AgreedLine{
		"1001/2024-01-01/visa/credit/1": {
			From: day("2024-01-01"), To: day("2026-12-31"), MDR: rate("2.34"), AntifraudFee: opt("0.30"),
		},
		"1001/2026-11-01/*/credit/2-6": {
			From: day("2026-11-01"), MDR: rate("3.00005"), Anticipation: ledger.Some(rate("1.09")), TransactionFee: opt("0.20"), PerSale: true,
		},
	}
}

// anyPeriod is no calendar month.
var anyPeriod = ledger.Period{From: 2, To: 3}

// periodKinds are the kinds of any period that the fake ledger has rows of; those of a state are another set's.
func periodKinds() []report.Kind {
	known := slices.DeleteFunc(kindlist.Known(), func(k report.Kind) bool {
		return k != report.ControlKind && slices.ContainsFunc(kindlist.TablesOf(k), func(t *table.Table) bool { return sumsOfTables[t.ID] == nil })
	})
	kinds, err := kindlist.Choose(known, nil, report.ByOperation, anyPeriod, report.Filter{}, false)
	if err != nil {
		panic(err)
	}
	return kinds
}

// job is a set of everything, as one night would ask for it.
func job() export.Job {
	return export.Job{
		Account: "1001", Basis: report.ByOperation,
		Period: ledger.Period{From: day("2026-11-01"), To: day("2026-11-30")},
		Kinds:  periodKinds(), Formats: []report.Format{report.CSV, report.XLSX, report.EDI}, AsOf: day("2026-11-18"),
		Unit: ledger.Percent, Agreed: agreed(), Documents: map[string]string{"contract": "c0", "mapping": "m0", "rules": "r0"},
		EDIProfile: cnab.Febraban,
		Block: export.AccountBlock{Name: "LOJA EXEMPLO LTDA", Document: "11222333000181", Bank: export.Bank{
			Code: "001", Branch: "1234", BranchDigit: "5", Account: "67890", AccountDigit: "1", Agreement: "123456",
			Name: "BANCO DO BRASIL S.A.",
		}},
		Facts: export.Facts{
			Run: "20261118T053000.000Z-0001", Engine: "test", Verdict: ledger.Breaks,
			Coverage: []export.Coverage{{Source: ledger.Cards, Complete: 17, Missing: 1, HistoryFrom: day("2026-09-01")}},
			Bridge: []ledger.BridgeRow{
				{Side: "cards", Line: ledger.LineReceived, Amount: brl("0.10")},
				{Side: "cards", Line: ledger.LineMDR, Amount: brl("0.10")},
				{Side: "cards", Line: ledger.LineNotAttributed, Reason: "shadow", Amount: brl("0.01")},
			},
			Sides:      []export.BridgeSide{{Side: "cards", Difference: brl("0.21"), SplitOutside: brl("0.001")}},
			Tallies:    []ledger.RuleCounts{{Code: "MDR_RATE_MISMATCH", Eligible: 12, Evaluated: 12}, {Code: "FORECAST_DATE_MISMATCH", Eligible: 9, NoInput: 9}},
			Quarantine: []export.Quarantined{{Source: ledger.Cards, Gross: opt("12.30")}, {Source: ledger.Cards}},
			Tolerance:  []export.Tolerance{{Code: "MDR_AMOUNT_MISMATCH", Month: day("2026-11-01"), Used: brl("0.0133")}},
		},
	}
}

func target(t *testing.T) (export.Target, *folder) {
	t.Helper()
	f := &folder{root: t.TempDir()}
	return export.Target{Staging: t.TempDir(), Publisher: f, Numbers: &numbers{}}, f
}
