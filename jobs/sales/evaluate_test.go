package sales_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/shops"
	"concilia/jobs/sales"
	"concilia/jobs/sales/match"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
)

// shopWorld is a store and the service that say the same, day after day.
type shopWorld struct {
	own  []ownsales.Payment
	sold []match.Sale
	days []ownsales.Day
	seen map[ledger.Date]bool // days that the service tells whole
	// refused are files of inboxes; nil: they were not read.
	refused map[string][]sales.RefusedFile
	faults  []ownsales.FileFault
}

const worldDays = 5

func newShopWorld() *shopWorld {
	w := &shopWorld{seen: days(worldDays + 2)}
	for d := range worldDays {
		w.days = append(w.days, ownsales.Day{Day: firstDay + ledger.Date(d), State: ownsales.DayComplete})
		for i := range 3 {
			auth := fmt.Sprintf("AU%d%d", d, i)
			s := serviceSale(d, int64(1000+100*d+i), auth)
			s.Installments = 2
			p := payment(fmt.Sprintf("P%d%d", d, i), d, int64(1000+100*d+i), auth)
			p.SoldAt, p.Timed, p.NSU, p.Brand, p.Installments = s.SoldAt, true, s.Key.NSU, "visa", 2
			w.own, w.sold = append(w.own, p), append(w.sold, s)
		}
	}
	return w
}

// evaluate finds the cases of the world as of a day, each as its code, severity, impact, owner and subject.
func (w *shopWorld) evaluate(asOf ledger.Date) ([]string, *sales.Evaluation) {
	complete := map[ledger.Date]bool{}
	for _, d := range w.days {
		if d.State == ownsales.DayComplete {
			complete[d.Day] = true
		}
	}
	c := sales.Conciliation{
		Terms: terms(asOf), Sides: []sales.Side{{Store: &centro, Home: 1001, Payments: w.own, Complete: complete, Days: w.days, Faults: w.faults}},
		Accounts: map[ledger.Account]*sales.ServiceSide{1001: {Sales: w.sold, Complete: w.seen}},
	}
	j := c.Evaluate(&ledger.Run{ID: "run", AsOf: asOf}, c.Conciliate(), ledger.Period{From: firstDay - 10, To: asOf}, rules.Settings{}, w.refused)
	var out []string
	for i := range j.Findings {
		f := &j.Findings[i]
		impact := "-"
		if f.Impact.OK {
			impact = f.Impact.V.Fixed(2)
		}
		text := strings.Join(strings.Fields(fmt.Sprint(f.Code, " ", f.Severity, " ", impact, " ", catalogue.OwnerKey(f), " ", f.Subject)), " ")
		if f.State == ledger.Pending {
			text += " pending"
		}
		out = append(out, text)
		for _, lang := range []string{"en", "pt-BR"} {
			if s := (catalogue.Voice{Language: lang}).Explain(*f); strings.Contains(s, "–") || strings.Contains(s, "{") {
				out = append(out, "unfilled: "+s)
			}
		}
	}
	slices.Sort(out)
	return out, j
}

// rowHash is the end of the subject of a row that was not taken in.
var rowHash = regexp.MustCompile(`:[0-9a-f]{16}$`)

