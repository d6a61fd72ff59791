package jobs_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/jobs/api"
	"concilia/jobs/casework"
	"concilia/jobs/jobstest"
	"concilia/store/bank"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// careless is the way to a service that forgot to mask the first card of each day. It notes what it handed on.
type careless struct {
	mu   sync.Mutex
	sums map[string]bool // SHA-256 of every card search it handed on, and whether there was a card in it
}

const openCard = "4111111111111111"

var firstCard = regexp.MustCompile(`"cardNumber":"[^"]*"`)

// RoundTrip asks the service.
func (c *careless) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || !strings.Contains(r.URL.Path, "/concil/") || res.StatusCode != http.StatusOK {
		return res, err
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	place := firstCard.FindIndex(body)
	if q := r.URL.Query(); q.Get("startDate") != q.Get("endDate") {
		place = nil // several days at once show the same cards once more
	}
	if place != nil {
		body = bytes.Join([][]byte{body[:place[0]], []byte(`"cardNumber":"` + openCard + `"`), body[place[1]:]}, nil)
	}
	sum := sha256.Sum256(body)
	c.mu.Lock()
	c.sums[hex.EncodeToString(sum[:])] = place != nil
	c.mu.Unlock()
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	res.Header.Del("Content-Length")
	return res, nil
}

// unmasked is a night whose service forgot to mask cards.
func unmasked(t *testing.T) (*merchant, *careless) {
	t.Helper()
	m, c := newMerchant(t, world.Options{Seed: 7, Days: 12}), &careless{sums: map[string]bool{}}
	client, err := api.New(api.Options{
		GatewayURL: m.URL + "/gateway", IntegrationURL: m.URL + "/integration", UserName: "demo", Password: "not-a-secret",
		Now: time.Now, Zone: m.Zone, Backoff: time.Millisecond, Transport: c,
	})
	if err != nil {
		t.Fatal(err)
	}
	m.Service = client
	m.SkipReports()
	m.RunNight(t)
	return m, c
}

// keptText is what is kept of a body; ok is false when its bytes are gone.
func (m *merchant) keptText(t *testing.T, sum string) (text string, changed, ok bool) {
	t.Helper()
	b, err := m.Ledger.Body(t.Context(), sum)
	if err != nil {
		t.Fatal(err)
	}
	if b.Packed == nil {
		return "", false, false
	}
	var s strings.Builder
	if _, err := b.WriteTo(&s); err != nil {
		t.Fatal(err)
	}
	return s.String(), b.Changed(), true
}

// A card number in the clear is a case, every body can be given back, and the number is nowhere in the ledger's files.
func TestCardsInTheClear(t *testing.T) {
	t.Parallel()
	m, c := unmasked(t)
	clear := 0
	for sum, card := range c.sums {
		text, changed, ok := m.keptText(t, sum)
		if !ok || changed != card || strings.Contains(text, openCard) {
			t.Errorf("body %s: kept %v, changed %v, had a card %v", sum, ok, changed, card)
		}
		if card {
			clear++
		}
	}
	found := 0
	filter := caselog.FindingFilter{Codes: []string{"REC_CARD_NOT_MASKED"}}
	if err := m.Ledger.Findings(t.Context(), filter, func(f *ledger.Finding) error {
		found++
		if f.Severity != ledger.Error || !strings.HasPrefix(f.Subject, "card:") {
			t.Errorf("case %+v", f)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if found == 0 || found != clear {
		t.Errorf("%d cases of %d cards in the clear", found, clear)
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(m.Out), "ledger.db*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte(openCard)) {
			t.Errorf("%s holds the number", filepath.Base(file))
		}
	}
}

// Every complete pull has its body, until it is past its time: then its hashes alone.
func TestBodiesPastTheirTime(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 3, Days: 5})
	m.KeepBodies = 400
	m.SkipReports()
	run := m.RunNight(t).Run
	pulls := func() (out []ledger.Pull) {
		for _, a := range m.Accounts {
			p, err := m.Ledger.PullsOfRun(t.Context(), a.Number, run)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, p...)
		}
		return out
	}
	for _, p := range pulls() {
		if text, _, ok := m.keptText(t, p.SHA256); !ok || int64(len(text)) != p.Bytes {
			t.Errorf("pull %s: %d bytes kept of %d", p.ID, len(text), p.Bytes)
		}
	}
	now := m.Now
	for _, c := range []struct {
		days int
		kept bool
	}{{400, true}, {401, false}} {
		m.Now = func() time.Time { return now().AddDate(0, 0, c.days) }
		if _, err := m.Reconcile(t.Context(), m.Today()); err != nil {
			t.Fatal(err)
		}
		for _, p := range pulls() {
			if _, _, ok := m.keptText(t, p.SHA256); ok != c.kept || len(p.SHA256) != 64 {
				t.Errorf("after %d days the body of pull %s is kept: %v", c.days, p.ID, ok)
			}
		}
	}
}

