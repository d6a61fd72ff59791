package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/demo"
	"concilia/cmd/concilia/desk"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/wire"
	"concilia/cmd/sandbox/world"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
	"concilia/store/sqldb"
	"concilia/store/storetest"
)

// smallLife is a few random mornings of a small merchant, on one database, and people who act between them.
type smallLife struct {
	*figuresDesk
	seed     uint64
	accounts int
	from     ledger.Date
	m        *demo.Demo
}

// liveSmall lives two nights of a world that the seed draws: 1 to 3 accounts, a few days, with or without banks and stores.
func liveSmall(t *testing.T, db string, seed uint64) *smallLife {
	t.Helper()
	draw := mathrand.New(mathrand.NewPCG(seed, 14))
	l := &smallLife{seed: seed, accounts: 1 + int(seed)%3}
	asOf, days := worldDate(t, ledger.NewDate(2026, time.November, 18))-world.Date(draw.IntN(20)), 3+draw.IntN(4)
	w, err := world.New(world.Options{Seed: seed, Days: days, AsOf: asOf, To: asOf, Plant: true, Accounts: world.Shops(l.accounts), SlipsPerDay: 1})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "life")
	day, err := ledger.ParseDate(asOf.String())
	if err != nil {
		t.Fatal(err)
	}
	l.figuresDesk = &figuresDesk{&demoTree{t: t, dir: dir, dsn: "sqlite:" + filepath.Join(dir, "concilia.db")}, day}
	if db == "postgres" {
		l.dsn = storetest.FreshPostgres(t)
	}
	l.from = l.day - ledger.Date(days)
	files := demo.Files{Dir: dir, Since: l.from, Eve: l.day - 1}
	if seed%4 != 1 {
		files.Banks = w.Banks()
	}
	if seed%4 != 2 {
		files.Stores = w.Stores()
	}
	m, stop, err := demo.New(wire.Process{Stderr: t.Output(), Wall: time.Now, Quiet: true}, w, files, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	l.m = m
	l.writeConfig()
	l.live()
	l.act(draw)
	l.day++
	l.live()
	return l
}