// Each rule finds one thing that is wrong in a world where nothing is, and no other rule does.
func TestEachRuleFindsItsMutant(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, c := range []struct {
		says   string
		mutate func(*shopWorld)
		want   []string
	}{
		{says: "a clean world has no case"},
		{"a sale without authorization that the service does not have", func(w *shopWorld) {
			w.own[4].Auth = ""
			w.sold = slices.Delete(w.sold, 4, 5)
		}, []string{"SALE_NOT_AT_ACQUIRER E 11.01 service own:1001:centro:P11:1"}},
		{"a sale of which the service has the authorization two days later, for another amount", func(w *shopWorld) {
			w.sold[4] = serviceSale(3, 777_77, "AU11")
		}, []string{
			"SALE_NOT_AT_ACQUIRER E 11.01 service own:1001:centro:P11:1",
			"SALE_NOT_IN_ERP E -777.77 shop sale:1001:2026-11-06:77777:AU11",
		}},
		{"an authorization that nobody has", func(w *shopWorld) { w.own[4].Auth, w.own[4].NSU, w.own[4].Amount = "ZZZZ", "", 9*ledger.Real }, []string{
			"SALE_AUTH_UNKNOWN E 9.00 shop own:1001:centro:P11:1",
			"SALE_NOT_IN_ERP E -11.01 shop sale:1001:2026-11-04:1101:AU11",
		}},
		{"a sale that the store does not have", func(w *shopWorld) { w.own = slices.Delete(w.own, 4, 5) }, []string{
			"SALE_NOT_IN_ERP E -11.01 shop sale:1001:2026-11-04:1101:AU11",
		}},
		{"a cent more at the service", func(w *shopWorld) { w.sold[4].Total += ledger.Cent }, []string{"SALE_AMOUNT_MISMATCH E -0.01 service own:1001:centro:P11:1"}},
		{"a financed sale", func(w *shopWorld) {
			w.own[4].Interest = ledger.Some(3 * ledger.Real)
			w.sold[4].Total += 3 * ledger.Real
		}, []string{"SALE_AMOUNT_MISMATCH E -3.00 shop own:1001:centro:P11:1"}},
		{"other installments", func(w *shopWorld) { w.own[4].Installments = 3 }, []string{"SALE_INSTALLMENTS_MISMATCH E - own:1001:centro:P11:1"}},
		{"another product", func(w *shopWorld) { w.own[4].Method = ownsales.MethodDebit }, []string{"SALE_PRODUCT_MISMATCH E - own:1001:centro:P11:1"}},
		{"another brand", func(w *shopWorld) { w.own[4].Brand = "elo" }, []string{"SALE_BRAND_MISMATCH W - own:1001:centro:P11:1"}},
		{"another day, named by the order", func(w *shopWorld) {
			w.own[4].Reference, w.sold[4].Reference = "O-1", "O-1"
			w.own[4].SoldAt += 24 * rules.HourTicks
		}, []string{"SALE_DATE_MISMATCH W - own:1001:centro:P11:1"}},
		{"told twice", func(w *shopWorld) {
			again := w.own[4]
			again.Sale = "P99"
			w.own = append(w.own, again)
		}, []string{"SALE_DUPLICATE_IN_ERP E 11.01 shop own:1001:centro:P99:1"}},
		{"cancelled by the store alone", func(w *shopWorld) { w.own[4].Status = ownsales.StatusCancelled }, []string{"SALE_CANCELLED_ONE_SIDE E -11.01 service own:1001:centro:P11:1"}},
		{"cancelled by the service alone", func(w *shopWorld) { w.sold[4].Live = false }, []string{"SALE_CANCELLED_ONE_SIDE E 11.01 shop own:1001:centro:P11:1"}},
		{"cancelled by the store today", func(w *shopWorld) {
			w.own[4].Status, w.own[4].CancelledAt = ownsales.StatusCancelled, ledger.StartOf(firstDay+13)
		}, []string{"SALE_CANCELLED_ONE_SIDE E 0.00 service own:1001:centro:P11:1 pending"}},
		{"nothing but amount and day", func(w *shopWorld) { w.own[4].NSU, w.own[4].Auth = "", "" }, []string{"SALE_WEAK_MATCH I - own:1001:centro:P11:1"}},
		{"a day that no file has whole", func(w *shopWorld) { w.days[2].State, w.days[2].Payments = ownsales.DayPartial, 3 }, []string{
			"SALE_FILE_MISSING W - day:1001:own.centro:2026-11-05",
		}},
		{"a file of the inbox that is none", func(w *shopWorld) {
			w.refused = map[string][]sales.RefusedFile{"centro": {{Name: "vendas.pdf", Reason: "foreign"}}}
		}, []string{"SALE_FILE_MISSING E - file:1001:own.centro/vendas.pdf"}},
		{"rows of a file that were not taken in, one of them told twice", func(w *shopWorld) {
			w.faults = []ownsales.FileFault{
				{File: "a.csv", Where: "line 3", Said: "no sale_id"},
				{File: "b.csv", Where: "line 3", Said: "no sale_id"},
				{File: "b.csv", Where: "line 9", Said: `amount "x": not readable`},
			}
		}, []string{"SRC_SCHEMA_INVALID E - row:1001:own.centro:ROW", "SRC_SCHEMA_INVALID E - row:1001:own.centro:ROW"}},
		{"a word that the map does not declare", func(w *shopWorld) {
			w.faults = []ownsales.FileFault{{File: "a.csv", Member: "method", Said: "Vale"}}
		}, []string{"ENUM_UNMAPPED W - value:1001:own.centro:method:Vale"}},
		{"a day that the service does not tell whole", func(w *shopWorld) {
			delete(w.seen, firstDay+1)
			w.own[4].Auth, w.own[4].NSU = "ZZZZ", "77"
		}, nil},
	} {
		w := newShopWorld()
		if c.mutate != nil {
			c.mutate(w)
		}
		for d := worldDays; d < 13; d++ { // complete, without a sale
			w.days = append(w.days, ownsales.Day{Day: firstDay + ledger.Date(d), State: ownsales.DayComplete})
		}
		got, _ := w.evaluate(firstDay + 13)
		for i, line := range got {
			got[i] = rowHash.ReplaceAllString(line, ":ROW")
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: wanted (-) and found (+):\n%s", c.says, diff)
		}
		for _, line := range got {
			found[strings.Fields(line)[0]] = true
		}
	}
	for _, r := range shops.Rules() {
		if !found[r.Code] {
			t.Errorf("no mutant of %s", r.Code)
		}
	}
}

