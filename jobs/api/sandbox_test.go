package api_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
	"concilia/jobs/api"
	"concilia/store/ledger"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// sandbox serves a world and returns a client of it. Each count is of one kind of request.
func sandbox(t *testing.T, w *world.World, o service.Options, change ...func(*api.Options)) (*api.Client, *int) {
	t.Helper()
	o.Users, o.Now = []service.User{{Name: userName, Password: password}}, time.Now
	face := service.New(w, o)
	server := httptest.NewServer(http.Handler(face))
	t.Cleanup(server.Close)
	requests := new(int)
	options := (&fake{Server: server}).options()
	options.OnRequest = func(api.Request) { *requests++ }
	for _, c := range change {
		c(&options)
	}
	client, err := api.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return client, requests
}

func newWorld(t *testing.T) *world.World {
	t.Helper()
	w, err := world.New(world.Options{Seed: 1, Days: 30, Installments: 1000, Plant: true})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Every member of every record of a world arrives as the world has it.
func TestSandboxInstallments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client, requests := sandbox(t, w, service.Options{})
	last := w.AsOf() - 1
	total, filled := 0, map[string]bool{"card_clear": true} // no card is sent in the clear
	for _, a := range w.Accounts() {
		for d := last - 29; d <= last; d++ {
			var want []ledger.Installment
			for i := range w.Installments(a.Number, d, d) {
				want = append(want, fromWorld(t, i))
			}
			on := fromDate(t, d)
			answer, err := client.SearchInstallments(t.Context(), ledger.Account(a.Number), on, on, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, answer.Rows, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("account %d, %s: the world (-) and the client (+) differ:\n%s", a.Number, d, diff)
			}
			if len(answer.Bad) > 0 || len(answer.Unknown) > 0 || answer.ServerDate.IsZero() {
				t.Fatalf("bad %v, unknown %v, server date %s", answer.Bad, answer.Unknown, answer.ServerDate)
			}
			total += len(answer.Rows)
			for i := range answer.Rows {
				for _, m := range ledger.InstallmentMembers() {
					filled[m.Column] = filled[m.Column] || !reflect.ValueOf(m.At(&answer.Rows[i])).Elem().IsZero()
				}
			}
		}
	}
	for _, m := range ledger.InstallmentMembers() {
		if !filled[m.Column] {
			t.Errorf("no answer fills %s of an installment: the sandbox has to send it, and installmentShape of installments.go to read it", m.Column)
		}
	}
	if days := 30 * len(w.Accounts()); total < 500 || *requests != days+1 {
		t.Errorf("%d installments in %d requests for %d windows and one login", total, *requests, days)
	}
}

func fromWorld(t *testing.T, i world.Installment) ledger.Installment {
	t.Helper()
	amount := func(m world.Money) ledger.Opt[ledger.Amount] { return ledger.Some(ledger.Amount(m)) }
	rate := func(r world.Rate) ledger.Opt[ledger.Rate] { return ledger.Some(ledger.Rate(r) * 100) }
	out := ledger.Installment{
		Account: ledger.Account(i.Account), SoldAt: fromTime(t, i.Moment), Terminal: i.Terminal, Card: i.CardNumber,
		CardType: i.CardType, CardName: i.CardName, Auth: i.CodAuth, NSU: i.NSU, Number: i.Number, Count: i.Count,
		Gross: ledger.Amount(i.Gross), SaleTotal: amount(i.Total), Status: i.Status, MDR: amount(i.MDR), MDRRate: rate(i.MDRRate),
		Fee: amount(i.Fee), SaleFee: amount(i.FeeTotal), Antifraud: amount(i.Antifraud), SaleAntifraud: amount(i.AntifraudTotal),
		Anticipation: amount(i.Anticipation), AnticipationRate: rate(i.AnticipationRate), Received: amount(i.Received),
		Forecast: fromDate(t, i.Forecast), Effective: fromDate(t, i.Effective), ReceivedType: i.ReceivedType,
		ReceivedStatus: i.ReceivedStatus, Reference: i.Reference, WebPaymentID: i.PaymentID,
	}
	for _, s := range i.Splits {
		out.Splits = append(out.Splits, ledger.Split{
			Beneficiary: s.Beneficiary, Type: s.Kind, Pct: rate(s.Pct), Base: amount(s.Base), Value: amount(s.Value),
		})
	}
	return out
}