// worldDate is a day as the sandbox counts them.
func worldDate(t *testing.T, day ledger.Date) world.Date {
	t.Helper()
	d, err := world.ParseDate(day.String())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// writeConfig writes the files of a demo, with as many accounts, its own ledger, and the formats that are read here.
func (l *smallLife) writeConfig() {
	l.t.Helper()
	if err := l.m.Write("a small life"); err != nil {
		l.t.Fatal(err)
	}
	accounts := "accounts:\n"
	for _, a := range world.Shops(l.accounts) {
		accounts += fmt.Sprintf("  - {number: %d, name: %s, since: %s}\n", a.Number, a.Name, l.from)
	}
	text := l.m.ConfigText()
	for _, change := range []struct{ part, with string }{
		{`ledger:\n.*\n`, fmt.Sprintf("ledger: {dsn: %q}\n", l.dsn)},
		{`accounts:\n( .*\n)*`, accounts},
		{`  formats: .*\n`, "  archive: " + filepath.Join(l.dir, "archive") + "\n  formats: [csv, jsonl]\n  kinds: [summary, slips, exceptions, forecast, month, bank, sales, control]\n"},
		{`movement: .*\n`, ""},
		{`journal: .*\n`, ""},
	} {
		part := regexp.MustCompile(`(?m)^` + change.part)
		if len(part.FindAllString(text, -1)) != 1 {
			l.t.Fatalf("the configuration has no %q, or several:\n%s", change.part, text)
		}
		text = part.ReplaceAllLiteralString(text, change.with)
	}
	if err := os.WriteFile(l.config(), []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

// live lives the night of the morning.
func (l *smallLife) live() {
	l.t.Helper()
	day := worldDate(l.t, l.day)
	l.m.Moment = day.At(6 * 60 * 60)
	l.m.World.SetNow(l.m.Moment)
	l.m.Clock.MoveTo(l.m.Moment)
	if err := l.m.WriteStatements(day); err != nil {
		l.t.Fatal(err)
	}
	summary, _, err := l.m.Night(l.t.Context(), l.day)
	if err != nil {
		l.t.Fatal(err)
	}
	if len(summary.Unpublished) > 0 {
		l.t.Fatal("not published: ", summary.Unpublished)
	}
}

// tellings are the values of each figure, by where it was printed.
type tellings map[string]map[string]ledger.Amount

func (s tellings) add(figure, where string, a ledger.Amount) {
	if s[figure] == nil {
		s[figure] = map[string]ledger.Amount{}
	}
	s[figure][where] += a
}

// addTold adds the figures of the cases as a command printed them.
func (s tellings) addTold(t *testing.T, where string, of told) {
	t.Helper()
	for name, text := range of {
		s.add(name, where, parseAmount(t, text))
	}
}

// differ lists the figures that differ between places, and those that fewer places have than should.
func (s tellings) differ(least map[string]int) (out []string) {
	for _, figure := range slices.Sorted(maps.Keys(least)) {
		values := map[ledger.Amount]bool{}
		for _, a := range s[figure] {
			values[a] = true
		}
		if len(values) != 1 || len(s[figure]) < least[figure] {
			out = append(out, fmt.Sprintf("%s: %v", figure, s[figure]))
		}
	}
	return out
}

// TestOneFigureOnEverySurface: on random small ledgers of both databases, with acts of people between the nights, each figure of the
// desk is the same to the cent on the console's pages, in the mail, in the commands and in the files of the sets.
func TestOneFigureOnEverySurface(t *testing.T) {
	t.Parallel()
	lives := 3
	if os.Getenv("CONCILIA_LONG") == "1" {
		lives = 24
	}
	for seed := range uint64(lives) {
		for _, db := range []string{"sqlite", "postgres"} {
			t.Run(fmt.Sprintf("%s/%d", db, seed), func(t *testing.T) {
				t.Parallel()
				l := liveSmall(t, db, seed)
				all := tellings{}
				var source *desk.Source
				d := openDeskOf(t, l.dir, func(o *console.Options) { source, o.PageRows = o.Source.(*desk.Source), 500 })
				l.askCommands(all)
				l.askMail(all)
				l.askPages(d, all)
				l.visitAllPages(d)
				if db == "postgres" {
					source.Close()
					l.lookUpAllPages()
				}
				l.readSets(all)
				for _, text := range all.differ(l.leastSayings()) {
					t.Error(text)
				}
				if db == "postgres" && seed == 2 {
					checkTwoConsoles(t, l.dir) // of one connection each
					l.useAddress(l.dsn)
					checkKilledConsole(t, l.dir)
				}
			})
		}
	}
}

// leastSayings are the figures, and how many places tell each at least.
func (l *smallLife) leastSayings() map[string]int {
	least := map[string]int{}
	for _, name := range figureNamesInJSON() {
		least[name] = 8
	}
	for _, name := range []string{"owed", "received", "difference", "gross", "to receive"} {
		least["cards "+name] = 3
	}
	for _, name := range []string{"not due", "overdue", "blocked"} {
		least["cards "+name] = 2
	}
	for _, name := range []string{"received lately", "due today", "blocked"} {
		least[name] = 5
	}
	for _, b := range l.m.Banks {
		for _, what := range []string{"proven", "received"} {
			least[b.ID+" "+what] = 6
		}
	}
	for _, s := range l.m.Stores {
		least[s.ID+" difference"] = 3
	}
	return least
}

// askCommands asks the commands that tell figures, as text and as JSON.
func (l *smallLife) askCommands(all tellings) {
	t := l.t
	t.Helper()
	last := l.said(exit.OK, "runs", "list", "--kind", "nightly", "--limit", "1", "--json")
	all.addTold(t, "runs list --json", toldIn(t, last))
	all.addTold(t, "runs show --json", toldIn(t, l.said(exit.OK, "runs", "show", "last", "--json")))
	shown := l.said(exit.OK, "runs", "show", "last")
	all.addTold(t, "runs show", toldInWords(t, shown))
	status := l.said(exit.OK, "status", "--json")
	all.addTold(t, "status --json", toldIn(t, status))
	text := l.said(exit.OK, "status")
	all.addTold(t, "status", toldInWords(t, text))
	cases := strings.TrimSpace(l.said(exit.OK, "exceptions", "list", "--lang", "en"))
	all.addTold(t, "exceptions list", toldInWords(t, cases[strings.LastIndex(cases, "\n")+1:]))
	var run struct {
		Totals map[string]map[string]string
	}
	l.parse(last, &run)
	for column, name := range cardTotals() {
		all.add("cards "+name, "runs list --json", parseAmount(t, run.Totals["cards"][column]))
		m := regexp.MustCompile(`(?m)^R\$ +cards\.` + column + ` +(\S+)$`).FindStringSubmatch(shown)
		if m == nil {
			t.Fatalf("runs show has no cards.%s:\n%s", column, shown)
		}
		all.add("cards "+name, "runs show", parseAmount(t, m[1]))
	}
	all.add("cards to receive", "runs list --json", parseAmount(t, run.Totals["cards"]["not_due"])+parseAmount(t, run.Totals["cards"]["overdue"]))
	var state struct {
		Banks []struct{ Bank, Received, Proven string }
	}
	l.parse(status, &state)
	for _, b := range state.Banks {
		all.add(b.Bank+" proven", "status --json", parseAmount(t, b.Proven))
		all.add(b.Bank+" received", "status --json", parseAmount(t, b.Received))
	}
	for _, b := range l.m.Banks {
		all.addProven(t, b.ID, "status", text)
	}
	if len(l.m.Banks) == 0 {
		return
	}
	for line := range strings.Lines(l.said(exit.OK, "bank", "list", "--json")) {
		var b struct{ Bank, Received, Proven string }
		l.parse(line, &b)
		all.add(b.Bank+" proven", "bank list --json", parseAmount(t, b.Proven))
		all.add(b.Bank+" received", "bank list --json", parseAmount(t, b.Received))
	}
}

// parse reads a JSON object.
func (l *smallLife) parse(text string, into any) {
	l.t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		l.t.Fatalf("%v in:\n%s", err, text)
	}
}

// cardTotals are the columns of summary with the names of what they are.
func cardTotals() map[string]string {
	return map[string]string{
		"net_expected": "owed", "received": "received", "not_due": "not due", "overdue": "overdue", "blocked": "blocked", "difference": "difference", "gross": "gross",
	}
}

// addProven adds how much of a bank account is proven, as a sentence tells it.
func (s tellings) addProven(t *testing.T, id, where, text string) {
	t.Helper()
	m := regexp.MustCompile(id + `[^R]*R\$ ([0-9,.-]+) of R\$ ([0-9,.-]+) proven`).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%s does not tell what is proven at %s:\n%s", where, id, text)
	}
	s.add(id+" proven", where, parseAmount(t, m[1]))
	s.add(id+" received", where, parseAmount(t, m[2]))
}

// withoutTags is the text of a page.
func withoutTags(page string) string {
	text := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " "))
	return strings.ReplaceAll(text, "\u00a0", " ")
}

