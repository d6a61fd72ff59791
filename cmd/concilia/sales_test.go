package main

import (
	"encoding/csv"
	"encoding/json"
	"html"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/concilia/exit"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sales"
)

// A store whose export says what the service knows has nothing to tell of; what is changed in it is found, and nothing else.
func TestSalesOfAStoreAreHeldAgainstTheService(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the race detector watches a whole demo in another test")
	}
	dir := copyDemo(t, 5)
	config := filepath.Join(dir, "concilia.yaml")
	addText(t, config, "stores: [{id: centro, accounts: [1001], format: neutral}, {id: norte, accounts: [1002], format: neutral}]\n")
	period := ledger.Period{From: ledger.NewDate(2026, 11, 13), To: ledger.NewDate(2026, 11, 17)}
	planted := map[string]int{}
	writeShop(t, dir, period, func(i int, row []string) []string {
		switch i {
		case 3: // never in a file of the store
			planted["only_at_service"]++
			return nil
		case 5: // another amount
			planted["divergent"]++
			row[2] = "1" + row[2]
		}
		return row
	}, planted)
	code, out, errs := inProcess("--config", config, "sales", "import", filepath.Join(dir, "vendas.csv"), "--store", "centro", "--from", period.From.String(), "--to", period.To.String())
	if code != exit.OK {
		t.Fatalf("import ends with %d:\n%s%s", code, out, errs)
	}
	code, out, errs = inProcess("--config", config, "sales", "list", "--bucket", "all", "--to", "2026-11-16", "--json")
	if code != exit.OK {
		t.Fatalf("list ends with %d:\n%s", code, errs)
	}
	found, sent := map[string]int{}, 0
	for line := range strings.Lines(out) {
		var row struct {
			Bucket, Difference string
			Own                *struct{}
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if row.Own != nil {
			sent++
		}
		if found[row.Bucket]++; row.Bucket == "matched" && row.Difference != "0.00" {
			t.Errorf("matched, and differs: %s", line)
		}
	}
	if found["matched"] < 10 {
		t.Errorf("only %d of %d payments matched", found["matched"], sent)
	}
	delete(found, "matched")
	if diff := cmp.Diff(planted, found); diff != "" {
		t.Errorf("planted (-) and found (+):\n%s", diff)
	}
	_, out, _ = inProcess("--config", config, "sales", "list", "--bucket", "divergent")
	if !strings.Contains(out, "differs in amount") || !strings.Contains(out, "1 row; here less at the service: ") {
		t.Errorf("the divergent one:\n%s", out)
	}
	if code, _, errs = inProcess("--config", config, "sales", "list", "--bucket", "lost"); code != exit.Usage || !strings.Contains(errs, "no bucket") {
		t.Errorf("an unknown bucket ends with %d: %s", code, errs)
	}
	d := openDeskOf(t, dir, withPeople(t))
	if _, page := d.ask(t, "en", "/own?store=centro", d.signIn(t, "ana")); !strings.Contains(page, "came after the last run") {
		t.Errorf("files that no run has judged are not told:\n%s", page)
	}
	_, out, errs = inProcess("--config", config, "reconcile", "--json")
	if !strings.Contains(out, `"sales":[{"store":"centro","sent":`) {
		t.Errorf("a reconcile tells nothing of the sales:\n%s%s", out, errs)
	}
	if _, page := d.ask(t, "en", "/own?store=centro", d.signIn(t, "ana")); strings.Contains(page, "came after the last run") {
		t.Errorf("files that a run has judged are told as if none had:\n%s", page)
	}
	checkStorePages(t, d)
}

