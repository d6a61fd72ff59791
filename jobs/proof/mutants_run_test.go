package proof_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"concilia/export"
	"concilia/export/control"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/jobstest"
	"concilia/jobs/source"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// What can be wrong with answers, and with what the ledger itself holds.
func runMutants() []mutant {
	failing := func(list ledger.Source, day string) func(*lab) {
		return func(l *lab) {
			l.fails = func(asked ledger.Source, from, _ string) int {
				if asked == list && from == day {
					return http.StatusInternalServerError
				}
				return 0
			}
		}
	}
	// behind writes into the ledger behind its back, between two mornings.
	behind := func(statement string) func(*lab) {
		return from(2, func(l *lab) {
			if err := l.write(statement); err != nil {
				l.t.Fatal(err)
			}
		})
	}
	gone := func(id string) func(*lab) {
		return func(l *lab) {
			hide(id, ledger.SlipLists()...)(l)
			l.answers = func(list ledger.Source, _, _ string, rows []record) []record {
				if list == ledger.SlipDetail {
					return []record{{"success": false, "message": "not found"}}
				}
				return rows
			}
		}
	}
	wednesday := int(proofDay("2026-03-04")) // A is paid between the two mornings, so its day is evaluated anew
	return []mutant{
		{code: "RUN_COVERAGE_GAP", says: "a day of cards that nobody answers for", want: "C - day:cards:2026-03-09", edit: failing(ledger.Cards, "2026-03-09")},
		{code: "RUN_COVERAGE_GAP", says: "a day of slips that nobody answers for", want: "C - day:slips.due:2026-03-05", edit: failing(ledger.SlipsDue, "2026-03-05")},
		{
			code: "RUN_TRUNCATION_SUSPECTED", says: "as many rows as the operator lets through", want: "C - day:cards:2026-03-04",
			setup: func(l *lab) { l.ListCap = 5 },
		},
		{
			code: "RUN_TRUNCATION_SUSPECTED", says: "a hundred rows on three days, and never more", want: "C - day:cards:2026-03-04",
			also: []string{"RUN_TRUNCATION_SUSPECTED C - day:cards:2026-03-05", "RUN_TRUNCATION_SUSPECTED C - day:cards:2026-03-06"},
			edit: debits(days("2026-03-04", "2026-03-05", "2026-03-06"), 100, nil),
		},
		{
			code: "RUN_TRUNCATION_SUSPECTED", says: "a hundred rows on two days, and never more", want: "I - day:cards:2026-03-04",
			also: []string{"RUN_TRUNCATION_SUSPECTED I - day:cards:2026-03-05"}, edit: debits(days("2026-03-04", "2026-03-05"), 100, nil),
		},
		{
			code: "RUN_WINDOW_LEAK", says: "a row of another day", want: "W - source:cards",
			edit: answering(ledger.Cards, "2026-03-09", func(l *lab, rows []record) []record { return append(rows, l.card("E", 1)) }),
		},
		{code: "RUN_CLOCK_SKEW", says: "five minutes ahead", want: "W - account:1001", edit: func(l *lab) { l.skew = 5 * time.Minute }},
		{code: "RUN_CLOCK_SKEW", says: "five minutes behind", want: "W - account:1001", edit: func(l *lab) { l.skew = -5 * time.Minute }},
		{
			code: "RUN_VOLUME_ANOMALY", says: "a hundred times the value of eight Thursdays before", want: "I - day:cards:2026-03-05", nights: 2,
			setup: func(l *lab) { l.Accounts[0].Since = proofDay("2026-01-08") },
			edit: both(debits(weekly("2026-01-08", 9), 1, func(d ledger.Date, _ int, r record) {
				if d == proofDay("2026-03-05") {
					hundredfold(r)
				}
			}), func(l *lab) { l.slips = nil }),
		},
		{
			code: "RUN_VOLUME_ANOMALY", says: "a tenth of the rows of eight Thursdays before", want: "W - day:cards:2026-03-05", nights: 2,
			setup: func(l *lab) { l.Accounts[0].Since = proofDay("2026-01-08") },
			edit: both(debits(weekly("2026-01-08", 8), 40, nil), func(l *lab) {
				few := &lab{t: l.t, counter: &counter{}, asOf: l.asOf}
				debits(days("2026-03-05"), 4, nil)(few)
				l.cards, l.slips = append(l.cards, few.cards...), nil
			}),
		},
		{
			code: "SRC_SCHEMA_INVALID", says: "a value that is no number", want: "E - row:cards",
			edit: sell(sold{nsu: "G", day: "2026-03-06", product: "DEBIT", count: 1, gross: "50"}, func(r record) { r["installmentValue"] = "fifty" }),
		},
		{code: "SRC_FIELD_UNKNOWN", says: "a member nobody described", want: "I - member:cards:novo", edit: on("C", 1, record{"novo": 1})},
		{code: "SRC_VANISHED", says: "a debit that is not there any more", want: "E - E.1", nights: 2, edit: from(2, func(l *lab) { l.lose("E", 1) })},
		{
			code: "SRC_VANISHED", says: "a slip that is not there any more, whoever is asked", want: "E - overdue", nights: 2, edit: from(2, gone("overdue")),
		},
		{
			code: "SRC_RESTATED", says: "a cent of MDR more, before it is paid", want: "W - C.1", nights: 2,
			edit: from(2, on("C", 1, record{"discountMdrValue": num("2.50"), "splits": tenth("97.10", "9.71")})),
		},
		{
			code: "SRC_RESTATED", says: "a cent of MDR more, after it was paid", want: "E - E.1", nights: 2,
			edit: from(2, on("E", 1, record{"discountMdrValue": num("0.56")})),
		},
		{code: "SRC_RESTATED", says: "a slip of another value", want: "W - open", nights: 2, edit: from(2, slip("open", record{"value": num("81")}))},
		{
			code: "ENUM_UNMAPPED", says: "a status nobody listed", want: "W - value:installmentStatus:Em análise",
			edit: on("C", 1, record{"installmentStatus": "Em análise"}),
		},
		{
			code: "ENUM_UNMAPPED", says: "a status of an open row that nobody listed, which withholds nothing", want: "W - value:installmentStatus:Em disputa interna",
			setup: publication, edit: on("C", 1, record{"installmentStatus": "Em disputa interna"}),
		},
		{
			code: "LEDGER_BRIDGE_RESIDUAL", says: "a line of the bridge that grew by a cent", want: "C - month:2026-03:visa:credit", nights: 2,
			edit: behind(fmt.Sprintf("UPDATE bridge SET amount = amount + 100 WHERE side = 'cards' AND day = %d", wednesday)),
		},
		{
			code: "LEDGER_CONTINUITY_BROKEN", says: "an opening that grew by a cent", want: "C - month:2026-03:visa:credit", nights: 2,
			edit: behind(fmt.Sprintf("UPDATE continuity SET closing = closing + 100 WHERE day = %d", wednesday)),
		},
		{
			code: "REPORT_TIE_FAILED", says: "a sum that is a cent off its rows: nothing is published", want: "C - installments of the set",
			after: func(l *lab) []string {
				j := export.Job{
					Account: "1001", Basis: report.ByOperation, Period: ledger.Period{From: proofDay("2026-03-01"), To: proofDay("2026-03-31")},
					Kinds: []report.Kind{report.InstallmentsKind}, Formats: []report.Format{report.CSV}, AsOf: l.asOf, Unit: ledger.Percent,
				}
				feed := &lying{source.New(source.Set{
					Ledger: l.Ledger, Accounts: []ledger.Account{1001}, Query: reports.Query{Account: 1001, Basis: string(j.Basis), Period: j.Period},
					Unit: j.Unit, AsOf: j.AsOf, Calendar: l.Inputs.Calendar,
				})}
				out := &jobstest.Folder{Root: l.t.TempDir()}
				_, err := render.Set(l.t.Context(), j, feed, export.Target{Staging: l.t.TempDir(), Publisher: out})
				var tie *control.MismatchError
				published, readErr := os.ReadDir(out.Root)
				if !errors.As(err, &tie) || len(published) > 0 || readErr != nil {
					l.t.Errorf("%v, and %d files stand", err, len(published))
					return nil
				}
				return []string{tie.Code() + " C - installments of the set"}
			},
		},
	}
}

