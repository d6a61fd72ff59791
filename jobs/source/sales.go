package source

import (
	"context"
	"strconv"
	"strings"

	"concilia/export/report"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/reports"
	"concilia/store/sales"
)

// toOwnQuery asks for the stores whose home is the account of a query.
func toOwnQuery(q reports.Query) sales.Concluded {
	return sales.Concluded{Home: q.Account, Run: q.AsOfRun, Period: q.Period}
}

// shopReader reads what stores say they sold: it is a report.ShopSource.
type shopReader struct{ *Set }

// OwnDays, OwnMatches and OwnMonths are methods of report.ShopSource.
func (r shopReader) OwnDays(ctx context.Context, yield func(*ownsales.SeenDay) error) error {
	return r.forEachAccount(func(q reports.Query) error { return r.Ledger.SeenOwnDays(ctx, toOwnQuery(q), yield) })
}

func (r shopReader) OwnMatches(ctx context.Context, yield func(*ownsales.Match) error) error {
	return r.forEachAccount(func(q reports.Query) error { return r.Ledger.OwnMatches(ctx, toOwnQuery(q), yield) })
}

func (r shopReader) OwnMonths(ctx context.Context, yield func(*report.EFDMonth) error) error {
	return r.forEachOwnMonth(ctx, r.addServiceRows, yield)
}

// forEachOwnMonth yields the months of stores with what the service says, which is asked account by account.
func (r shopReader) forEachOwnMonth(
	ctx context.Context, service func(context.Context, reports.Query) (ledger.Amount, error), yield func(*report.EFDMonth) error,
) error {
	return r.forEachAccount(func(q reports.Query) error {
		return r.Ledger.OwnMonths(ctx, toOwnQuery(q), func(m *ownsales.MonthTotal) error {
			out := report.EFDMonth{MonthTotal: *m}
			if m.OfService {
				var sum ledger.Amount
				for _, name := range strings.FieldsFunc(m.ServiceAccounts, func(r rune) bool { return r == '|' }) {
					number, err := strconv.ParseInt(name, 10, 64)
					if err != nil {
						return err
					}
					of := q
					of.Account, of.Period = ledger.Account(number), ledger.Period{From: m.Month, To: m.Month.MonthEnd()}
					total, err := service(ctx, of)
					if err != nil {
						return err
					}
					sum += total
				}
				out.ServiceTotal = ledger.Some(sum.Rounded(ledger.HalfAwayFromZero))
			}
			return yield(&out)
		})
	})
}

// Live sales by card count on their day, slips on the day they are paid.
var (
	liveCards = []ledger.Class{ledger.Open, ledger.Blocked, ledger.Received}
	paidSlips = []ledger.Class{ledger.Paid}
)

// addServiceRows adds up the service's rows of a month.
func (r shopReader) addServiceRows(ctx context.Context, q reports.Query) (sum ledger.Amount, err error) {
	q.Classes = liveCards
	err = r.Ledger.Installments(ctx, q, func(v *ledger.InstallmentVersion, _ *ledger.Expectation) error {
		sum += v.Gross
		return nil
	})
	if err != nil {
		return 0, err
	}
	q.Classes, q.Basis = paidSlips, string(report.ByPayment)
	return sum, r.Ledger.SlipRows(ctx, q, func(s *ledger.Slip, _ *ledger.SlipExpectation) error {
		sum += s.PaidValue.Or(0).Rounded(ledger.HalfAwayFromZero)
		return nil
	})
}
