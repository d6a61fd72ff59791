package report

import (
	"context"
	"slices"
	"strings"
	"testing"

	"concilia/export/table"
	"concilia/store/ledger"
)

// november is a calendar month.
var november = ledger.Period{From: ledger.NewDate(2026, 11, 1), To: ledger.NewDate(2026, 11, 30)}

// keptMonths yields the months of accounts and nothing else.
type keptMonths struct {
	RowSource
	months []AccountMonth
}

func (k *keptMonths) Months(_ context.Context, yield func(*AccountMonth) error) error {
	for i := range k.months {
		if err := yield(&k.months[i]); err != nil {
			return err
		}
	}
	return nil
}

// rowsKept keeps the rows of a table, as csv without the hash.
type rowsKept struct{ rows []table.Row }

func (r *rowsKept) Write(row table.Row) error {
	r.rows = append(r.rows, slices.Clone(row))
	return nil
}

func (*rowsKept) Counter() *table.Counter { return nil }

// cells are the texts of some columns of a row.
func cells(row table.Row, ids ...string) string {
	out := make([]string, 0, len(ids))
	for _, id := range ids {
		i := MonthTable.ColumnIndex(id)
		c := &MonthTable.Columns[i]
		switch {
		case c.Type == table.TypeText || c.Type == table.TypeEnum:
			out = append(out, row[i].S)
		case !row[i].OK:
			out = append(out, "-")
		case c.Type == table.TypeInt:
			out = append(out, ledger.Amount(row[i].N*10_000).Fixed(0))
		default:
			out = append(out, ledger.Amount(row[i].N).Fixed(2))
		}
	}
	return strings.Join(out, " ")
}

// figuresOf is a line whose net is gross less fees, and is not due as far as it was not received.
func figuresOf(side, brand string, month ledger.Date, gross, net, received ledger.Amount) ledger.MonthLine {
	l := ledger.MonthLine{Account: 1001, Basis: "operation", Month: month, Side: side, Brand: brand, Sales: 1}
	for a, v := range map[ledger.MonthAmount]ledger.Amount{
		ledger.MonthGross: gross, ledger.MonthFees: gross - net, ledger.MonthNetExpected: net, ledger.MonthReceived: received, ledger.MonthNotDue: net - received,
	} {
		l.Printed[a], l.Exact[a] = v*ledger.Real, v*ledger.Real
	}
	return l
}

// beganMonth is a month filled from a source.
func beganMonth(t *testing.T, sides map[ledger.Account]MonthSides, months ...AccountMonth) (*Month, []table.Row, []Identity) {
	t.Helper()
	var kept rowsKept
	set := &Set{
		Definitions: []*Definition{SummaryDefinition, MonthDefinition},
		Basis:       ByOperation, Period: november, Months: sides, Source: &keptMonths{months: months},
		Open: func(*table.Table) (Rows, error) { return &kept, nil },
	}
	if err := set.Begin(t.Context(), []Kind{MonthKind}); err != nil {
		t.Fatal(err)
	}
	identities, err := set.Fill(t.Context(), Intake{})
	if err != nil {
		t.Fatal(err)
	}
	return ContentOf[*Month](set, MonthKind), kept.rows, identities
}