func fromTime(t *testing.T, at time.Time) ledger.LocalTime {
	t.Helper()
	l, err := ledger.ParseLocalTime(at.Format("2006-01-02T15:04:05"), time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func fromDate(t *testing.T, d world.Date) ledger.Date {
	t.Helper()
	if d == 0 {
		return 0
	}
	out, err := ledger.ParseDate(d.String())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every list shows the slips the world has in it, in both spellings, and the detail of each agrees with it.
func TestSandboxSlips(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client, _ := sandbox(t, w, service.Options{})
	from, to := w.AsOf()-30, w.AsOf()+30
	for _, list := range []struct {
		wire ledger.Source
		kind world.List
	}{{ledger.SlipsDue, world.ByDue}, {ledger.SlipsPayment, world.ByPayment}, {ledger.SlipsCredit, world.ByCredit}} {
		want := slices.Collect(w.Slips(1001, list.kind, from, to))
		answer, err := client.ListSlips(t.Context(), list.wire, 1001, fromDate(t, from), fromDate(t, to), ledger.Opt[int64]{})
		if err != nil {
			t.Fatal(err)
		}
		if len(answer.Rows) != len(want) || len(want) == 0 || len(answer.Bad) > 0 || len(answer.Unknown) > 0 {
			t.Fatalf("%s: %d slips of %d, bad %v, unknown %v", list.wire, len(answer.Rows), len(want), answer.Bad, answer.Unknown)
		}
		for i, v := range answer.Rows {
			if diff := cmp.Diff(fromSlip(t, want[i], list.wire), v); diff != "" {
				t.Fatalf("%s: the world (-) and the client (+) differ:\n%s", list.wire, diff)
			}
		}
		detail, err := client.ReadSlip(t.Context(), 1001, want[0].ID)
		if err != nil || len(detail.Rows) != 1 || len(detail.Unknown) > 0 {
			t.Fatalf("detail: %d rows, unknown %v, error %v", len(detail.Rows), detail.Unknown, err)
		}
		if diff := cmp.Diff(fromSlip(t, want[0], ledger.SlipDetail), detail.Rows[0]); diff != "" {
			t.Fatalf("detail: the world (-) and the client (+) differ:\n%s", diff)
		}
	}
}

// fromSlip is what a list shows of a slip: the late charges, a cancellation and the reference are of the list by credit date alone.
func fromSlip(t *testing.T, s world.Slip, list ledger.Source) ledger.SlipView {
	t.Helper()
	v := ledger.SlipView{
		Account: ledger.Account(s.Account), ID: s.ID, List: list, Value: ledger.Amount(s.Value), Issued: fromDate(t, s.Issue),
		Due: fromDate(t, s.Due), PayerDocument: s.Document, PayerName: s.Name, PayerStreet: s.Street, PayerZip: s.Zip,
		PayerCity: s.City, PayerState: s.State, PayerDistrict: s.District, PayerPhone: s.Phone, PaidOn: fromDate(t, s.PaidOn),
		CreditedOn: fromDate(t, s.CreditedOn), BarCode: s.BarCode, DigitableLine: s.Line, PixCode: s.Pix,
		Status: ledger.Some(int64(s.Status)),
	}
	if s.PaidOn != 0 {
		v.PaidValue = ledger.Some(ledger.Amount(s.PaidValue))
	}
	switch list {
	case ledger.SlipDetail:
		// The detail has no status 9 (interface document, States and transitions).
		if s.Status == world.Overdue {
			v.Status = ledger.Some[int64](world.Issued)
		}
	case ledger.SlipsDue, ledger.SlipsPayment:
		v.Integration = ledger.Some(int64(s.Integration))
	case ledger.SlipsCredit:
		v.OurNumber, v.ReferenceCode = s.OurNumber, s.Reference
		v.LateAllowed, v.LateLimit = ledger.Some(true), fromDate(t, s.LateLimit)
		v.Penalty, v.Interest = ledger.Some(ledger.Amount(s.Penalty)), ledger.Some(ledger.Amount(s.Interest))
		v.PenaltyReceived = ledger.Some(ledger.Amount(s.PenaltyReceived))
		v.InterestReceived = ledger.Some(ledger.Amount(s.InterestPaid))
		v.CancelledOn, v.CancelReason = fromDate(t, s.CancelledOn), s.CancelReason
	}
	return v
}

// Refusals, unknown slips and tokens of the other family, as the sandbox answers them.
func TestSandboxRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	on := fromDate(t, w.AsOf()) - 1
	wrong, requests := sandbox(t, w, service.Options{}, func(o *api.Options) { o.Password = "not the password" })
	if _, err := wrong.SearchInstallments(t.Context(), 1001, on, on, nil); !api.IsRefused(err) || *requests != 1 {
		t.Errorf("a wrong password: %v after %d requests", err, *requests)
	}
	client, _ := sandbox(t, w, service.Options{})
	_, err := client.ReadSlip(t.Context(), 1001, "00000000-0000-0000-0000-000000000000")
	if !errors.Is(err, api.ErrUnsuccessful) || !strings.Contains(err.Error(), "Boleto não localizado") {
		t.Errorf("a slip that there is not: %v", err)
	}
	other, requests := sandbox(t, w, service.Options{SearchToken: "gateway"})
	_, err = other.SearchInstallments(t.Context(), 1001, on, on, nil)
	if e := (*api.Error)(nil); !errors.As(err, &e) || e.Status != 401 || *requests != 4 {
		t.Errorf("a token of the other family: %v after %d requests", err, *requests)
	}
	right, _ := sandbox(t, w, service.Options{SearchToken: "gateway"}, func(o *api.Options) { o.SearchToken = api.Gateway })
	if _, err := right.SearchInstallments(t.Context(), 1001, on, on, nil); err != nil {
		t.Errorf("the token the search wants: %v", err)
	}
}

// The search by code shows the sales of a code as the search by day does, without splits, and none for what is not there.
func TestSandboxInstallmentsByCode(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	client, requests := sandbox(t, w, service.Options{})
	account, on := w.Accounts()[1].Number, fromDate(t, w.AsOf()-3)
	byDay, err := client.SearchInstallments(t.Context(), ledger.Account(account), on, on, nil)
	if err != nil || len(byDay.Rows) == 0 {
		t.Fatal(len(byDay.Rows), err)
	}
	first := byDay.Rows[0]
	want := slices.DeleteFunc(slices.Clone(byDay.Rows), func(i ledger.Installment) bool { return i.NSU != first.NSU || i.Auth != first.Auth })
	split := 0
	for i := range want {
		split += len(want[i].Splits)
		want[i].Splits = nil
	}
	got, err := client.SearchInstallmentsByCode(t.Context(), ledger.Account(account), first.NSU, first.Auth)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.Rows, cmpopts.EquateEmpty()); diff != "" || split == 0 {
		t.Errorf("by day without its %d splits (-) and by code (+) differ:\n%s", split, diff)
	}
	if got.Requests != 1 || got.SHA256 == "" || len(got.Unknown)+len(got.Bad) > 0 {
		t.Errorf("%d requests, hash %q, unknown %v, bad %v", got.Requests, got.SHA256, got.Unknown, got.Bad)
	}
	none, err := client.SearchInstallmentsByCode(t.Context(), ledger.Account(account), first.NSU, "other")
	if err != nil || len(none.Rows) > 0 {
		t.Errorf("a sale that is not there: %d rows, %v", len(none.Rows), err)
	}
	asked := *requests
	for _, code := range [][2]string{{"", "A"}, {"1", ""}, {strings.Repeat("1", 101), "A"}, {"1", strings.Repeat("A", 31)}} {
		if _, err := client.SearchInstallmentsByCode(t.Context(), ledger.Account(account), code[0], code[1]); err == nil || api.IsSearchableCode(code[0], code[1]) {
			t.Errorf("%q is searched for", code)
		}
	}
	if *requests != asked {
		t.Errorf("%d requests for what cannot be asked", *requests-asked)
	}
}