// askMail reads the morning's mail, both of its texts.
func (l *smallLife) askMail(all tellings) {
	t := l.t
	t.Helper()
	path := filepath.Join(l.dir, "mail.html")
	text := l.said(exit.OK, "--lang", "en", "mail", "show", "--html", path)
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for where, body := range map[string]string{"the mail": text, "the mail in HTML": withoutTags(string(page))} {
		body = strings.Join(strings.Fields(body), " ")
		for name, words := range map[string]string{
			"missing": "Missing", "lost": "Lost", "late": "Late", "at_risk": "At risk", "claimed": "Claimed", "waived": "Waived", "excess": "In excess",
			"received lately": "Received since the business day before", "due today": "Due today", "blocked": "Blocked",
		} {
			m := regexp.MustCompile(words + `:? *R\$ ([0-9,]+\.[0-9]{2})`).FindStringSubmatch(body)
			switch {
			case m != nil:
				all.add(name, where, parseAmount(t, m[1]))
			case name == "claimed" || name == "waived" || name == "blocked":
				all.add(name, where, 0)
			default:
				t.Errorf("%s has no %s:\n%s", where, words, body)
			}
		}
		for _, b := range l.m.Banks {
			all.addProven(t, b.ID, where, body)
		}
	}
}

// pageFigures are the figures of a list of them on a page, by their English names.
func pageFigures(t *testing.T, page string) map[string]ledger.Amount {
	t.Helper()
	out := map[string]ledger.Amount{}
	for _, m := range regexp.MustCompile(`<dt>([^<]+)</dt><dd>(?:<a[^>]*>)?<small>R\$</small> ([0-9,.-]+)`).FindAllStringSubmatch(page, -1) {
		out[m[1]] = parseAmount(t, m[2])
	}
	return out
}

