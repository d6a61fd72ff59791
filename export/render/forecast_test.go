package render_test

import (
	"context"
	"strings"
	"testing"

	"concilia/export/render"
	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/store/ledger"
)

// unagreed is a feed with a forecast of a slip that no contract covers, of money that is late, and of slips that are not registered.
type unagreed struct{ *feed }

func (u unagreed) account() *report.AccountForecast {
	return &report.AccountForecast{Account: 1001, Days: []ledger.Date{u.asOf, u.asOf + 1}, Sums: []ledger.ForecastSum{
		{Kind: ledger.ForecastSlipsDue, Day: u.asOf + 1, Items: 1, Printed: 120 * ledger.Real, Exact: 120 * ledger.Real},
		{Kind: ledger.LateCards, Items: 1, Printed: 7 * ledger.Real, Exact: 7 * ledger.Real},
		{Kind: ledger.ForecastUnregistered, Items: 1, Printed: 3 * ledger.Real, Exact: 3 * ledger.Real},
	}}
}

func (u unagreed) Forecast(_ context.Context, yield func(*report.AccountForecast) error) error {
	return yield(u.account())
}

func (u unagreed) Sums(ctx context.Context, table string) (report.Sums, error) {
	if table == asof.ForecastTable.ID {
		return asof.ForecastSums(asof.ForecastDays(u.account())), nil
	}
	return u.feed.Sums(ctx, table)
}

// Page and workbook have the totals of the forecast's days, above them what is in no day, and say whose slips no contract covers.
func TestForecastSaysWhatIsInNoDay(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j := agendaJob(report.CSV, report.XLSX, report.HTML)
	j.Kinds, j.ForecastDays, j.SlipsKnownTo, j.WithoutContract = []report.Kind{report.ForecastKind, report.ControlKind}, 60, j.AsOf+60, []ledger.Account{1001}
	f := everyClass()
	f.asOf = j.AsOf
	r, err := render.Set(t.Context(), j, unagreed{f}, tg)
	if err != nil {
		t.Fatal(err)
	}
	rows := sheet(t, out, r, "Painel")
	for _, want := range [][]string{
		{"Sem contrato para 1001: boletos a vencer estão no dia do vencimento, sem tarifa."},
		{"boletos conhecidos até 17/01/2027"},
		{"Em nenhum dia: em atraso", "", "7"},
		{"Em nenhum dia: boletos não registrados", "", "3"},
		{"Em 30 dias", "0", "120"},
		{"Em 60 dias", "0", "120"},
	} {
		if !has(rows, want...) {
			t.Errorf("the dashboard has no %v in %v", want, rows)
		}
	}
	_, body := readPage(t, out, r)
	_, text, _ := strings.Cut(string(body), `id="forecast"`)
	for _, want := range []string{"boletos conhecidos até 17/01/2027", "Sem contrato para 1001", "em atraso: R$ 7,00", "Em 30 dias", "120,00"} {
		_, rest, found := strings.Cut(text, want)
		if !found {
			t.Errorf("the page has no %q after what stands before it", want)
			continue
		}
		text = rest
	}
}