// checkStorePages goes from the list of a store to both sides of a sale in one click, in both languages, and sees that people of one account
// find nothing of a store that sells in another one.
func checkStorePages(t *testing.T, d *testDesk) {
	t.Helper()
	ana, rui := d.signIn(t, "ana"), d.signIn(t, "rui")
	_, list := d.ask(t, "en", "/own?store=centro", ana)
	link := func(pattern string) string {
		m := regexp.MustCompile(`href="(/own/` + pattern + `)"`).FindStringSubmatch(list)
		if m == nil {
			t.Fatalf("no link to %s:\n%s", pattern, list)
		}
		return html.UnescapeString(m[1])
	}
	const nowhere, escaped = "/own/own:1001:centro:NOWHERE:1", "&lt;b&gt;ALERT"
	for _, row := range []struct {
		lang, path string
		who        func(*http.Request)
		code       int
		shows      []string
		hides      string
	}{
		{"en", "/", ana, 200, []string{`href="/own">Stores`}, ""},
		{"en", "/own", ana, 200, []string{"sold here, not at the service", "77.77", "norte", "No file of this store", `href="` + nowhere + `"`}, "<b>ALERT"},
		{"pt-BR", "/own", rui, 200, []string{"vendido aqui, não está na operadora", "77,77", "centro"}, "norte"},
		{"en", "/own", rui, 200, []string{"centro"}, ">norte"},
		{"en", "/own?store=centro&bucket=divergent&from=2026-11-13&to=2026-11-16", rui, 200, []string{"differs", "amount", "days complete: 4"}, "NOWHERE"},
		{"en", "/own?bucket=all&from=13/11/2026", rui, 200, []string{"matches"}, ""},
		{"en", "/own?bucket=lost&from=2026-11-13&to=2026-11-01", rui, 400, []string{"there is no lost"}, ""},
		{"en", "/own?from=2020-01-01", rui, 400, []string{"at most 400 days"}, ""},
		{"en", "/own?store=norte", rui, 404, nil, "norte"},
		{"en", "/own?store=sul", ana, 404, nil, ""},
		{"en", "/own?store=norte", ana, 200, []string{"No file of this store"}, "centro:"},
		{"en", "/own?account=1001", rui, 200, []string{"centro", "sold here"}, ">norte"},
		{"en", "/own?account=1002", rui, 404, nil, "norte"},
		{"en", "/own?account=1001,1002", rui, 404, nil, "norte"},
		{"en", "/own?account=1002&store=norte", rui, 404, nil, "norte"},
		{"en", "/own?account=1002", ana, 200, []string{"norte", `value="1002" selected`}, "own:1001:centro"},
		{"en", "/own?account=1002&store=centro", ana, 404, nil, "own:1001:centro"},
		{"en", "/own?account=1003", ana, 404, nil, ""},
		{"en", nowhere, rui, 200, []string{"QQQQQQ", "vendas.csv", "sold here, not at the service", "The store on 2026-11-13: complete"}, ""},
		{"pt-BR", link(`sale:1001:[^"]+`), rui, 200, []string{"só na operadora", `href="/sales/sale:1001:`}, ""},
		{"en", link(`own:1001:centro:P5:1`), rui, 200, []string{"NSU, authorization and day", "Differs in", `href="/sales/sale:1001:`}, ""},
		{"en", "/own/own:1001:centro:%253Cb%253EALERT:1", rui, 200, []string{escaped}, "<b>ALERT"},
		{"en", "/own/own:1001:centro:NOWHERE:2", rui, 404, nil, ""},
		{"en", "/own/own:1002:centro:NOWHERE:1", ana, 404, nil, ""},
		{"en", "/own/own:1002:norte:NOWHERE:1", rui, 404, nil, ""},
		{"en", "/own/own:1001:centro", rui, 404, nil, ""},
		{"en", "/own/x", rui, 404, nil, ""},
		{"en", "/own/sale:1002:2026-11-14:1:2", rui, 404, nil, ""},
	} {
		got, body := d.ask(t, row.lang, row.path, row.who)
		if got.StatusCode != row.code || row.hides != "" && strings.Contains(body, row.hides) || strings.Contains(body, "desk.own") {
			t.Errorf("%s: %d, want %d, without %q:\n%s", row.path, got.StatusCode, row.code, row.hides, body)
		}
		for _, want := range row.shows {
			if !strings.Contains(body, want) {
				t.Errorf("%s does not show %q:\n%s", row.path, want, body)
			}
		}
	}
}

// writeShop writes what the service knows of account 1001 as the store would export it. change may change a row or leave it out; one is
// in the store's files twice, and one more never arrived at the service.
func writeShop(t *testing.T, dir string, p ledger.Period, change func(i int, row []string) []string, planted map[string]int) {
	t.Helper()
	l, err := store.Open(t.Context(), "sqlite:"+filepath.Join(dir, "concilia.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	f, err := os.Create(filepath.Join(dir, "vendas.csv"))
	if err != nil {
		t.Fatal(err)
	}
	w := csv.NewWriter(f)
	write := func(row ...string) {
		if row != nil {
			_ = w.Write(row)
		}
	}
	write("sale_id", "sold_at", "amount", "method", "installments", "nsu", "auth", "status")
	write("NOWHERE", p.From.String(), "77.77", "credit", "1", "", "QQQQQQ", "")
	write("<b>ALERT", p.From.String(), "7.77", "credit", "1", "", "QQQQQ2", "")
	planted["not_at_service"] += 2
	i := 0
	err = l.ServiceSales(t.Context(), 1001, p, func(s *sales.ServiceSale) error {
		row := []string{"P" + strconv.Itoa(i), s.SoldAt.String(), s.Total.Fixed(2), "credit", strconv.Itoa(s.Count), s.Key.NSU, s.Key.Auth, ""}
		if strings.HasPrefix(strings.ToLower(s.CardType), "d") {
			row[3] = "debit"
		}
		if slices.Contains(s.Statuses, "Canceled") {
			row[7] = "cancelled"
			write(row...)
			return nil
		}
		if i == 0 { // in the files twice
			planted["duplicated"]++
			write(append([]string{"AGAIN"}, row[1:]...)...)
		}
		write(change(i, row)...)
		i++
		return nil
	})
	w.Flush()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func addText(t testing.TB, path, text string) {
	t.Helper()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(before, text...), 0o600); err != nil {
		t.Fatal(err)
	}
}
