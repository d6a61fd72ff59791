package sales_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/world"
	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/jobs/sales"
	"concilia/jobs/sales/match"
	"concilia/jobs/sales/table"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
)

// What the sandbox's stores export, read and held against what its service knows, shows the planted differences and nothing else; an
// export without any shows nothing at all.
func TestStoresOfTheSandbox(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, 2, 3} {
		w, err := world.New(world.Options{Seed: seed, Plant: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, planted := range []bool{true, false} {
			var want []string
			if planted {
				for _, p := range w.PlantedInStores() {
					if p.Code != "SALE_FILE_MISSING" {
						want = append(want, p.Code+" "+p.Subject+" "+p.Impact)
					}
				}
			}
			got, matched := conciliateSandbox(t, w, planted)
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" || matched < 300 {
				t.Errorf("seed %d, planted %t: %d match; planted (-) and found (+):\n%s", seed, planted, matched, diff)
			}
		}
	}
}

// conciliateSandbox reads every store's files and evaluates what they say; the days that no file tells are evaluated elsewhere.
func conciliateSandbox(t *testing.T, w *world.World, planted bool) (found []string, matched int) {
	t.Helper()
	from, to := w.Days()
	c := sales.Conciliation{Terms: terms(dateOf(t, to) + 30), Accounts: map[ledger.Account]*sales.ServiceSide{}}
	m := agreements.DefaultMapping()
	for _, s := range w.Stores() {
		known := &sales.Store{ID: s.ID, Accounts: []ledger.Account{ledger.Account(s.Account)}, Format: "neutral", Brand: m.Brand, Zone: time.FixedZone("-03", -3*60*60)}
		known.Map, _ = table.Preset("neutral")
		if s.Notes {
			known.Format, known.Map, known.Documents = sales.FormatNFe, nil, []string{s.Document}
		}
		side := sales.Side{Store: known, Home: ledger.Account(s.Account), Complete: map[ledger.Date]bool{}}
		for _, f := range w.StoreFiles(s, from, to, planted) {
			for d := f.From; d != 0 && d <= f.To; d++ {
				side.Complete[dateOf(t, d)] = true
			}
			side.Payments = append(side.Payments, readStoreFile(t, known, f)...)
		}
		for d := from; s.Notes && d < to; d++ {
			side.Complete[dateOf(t, d)] = true
		}
		c.Sides = append(c.Sides, side)
		service := &sales.ServiceSide{Complete: map[ledger.Date]bool{}, SlipsTold: map[ledger.Date]bool{}}
		for d := from; d <= to; d++ {
			service.Complete[dateOf(t, d)], service.SlipsTold[dateOf(t, d)] = true, true
		}
		service.Sales = listSlips(t, w, s.Account)
		for r := range w.Installments(s.Account, from, to) {
			if r.Number > 1 {
				continue
			}
			at, err := ledger.ParseLocalTime(r.Moment.Format("2006-01-02T15:04:05"), nil)
			if err != nil {
				t.Fatal(err)
			}
			service.Sales = append(service.Sales, sales.SaleOf(m, match.Sale{
				Key:    ledger.SaleKey{Account: ledger.Account(s.Account), Day: at.Date(), NSU: r.NSU, Auth: r.CodAuth, Occurrence: 1},
				SoldAt: at, Total: ledger.Amount(r.Total), Installments: max(1, r.Count), Reference: r.Reference, WebPaymentID: r.PaymentID, Terminal: r.Terminal,
			}, r.CardName, r.CardType, r.CardNumber, []string{r.Status}))
		}
		c.Accounts[ledger.Account(s.Account)] = service
	}
	rows := c.Conciliate()
	for i := range rows {
		if rows[i].Bucket == sales.Matched && !rows[i].Weak() {
			matched++
		}
	}
	last := dateOf(t, to) + 30
	j := c.Evaluate(&ledger.Run{ID: "run", AsOf: last}, rows, ledger.Period{From: 1, To: last}, rules.Settings{}, nil)
	for i := range j.Findings {
		f := &j.Findings[i]
		impact := ""
		if f.Impact.OK {
			impact = f.Impact.V.Fixed(2)
		}
		found = append(found, f.Code+" "+f.Subject+" "+impact)
	}
	return found, matched
}

// listSlips are the slips of an account as the service tells them.
func listSlips(t *testing.T, w *world.World, account int64) (all []match.Sale) {
	t.Helper()
	from, to := w.Days()
	for s := range w.Slips(account, world.ByDue, from, to+100) {
		issued := dateOf(t, s.Issue)
		slip := match.Sale{
			Key: ledger.SaleKey{Account: ledger.Account(account), Day: issued}, SoldAt: ledger.StartOf(issued), Total: ledger.Amount(s.Value), Product: match.SlipProduct,
			Live: s.Status != world.Failed && s.CancelledOn == 0, Slip: s.ID, Untold: s.CreditedOn == 0,
		}
		if s.CreditedOn != 0 {
			slip.OurNumber, slip.Reference = s.OurNumber, s.Reference
		} else {
			slip.Live = s.Status != world.Failed
		}
		all = append(all, slip)
	}
	return all
}

func dateOf(t *testing.T, d world.Date) ledger.Date {
	t.Helper()
	at, err := ledger.ParseDate(d.String())
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// readStoreFile reads the payments by card and slip of a file, those of a void note as cancelled. Nothing of it is left out.
func readStoreFile(t *testing.T, s *sales.Store, f world.StoreFile) (payments []ownsales.Payment) {
	t.Helper()
	path := filepath.Join(t.TempDir(), f.Name)
	if err := os.WriteFile(path, f.Bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := sales.OpenFile(path, s)
	if err != nil {
		t.Fatal(err)
	}
	var voids []ownsales.Void
	err = file.Read(func(x *ownsales.Record) error {
		switch {
		case x.Payment != nil && (x.Payment.Method.IsCard() || x.Payment.Method == ownsales.MethodSlip):
			payments = append(payments, *x.Payment)
		case x.Void != nil:
			voids = append(voids, *x.Void)
		case x.Fault != nil || x.Unmapped != nil:
			t.Errorf("%s: %+v %+v", f.Name, x.Fault, x.Unmapped)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range payments {
		if slices.ContainsFunc(voids, func(v ownsales.Void) bool { return v.Applies(&payments[i]) }) {
			payments[i].Status = ownsales.StatusCancelled
		}
	}
	return payments
}
