package rules_test

import (
	"testing"

	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

func TestTruncation(t *testing.T) {
	t.Parallel()
	const critical, info = ledger.Critical, ledger.Info
	for _, c := range []struct {
		says     string
		w        runs.Truncation
		want     rules.Status
		severity ledger.Severity
	}{
		{"few rows, however often", runs.Truncation{Rows: 99, Largest: 99, Days: 9}, passes, ""},
		{"as many as never before, once", runs.Truncation{Rows: 137, Largest: 137, Days: 1}, passes, ""},
		{"as many as ever, on two days", runs.Truncation{Rows: 137, Largest: 137, Days: 2}, passes, ""},
		{"as many as ever, on three days", runs.Truncation{Rows: 137, Largest: 137, Days: 3}, fires, info},
		{"on three days, but once there were more", runs.Truncation{Rows: 137, Largest: 138, Days: 3}, passes, ""},
		{"a round hundred, once", runs.Truncation{Rows: 100, Largest: 500, Days: 1}, passes, ""},
		{"a round hundred, twice", runs.Truncation{Rows: 100, Largest: 500, Days: 2}, fires, info},
		{"a round hundred, on ever so many days, but once there were more", runs.Truncation{Rows: 100, Largest: 101, Days: 30}, fires, info},
		{"a round hundred that is the most ever, on two days", runs.Truncation{Rows: 100, Largest: 100, Days: 2}, fires, info},
		{"a round hundred that is the most ever, on three days", runs.Truncation{Rows: 100, Largest: 100, Days: 3}, fires, critical},
		{"no round hundred, twice", runs.Truncation{Rows: 150, Largest: 500, Days: 2}, passes, ""},
		{"a known cap alone decides: below it nothing is suspicious", runs.Truncation{Rows: 400, Cap: 401, Largest: 400, Days: 9}, passes, ""},
		{"a known cap alone decides: reached", runs.Truncation{Rows: 5, Cap: 5}, fires, critical},
		{"a day that shows rows its first answer lacked", runs.Truncation{Rows: 12, Largest: 40, Days: 1, Regained: 3}, fires, info},
		{"which shows as many as a cut answer would, too", runs.Truncation{Rows: 100, Largest: 100, Days: 3, Regained: 3}, fires, critical},
		{"which a known cap explains", runs.Truncation{Rows: 12, Cap: 100, Regained: 3}, passes, ""},
		{"several days, not asked in halves", runs.Truncation{Rows: 500, Largest: 500, Days: 9, Several: true}, rules.NotEvaluable, ""},
		{"several days whose halves show the same rows", runs.Truncation{Rows: 500, Largest: 500, Days: 9, Several: true, Halves: ledger.Some[int64](500)}, passes, ""},
		{"several days whose halves show more", runs.Truncation{Rows: 500, Several: true, Halves: ledger.Some[int64](640), Differ: true}, fires, critical},
		{"several days whose halves show as many, but others", runs.Truncation{Rows: 500, Several: true, Halves: ledger.Some[int64](500), Differ: true}, fires, critical},
	} {
		c.w.Source, c.w.Day = ledger.SlipsCredit, day("2024-11-19")
		e := world{}.env(t)
		o := runs.EvaluateTruncation(e, c.w)
		if o.Status != c.want {
			t.Errorf("%s: status %d, want %d", c.says, o.Status, c.want)
		}
		if o.Status == fires {
			told(t, runs.TruncationSuspected, o)
			if got := e.Severity(e.Index(runs.TruncationSuspected), &o); got != c.severity {
				t.Errorf("%s: severity %s, want %s", c.says, got, c.severity)
			}
		}
		if got := c.w.Subject(1001); got != "day:1001:slips.credit:2024-11-19" {
			t.Errorf("subject %s", got)
		}
	}
}

// The sentence of a suspected cut says what was seen, and what to set or to do.
func TestTruncationSaysWhatToSet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		w      runs.Truncation
		en, pt string
	}{
		{
			runs.Truncation{Rows: 200, Largest: 200, Days: 3},
			"Card sales of 2024-11-19: 200 rows, a multiple of 100, the most ever shown; 3 days of the last 30 show as many. If the service cuts its lists at 200, set service.list_cap: 200; else close the case.",
			"Vendas com cartão de 19/11/2024: 200 linhas, um múltiplo de 100, o máximo já mostrado; 3 dias dos últimos 30 mostram o mesmo número. Se a operadora corta as listas em 200, defina service.list_cap: 200; senão, encerre o caso.",
		},
		{
			runs.Truncation{Rows: 200, Largest: 240, Days: 2},
			"Card sales of 2024-11-19: 200 rows, a multiple of 100; 2 days of the last 30 show as many. If the service cuts its lists at 200, set service.list_cap: 200; else close the case.",
			"Vendas com cartão de 19/11/2024: 200 linhas, um múltiplo de 100; 2 dias dos últimos 30 mostram o mesmo número. Se a operadora corta as listas em 200, defina service.list_cap: 200; senão, encerre o caso.",
		},
		{
			runs.Truncation{Rows: 200, Cap: 200},
			"Card sales of 2024-11-19: 200 rows, and service.list_cap says that the list is cut at 200.",
			"Vendas com cartão de 19/11/2024: 200 linhas, e service.list_cap diz que a lista é cortada em 200.",
		},
		{
			runs.Truncation{Rows: 500, Several: true, Halves: ledger.Some[int64](640), Differ: true},
			"Card sales of 2024-11-19: 500 rows; asked in halves the window shows 640.",
			"Vendas com cartão de 19/11/2024: 500 linhas; pedido em metades, o período mostra 640.",
		},
	} {
		c.w.Source, c.w.Day = ledger.Cards, day("2024-11-19")
		f := ledger.Finding{Code: runs.TruncationSuspected, Numbers: runs.EvaluateTruncation(world{}.env(t), c.w).Numbers}
		for lang, want := range map[string]string{"en": c.en, "pt-BR": c.pt} {
			if got := (catalogue.Voice{Language: lang}).Explain(f); got != want {
				t.Errorf("%s:\n%s\nwant\n%s", lang, got, want)
			}
		}
	}
}

