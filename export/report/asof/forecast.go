package asof

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// ForecastTable has a row per account and bank business day of what is to be credited, in order of account and day; the last row
// of an account, without a day, is all that comes later. Days before the as-of have what is late and still within its tolerance.
var ForecastTable = &table.Table{ID: "forecast", Sheet: "Previsão de caixa", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "day", Header: "Dia útil", HeaderEN: "Business day", Type: table.TypeDate, Null: "all that comes later"},
	{ID: "cards_qty", Header: "Qtd parcelas", HeaderEN: "Installments", Type: table.TypeInt},
	{ID: "cards", Header: "Cartões", HeaderEN: "Cards", Type: table.TypeMoney, Decimals: 2},
	{ID: "slips_paid_qty", Header: "Qtd pagos", HeaderEN: "Slips paid, number", Type: table.TypeInt},
	{ID: "slips_paid", Header: "Boletos pagos a creditar", HeaderEN: "Slips paid, to be credited", Type: table.TypeMoney, Decimals: 2},
	{ID: "slips_due_qty", Header: "Qtd a vencer", HeaderEN: "Slips falling due, number", Type: table.TypeInt},
	{ID: "slips_due", Header: "Boletos a vencer", HeaderEN: "Slips falling due", Type: table.TypeMoney, Decimals: 2},
	{ID: "splits", Header: "Splits a repassar", HeaderEN: "Splits to pass on", Type: table.TypeMoney, Decimals: 2},
	{ID: "blocked", Header: "Bloqueado", HeaderEN: "Blocked", Type: table.TypeMoney, Decimals: 2},
	{ID: "confirmed", Header: "Confirmado", HeaderEN: "Confirmed", Type: table.TypeMoney, Decimals: 2},
	{ID: "expected", Header: "Previsto", HeaderEN: "Expected", Type: table.TypeMoney, Decimals: 2},
	{ID: "confirmed_total", Header: "Acumulado confirmado", HeaderEN: "Confirmed, running total", Type: table.TypeMoney, Decimals: 2, NoTotal: true},
	{ID: "expected_total", Header: "Acumulado previsto", HeaderEN: "Expected, running total", Type: table.TypeMoney, Decimals: 2, NoTotal: true},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

// ForecastDefinition is the kind forecast.
var ForecastDefinition = &report.Definition{
	Kind: report.ForecastKind, Tables: []*table.Table{ForecastTable}, Bases: asOfBasis, Formats: report.ExceptEDI, Unfiltered: true,
	FollowsFromRows: true,
	View: map[string]report.View{"forecast": {
		PageColumns: "account day cards slips_paid slips_due splits confirmed expected expected_total", FrozenColumns: 2,
	}},
	Begin:     beginForecast,
	NewReader: func(ledger.Date) report.RowReader { return &forecastReader{} },
}

// ForecastDay is what is to be credited on a business day; Day is zero of all later days.
type ForecastDay struct {
	Day                             ledger.Date
	CardsQty, SlipsPaidQty          int64
	SlipsDueQty                     int64
	Cards, SlipsPaid, SlipsDue      table.Money
	Splits, Blocked                 table.Money
	Confirmed, Expected             table.Money
	ConfirmedToDate, ExpectedToDate table.Money
}

// ForecastDays returns the days of a forecast: those of f, with money or without, days before them that have money, and last all
// later days. Money without a day is in none.
func ForecastDays(f *report.AccountForecast) []ForecastDay {
	days := make(map[ledger.Date]*ForecastDay)
	for _, d := range f.Days {
		days[d] = &ForecastDay{Day: d}
	}
	last := slices.Max(append([]ledger.Date{0}, f.Days...))
	later := &ForecastDay{}
	for i := range f.Sums {
		s := &f.Sums[i]
		switch {
		case s.Day == 0:
		case s.Day > last:
			later.add(s)
		default:
			if days[s.Day] == nil {
				days[s.Day] = &ForecastDay{Day: s.Day}
			}
			days[s.Day].add(s)
		}
	}
	out := make([]ForecastDay, 0, len(days)+1)
	for _, d := range days {
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b ForecastDay) int { return cmp.Compare(a.Day, b.Day) })
	out = append(out, *later)
	var confirmed, expected table.Money
	for i := range out {
		d := &out[i]
		d.Confirmed = report.SumMoney(d.Cards, d.SlipsPaid, report.NegateMoney(d.Splits))
		d.Expected = report.SumMoney(d.Confirmed, d.SlipsDue)
		confirmed, expected = report.SumMoney(confirmed, d.Confirmed), report.SumMoney(expected, d.Expected)
		d.ConfirmedToDate, d.ExpectedToDate = confirmed, expected
	}
	return out
}

