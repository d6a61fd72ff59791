package proof_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/jobstest"
	"concilia/store/ledger"
)

// A sale of two, one paid and one open, is cancelled: 100.00 were open, the paid one comes back for a moment with
// 100.00, and 200.00 are cancelled. Nothing is left open, nothing is called a restatement, and once the money is taken
// back nothing is claimed.
func TestCancelledSaleContinues(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	t.Run("sqlite", func(t *testing.T) { t.Parallel(); cancelledSale(t, jobstest.OnSQLite()) })
	t.Run("postgres", func(t *testing.T) { t.Parallel(); cancelledSale(t, jobstest.OnPostgres()) })
}

func cancelledSale(t *testing.T, under jobstest.Database) {
	const contract = `contracts:
  - account: 1001
    valid_from: 2024-01-01
    fee_basis: installment
    rates:
      - {brand: visa, product: credit, installments: 2-6, mdr: 2.49, transaction_fee: 0.10, antifraud_fee: 0.30, anticipation: 1.09}
    settlement: {credit: D+30}
`
	l := newLab(t, under)
	l.contract(contract)
	l.first, l.Accounts[0].Since = proofDay("2024-12-09"), proofDay("2024-11-04")
	b1 := with(settled("2024-12-04", "97.11", ""), record{"receivedDateForeast": "2024-12-04", "splits": nil})
	b2 := with(unpaid, record{"receivedDateForeast": "2025-01-03", "splits": nil})
	cancelled := record{"installmentStatus": "Cancelada", "receivedStatus": ""}
	night := func(changes ...record) ledger.Continuity {
		l.next(func(l *lab) {
			l.cards, l.slips = nil, nil
			sell(sold{nsu: "000203", day: "2024-11-04", product: "CREDIT", count: 2, gross: "100"}, nil)(l)
			on("000203", 1, with(b1, with(changes...)))(l)
			on("000203", 2, with(b2, with(changes...)))(l)
			pullAgain("2024-11-04", "2024-11-04")(l) // no night asks for a day of which nothing is due
		})
		rows, err := l.Ledger.ContinuityOfRun(t.Context(), 1001, l.summary.Run)
		if err != nil || len(rows) > 1 {
			t.Fatalf("%d rows of continuity, %v", len(rows), err)
		}
		if len(rows) == 0 {
			return ledger.Continuity{}
		}
		return rows[0]
	}
	first := night()
	if first.Opening != 0 || first.Changes[ledger.Started] != 100*ledger.Real || first.Closing != 100*ledger.Real {
		t.Errorf("the first night: %+v", first)
	}
	want := ledger.Continuity{Day: proofDay("2024-11-04"), Brand: "visa", Product: ledger.Credit, Opening: 100 * ledger.Real}
	want.Changes[ledger.Undone], want.Changes[ledger.WasCancelled] = 100*ledger.Real, -200*ledger.Real
	if d := cmp.Diff(want, night(cancelled)); d != "" {
		t.Errorf("the night of the cancellation (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"CANCELLED_BUT_RECEIVED E -97.11 card:2024-11-04:000203:X:1"}, l.standing()); d != "" {
		t.Errorf("the night of the cancellation (-want +got):\n%s", d)
	}
	b1 = with(b1, record{"receivedValue": num("-97.11")})
	if last := night(cancelled); last.Opening != 0 || last.Closing != 0 || len(l.standing()) > 0 {
		t.Errorf("taken back: %+v, %v", last, l.standing())
	}
}

// What a slip paid late brought above its value is no surplus before a list shows its charges, and nothing at all when they
// were right: R$ 2.199,38 due on the 8th, paid on the 16th with 2 % and 1 % a month, R$ 43,99 and R$ 5,87.
func TestChargesNotShownYetAreNoSurplus(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	l := newLab(t, jobstest.OnSQLite())
	l.first += 7
	l.Plan.SlipsDueBack = 20
	publication(l)
	late := func(l *lab) {
		p := l.slip("late")
		p.record["value"], p.record["issueDate"], p.record["dueDate"] = num("2199.38"), "2026-03-05", "2026-03-08"
		p.record["effectivePaymentDate"], p.record["effectivePaymentValue"] = "2026-03-16", num("2249.24")
		delete(p.record, "effectiveCreditDate")
		if l.asOf > proofDay("2026-03-17") {
			p.record["effectiveCreditDate"] = "2026-03-17"
			p.record["overduePenaltyReceived"], p.record["overdueInterestReceived"] = num("43.99"), num("5.87")
		}
	}
	for _, want := range []string{"difference 0.00, to confirm 49.86", "difference 0.00, to confirm 0.00"} {
		l.next(late)
		s := l.summary.Totals.Slips
		if got := fmt.Sprintf("difference %s, to confirm %s", s.Difference, s.ChargesToConfirm); got != want {
			t.Errorf("as of %s: %s, want %s", l.asOf, got, want)
		}
		if got := l.standing(); len(got) > 0 {
			t.Errorf("as of %s: %v", l.asOf, got)
		}
	}
}