// lying is a ledger whose sums are a cent off.
type lying struct{ *source.ReportSource }

func (f *lying) Sums(ctx context.Context, table string) (report.Sums, error) {
	s, err := f.ReportSource.Sums(ctx, table)
	if _, ok := s.Columns["received"]; ok {
		s.Columns["received"]++
	}
	return s, err
}

// weekly are so many days, a week apart.
func weekly(first string, n int) []ledger.Date {
	var all []ledger.Date
	for i := range n {
		all = append(all, proofDay(first)+ledger.Date(7*i))
	}
	return all
}

// hundredfold makes a debit of 4,000.00 of one of 40.00.
func hundredfold(r record) {
	r["installmentValue"], r["transactionTotalValue"], r["discountMdrValue"] = num("4000"), num("4000"), num("44")
	r["splits"] = tenth("3956", "395.60")
	if r["receivedDateEffective"] != nil {
		r["receivedValue"] = num("3956")
	}
}

// What can be wrong with notifications. 900 is that of A.2, paid the day before the first morning.
func webhookMutants() []mutant {
	monday := proofMorning - 1
	of := func(id int64, nsu string, before, after string) delivery {
		return notice(id, nsu, 2, monday, before, after)
	}
	// at is the notification of an hour after the one of noon; later arrives so much later.
	at := func(d delivery, hour int) delivery {
		d.body["moment"] = fmt.Sprintf("%sT%d:00:00", monday, hour)
		return d
	}
	later := func(d delivery, by time.Duration) delivery {
		d.arrives = d.arrives.Add(by)
		return d
	}
	arriving := func(by time.Duration) func(*lab) {
		return func(l *lab) {
			if l.morning == 1 {
				l.posted[0] = later(l.posted[0], by)
			}
		}
	}
	return []mutant{
		{
			code: "WEBHOOK_NOT_IN_PULL", says: "of a sale nobody ever shows, after seven nights", want: "E - webhook:991", nights: 7, tell: true,
			edit: told(1, of(991, "Z", "Authorized", "Paid")),
		},
		{
			code: "WEBHOOK_AMBIGUOUS", says: "two sales of one name within a month", want: "W - webhook:991", tell: true,
			edit: both(sell(sold{nsu: "B", day: "2026-03-06", product: "CREDIT", count: 2, gross: "100"}, func(r record) {
				r["cardNumber"] = "411111******9999"
			}), untoldOn(1), told(1, of(991, "B", "Authorized", "Paid"))),
		},
		{
			code: "WEBHOOK_CHAIN_BROKEN", says: "it was something else before", want: "W - webhook:991", tell: true,
			edit: told(1, at(of(991, "A", "Canceled", "Paid"), 13)),
		},
		{
			code: "WEBHOOK_OUT_OF_ORDER", says: "an earlier number of a later moment", want: "I - webhook:900", tell: true,
			edit: told(1, at(of(1, "A", "Paid", "Paid"), 13)),
		},
		{
			code: "WEBHOOK_DUPLICATE", says: "one notification twice", want: "I - webhook:900", tell: true,
			edit: told(1, later(of(900, "A", "Authorized", "Paid"), time.Hour)),
		},
		{
			code: "WEBHOOK_ID_REUSED", says: "one number, two bodies", want: "E - webhook:900", tell: true,
			edit: told(1, of(900, "A", "Paid", "Paid")),
		},
		{code: "WEBHOOK_LATE", says: "six hours late", want: "I - webhook:900", tell: true, edit: arriving(6 * time.Hour)},
		{code: "WEBHOOK_LATE", says: "a day and more late", want: "E - webhook:900", tell: true, edit: arriving(30 * time.Hour)},
		{
			code: "WEBHOOK_STATE_CONFLICT", says: "said to be cancelled, shown as paid", want: "E - A.2", nights: 2, tell: true,
			edit: told(1, at(of(991, "A", "Paid", "Canceled"), 13)),
		},
		{
			code: "PULL_CHANGE_WITHOUT_WEBHOOK", says: "paid, and three mornings later nobody has told of it", want: "E - A.3", nights: 4, tell: true,
			edit: untoldOn(2),
		},
		{
			code: "WEBHOOK_SILENCE", says: "changes, and no word since the day before", want: "W - source:notifications", nights: 2, tell: true,
			also: []string{"PULL_CHANGE_WITHOUT_WEBHOOK E - A.3 pending"}, edit: untoldOn(2),
		},
		{
			code: "WEBHOOK_SUBSCRIPTION_DRIFT", says: "told to somebody else", want: "E - account:1001",
			setup: func(l *lab) {
				l.subscribed = "https://elsewhere/notifications/1001"
				_, _, err := jobs.CheckSubscription(l.t.Context(), l.client, l.Ledger, 1001, "https://here/notifications/1001", proofMorning)
				if err != nil {
					l.t.Fatal(err)
				}
			},
		},
	}
}
