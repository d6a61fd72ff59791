package view

import (
	"slices"

	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/store/ledger"
)

// CashForecast is what is to be credited by bank business day, as a run kept it.
type CashForecast struct {
	AsOf     ledger.Date
	Days     []CashDay // from the first day with money, in order; after the as-of with money or without
	Later    CashDay   // all after the last of Days
	Spans    []asof.ForecastSpan
	Outside  []asof.ForecastPart // what is in no day
	Received ledger.Amount
	Blocked  ledger.Amount
	// SlipsKnownTo is the last due date of slips that the night asked for; 0: not said.
	SlipsKnownTo ledger.Date
	// WithoutContract are the accounts whose slips are expected on their due dates without a tariff, because no contract says otherwise.
	WithoutContract []ledger.Account
}

// CashDay is what is to be credited on a business day. Expected is Confirmed and the slips that fall due.
type CashDay struct {
	Day                             ledger.Date
	Cards, SlipsPaid, SlipsDue      ledger.Amount
	Splits, Blocked                 ledger.Amount
	Confirmed, Expected             ledger.Amount
	ConfirmedToDate, ExpectedToDate ledger.Amount
}

// CashForecastOf adds up the forecasts of accounts, which cover horizon calendar days. Of those it shows so many days one by one.
func CashForecastOf(asOf ledger.Date, accounts []*report.AccountForecast, days, horizon int) *CashForecast {
	out, all := &CashForecast{AsOf: asOf}, &report.AccountForecast{}
	sums := map[ledger.ForecastKind]map[bool]ledger.Amount{} // by kind, and whether there is a day
	for _, a := range accounts {
		all.Days, all.Sums = append(all.Days, a.Days...), append(all.Sums, a.Sums...)
		for i := range a.Sums {
			s := &a.Sums[i]
			if sums[s.Kind] == nil {
				sums[s.Kind] = map[bool]ledger.Amount{}
			}
			sums[s.Kind][s.Day != 0] += s.Printed
		}
	}
	slices.Sort(all.Days)
	all.Days = slices.Compact(all.Days)
	rows := asof.ForecastDays(all)
	for i := range rows {
		if day := cashDayOf(&rows[i]); day.Day != 0 && day.Day <= asOf+ledger.Date(days) {
			out.Days = append(out.Days, day)
		} else {
			out.Later.add(&day)
		}
	}
	out.Spans, out.Outside = asof.ForecastSpans(rows, asOf, horizon), asof.ForecastOutside(all.Sums)
	out.Received = sums[ledger.ReceivedCards][false] + sums[ledger.ReceivedSlips][false]
	out.Blocked = sums[ledger.ForecastBlocked][true] + sums[ledger.ForecastBlocked][false]
	return out
}

func cashDayOf(d *asof.ForecastDay) CashDay {
	return CashDay{
		d.Day, d.Cards.Printed, d.SlipsPaid.Printed, d.SlipsDue.Printed, d.Splits.Printed, d.Blocked.Printed, d.Confirmed.Printed,
		d.Expected.Printed, d.ConfirmedToDate.Printed, d.ExpectedToDate.Printed,
	}
}

// add adds a later day; the running totals are then its own.
func (d *CashDay) add(o *CashDay) {
	d.Cards, d.SlipsPaid, d.SlipsDue = d.Cards+o.Cards, d.SlipsPaid+o.SlipsPaid, d.SlipsDue+o.SlipsDue
	d.Splits, d.Blocked = d.Splits+o.Splits, d.Blocked+o.Blocked
	d.Confirmed, d.Expected = d.Confirmed+o.Confirmed, d.Expected+o.Expected
	d.ConfirmedToDate, d.ExpectedToDate = o.ConfirmedToDate, o.ExpectedToDate
}

// On is what is to be credited on a day: nothing on one that is no business day.
func (f *CashForecast) On(day ledger.Date) CashDay {
	for i := range f.Days {
		if f.Days[i].Day == day {
			return f.Days[i]
		}
	}
	return CashDay{}
}

// Next are the next business days, the as-of among them, at most n.
func (f *CashForecast) Next(n int) []CashDay {
	for i := range f.Days {
		if f.Days[i].Day >= f.AsOf {
			return f.Days[i:min(len(f.Days), i+n)]
		}
	}
	return nil
}

// Most is the largest amount expected on a day, for bars.
func (f *CashForecast) Most() (most ledger.Amount) {
	for i := range f.Days {
		most = max(most, f.Days[i].Expected)
	}
	return most
}

// IsEmpty says whether nothing is to be credited on any day, and there is nothing without a day.
func (f *CashForecast) IsEmpty() bool {
	return f.Most() == 0 && f.Later.Expected == 0 && len(f.Outside) == 0 && f.Blocked == 0
}
