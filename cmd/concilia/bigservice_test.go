//go:build linux

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// bigService answers the search with as many installments a day as it is told to, all of them right, from nothing it
// keeps: sales of three, each installment received on its day. It is for sizes that the sandbox, which remembers its
// world, is not made for.
type bigService struct {
	perDay int // about the installments of a sale day
	// slipsPerDay is about how many slips fall due on a day; wrongEvery is of how many sales one is charged half a real too much. 0: none.
	slipsPerDay, wrongEvery int
	first                   ledger.Date
	cal                     *calendar.Calendar

	mu    sync.Mutex
	today ledger.Date // of the business clock: what falls due before it was received
	rows  int64       // answered so far
}

const bigOf = 3 // installments of a sale

// newBigService serves days from first on, as of today.
func newBigService(t testing.TB, perDay int, first, today ledger.Date) (*bigService, string) {
	t.Helper()
	cal, err := calendar.New(calendar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &bigService{perDay: perDay, first: first, today: today, cal: cal}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

// on is how many installments a day has: no two days near each other have as many, nor a round number, as a list that
// is cut would.
func (s *bigService) on(d ledger.Date) int {
	span := max(1, min(1009, s.perDay/(2*bigOf)))
	sales := s.perDay/bigOf + span/2 - int(d)%span
	if n := sales * bigOf; n%100 != 0 {
		return n
	}
	return (sales - 1) * bigOf
}

// count is how many installments there are before a day.
func (s *bigService) count(before ledger.Date) int {
	n := 0
	for d := s.first; d < before; d++ {
		n += s.on(d)
	}
	return n
}

// pass moves the business clock.
func (s *bigService) pass(days int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.today += ledger.Date(days)
}

func (s *bigService) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	rw.Header().Set("Content-Type", "application/json")
	switch {
	case strings.HasSuffix(r.URL.Path, "/login"), strings.HasSuffix(r.URL.Path, "/token"):
		now := time.Now().UTC()
		fmt.Fprintf(rw, `{"authenticated":true,"created":%q,"expiration":%q,"accessToken":"big","message":"OK"}`,
			now.Format(time.DateTime), now.Add(time.Hour).Format(time.DateTime))
	case strings.Contains(r.URL.Path, "search-by-operation-date"):
		from, err1 := ledger.ParseDate(r.URL.Query().Get("startDate"))
		to, err2 := ledger.ParseDate(r.URL.Query().Get("endDate"))
		if err1 != nil || err2 != nil {
			http.Error(rw, `[{"tag":"startDate"}]`, http.StatusBadRequest)
			return
		}
		s.days(rw, from, to)
	case strings.Contains(r.URL.Path, "/billissuer/list/by/"):
		from, err1 := ledger.ParseDate(r.URL.Query().Get("startDate"))
		to, err2 := ledger.ParseDate(r.URL.Query().Get("endDate"))
		if err1 != nil || err2 != nil {
			http.Error(rw, `[{"tag":"startDate"}]`, http.StatusBadRequest)
			return
		}
		s.slips(rw, path.Base(r.URL.Path), from, to)
	default:
		_, _ = io.WriteString(rw, "[]")
	}
}

func (s *bigService) days(rw io.Writer, from, to ledger.Date) {
	s.mu.Lock()
	today := s.today
	s.mu.Unlock()
	b := []byte{'['}
	n := 0
	for d := max(from, s.first); d <= min(to, today-1); d++ {
		day := s.bigDayOf(d, today)
		for i := range s.on(d) {
			if n++; n > 1 {
				b = append(b, ',')
			}
			b = s.appendRow(b, day, i/bigOf, i%bigOf+1)
			if len(b) > 1<<16 {
				if _, err := rw.Write(b); err != nil {
					return
				}
				b = b[:0]
			}
		}
	}
	_, _ = rw.Write(append(b, ']'))
	s.mu.Lock()
	s.rows += int64(n)
	s.mu.Unlock()
}

// bigGross is what an installment of a sale comes to: 30 to 229 reais and odd cents.
func bigGross(day ledger.Date, sale int) ledger.Amount {
	return ledger.FromCents(int64(3000 + (sale*7919+int(day))%20000))
}

// mdr is what is charged of installment k of a sale: by bigContract, or more.
func (s *bigService) mdr(day ledger.Date, sale, k int) ledger.Amount {
	mdr, _ := ledger.Rate(2_900_000).ShareOf(bigGross(day, sale), ledger.Percent, ledger.HalfAwayFromZero)
	if s.wrongEvery > 0 && k == 1 && sale%s.wrongEvery == 0 {
		mdr += ledger.Cent * 50
	}
	return mdr
}

// rowNet is what is credited of installment k of a sale.
func (s *bigService) rowNet(day ledger.Date, sale, k int) ledger.Amount {
	return bigGross(day, sale) - s.mdr(day, sale, k) - ledger.Cent*10 - ledger.Cent*30
}

// bigDay is what the rows of a sale day have in common, as text.
type bigDay struct {
	day  ledger.Date
	sold string
	// due, effective and status are those of each installment of a sale; received is whether it was.
	due, effective, status [bigOf]string
	received               [bigOf]bool
}

// bigDayOf is a sale day as of today.
func (s *bigService) bigDayOf(d, today ledger.Date) *bigDay {
	out := &bigDay{day: d, sold: d.String()}
	for k := range out.due {
		due := s.cal.NextBusinessDay(calendar.Settles, d+ledger.Date(30*(k+1)))
		out.due[k], out.effective[k], out.status[k] = due.String(), "null", "Pending"
		if due < today {
			out.effective[k], out.status[k], out.received[k] = `"`+out.due[k]+`"`, "Paid", true
		}
	}
	return out
}

// appendRow is installment k of a sale. It is written without formats: the service shares the cores of what is measured.
func (s *bigService) appendRow(b []byte, d *bigDay, sale, k int) []byte {
	gross, mdr, received := bigGross(d.day, sale), s.mdr(d.day, sale, k), ledger.Amount(0)
	if d.received[k-1] {
		received = s.rowNet(d.day, sale, k)
	}
	second := sale % 86_400
	b = append(append(b, `{"transactionDate":"`...), d.sold...)
	b = appendPadded(append(b, 'T'), second/3600, 2)
	b = appendPadded(append(b, ':'), second/60%60, 2)
	b = appendPadded(append(b, ':'), second%60, 2)
	b = appendPadded(append(b, `","terminal":"PB`...), sale%5000, 12)
	b = appendPadded(append(b, `","cardNumber":"411111******`...), sale%10000, 4)
	b = appendPadded(append(b, `","cardType":"CREDIT","cardName":"visa","codAuth":"`...), sale%1_000_000, 6)
	b = appendPadded(append(b, `","nsu":"`...), int(d.day)*1_000_000+sale, 12)
	b = strconv.AppendInt(append(b, `","installmentNumber":`...), int64(k), 10)
	b = strconv.AppendInt(append(b, `,"installmentsCount":`...), bigOf, 10)
	b = gross.Append(append(b, `,"installmentValue":`...), 4)
	b = (gross * bigOf).Append(append(b, `,"transactionTotalValue":`...), 4)
	b = mdr.Append(append(b, `,"installmentStatus":"Authorized","discountMdrValue":`...), 4)
	b = received.Append(append(b, `,"discountMdrTax":2.9000,"discountTrnRateInstalmentValue":0.1000,"discountTrnRateTransactionValue":0.3000,`+
		`"discountAntifraudRateInstalmentValue":0.3000,"discountAntifraudRateTransactionValue":0.9000,`+
		`"discountAntecipationValue":0.0000,"discountAntecipationTax":0.0000,"receivedValue":`...), 4)
	b = append(append(b, `,"receivedDateForeast":"`...), d.due[k-1]...)
	b = append(append(b, `","receivedDateEffective":`...), d.effective[k-1]...)
	b = append(append(b, `,"receivedType":"Normal","receivedStatus":"`...), d.status[k-1]...)
	b = strconv.AppendInt(append(b, `","transactionReference":"PEDIDO `...), int64(sale), 10)
	b = appendPadded(append(b, `","transactionPaymentIdWeb":"`...), sale, 42)
	return append(b, `","splits":[]}`...)
}

// appendPadded appends a number, which is not negative, with zeros before it to so many digits.
func appendPadded(b []byte, n, digits int) []byte {
	var text [20]byte
	number := strconv.AppendInt(text[:0], int64(n), 10)
	for range digits - len(number) {
		b = append(b, '0')
	}
	return append(b, number...)
}

const bigContract = `contracts:
  - account: 1001
    valid_from: 2020-01-01
    rates: [{brand: "*", product: credit, mdr: 2.90, transaction_fee: 0.10, antifraud_fee: 0.30, anticipation: 1.09}]
    settlement: {credit: D+30}
`
