package jobs_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/world"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/agreements"
	"concilia/jobs/explain"
	"concilia/jobs/find"
	"concilia/jobs/othersides"
	"concilia/jobs/rules/catalogue"
	jobssales "concilia/jobs/sales"
	"concilia/jobs/sales/table"
	"concilia/store/ledger"
	"concilia/store/sales"
)

// tellServiceSales makes a file of a store of what the service knows of an account, sale by sale, changed by edit; "" leaves a sale out.
func (m *merchant) tellServiceSales(t *testing.T, a ledger.Account, p ledger.Period, edit func(n int, row string) string) string {
	t.Helper()
	rows := []string{"sale_id,payment_no,sold_at,amount,method,installments,brand,nsu,auth,status"}
	err := m.Ledger.ServiceSales(t.Context(), a, p, func(s *sales.ServiceSale) error {
		n := len(rows)
		brand, _ := m.Inputs.Mapping.Brand(s.CardName)
		product, _ := m.Inputs.Mapping.Product(s.CardType)
		status := "cancelled"
		for _, word := range s.Statuses {
			if class, _ := m.Inputs.Mapping.Status(word); class.IsLive() {
				status = "paid"
			}
		}
		row := strings.Join([]string{
			fmt.Sprintf("P%04d", n), "1", s.SoldAt.String(), s.Total.Fixed(2), string(product), fmt.Sprint(s.Count), brand, s.Key.NSU, s.Key.Auth, status,
		}, ",")
		rows = append(rows, edit(n, row))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	rows = slices.DeleteFunc(rows, func(r string) bool { return r == "" })
	path := filepath.Join(t.TempDir(), "vendas.csv")
	if err := os.WriteFile(path, []byte(strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// evaluateStore gives the first account a store whose file differs in two sales and lacks one, and holds it against a night that was
// lived: exactly these are cases, none of them is in the figures, evaluated again nothing moves, and a file that is right ends them.
func (m *merchant) evaluateStore(t *testing.T) {
	t.Helper()
	m.Stores = m.newStores(t)
	p := ledger.Period{From: m.Today() - 12, To: m.Today() - 3}
	take := func(edit func(int, string) string) {
		f := &othersides.SalesFile{
			Path: m.tellServiceSales(t, 1001, p, edit), Store: &m.Stores[0], Period: p, Today: m.Today(), Actor: "test", At: m.Wall(),
		}
		if _, _, err := othersides.TakeInSales(t.Context(), m.Ledger, f); err != nil {
			t.Fatal(err)
		}
	}
	evaluate := func() (*jobs.Summary, map[string]bool) {
		s, err := m.Reconcile(t.Context(), m.Today())
		if err != nil {
			t.Fatal(err)
		}
		found := m.FoundDifferences(t)
		maps.DeleteFunc(found, func(line string, _ bool) bool {
			return !strings.HasPrefix(line, "SALE_") && !strings.Contains(line, ":own.centro:") || strings.HasPrefix(line, "SALE_FILE_MISSING")
		})
		return s, found
	}
	var missing string
	take(func(n int, row string) string {
		f := strings.Split(row, ",")
		switch {
		case n == 2: // and a row that cannot be read, and a word that is not declared
			return row + "\nX1,1," + f[2] + ",x,credit,1,,,,paid\nX2,1," + f[2] + ",7.00,Vale,1,,,,cancelled"
		case n == 3:
			f[3] = "0.01"
		case n == 5:
			f[7], f[8], f[3] = "", "ZZ99ZZ", "12345.67"
		case n == 8 && f[9] == "paid":
			day, _, _ := strings.Cut(f[2], "T")
			missing = fmt.Sprintf("SALE_NOT_IN_ERP sale:1001:%s:%s:%s -%s", day, f[7], f[8], f[3])
			return ""
		}
		return strings.Join(f, ",")
	})
	s, found := evaluate()
	var codes []string
	for line := range found {
		codes = append(codes, strings.Fields(line)[0])
	}
	slices.Sort(codes)
	want := []string{"ENUM_UNMAPPED", "SALE_AMOUNT_MISMATCH", "SALE_AUTH_UNKNOWN", "SALE_NOT_IN_ERP", "SALE_NOT_IN_ERP", "SRC_SCHEMA_INVALID"}
	if diff := cmp.Diff(want, codes); diff != "" || !found[missing] || !found["SALE_AUTH_UNKNOWN own:1001:centro:P0005:1 12345.67"] {
		t.Errorf("found %v, want %s:\n%s", slices.Sorted(maps.Keys(found)), missing, diff)
	}
	if len(s.Sales) != 1 || s.Sales[0].Divergent != 1 || s.Sales[0].NotAtService != 1 || s.Sales[0].OnlyAtService != 2 || s.Sales[0].Waiting != 0 {
		t.Errorf("the summary says %+v", s.Sales)
	}
	m.explainOwnPayment(t)
	m.findOwnPayment(t)
	again, _ := evaluate()
	if len(again.NewFindings) > 0 || *again.Figures != *s.Figures {
		t.Errorf("evaluated again: %v new, figures %+v, before %+v", again.NewFindings, again.Figures, s.Figures)
	}
	take(func(_ int, row string) string { return row })
	if s, found = evaluate(); len(found) > 0 || *again.Figures != *s.Figures {
		t.Errorf("with the right file: %v, figures %+v, with the wrong one %+v", found, s.Figures, again.Figures)
	}
	if s.Sales[0].Matched != s.Sales[0].Sent || s.Sales[0].Sent < 10 {
		t.Errorf("with the right file: %+v", s.Sales)
	}
}

// newStores are one store of the first account that tells tables.
func (m *merchant) newStores(t *testing.T) []jobssales.Store {
	t.Helper()
	neutral, known := table.Preset("neutral")
	if !known {
		t.Fatal("no neutral map")
	}
	return []jobssales.Store{{ID: "centro", Accounts: []ledger.Account{1001}, Format: "neutral", Map: neutral, Brand: m.Inputs.Mapping.Brand, Zone: m.Zone}}
}

// openStore gives the first account a store that is evaluated from a day on, with an inbox: a file of two days, one that is none, and
// parts. It returns the folder.
func (m *merchant) openStore(t *testing.T, from ledger.Date) string {
	t.Helper()
	m.Stores = m.newStores(t)
	inbox := t.TempDir()
	m.Stores[0].From, m.Stores[0].Inbox = from, inbox
	drop(t, inbox, "vendas.csv", fmt.Appendf(nil, "sale_id,sold_at,amount,method,brand\nP1,%s,10.00,pix,Tupi\nP2,%s,10.00,pix,\n", from+1, from+3))
	drop(t, inbox, "vendas.pdf", []byte("%PDF-1.4"))
	drop(t, inbox, "vendas.csv.part", []byte("x"))
	return inbox
}

// ownFiles are the names of the files of the store that were taken in.
func (m *merchant) ownFiles(t *testing.T) (names []string) {
	t.Helper()
	files, err := m.Ledger.OwnFiles(t.Context(), sales.Shop{Home: 1001, ID: "centro"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		names = append(names, files[i].Name)
	}
	return names
}

// readStoreBy gives the store another map.
func (m *merchant) readStoreBy(t *testing.T, text string) {
	t.Helper()
	var err error
	if m.Stores[0].Map, err = table.ParseMap("map.yaml", []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// nameBrand has the mapping know a brand.
func (m *merchant) nameBrand(t *testing.T, brand string) {
	t.Helper()
	mapping, err := agreements.ParseMapping("mapping.yaml", []byte("brand: {"+brand+": []}\n"))
	if err != nil {
		t.Fatal(err)
	}
	m.Stores[0].Brand, m.Stores[0].BrandHash = mapping.Brand, mapping.BrandHash()
}

// ownWords are the methods and brands of the payments of the store.
func (m *merchant) ownWords(t *testing.T) (words []string) {
	t.Helper()
	err := m.Ledger.OwnSales(t.Context(), sales.Shop{Home: 1001, ID: "centro"}, ledger.Period{From: 1, To: m.Today()}, func(k *sales.Kept) error {
		words = append(words, string(k.Method)+" "+k.Brand)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return words
}

// explainOwnPayment: the page about a sale of another amount shows both sides, the level and the file.
func (m *merchant) explainOwnPayment(t *testing.T) {
	t.Helper()
	x := &explain.Explainer{Ledger: m.Ledger, Calendar: m.Inputs.Calendar, Contracts: m.Inputs.Contracts, Mapping: m.Inputs.Mapping, Profile: m.Inputs.Profile}
	page, err := x.ExplainCase(t.Context(), ledger.CaseID(1001, "own:1001:centro:P0003:1", "SALE_AMOUNT_MISMATCH"), "en")
	if err != nil {
		t.Fatal(err)
	}
	record := map[string]string{}
	for _, r := range page.Record {
		record[r.Name] = r.Value
	}
	for name, want := range map[string]string{"sale_id": "P0003", "amount": "0.01", "file": "vendas.csv", "level": "3", "status": "paid"} {
		if record[name] != want {
			t.Errorf("%s is %q, want %q", name, record[name], want)
		}
	}
	if !strings.HasPrefix(record["service_sale"], "sale:1001:") || len(record["sha256"]) != 64 || page.Owner == "" {
		t.Errorf("the page says %+v", page)
	}
}

// findOwnPayment: a payment that matches is found by the store's own id and by its subject, unless its store is hidden; its page shows how it
// stays unresolved, and so does the page of the sale that it is.
func (m *merchant) findOwnPayment(t *testing.T) {
	t.Helper()
	const subject = "own:1001:centro:P0001:1"
	finder := &find.Finder{Ledger: m.Ledger, Accounts: []ledger.Account{1001}, Voice: catalogue.Voice{Language: "en"}}
	for text, hidden := range map[string]bool{"P0001": false, subject: false, "P0001 ": true} {
		finder.HidesStore = func(string) bool { return hidden }
		query, err := find.ParseQuery(text, m.Today())
		if err != nil {
			t.Fatal(err)
		}
		answer, err := finder.Find(t.Context(), find.Request{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		if found := len(answer.Hits) == 1 && answer.Hits[0].Kind == find.OwnHit && answer.Hits[0].Subject == subject; found == hidden {
			t.Errorf("%q, hidden %v: %+v", text, hidden, answer.Hits)
		}
	}
	x := &explain.Explainer{Ledger: m.Ledger, Calendar: m.Inputs.Calendar, Contracts: m.Inputs.Contracts, Mapping: m.Inputs.Mapping, Profile: m.Inputs.Profile}
	page, err := x.ExplainItem(t.Context(), subject, "en")
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Stores) != 1 || page.Stores[0].Bucket != "matched" || page.Stores[0].Level != 3 || page.Subject != subject || len(page.Header) < 8 {
		t.Fatalf("the page says %+v", page)
	}
	other, err := x.ExplainItem(t.Context(), page.Stores[0].Service, "en")
	if err != nil || len(other.Stores) != 1 || other.Stores[0].Subject != subject {
		t.Errorf("the page of the sale says %+v, %v", other, err)
	}
	if _, err := x.ExplainItem(t.Context(), "own:1001:centro:NONE:1", "en"); err == nil {
		t.Error("a payment that is not there is explained")
	}
}

// evaluateSandboxStores takes in what the sandbox's stores exported: exactly what is planted in it are cases, and evaluated again it is the
// same.
func (m *merchant) evaluateSandboxStores(t *testing.T, on string) {
	t.Helper()
	neutral, _ := table.Preset("neutral")
	from, to := m.World.Days()
	m.Stores = nil
	for _, s := range m.World.Stores() {
		store := jobssales.Store{ID: s.ID, Accounts: []ledger.Account{ledger.Account(s.Account)}, Format: "neutral", Map: neutral, Brand: m.Inputs.Mapping.Brand, Zone: m.Zone}
		store.ServiceAccounts, store.Institutions = store.Accounts, []jobssales.Institution{{CNPJ: "11444777000161", Participant: "IP01"}}
		if s.Notes {
			store.Format, store.Map, store.Documents = jobssales.FormatNFe, nil, []string{s.Document}
		}
		m.Stores = append(m.Stores, store)
		for _, f := range m.World.StoreFiles(s, from, to, true) {
			in := &othersides.SalesFile{Path: filepath.Join(t.TempDir(), f.Name), Store: &store, Today: m.Today(), Actor: "test", At: m.Wall()}
			if f.From != 0 {
				in.Period = ledger.Period{From: m.Today() - ledger.Date(m.World.AsOf()-f.From), To: m.Today() - ledger.Date(m.World.AsOf()-f.To)}
			}
			if err := os.WriteFile(in.Path, f.Bytes, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, _, err := othersides.TakeInSales(t.Context(), m.Ledger, in); err != nil {
				t.Fatal(err)
			}
		}
	}
	var want []string
	for _, p := range m.World.PlantedInStores() {
		want = append(want, p.Code+" "+p.Subject+" "+p.Impact)
	}
	slices.Sort(want)
	for range 2 {
		if _, err := m.Reconcile(t.Context(), m.Today()); err != nil {
			t.Fatal(err)
		}
		found := m.FoundDifferences(t)
		maps.DeleteFunc(found, func(line string, _ bool) bool {
			return !strings.HasPrefix(line, "SALE_") || strings.Contains(line, "centro") // the store before
		})
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(found))); diff != "" || len(want) < 9 {
			t.Errorf("%s: planted (-) and found (+) in the stores:\n%s", on, diff)
		}
	}
}

// reportStores publishes how the stores of the sandbox stand in a month, with their EFD: sums, identities and what is
// read back agree, what was concluded before is shown, and the digests can be computed again. It returns the files.
func (m *merchant) reportStores(t *testing.T) string {
	t.Helper()
	day := m.Today() - 1
	m.Reports.Formats = []report.Format{report.CSV, report.XLSX, report.HTML}
	s, err := m.Report(t.Context(), jobs.ReportRequest{
		Period: ledger.Period{From: day.MonthStart(), To: day.MonthEnd()}, Basis: "operation", Kinds: []string{"sales", "efd-1601"}, AccountsNamed: true,
	})
	if err == nil {
		err = errors.Join(s.Unpublished...)
	}
	if err != nil {
		t.Fatal(err)
	}
	rows, days, months := m.published(t, "sales_100?_operation_*_r0.csv"), m.published(t, "sales-summary_100?_*_r0.csv"), m.published(t, "efd-1601_100?_*_r0.csv")
	for text, least := range map[string]int{",matched,": 20, ",divergent,": 1, ",missing,": 0, ",complete,": 20} {
		if n := strings.Count(rows+days, text); n < least {
			t.Errorf("%q stands %d times in\n%s\n%s", text, n, rows, days)
		}
	}
	if strings.Count(months, "|1601|IP01||") != 2 || strings.Contains(months, "||0,00|") {
		t.Errorf("the EFD says\n%s", months)
	}
	m.checkServiceTotals(t, months, ledger.Period{From: day.MonthStart(), To: day})
	for _, account := range []string{"1001", "1002"} {
		for _, set := range m.recorded(t, account) {
			if digest, err := m.RecomputeDigest(t.Context(), set, t.TempDir()); err != nil || digest != set.Digest {
				t.Errorf("%s %s: the digest is %s, %v, was %s", account, set.Period, digest, err, set.Digest)
			}
		}
	}
	return rows + days + months
}

// checkServiceTotals: what the EFD says of the service in a month is what its world sold in it up to yesterday: live sales by card by their day, slips
// that were not cancelled by the day they were paid.
func (m *merchant) checkServiceTotals(t *testing.T, months string, p ledger.Period) {
	t.Helper()
	from, to := m.World.AsOf()-world.Date(m.Today()-p.From), m.World.AsOf()-world.Date(m.Today()-p.To)
	checked := 0
	for line := range strings.Lines(months) {
		cells := strings.Split(line, ",")
		if len(cells) < 7 || cells[3] != "11444777000161" {
			continue
		}
		account, err := strconv.ParseInt(cells[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum := ledger.Amount(0)
		for r := range m.World.Installments(account, from, to) {
			if r.Status != "Canceled" && r.ReceivedStatus != "Canceled" {
				sum += ledger.Amount(r.Gross)
			}
		}
		for s := range m.World.Slips(account, world.ByPayment, from, to) {
			if s.CancelledOn == 0 {
				sum += ledger.Amount(s.PaidValue)
			}
		}
		if checked++; cells[6] != sum.Fixed(2) || sum == 0 {
			t.Errorf("the service of account %d has %s in the EFD, and sold for %s", account, cells[6], sum.Fixed(2))
		}
	}
	if checked != 2 {
		t.Errorf("%d lines of the service in\n%s", checked, months)
	}
}