// A row for each brand and one of the slips, last; a brand of the month before alone has a row, too; a line of nothing has none.
func TestMonthLines(t *testing.T) {
	t.Parallel()
	october := ledger.NewDate(2026, 10, 1)
	nothing := figuresOf(CardSide, "amex", november.From, 0, 0, 0)
	nothing.Sales = 0
	sides := map[ledger.Account]MonthSides{1001: {Cards: MonthDays{Compared: true}}}
	_, rows, identities := beganMonth(t, sides, AccountMonth{
		Account: 1001,
		Now: []ledger.MonthLine{
			figuresOf(SlipSide, "", november.From, 50, 48, 48), nothing,
			figuresOf(CardSide, "visa", november.From, 100, 97, 60), figuresOf(CardSide, "", november.From, 10, 9, 0),
		},
		Before: []ledger.MonthLine{
			figuresOf(CardSide, "visa", october, 30, 29, 29), figuresOf(CardSide, "elo", october, 20, 19, 19), figuresOf(SlipSide, "", october, 40, 38, 38),
		},
		Adjusted: []MonthAdjustment{{
			Printed: ledger.RestatedSums{Net: -2 * ledger.Real, Came: -2 * ledger.Real}, Exact: ledger.RestatedSums{Net: -2 * ledger.Real, Came: -2 * ledger.Real},
		}},
	})
	want := []string{
		"1001 2026-11  1 10.00 2.00 7.00 -2.00 9.00 reconciled 0.00 0.00",
		"1001 2026-11 elo 0 0.00 0.00 0.00 0.00 0.00 reconciled 20.00 19.00",
		"1001 2026-11 visa 1 100.00 0.00 97.00 60.00 37.00 reconciled 30.00 29.00",
		"1001 2026-11 slips 1 50.00 0.00 48.00 48.00 0.00 reconciled - -", // the slips of October are not all covered
	}
	var got []string
	for _, row := range rows {
		got = append(got, cells(row, "account", "month", "line", "sales", "gross", "adjustments", "net_expected", "received", "not_due", "verdict", "last_gross", "last_received"))
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows\n%s\nshould be\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(identities) != 1 || identities[0].Printed != 0 || identities[0].Exact != 0 {
		t.Errorf("without a summary the rows hold %+v", identities)
	}
}

func TestMonthVerdicts(t *testing.T) {
	t.Parallel()
	visa, elo, slips := MonthItem{CardSide, "visa"}, MonthItem{CardSide, "elo"}, MonthItem{SlipSide, ""}
	for _, tc := range []struct {
		why      string
		verdicts MonthVerdicts
		days     MonthSides
		want     string // of elo, visa, slips
	}{
		{"nothing is wrong", MonthVerdicts{}, MonthSides{}, "reconciled reconciled reconciled"},
		{
			"a case is its own line's",
			MonthVerdicts{Items: map[MonthItem]ledger.Verdict{visa: ledger.Breaks, slips: ledger.ReconciledWithPending}},
			MonthSides{},
			"reconciled breaks reconciled_with_pending",
		},
		{
			"a case of a whole day is every brand's",
			MonthVerdicts{Items: map[MonthItem]ledger.Verdict{visa: ledger.Breaks}, Sides: map[string]ledger.Verdict{CardSide: ledger.ReconciledWithWarnings}},
			MonthSides{},
			"reconciled_with_warnings breaks reconciled",
		},
		{
			"and so is one of a brand without a line",
			MonthVerdicts{Items: map[MonthItem]ledger.Verdict{{CardSide, "amex"}: ledger.Breaks}},
			MonthSides{},
			"breaks breaks reconciled",
		},
		{
			"a day of a side that is missing leaves its lines incomplete",
			MonthVerdicts{Items: map[MonthItem]ledger.Verdict{elo: ledger.ReconciledWithPending}},
			MonthSides{Slips: MonthDays{Incomplete: true}},
			"reconciled_with_pending reconciled incomplete",
		},
	} {
		m, rows, _ := beganMonth(t, map[ledger.Account]MonthSides{1001: tc.days}, AccountMonth{
			Account: 1001, Verdicts: tc.verdicts, Now: []ledger.MonthLine{
				figuresOf(CardSide, "visa", november.From, 100, 97, 60), figuresOf(CardSide, "elo", november.From, 10, 9, 0), figuresOf(SlipSide, "", november.From, 1, 1, 1),
			},
		})
		var got []string
		worst := ledger.Verdict("")
		for _, row := range rows {
			got = append(got, cells(row, "verdict"))
			worst = worst.Worse(ledger.Verdict(cells(row, "verdict")))
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: %v", tc.why, got)
		}
		if m.Verdicts()[1001] != worst {
			t.Errorf("%s: the account is %s, its worst line %s", tc.why, m.Verdicts()[1001], worst)
		}
	}
}

// The reader refuses a row whose net is not its parts, and counts a brand that is called slips as cards.
func TestMonthReader(t *testing.T) {
	t.Parallel()
	r := MonthDefinition.NewReader(0)
	row := MonthTable.NewRow()
	set := func(id string, c table.Cell) { row[MonthTable.ColumnIndex(id)] = c }
	set("line", table.Text(SlipLine))
	set("net_expected", table.Cents(10_0000))
	set("received", table.Cents(10_0000))
	if err := r.ReadRow(MonthTable, row); err != nil {
		t.Fatal(err)
	}
	set("installments", table.Int(1))
	if err := r.ReadRow(MonthTable, row); err != nil {
		t.Fatal(err)
	}
	if got := r.Terms()["month.cards.received"]; got != 10_0000 {
		t.Errorf("cards received %s", got)
	}
	set("over", table.Cents(1_0000))
	if err := r.ReadRow(MonthTable, row); err == nil {
		t.Error("a net that is not its parts was read")
	}
}

// TestMonthShowsReversedGrossBelowHalfACent: a brand of which nothing is left but reversed gross that rounds to zero has its line, or
// the exact sums of the month would lack it.
func TestMonthShowsReversedGrossBelowHalfACent(t *testing.T) {
	t.Parallel()
	tiny := ledger.MonthLine{Side: CardSide, Brand: "elo"}
	tiny.Exact[ledger.MonthCancelledGross] = -49
	if !hasMonthRow(&tiny) {
		t.Error("a line with an exact amount is left out")
	}
	if hasMonthRow(&ledger.MonthLine{Side: SlipSide}) {
		t.Error("a line of nothing is shown")
	}
}