// askPages reads the pages of the console.
func (l *smallLife) askPages(d *testDesk, all tellings) {
	t := l.t
	t.Helper()
	_, today := d.ask(t, "en", "/")
	_, cases := d.ask(t, "en", "/cases")
	for where, page := range map[string]string{"the first page": today, "the page of cases": cases} {
		figures := pageFigures(t, page)
		for name, words := range map[string]string{
			"missing": "Missing", "lost": "Lost", "late": "Late", "at_risk": "At risk", "claimed": "Claimed", "waived": "Waived", "excess": "In excess",
		} {
			all.add(name, where, figures[words])
		}
		if page == today {
			all.add("received lately", where, figures["Received since the business day before"])
			all.add("due today", where, figures["Due today"])
			all.add("blocked", where, figures["Blocked"])
		}
	}
	_, months := d.ask(t, "en", "/months")
	for _, link := range regexp.MustCompile(`href="(/months/\d{4}-\d\d\?basis=operation)"`).FindAllStringSubmatch(months, -1) {
		l.readMonth(d, link[1], all)
	}
	for _, b := range l.m.Banks {
		_, page := d.ask(t, "en", "/bank/"+b.ID)
		all.addProven(t, b.ID, "its page", b.ID+" "+withoutTags(page[strings.Index(page, "<ul"):]))
		all.addProven(t, b.ID, "the first page", withoutTags(today[strings.Index(today, "<main"):]))
	}
	for _, s := range l.m.Stores {
		_, page := d.ask(t, "en", fmt.Sprintf("/own?store=%s&from=%s&to=%s", s.ID, l.from, l.day-1))
		m := regexp.MustCompile(`<th scope="row">Total</th><td class="n">[0-9,]+</td><td class="n">([0-9,.-]+)</td>`).FindStringSubmatch(page)
		if m == nil {
			t.Fatalf("no total of %s:\n%s", s.ID, page)
		}
		all.add(s.ID+" difference", "its page", parseAmount(t, m[1]))
	}
}

// visitAllPages follows the links of the pages: each is there on this database, too.
func (l *smallLife) visitAllPages(d *testDesk) {
	l.t.Helper()
	c := &crawl{testDesk: d, lang: "en", as: func(*http.Request) {}, most: 1}
	c.follow(l.t, "/", func(address string, got *http.Response, body string) {
		if got.StatusCode != http.StatusOK && got.StatusCode != http.StatusSeeOther {
			l.t.Errorf("%s, which %q leads to: %d\n%s", address, c.from[address], got.StatusCode, withoutTags(body[max(0, strings.Index(body, "<main")):]))
		}
	})
}