// A payer is forgotten in every body at once, with an act that does not name the payer; facts and other payers stay.
func TestForget(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 7, Days: 12})
	m.SkipReports()
	m.RunNight(t)
	ctx := t.Context()
	var documents, names []string
	if err := m.Ledger.Slips(ctx, m.Accounts[0].Number, func(s *ledger.Slip) error {
		names = append(names, s.PayerName)
		documents = append(documents, s.PayerDocument)
		return nil
	}); err != nil || len(documents) < 2 {
		t.Fatal(len(documents), err)
	}
	ana, eva := documents[0], ""
	for _, d := range documents {
		if d != ana {
			eva = d
		}
	}
	holds := func(document string) (n int) {
		sums, err := m.Ledger.SlipBodies(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, sum := range sums {
			text, _, _ := m.keptText(t, sum)
			n += strings.Count(text, `"`+document+`"`)
		}
		return n
	}
	anas, evas := holds(ana), holds(eva)
	statement := m.takeInText(t, "02/11/2026;PIX "+strings.ToUpper(names[0])+";10,00\n02/11/2026;PIX "+eva+";20,00\n")
	people := &casework.Handler{Ledger: m.Ledger, Wall: time.Now}
	forget := func(e casework.ErasureRequest) casework.ErasureSummary {
		t.Helper()
		out, err := people.ErasePayer(ctx, e)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	acts := func() int64 {
		end, err := m.Ledger.ActLogEnd(ctx, 0)
		if err != nil {
			t.Fatal(err)
		}
		return end.Number
	}
	e := casework.ErasureRequest{Document: ana, Actor: "eva", Reason: "asked for it", DryRun: true}
	if got := forget(e); got.Records != anas || anas == 0 || holds(ana) != anas || acts() != 0 {
		t.Errorf("a dry run: %+v of %d, %d left, %d acts", got, anas, holds(ana), acts())
	}
	e.DryRun = false
	if got := forget(e); got.Records != anas || got.Bodies == 0 || got.Statements != 1 || holds(ana) != 0 || acts() != 1 {
		t.Errorf("%+v of %d, %d left, %d acts", got, anas, holds(ana), acts())
	}
	if text, _, _ := m.keptText(t, statement); !strings.Contains(text, ";PIX *") || !strings.Contains(text, "PIX "+eva) {
		t.Errorf("the statement is kept as %q", text)
	}
	if holds(eva) != evas || evas == 0 {
		t.Errorf("another payer: %d records of %d", holds(eva), evas)
	}
	if got := forget(e); got.Bodies != 0 || got.Statements != 0 || acts() != 1 || strings.Contains(got.Subject, ana) {
		t.Errorf("again: %+v, %d acts", got, acts())
	}
	if faults, err := m.Ledger.VerifyActs(ctx); err != nil || len(faults) > 0 {
		t.Errorf("the log: %v %v", faults, err)
	}
	for _, wrong := range []string{"", "123", "123.456.789-0é", "1234567890123"} {
		var request *casework.RequestError
		if _, err := people.ErasePayer(ctx, casework.ErasureRequest{Document: wrong, Actor: "eva"}); !errors.As(err, &request) {
			t.Errorf("payer %q: %v", wrong, err)
		}
	}
	if err := m.Ledger.Slips(ctx, m.Accounts[0].Number, func(s *ledger.Slip) error {
		for _, v := range append(s.Views, s.Earlier...) {
			if v.PayerDocument == ana || v.IsForgotten() && v.PayerName != "" {
				t.Errorf("slip %s still names the payer", s.ID)
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if r, err := m.Ledger.Check(ctx); err != nil || len(r.Faults) > 0 {
		t.Errorf("the ledger: %v %v", r.Faults, err)
	}
	// The next night finds the same bodies, and does not bring the payer back.
	m.RunNight(t)
	if holds(ana) != 0 {
		t.Errorf("the next night brought %d records back", holds(ana))
	}
}

// takeInText keeps a text as the bytes of a statement without a line, and returns its hash.
func (m *merchant) takeInText(t *testing.T, text string) string {
	t.Helper()
	sum := ledger.FileHash(sha256.Sum256([]byte(text)))
	in := bank.TakeIn{
		Bank: "itau", First: m.Accounts[0].Number, Bytes: sum, WriteBody: writeText(text), Name: "a.csv", Actor: "eva", At: time.Unix(1, 0),
		Statement: &banking.Statement{Format: "csv", Rows: banking.RowList(nil)}, IsBusinessDay: func(ledger.Date) bool { return true },
	}
	if _, err := m.Ledger.TakeInStatements(t.Context(), []bank.TakeIn{in}, false); err != nil {
		t.Fatal(err)
	}
	return sum.String()
}

// writeText writes a text.
func writeText(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}
