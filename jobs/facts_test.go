package jobs_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/export"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/jobs/api"
	"concilia/jobs/bank"
	"concilia/jobs/casework"
	"concilia/jobs/jobstest"
	"concilia/store/ledger"
)

// cardsPath ends the path of the question for cards.
const cardsPath = "-installments"

// rewriting is a way to the sandbox on which answers change.
type rewriting []rewrite

// rewrite changes the answers to one question about one day: those of an account to a path that ends so.
type rewrite struct {
	path, account string
	day           ledger.Date
	change        func(body []byte) []byte // nil: there is no answer, but status 500
}

// RoundTrip asks the sandbox and changes what it answers.
func (r rewriting) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	asked := req.URL.Query()
	for _, w := range r {
		from, to := asked.Get("startDate"), asked.Get("endDate")
		if !strings.HasSuffix(req.URL.Path, w.path) || asked.Get("accountNumber") != w.account ||
			from > w.day.String() || to < w.day.String() {
			continue
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil {
			return nil, err
		}
		if w.change == nil {
			res.StatusCode, body = http.StatusInternalServerError, nil
		} else {
			body = w.change(body)
		}
		res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	return res, nil
}

// replaceFirst gives the first match of a pattern in a body another text.
func replaceFirst(pattern, with string) func([]byte) []byte {
	find := regexp.MustCompile(pattern)
	return func(body []byte) []byte {
		if at := find.FindIndex(body); at != nil {
			return slices.Concat(body[:at[0]], []byte(with), body[at[1]:])
		}
		return body
	}
}

// aCentLess takes a cent from the first receipt of a body.
func aCentLess(body []byte) []byte {
	at := regexp.MustCompile(`"receivedValue": ?[1-9]\d*\.\d*[1-9]`).FindIndex(body)
	if at == nil {
		return body
	}
	body = slices.Clone(body)
	body[at[1]-1]--
	return body
}

// asking makes the merchant ask the sandbox on that way.
func (m *merchant) asking(t *testing.T, way rewriting) {
	t.Helper()
	var err error
	m.Service, err = api.New(api.Options{
		GatewayURL: m.URL + "/gateway", IntegrationURL: m.URL + "/integration", UserName: "demo", Password: "not-a-secret",
		Now: time.Now, Zone: m.Zone, Backoff: time.Millisecond, Transport: way,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Every fact that control can print comes out of a ledger, on both databases alike: each member of Facts holds something in
// one of the sets of a few nights over the sandbox. The goldens are what control says after the first.
func TestEveryFactOfControlIsFromTheLedger(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		m, said := spoiltShop(t, jobstest.OnSQLite()), map[string]bool{}
		m.controlOfFirstNight(t)
		m.noteFacts(t, said)
		m.liveOn(t, said)
		banked := bankedMerchant(t, jobstest.OnSQLite())
		banked.Reports.Kinds, banked.Reports.Bases = []report.Kind{report.BankKind, report.ControlKind}, []report.Basis{report.ByCredit}
		banked.dropStatements(t)
		banked.blockEntry(t)
		for i := range banked.Banks { // what came before takes no part, nor what came on no day
			banked.Banks[i].Since += 10
		}
		banked.asking(t, rewriting{
			{cardsPath, "1001", banked.Today() - 30, replaceFirst(`"receivedDateEffective": ?"[^"]+"`, `"receivedDateEffective":null`)},
		})
		people := &casework.Handler{Ledger: banked.Ledger, Today: banked.Today(), Wall: banked.Wall}
		_, err := people.ActOnDeposit(t.Context(), &casework.DepositRequest{ // of a group that is none any more
			Verb: ledger.MatchDeposit, Home: 1001, Bank: banked.Banks[0].ID, Sides: bank.Sides{Groups: []string{"group:gone"}, Lines: []string{"line:1"}},
			Actor: "ana", Reason: "the bank says so",
		})
		must(t, err)
		banked.RunNight(t)
		banked.noteFacts(t, said)
		for path := range leaves("Facts", reflect.TypeFor[export.Facts]()) {
			if !said[path] {
				t.Errorf("no set says %s", path)
			}
		}
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		spoiltShop(t, jobstest.OnPostgres()).controlOfFirstNight(t)
	})
}

// blockEntry makes the first entry of each dropped CNAB statement one of money that the bank holds back for days (17.3E, natureza).
func (m *merchant) blockEntry(t *testing.T) {
	t.Helper()
	for i := range m.Banks {
		path := filepath.Join(m.Banks[i].Inbox, "extrato.ret")
		body, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		must(t, err)
		entry := regexp.MustCompile(`(?m)^.{7}3.{5}E.{94}DPV`).FindIndex(body)
		if entry == nil {
			t.Fatalf("%s has no entry of money at hand", path)
		}
		copy(body[entry[1]-3:], "CDS")
		must(t, os.WriteFile(path, body, 0o600))
	}
}

// spoiltShop is a merchant whose account 1002 has splits that differ and a receipt a cent short, which is tolerated; 1001 has
// a row that can't be read and a status without a meaning.
func spoiltShop(t *testing.T, on jobstest.Database) *merchant {
	m := newMerchant(t, world.Options{Seed: 1, Days: 12, Installments: 1500, Plant: true})
	m.AskFar()
	m.Ledger, _ = on.Open(t)
	var ticks atomic.Int64
	m.Wall = func() time.Time { return m.World.Now().Add(time.Duration(ticks.Add(1)) * time.Millisecond) }
	m.Target = newShare(m.Out)
	m.Retention = map[string]int{"csv": 1}
	m.asking(t, spoiltAnswers(m.Today()))
	return m
}

func spoiltAnswers(today ledger.Date) rewriting {
	return rewriting{
		{cardsPath, "1002", today - 8, aCentLess},
		{cardsPath, "1001", today - 5, replaceFirst(`"discountMdrTax": ?[0-9.]+`, `"discountMdrTax":"?"`)},
		{cardsPath, "1001", today - 4, replaceFirst(`"installmentStatus": ?"[^"]*"`, `"installmentStatus":"Em disputa interna"`)},
	}
}

// controlOfFirstNight lives a night and holds control against the goldens, and what splits cost in it against the file of
// splits of the same set.
func (m *merchant) controlOfFirstNight(t *testing.T) {
	t.Helper()
	m.RunNight(t)
	month := ledger.Period{From: m.Today() - 12, To: m.Today().MonthEnd()}
	costs := map[string]bool{}
	for _, account := range []string{"1001", "1002"} {
		for _, basis := range []report.Basis{report.ByOperation, report.ByCredit} {
			rows := m.control(t, account, basis, month)
			if basis == report.ByOperation {
				jobstest.CompareGolden(t, "control_"+account+".golden", factsText(t, rows))
			}
			outside, listed := "", ""
			for _, row := range rows {
				switch {
				case row[3] == "split_outside":
					outside = row[5] + "00"
				case row[1] == "sums" && row[2] == "splits.csv" && row[3] == "difference":
					listed = row[6]
				}
			}
			if outside != listed {
				t.Errorf("account %s by %s: splits cost %s, the rows of the set say %s", account, basis, outside, listed)
			}
			costs[outside] = true
		}
	}
	if len(costs) < 3 {
		t.Errorf("the sets say no more than %v: not each its own rows", costs)
	}
}

// liveOn lives what the later facts need: somebody acts, files go, questions are not answered, the account is answered for
// since earlier and those days were not asked for, a reading is wrong.
func (m *merchant) liveOn(t *testing.T, said map[string]bool) {
	t.Helper()
	day := m.Today()
	overdue := m.caseOf(t, "SLIP_CREDIT_OVERDUE")
	people := &casework.Handler{Ledger: m.Ledger, Today: day, Wall: m.Wall}
	if _, err := people.ActOnCases(t.Context(), casework.ActRequest{Verb: ledger.Dispute, Cases: []string{overdue.Case}, Actor: "ana", Reference: "P-1"}); err != nil {
		t.Fatal(err)
	}
	m.asking(t, append(spoiltAnswers(day), rewrite{"/list/by/due-date", "1001", day, nil}, rewrite{cardsPath, "1002", day, nil}))
	for range 3 {
		m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
		m.RunNight(t)
		m.noteFacts(t, said)
	}
	m.Accounts[0].Since -= 3
	m.Inputs.Profile.Unit = ledger.Fraction
	if _, err := m.Reconcile(t.Context(), m.Today()); err != nil {
		t.Fatal(err)
	}
	m.noteFacts(t, said)
}

// noteFacts notes what the sets of the last night say.
func (m *merchant) noteFacts(t *testing.T, said map[string]bool) {
	t.Helper()
	facts, err := m.NightFacts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range facts {
		noteSaid(said, "Facts", reflect.ValueOf(f))
	}
}

// control are the rows of a set's first control file.
func (m *merchant) control(t *testing.T, account string, basis report.Basis, period ledger.Period) [][]string {
	t.Helper()
	name := manifest.Name("control", account, basis, period, "", 0, "csv")
	file, err := os.Open(filepath.Join(m.Out, filepath.FromSlash(manifest.Dir(account, period)), name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// factsText are the rows that say facts; what a rule counted none of is left out, as are the hashes of rows.
func factsText(t *testing.T, rows [][]string) string {
	t.Helper()
	var b strings.Builder
	out := csv.NewWriter(&b)
	for _, row := range rows {
		section, value := row[1], row[5]
		switch {
		case section == "rules" && value == "0":
		case slices.Contains([]string{"section", "coverage", "bridge", "rules", "not_evaluated", "quarantine", "tolerance", "withheld"}, section):
			if err := out.Write(row[:len(row)-1]); err != nil {
				t.Fatal(err)
			}
		}
	}
	out.Flush()
	return b.String()
}

// noteSaid notes the paths of the leaves of a value that hold something.
func noteSaid(said map[string]bool, path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			noteSaid(said, path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Slice, reflect.Map:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct {
			for i := range v.Len() {
				noteSaid(said, path, v.Index(i))
			}
			return
		}
		said[path] = said[path] || v.Len() > 0
	default:
		said[path] = said[path] || !v.IsZero()
	}
}

// leaves are the paths of what a type holds that is no structure or list of structures.
func leaves(path string, of reflect.Type) map[string]bool {
	for of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct {
		return map[string]bool{path: true}
	}
	all := map[string]bool{}
	for i := range of.NumField() {
		for leaf := range leaves(path+"."+of.Field(i).Name, of.Field(i).Type) {
			all[leaf] = true
		}
	}
	return all
}