func TestLeaksSkewAndUnnamedMembers(t *testing.T) {
	t.Parallel()
	e := world{}.env(t)
	leak := runs.Leak{Source: ledger.Cards, Windows: 3, Rows: 2, Day: day("2024-11-02"), Window: ledger.Period{From: day("2024-11-01"), To: day("2024-11-01")}}
	for _, c := range []struct {
		says string
		code string
		o    rules.Outcome
		want rules.Status
	}{
		{"rows of other days", runs.WindowLeak, runs.EvaluateLeak(e, leak), fires},
		{"none", runs.WindowLeak, runs.EvaluateLeak(e, runs.Leak{Source: ledger.Cards, Windows: 3}), passes},
		{"nothing was asked", runs.WindowLeak, runs.EvaluateLeak(e, runs.Leak{Source: ledger.Cards}), rules.NotEvaluable},
		{"two minutes ahead", runs.ClockSkew, runs.EvaluateClock(e, ledger.Some[int64](120)), passes},
		{"a second more", runs.ClockSkew, runs.EvaluateClock(e, ledger.Some[int64](121)), fires},
		{"two minutes behind", runs.ClockSkew, runs.EvaluateClock(e, ledger.Some[int64](-120)), passes},
		{"a second more behind", runs.ClockSkew, runs.EvaluateClock(e, ledger.Some[int64](-121)), fires},
		{"no answer bore a time", runs.ClockSkew, runs.EvaluateClock(e, ledger.Opt[int64]{}), rules.NotEvaluable},
		{"another limit", runs.ClockSkew, runs.EvaluateClock(world{change: func(o *rules.Options) {
			o.Settings = rules.Settings{runs.ClockSkew: {Grace: ledger.Some(3)}}
		}}.env(t), ledger.Some[int64](180)), passes},
		{"a member nobody named", runs.FieldUnknown, runs.UnknownField{Source: ledger.Cards, Member: "feeCode"}.Outcome(), fires},
	} {
		if c.o.Status != c.want {
			t.Errorf("%s: status %d, want %d", c.says, c.o.Status, c.want)
		}
		if c.o.Status == fires {
			told(t, c.code, c.o)
		}
	}
	if got := leak.Subject(1001); got != "source:1001:cards" {
		t.Errorf("subject %s", got)
	}
	if got := (runs.UnknownField{Source: ledger.Cards, Member: "feeCode"}).Subject(1001); got != "member:1001:cards:feeCode" {
		t.Errorf("subject %s", got)
	}
	f := ledger.Finding{Code: runs.ClockSkew, Numbers: runs.EvaluateClock(e, ledger.Some[int64](-121)).Numbers}
	if got := (catalogue.Voice{Language: "pt-BR"}).Explain(f); got != "O relógio da operadora está 121 segundos atrás do nosso; o limite é 120." {
		t.Error(got)
	}
}

func TestSlipNotes(t *testing.T) {
	t.Parallel()
	const twice, outside, detail = "SLIP_DUPLICATE_ID", "SLIP_OUT_OF_WINDOW", "SLIP_DETAIL_UNAVAILABLE"
	for _, c := range []struct {
		code, says string
		n          rules.SlipNote
		want       rules.Status
		severity   ledger.Severity
	}{
		{twice, "no list showed it in this run", rules.SlipNote{}, rules.NotEvaluable, ""},
		{twice, "every list showed it once, or twice alike", rules.SlipNote{Asked: true}, passes, ""},
		{twice, "a list showed it twice, and not alike", rules.SlipNote{Asked: true, Twice: ledger.SlipsDue}, fires, ledger.Error},
		{outside, "no list showed it in this run", rules.SlipNote{}, rules.NotEvaluable, ""},
		{outside, "its date lies in the range asked for", rules.SlipNote{Asked: true}, passes, ""},
		{outside, "it does not", rules.SlipNote{
			Asked: true, Outside: ledger.SlipsDue, On: day("2024-11-09"), Window: ledger.Period{From: day("2024-11-08"), To: day("2024-11-08")},
		}, fires, ledger.Warning},
		{detail, "nobody asked for it", rules.SlipNote{Asked: true}, rules.NotEvaluable, ""},
		{detail, "it was answered", rules.SlipNote{Detail: true}, passes, ""},
		{detail, "it was refused", rules.SlipNote{Detail: true, Refused: true}, fires, ledger.Warning},
	} {
		e := world{change: func(o *rules.Options) { o.SlipNote = func(*ledger.Slip) rules.SlipNote { return c.n } }}.env(t)
		i := e.Index(c.code)
		o := e.EvaluateSlip(i, rules.NewSlip(e, slip(func(*ledger.SlipView) {})))
		if o.Status != c.want || o.Status == fires && e.Severity(i, &o) != c.severity {
			t.Errorf("%s: %s: status %d, want %d", c.code, c.says, o.Status, c.want)
		}
		if o.Status == fires {
			told(t, c.code, o)
		}
	}
	e := world{}.env(t)
	if o := e.EvaluateSlip(e.Index(twice), rules.NewSlip(e, slip(func(*ledger.SlipView) {}))); o.Status != rules.NotEvaluable {
		t.Errorf("without notes: status %d", o.Status)
	}
}
