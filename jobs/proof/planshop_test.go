package proof_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"concilia/jobs/api"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// simulatedHistory is for how many days the shop had been open on the first morning.
const simulatedHistory ledger.Date = 400

// fate is what becomes of a sale.
type fate string

const (
	onTime      fate = ""             // every installment on the business day of its forecast
	late        fate = "late"         // four business days later
	longOverdue fate = "long overdue" // fifteen business days later
	blocked     fate = "blocked"      // from the day after the sale until six business days past the first forecast
	early       fate = "early"        // all at once, a few days after the sale
)

// shop is a service with one sale of twelve installments a day. What it shows is a function of the day alone, as the
// sandbox's world is; it decides what becomes of each sale, which the world does not let one choose.
type shop struct {
	sale     func(sold ledger.Date) fate
	told     bool
	opened   ledger.Date
	calendar *calendar.Calendar
	today    atomic.Int64
	calls    atomic.Int64 // questions
	cards    atomic.Int64 // of them: windows of a day of cards
}

const shopInstallments = 12

func (s *shop) fate(sold ledger.Date) fate { return s.sale(sold) }

func (s *shop) due(sold ledger.Date, k int) ledger.Date {
	return s.calendar.NextBusinessDay(calendar.Settles, sold+ledger.Date(30*k))
}

// released is the day on which a blocked sale is no more: unpaid installments that were due are paid on it.
func (s *shop) released(sold ledger.Date) ledger.Date { return s.bank(s.due(sold, 1), 6) }

func (s *shop) bank(d ledger.Date, n int) ledger.Date {
	return s.calendar.AddBusinessDays(calendar.Settles, d, n)
}

// paid is the day installment k is paid; the morning after shows it.
func (s *shop) paid(sold ledger.Date, k int) ledger.Date {
	due := s.due(sold, k)
	switch s.fate(sold) {
	case late:
		return s.bank(due, 4)
	case longOverdue:
		return s.bank(due, 15)
	case blocked:
		return max(due, s.released(sold))
	case early:
		return s.bank(sold+8, 1)
	}
	return due
}

// row is installment k of the sale of a day as a morning shows it.
func (s *shop) row(sold ledger.Date, k int, morning ledger.Date) ledger.Installment {
	i := ledger.Installment{
		Account: simulated, SoldAt: ledger.LocalTimeOf(sold.Time().Add(12*time.Hour), time.UTC), Terminal: "T1", Card: "411111******1111",
		CardType: "CREDIT", CardName: "visa", Auth: "A", NSU: fmt.Sprint(int(sold)), Number: k, Count: shopInstallments,
		Gross: 10 * ledger.Real, SaleTotal: ledger.Some(shopInstallments * 10 * ledger.Real), Status: "Authorized", ReceivedStatus: "Pending",
		ReceivedType: "Normal", Forecast: sold + ledger.Date(30*k),
	}
	paid := s.paid(sold, k)
	switch {
	case paid < morning:
		i.Status, i.ReceivedStatus, i.Effective, i.Received = "Paid", "Paid", paid, ledger.Some(i.Gross)
		if paid < i.Forecast {
			i.ReceivedType = "Anticipated"
		}
	case s.fate(sold) == blocked && sold+1 < morning && morning <= s.released(sold):
		i.Status = "Blocked"
	}
	return i
}

// changes are the payments that this morning shows first, as notifications.
func (s *shop) changes() []ledger.Notification {
	morning := ledger.Date(s.today.Load())
	var all []ledger.Notification
	for sold := s.opened; sold < morning; sold++ {
		for k := 1; k <= shopInstallments; k++ {
			if s.paid(sold, k)+1 != morning {
				continue
			}
			id := int64(sold)*100 + int64(k)
			all = append(all, ledger.Notification{
				Account: simulated, MovementID: id, NSU: fmt.Sprint(int(sold)), Auth: "A", Installment: k, OldValue: "Authorized", NewValue: "Paid",
				Moment: ledger.LocalTimeOf(morning.Time(), time.UTC), Body: []byte("{}"), BodyHash: fmt.Sprint(id),
				ReceivedAt: morning.Time().Add(4 * time.Hour),
			})
		}
	}
	return all
}

// SearchInstallments answers as the conciliation search does.
func (s *shop) SearchInstallments(
	_ context.Context, _ ledger.Account, from, to ledger.Date, _ func(*ledger.Installment) error,
) (api.Answer, error) {
	s.calls.Add(1)
	if from == to {
		s.cards.Add(1)
	}
	morning := ledger.Date(s.today.Load())
	var a api.Answer
	a.Requests = 1
	for sold := max(from, s.opened); sold <= min(to, morning); sold++ {
		for k := 1; k <= shopInstallments; k++ {
			a.Rows = append(a.Rows, s.row(sold, k, morning))
		}
	}
	return a, nil
}

// ListSlips answers that there are none.
func (s *shop) ListSlips(
	context.Context, ledger.Source, ledger.Account, ledger.Date, ledger.Date, ledger.Opt[int64],
) (api.SlipAnswer, error) {
	s.calls.Add(1)
	var a api.SlipAnswer
	a.Requests = 1
	return a, nil
}

// Slip answers that there is none.
// Simulate has no simulator behind it. What is asked once a week, whatever the sales, is not counted.
func (s *shop) SimulateSettlement(context.Context, string, ledger.Amount) (api.SimulationAnswer, error) {
	return api.SimulationAnswer{}, errNoSimulator
}

var errNoSimulator = errors.New("the shop has no simulator")

func (s *shop) ReadSlip(context.Context, ledger.Account, string) (api.SlipAnswer, error) {
	s.calls.Add(1)
	return api.SlipAnswer{}, api.ErrUnsuccessful
}

// SearchInstallmentsByCode counts a call that no night of the simulation makes.
func (s *shop) SearchInstallmentsByCode(context.Context, ledger.Account, string, string) (api.Answer, error) {
	s.calls.Add(1)
	return api.Answer{}, api.ErrUnsuccessful
}
