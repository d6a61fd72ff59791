package caseview

import (
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/view"
	"concilia/jobs/casework"
	"concilia/jobs/explain"
	"concilia/store/ledger"
)

// What an act was given is shown in words in the history of a case, not as the log keeps it; what cannot be read is shown as kept.
func TestHistoryOfACaseSpellsWhatAnActWasGiven(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	for parameters, want := range map[string]string{
		`{"cap":"1300.00","until":"2026-12-31"}`: ", limite R$ 1.300,00, até 31/12/2026: pequeno",
		`{"reply":"partial"}`:                    ", resposta aceita em parte: pequeno",
		`{}`:                                     " UTC: pequeno",
		`{"to":`:                                 ` UTC, {"to":: pequeno`,
	} {
		act := ledger.Act{Number: 3, Verb: ledger.Waive, Stage: ledger.Proposed, Actor: "ana", Reason: "pequeno", At: at, Parameters: parameters}
		moment := momentOf(nil, &act)
		if got := moment.describeMoment(view.Portuguese); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q does not end in %q", parameters, got, want)
		}
	}
}

// The line below an act on a month names act and month as people of the language do.
func TestActOnAMonthIsNamedInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	month := ledger.Period{From: ledger.NewDate(2026, 10, 1), To: ledger.NewDate(2026, 10, 31)}
	for verb, want := range map[ledger.Verb]string{ledger.ClosePeriod: "fechamento de 10/2026 por ana", ledger.ReopenPeriod: "reabertura de 10/2026 por ana"} {
		var b strings.Builder
		if err := PeriodActOf(&casework.PeriodSummary{Verb: verb, Month: month, Actor: "ana"}).WriteText(&b, view.Portuguese); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("not there: %s\n%s", want, b.String())
		}
	}
}

// The sign of an amount is written before its unit in the history of a case, as everywhere else.
func TestHistorySignsAmountsAsSentencesDo(t *testing.T) {
	t.Parallel()
	p := &explanation{lang: "pt-BR", zone: time.UTC}
	p.writeHistory(&explain.CasePage{History: []explain.CaseEvent{{State: "open", Impact: "-376.73"}, {State: "open", Impact: "2.00"}}})
	for _, want := range []string{", -R$ 376,73\n", ", R$ 2,00\n"} {
		if !strings.Contains(p.b.String(), want) {
			t.Errorf("no %q in\n%s", want, p.b.String())
		}
	}
}

// What a store says of a payment is a word of ours on the page of a case and on the desk; what the service sent stays as sent.
func TestPaymentOfAStoreIsSpelledInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	of := &explain.CasePage{Language: "pt-BR", Record: []explain.RecordMember{{Name: "method", Value: "slip"}, {Name: "status", Value: "cancelled"}, {Name: "installmentStatus", Value: "paid"}}}
	p, onDesk := &explanation{lang: "pt-BR", zone: time.UTC}, Explanation{CasePage: of, Zone: time.UTC}.NewSpeller()
	p.writeRecord(of)
	for i, want := range []string{"boleto", "cancelado", "paid"} {
		m := of.Record[i]
		if got := onDesk.ValueOf(m.Name, m.Value); got != want || !strings.Contains(p.b.String(), " "+want+"\n") {
			t.Errorf("%s: %q on the desk, want %q; in text\n%s", m.Name, got, want, p.b.String())
		}
	}
}