// ForecastSpan is what is to be credited within so many calendar days of the as-of.
type ForecastSpan struct {
	Days                int
	Confirmed, Expected ledger.Amount
}

// ForecastSpans are the totals of 30, 60 and 90 calendar days, of those that the forecast covers.
func ForecastSpans(days []ForecastDay, asOf ledger.Date, covered int) (out []ForecastSpan) {
	for _, n := range []int{30, 60, 90} {
		if n > covered {
			break
		}
		span := ForecastSpan{Days: n}
		for i := range days {
			if d := &days[i]; d.Day != 0 && d.Day <= asOf+ledger.Date(n) {
				span.Confirmed, span.Expected = d.ConfirmedToDate.Printed, d.ExpectedToDate.Printed
			}
		}
		out = append(out, span)
	}
	return out
}

// ForecastPart is an amount that is in no day of a forecast. Text is the id of the text that names it.
type ForecastPart struct {
	Text   string
	Amount ledger.Amount
}

// ForecastOutside are the amounts of forecasts that are in no day, but those of zero.
func ForecastOutside(sums []ledger.ForecastSum) (out []ForecastPart) {
	var late, undated, unregistered ledger.Amount
	for i := range sums {
		switch s := &sums[i]; {
		case s.Day != 0:
		case s.Kind == ledger.LateCards, s.Kind == ledger.LateSlips:
			late += s.Printed
		case s.Kind == ledger.ForecastCards:
			undated += s.Printed
		case s.Kind == ledger.ForecastUnregistered:
			unregistered += s.Printed
		}
	}
	for _, p := range []ForecastPart{{"forecast.late", late}, {"forecast.without_date", undated}, {"forecast.not_registered", unregistered}} {
		if p.Amount != 0 {
			out = append(out, p)
		}
	}
	return out
}

func (d *ForecastDay) add(s *ledger.ForecastSum) {
	switch s.Kind {
	case ledger.ForecastCards:
		d.CardsQty += s.Items
		d.Cards.AddRounded(s.Printed, s.Exact)
	case ledger.ForecastSlipsPaid:
		d.SlipsPaidQty += s.Items
		d.SlipsPaid.AddRounded(s.Printed, s.Exact)
	case ledger.ForecastSlipsDue:
		d.SlipsDueQty += s.Items
		d.SlipsDue.AddRounded(s.Printed, s.Exact)
	case ledger.ForecastSplits:
		d.Splits.AddRounded(s.Printed, s.Exact)
	case ledger.ForecastBlocked:
		d.Blocked.AddRounded(s.Printed, s.Exact)
	}
}

// fillRow sets the cells of a day, from cards_qty on.
func (d *ForecastDay) fillRow(row table.Row) {
	copy(row, table.Row{
		table.Int(d.CardsQty), d.Cards.Cell(), table.Int(d.SlipsPaidQty), d.SlipsPaid.Cell(), table.Int(d.SlipsDueQty), d.SlipsDue.Cell(),
		d.Splits.Cell(), d.Blocked.Cell(), d.Confirmed.Cell(), d.Expected.Cell(), d.ConfirmedToDate.Cell(), d.ExpectedToDate.Cell(),
	})
}

// ForecastSums adds up the columns of a forecast's rows as printed.
func ForecastSums(days []ForecastDay) report.Sums {
	out := report.Sums{Rows: int64(len(days)), Columns: make(map[string]int64)}
	row := ForecastTable.NewRow()
	for i := range days {
		days[i].fillRow(row[2:])
		for c := 2; c < ForecastTable.Width(); c++ {
			out.Columns[ForecastTable.Columns[c].ID] += row[c].N
		}
	}
	return out
}