// A case whose days are not covered whole any more, or whose store is not evaluated, stays as it is; any other is over.
func TestWhatIsNotJudgedStays(t *testing.T) {
	t.Parallel()
	w := newShopWorld()
	delete(w.seen, firstDay+2)
	w.days[3].State = ownsales.DayPartial
	w.own[6].Auth, w.own[6].NSU = "ZZZZ", "77" // of the third day
	_, j := w.evaluate(firstDay + 8)
	for _, c := range []struct {
		says, subject, code string
		day                 int
		want                bool
	}{
		{"a payment of a day told whole", "own:1001:centro:P00:1", shops.AuthUnknown, 0, false},
		{"one that waits for the service", "own:1001:centro:P20:1", shops.AuthUnknown, 2, true},
		{"one of a day that the store does not tell whole", "own:1001:centro:P30:1", shops.AuthUnknown, 3, true},
		{"one of another store", "own:1001:norte:P00:1", shops.AuthUnknown, 0, true},
		{"one of long ago", "own:1001:centro:P00:1", shops.AuthUnknown, -20, true},
		{"a sale of a day told whole", "sale:1001:2026-11-03:1000:AU00", shops.NotInERP, 0, false},
		{"a sale of a day that the store does not tell whole", "sale:1001:2026-11-06:1000:AU00", shops.NotInERP, 3, true},
		{"a day that has a file now", "day:1001:own.centro:2026-11-04", shops.FileMissing, 1, false},
		{"a row that a later file tells anew", "row:1001:own.centro:0123456789abcdef", "SRC_SCHEMA_INVALID", -800_000, false},
		{"a word that a later file does not have", "value:1001:own.centro:method:Vale", "ENUM_UNMAPPED", -800_000, false},
		{"a word of another store", "value:1001:own.norte:method:Vale", "ENUM_UNMAPPED", -800_000, true},
		{"a file of an inbox that was not read", "file:1001:own.centro/a.pdf", shops.FileMissing, -800_000, true},
		{"a day before the first that is evaluated", "day:1001:own.centro:2026-11-02", shops.FileMissing, -1, true},
	} {
		f := &ledger.Finding{Account: 1001, Subject: c.subject, Code: c.code, Case: ledger.CaseID(1001, c.subject, c.code), Day: firstDay + ledger.Date(c.day)}
		if got := j.Leaves(f); got != c.want {
			t.Errorf("%s: left %v", c.says, got)
		}
	}
}
