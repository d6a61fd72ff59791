package main

import (
	"encoding/csv"
	"regexp"
	"strings"
	"testing"

	"concilia/store/ledger"
)

// readPublished are the rows of the csv that a set published of a table, by column.
func (d *testDesk) readPublished(t *testing.T, query, table string) (rows []map[string]string) {
	t.Helper()
	_, page := d.ask(t, "en", "/files?format=csv&"+query)
	link := regexp.MustCompile(`href="(/files/[0-9a-f]{64}/` + table + `_[^"]+\.csv)"`).FindStringSubmatch(page)
	if link == nil {
		t.Fatalf("no %s is linked for %s", table, query)
	}
	_, text := d.ask(t, "en", link[1])
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = rune(text[strings.IndexAny(text, ",;")]), true, -1
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func parseAmount(t *testing.T, text string) ledger.Amount {
	t.Helper()
	a, err := ledger.ParseAmount(strings.ReplaceAll(text, ",", ""))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// What the pages say is to be credited is what the published forecast says, day by day.
func TestConsoleForecastIsThatOfTheReport(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t)
	_, page := d.ask(t, "en", "/forecast?days=90&account=1001")
	_, today := d.ask(t, "en", "/")
	shown := map[string]ledger.Amount{}
	for _, m := range regexp.MustCompile(`<th scope="row" class="nowrap">(\S+) <span[^>]*>[^<]*</span></th><td class="n">([^<]+)<`).FindAllStringSubmatch(page, -1) {
		shown[m[1]] = parseAmount(t, m[2])
	}
	rows := d.readPublished(t, "account=1001&kind=forecast", "forecast")
	var blocked, dueToday ledger.Amount
	for _, row := range rows {
		if row["day"] == "" {
			continue
		}
		if want := parseAmount(t, row["expected"]); shown[row["day"]] != want {
			t.Errorf("%s: the page shows %s, the report %s", row["day"], shown[row["day"]], want)
		}
		delete(shown, row["day"])
	}
	if len(rows) < 60 || len(shown) > 0 {
		t.Errorf("%d rows; of the page are left %v", len(rows), shown)
	}
	for _, account := range []string{"1001", "1002"} {
		for _, row := range d.readPublished(t, "account="+account+"&kind=forecast", "forecast") {
			blocked += parseAmount(t, row["blocked"])
			if row["day"] == "2026-11-18" {
				dueToday += parseAmount(t, row["expected"])
			}
		}
	}
	for name, want := range map[string]ledger.Amount{"Blocked": blocked, "Due today": dueToday} {
		m := regexp.MustCompile(`<dt>` + name + `</dt><dd>(?:<a[^>]*>)?<small>R\$</small> ([0-9,.]+)`).FindStringSubmatch(today)
		if m == nil || parseAmount(t, m[1]) != want || want == 0 {
			t.Errorf("%s: the first page says %v, the reports %s", name, m, want)
		}
	}
}

// A month's page has the sums of the published summary of that month.
func TestConsoleMonthIsThatOfTheReport(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t)
	_, page := d.ask(t, "en", "/months/2026-11?basis=operation&account=1001")
	want := map[string]ledger.Amount{}
	for _, row := range d.readPublished(t, "account=1001&basis=operation&kind=summary", "summary") {
		if strings.HasPrefix(row["base_date"], "2026-11") {
			want[row["brand"]] += parseAmount(t, row["gross"])
		}
	}
	for brand, gross := range want {
		m := regexp.MustCompile(`<td>` + brand + `</td><td class="n more">[^<]*</td><td class="n">([^<]+)<`).FindStringSubmatch(page)
		if m == nil || parseAmount(t, m[1]) != gross {
			t.Errorf("%s: the page says %v, the report %s", brand, m, gross)
		}
	}
	if len(want) < 2 {
		t.Errorf("only %d brands in the month", len(want))
	}
}