// Forecast writes the days of each account, and adds them up over all.
type Forecast struct {
	report.ColumnTotals
	set   *report.Set
	out   report.Rows
	row   table.Row
	days  map[ledger.Date]bool
	total report.AccountForecast // of all accounts
}

func beginForecast(_ context.Context, set *report.Set) (report.Content, error) {
	out, err := set.Open(ForecastTable)
	return &Forecast{set: set, out: out, row: ForecastTable.NewRow(), days: make(map[ledger.Date]bool)}, err
}

// Intake takes the forecast of each account.
func (f *Forecast) Intake() report.Intake {
	return report.Intake{Forecast: func(a *report.AccountForecast) error {
		for _, d := range a.Days {
			f.days[d] = true
		}
		f.total.Sums = append(f.total.Sums, a.Sums...)
		for _, d := range ForecastDays(a) {
			if err := d.checkOverflow(); err != nil {
				return fmt.Errorf("forecast of account %s: %w", a.Account, err)
			}
			clear(f.row)
			copy(f.row, table.Row{table.Text(a.Account.String()), table.Day(d.Day)})
			d.fillRow(f.row[2:])
			if err := f.out.Write(f.row); err != nil {
				return fmt.Errorf("forecast of account %s: %w", a.Account, err)
			}
		}
		return nil
	}}
}

func (d *ForecastDay) checkOverflow() error {
	return errors.Join(d.ConfirmedToDate.Err(), d.ExpectedToDate.Err(), d.Splits.Err(), d.Blocked.Err())
}

// Days are the days over all accounts.
func (f *Forecast) Days() []ForecastDay {
	for d := range f.days {
		f.total.Days = append(f.total.Days, d)
	}
	slices.Sort(f.total.Days)
	f.total.Days = slices.Compact(f.total.Days)
	return ForecastDays(&f.total)
}

// Outside are the amounts over all accounts that are in no day.
func (f *Forecast) Outside() []ForecastPart { return ForecastOutside(f.total.Sums) }

// Identities are that the cards of the forecast are the agenda's.
func (f *Forecast) Identities() []report.Identity {
	agenda := report.ContentOf[*Agenda](f.set, report.AgendaKind)
	if agenda == nil || f.set.Filter.Canonical() != "" {
		return nil
	}
	var cards, undated table.Money
	for i := range f.total.Sums {
		if s := &f.total.Sums[i]; s.Kind == ledger.ForecastCards && s.Day != 0 {
			cards.AddRounded(s.Printed, s.Exact)
		}
	}
	for _, l := range agenda.lines {
		if l.adjusted == 0 {
			undated.AddRounded(l.net.Printed, l.net.Exact)
		}
	}
	return report.PlaceUnderTable(ForecastTable, []report.Identity{report.NewIdentity(
		"forecast_agenda", "forecast.cards = agenda.net - agenda.undated.net", cards, report.NegateMoney(agenda.total.net), undated,
	)})
}

// forecastReader checks that the columns of a row add up, and the running totals of an account.
type forecastReader struct {
	account             string
	confirmed, expected ledger.Amount
}

func (r *forecastReader) ReadRow(t *table.Table, row table.Row) error {
	amount := func(id string) ledger.Amount { return ledger.Amount(row[t.ColumnIndex(id)].N) }
	if row[0].S != r.account {
		*r = forecastReader{account: row[0].S}
	}
	r.confirmed += amount("confirmed")
	r.expected += amount("expected")
	for _, c := range []struct {
		column string
		should ledger.Amount
	}{
		{"confirmed", amount("cards") + amount("slips_paid") - amount("splits")},
		{"expected", amount("confirmed") + amount("slips_due")},
		{"confirmed_total", r.confirmed},
		{"expected_total", r.expected},
	} {
		if is := amount(c.column); is != c.should {
			return fmt.Errorf("%s says %s, its parts come to %s", c.column, is, c.should)
		}
	}
	return nil
}

func (*forecastReader) Terms() map[string]ledger.Amount { return nil }