// lookUpAllPages fails where a page reads a table of Postgres from end to end though an index was to be preferred at any price: then
// there is none that it could use. The desk has one connection: what needs another one while it has one
// would wait for itself.
func (l *smallLife) lookUpAllPages() {
	l.t.Helper()
	l.useAddress(l.dsn + "&enable_seqscan=off&pool_max_conns=1")
	l.awaitNobody()
	before := l.wholeReads()
	var source *desk.Source
	d := openDeskOf(l.t, l.dir, func(o *console.Options) { source = o.Source.(*desk.Source) })
	l.visitAllPages(d)
	source.Close()
	l.awaitNobody()
	for table, n := range l.wholeReads() {
		if n > before[table] && !slices.Contains([]string{"account", "goose_db_version", "schema_digest", "lease"}, table) {
			l.t.Errorf("the pages read the table %s from end to end, %d times", table, n-before[table])
		}
	}
}

// awaitNobody waits until no other client is connected to the ledger: the server counts what a connection did when it ends, and what one that
// is idle did after ten seconds at the latest. Where others keep theirs to the same database, it waits for that.
func (l *smallLife) awaitNobody() {
	l.t.Helper()
	db, err := sqldb.Open(l.t.Context(), l.dsn+"&pool_max_conns=1")
	if err != nil {
		l.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for deadline := time.Now().Add(11 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		others := 0
		if err := db.Write.QueryRowContext(l.t.Context(), `
			SELECT COUNT(*)
			FROM pg_stat_activity
			WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`).Scan(&others); err != nil {
			l.t.Fatal(err)
		}
		if others == 0 {
			return
		}
	}
}

// useAddress configures another address of the ledger.
func (l *smallLife) useAddress(dsn string) {
	l.t.Helper()
	text, err := os.ReadFile(l.config())
	if err == nil {
		text = regexp.MustCompile(`(?m)^ledger: .*$`).ReplaceAllLiteral(text, fmt.Appendf(nil, "ledger: {dsn: %q}", dsn))
		err = os.WriteFile(l.config(), text, 0o600)
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

// wholeReads are how often the server read each table from end to end.
func (l *smallLife) wholeReads() map[string]int64 {
	l.t.Helper()
	db, err := sqldb.Open(l.t.Context(), l.dsn)
	if err != nil {
		l.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	out := map[string]int64{}
	err = sqldb.EachRow(l.t.Context(), db.Write, func(rows *sql.Rows) error {
		var table string
		var n int64
		err := rows.Scan(&table, &n)
		out[table] = n
		return err
	}, "SELECT relname, seq_scan FROM pg_stat_user_tables")
	if err != nil || len(out) < 30 {
		l.t.Fatal(len(out), err)
	}
	return out
}

// readMonth adds up the card lines of a month's page.
func (l *smallLife) readMonth(d *testDesk, path string, all tellings) {
	l.t.Helper()
	_, page := d.ask(l.t, "en", path)
	_, body, _ := strings.Cut(page, "<tbody>")
	body, _, _ = strings.Cut(body, "</tbody>")
	for row := range strings.SplitSeq(body, "</tr>") {
		var cells []string
		for _, m := range regexp.MustCompile(`<td[^>]*>([^<]*)`).FindAllStringSubmatch(row, -1) {
			cells = append(cells, m[1])
		}
		if len(cells) < 8 || cells[0] == "Slips" {
			continue
		}
		for i, name := range map[int]string{2: "gross", 4: "owed", 5: "received", 6: "to receive", 7: "difference"} {
			all.add("cards "+name, "the pages of months", parseAmount(l.t, cells[i]))
		}
	}
}

// readSets reads the files of the last revisions of the sets, in CSV and in JSON.
func (l *smallLife) readSets(all tellings) {
	for _, format := range []string{"csv", "jsonl"} {
		l.readCases(format, all)
		for _, row := range l.readTable("summary", "operation", format) {
			for column, name := range cardTotals() {
				all.add("cards "+name, format, parseAmount(l.t, row[column]))
			}
			all.add("cards to receive", format, parseAmount(l.t, row["not_due"])+parseAmount(l.t, row["overdue"]))
		}
		all.add("due today", format, 0)
		for _, row := range l.readTable("forecast", "asof", format) {
			all.add("blocked", format, parseAmount(l.t, row["blocked"]))
			if row["day"] == l.day.String() {
				all.add("due today", format, parseAmount(l.t, row["expected"]))
			}
		}
		l.readReceivedLately(format, all)
		for _, row := range l.readTable("bank", "credit", format) {
			if row["expected"] == "" {
				continue
			}
			all.add(row["bank"]+" received", format, parseAmount(l.t, row["expected"]))
			if row["status"] == "credited" {
				all.add(row["bank"]+" proven", format, parseAmount(l.t, row["expected"]))
			}
		}
		for _, row := range l.readTable("sales-summary", "operation", format) {
			all.add(row["store"]+" difference", format, parseAmount(l.t, row["difference"]))
		}
	}
}

// readReceivedLately adds up what was credited from the business day before on.
func (l *smallLife) readReceivedLately(format string, all tellings) {
	cal, err := calendar.New(calendar.Options{})
	if err != nil {
		l.t.Fatal(err)
	}
	days := ledger.Period{From: cal.AddBusinessDays(calendar.Settles, l.day, -1), To: l.day - 1}
	isLately := func(row map[string]string) bool {
		day, err := ledger.ParseDate(row["base_date"])
		return err == nil && days.Contains(day)
	}
	all.add("received lately", format, 0)
	for _, row := range l.readTable("summary", "credit", format) {
		if isLately(row) {
			all.add("received lately", format, parseAmount(l.t, row["received"]))
		}
	}
	for _, row := range l.readTable("slips-summary", "credit", format) {
		if isLately(row) {
			all.add("received lately", format, parseAmount(l.t, row["credited"])-parseAmount(l.t, row["tariff"]))
		}
	}
}

// readCases adds up the figures of the published cases by what is in their columns.
func (l *smallLife) readCases(format string, all tellings) {
	for _, name := range figureNamesInJSON() {
		all.add(name, format, 0)
	}
	for _, row := range l.readTable("exceptions", "asof", format) {
		if row["explained_by"] != "" || row["direction"] == "" || row["direction"] == "apart" {
			continue
		}
		figure := map[string]string{"disputed": "claimed", "waived": "waived"}[row["state"]]
		switch {
		case row["direction"] == "gained":
			figure = "excess"
		case figure != "":
		case row["direction"] == "lost":
			figure = "lost"
		case row["due_date"] <= l.day.String():
			figure = "late"
		default:
			figure = "at_risk"
		}
		impact := parseAmount(l.t, row["impact"]).Abs()
		all.add(figure, format, impact)
		if figure == "lost" || figure == "late" {
			all.add("missing", format, impact)
		}
	}
}

// readTable are the rows of a table in the last revisions of the accounts' sets, by column.
func (l *smallLife) readTable(table, basis, format string) (rows []map[string]string) {
	l.t.Helper()
	newest := map[string]string{}
	for _, a := range world.Shops(l.accounts) {
		pattern := fmt.Sprintf("reports/%d/*/*/%s_%d_%s_*_r*.%s", a.Number, table, a.Number, basis, format)
		paths, err := filepath.Glob(filepath.Join(l.dir, pattern))
		if err != nil {
			l.t.Fatal(err)
		}
		for _, path := range paths {
			set, _, _ := strings.Cut(path, "_r")
			if basis == "asof" && !strings.Contains(path, strings.ReplaceAll(l.day.String(), "-", "")) {
				continue
			}
			newest[set] = max(newest[set], path)
		}
	}
	for _, path := range newest {
		text, err := os.ReadFile(path)
		if err != nil {
			l.t.Fatal(err)
		}
		if format == "csv" {
			rows = append(rows, readCSV(l.t, string(text))...)
			continue
		}
		for line := range strings.Lines(string(text)) {
			var members map[string]any
			l.parse(line, &members)
			row := map[string]string{}
			for name, v := range members {
				if v != nil {
					row[name] = fmt.Sprint(v)
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}
