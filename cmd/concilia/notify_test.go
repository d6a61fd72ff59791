package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/exit"
	"concilia/store"
	"concilia/store/ledger"
)

// TestNotificationsBothSides lives forty days between two processes that share nothing but HTTP: a client is onboarded,
// subscribes, pulls; the business clock moves, the receiver is down for part of it and comes back. Every notification
// arrives and counts once, the days they name are pulled again and no other, and both sides' totals are the same.
func TestNotificationsBothSides(t *testing.T) {
	t.Parallel()
	built := build(t)
	dir := t.TempDir()
	c := &client{t: t, dir: dir, binaries: built, listen: freeAddress(t)}
	c.onboard()
	s := c.startSandbox()
	c.configure(s)

	c.morning = "2026-10-09"
	c.want(exit.OK, "run", "--quiet")
	r := c.startReceiver()
	c.want(exit.OK, "webhook", "subscribe")

	c.advance(s, 12) // up
	c.idle(s)
	if err := r.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = r.Wait()     // killed on purpose
	c.advance(s, 16) // down: what is sent fails and waits
	c.tried(s)
	r = c.startReceiver()
	c.advance(s, 12) // back
	c.idle(s)
	sent := c.deliveries(s)
	if len(sent) < 100 {
		t.Fatalf("only %d notifications in forty days", len(sent))
	}

	c.morning = "2026-11-18"
	out := c.want(exit.OK, "run", "--json", "--quiet")
	var summary struct {
		Run    string
		Totals struct{ Cards struct{ Received string } }
	}
	if err := json.Unmarshal([]byte(out), &summary); err != nil {
		t.Fatal(err)
	}
	l, err := store.Open(t.Context(), "sqlite:"+filepath.Join(dir, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c.onceInEffect(l, sent)
	c.rightDays(l, summary.Run, sent)
	if got := c.received(s); got != summary.Totals.Cards.Received {
		t.Errorf("the service paid %s by its own records, the worker says %s", got, summary.Totals.Cards.Received)
	}
	if err := r.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := r.Wait(); err != nil {
		t.Errorf("the receiver, told to end, ended with %v", err)
	}
}

// client is an onboarded merchant with one account and his worker's folder.
type client struct {
	binaries
	t              *testing.T
	dir, listen    string
	user, password string
	morning        string // of the worker
	token          string
}

// freeAddress is one that a program may listen on later. Its port is below those that the system hands out by itself:
// another test's server would take one of these before the program does, and be taken for it.
func freeAddress(t *testing.T) string {
	t.Helper()
	const first, below = 10_240, 32_768
	for range 100 {
		//nolint:gosec // any port will do
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", first+rand.IntN(below-first)))
		if err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

func (c *client) path(name string) string { return filepath.Join(c.dir, name) }

func (c *client) onboard() {
	c.t.Helper()
	out, err := exec.Command(c.sandbox, "client", "add", "--cnpj", "11222333000181", "--legal-name", "Loja Centro Ltda",
		"--contact", "ti@example.com", "--ip", "127.0.0.1", "--account", "1001", "--state", c.path("state.json")).CombinedOutput()
	if err != nil {
		c.t.Fatalf("client add: %v\n%s", err, out)
	}
	said := func(key string) string {
		m := regexp.MustCompile(key + `: (\S+)`).FindSubmatch(out)
		if m == nil {
			c.t.Fatalf("client add names no %s:\n%s", key, out)
		}
		return string(m[1])
	}
	c.user, c.password = said("user_name"), said("password")
}

func (c *client) startSandbox() *sandbox {
	c.t.Helper()
	s, err := sandboxProcess(c.sandbox, []string{
		"--state", c.path("state.json"), "--seed", "8", "--plant=false", "--as-of", "2026-10-09", "--days", "60",
		"--days-ahead", "45", "--retry-first", "100ms", "--retry-cap", "1s", "--access-key", receiverKey,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(s.stop)
	return s
}

func (c *client) configure(s *sandbox) {
	c.t.Helper()
	text := fmt.Sprintf(`ledger: {dsn: "sqlite:ledger.db"}
service: {gateway_url: %s, integration_url: %s, user_name: %q, requests_per_second: 1000}
accounts: [{number: 1001, since: 2026-08-10}]
reports: {formats: [csv], out: reports}
webhook: {listen: %q, public_url: "http://%s"}
`, s.gateway, s.integration, c.user, c.listen, c.listen)
	if err := os.WriteFile(c.path("concilia.yaml"), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) command(args ...string) *exec.Cmd {
	cmd := exec.Command(c.concilia, args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "CONCILIA_SERVICE_PASSWORD="+c.password, "CONCILIA_WEBHOOK_ACCESS_KEY="+receiverKey,
		"CONCILIA_CLOCK="+c.morning+"T06:00:00-03:00")
	return cmd
}

func (c *client) want(code int, args ...string) string {
	c.t.Helper()
	cmd := c.command(args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // its exit code is looked at
	if got := cmd.ProcessState.ExitCode(); got != code {
		c.t.Fatalf("%s ended with %d, want %d:\n%s%s", args, got, code, stdout.String(), stderr.String())
	}
	return stdout.String()
}

// startReceiver starts serve and waits until it takes connections.
func (c *client) startReceiver() *exec.Cmd {
	c.t.Helper()
	cmd := c.command("serve")
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = cmd.Process.Kill() })
	for range 2400 { // two minutes: of a machine that has everything else to do
		if conn, err := net.Dial("tcp", c.listen); err == nil {
			_ = conn.Close()
			return cmd
		}
		time.Sleep(50 * time.Millisecond)
	}
	c.t.Fatal("the receiver never listened")
	return nil
}

// advance moves the service's business clock day by day.
func (c *client) advance(s *sandbox, days int) {
	c.t.Helper()
	for range days {
		res, err := http.Post(s.control+"/sandbox/clock", "application/json", strings.NewReader(`{"advance_days":1}`))
		if err != nil {
			c.t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			c.t.Fatalf("the clock answers %d", res.StatusCode)
		}
	}
}

// sentNotice is a delivery as the sandbox lists it.
type sentNotice struct {
	Delivery     int64
	State        string
	Attempts     int
	Notification struct {
		MovementID        int64
		NSU, CodAuth      string
		InstallmentNumber int
	}
}

type deliveryLog struct {
	Idle       bool
	Counts     map[string]int
	Deliveries []sentNotice
	Next       int64
}

func (c *client) log(s *sandbox, query string) deliveryLog {
	c.t.Helper()
	res, err := http.Get(s.control + "/sandbox/deliveries?" + query)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	var log deliveryLog
	if err := json.NewDecoder(res.Body).Decode(&log); err != nil {
		c.t.Fatal(err)
	}
	return log
}

// idle waits until everything queued is delivered.
func (c *client) idle(s *sandbox) {
	c.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if log := c.log(s, "limit=1&wait=2s"); log.Idle {
			return
		}
	}
	c.t.Fatalf("deliveries never end: %v", c.log(s, "limit=1").Counts)
}

// tried waits until something was sent in vain: a busy machine may not have come to it when the clock has moved.
func (c *client) tried(s *sandbox) {
	c.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		for _, d := range c.log(s, "account=1001&state=pending&limit=500").Deliveries {
			if d.Attempts > 0 {
				return
			}
		}
	}
	c.t.Fatal("nothing was sent while the receiver was down")
}

// deliveries are all there were, each delivered in the end, and some only after the receiver came back.
func (c *client) deliveries(s *sandbox) []sentNotice {
	c.t.Helper()
	var all []sentNotice
	for after := int64(0); ; {
		log := c.log(s, fmt.Sprintf("account=1001&limit=500&after=%d", after))
		all = append(all, log.Deliveries...)
		if log.Next == 0 || len(log.Deliveries) == 0 {
			break
		}
		after = log.Next
	}
	again := 0
	for _, d := range all {
		if d.State != "delivered" {
			c.t.Errorf("movement %d is %s", d.Notification.MovementID, d.State)
		}
		if d.Attempts > 1 {
			again++
		}
	}
	if again == 0 {
		c.t.Error("nothing had to be sent again: the receiver was never down")
	}
	return all
}

// onceInEffect holds the ledger's notifications against those sent: each once, each linked to the installment it names.
func (c *client) onceInEffect(l *store.Ledger, sent []sentNotice) {
	c.t.Helper()
	kept := map[int64]int{}
	err := l.Notifications(c.t.Context(), 1001, func(n *ledger.LinkedNotification) error {
		kept[n.MovementID]++
		if n.Target == nil {
			c.t.Errorf("movement %d is linked to nothing", n.MovementID)
		}
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	for _, d := range sent {
		if kept[d.Notification.MovementID] != 1 {
			c.t.Errorf("movement %d is in the ledger %d times", d.Notification.MovementID, kept[d.Notification.MovementID])
		}
	}
	if len(kept) != len(sent) {
		c.t.Errorf("%d notifications were sent, %d are kept", len(sent), len(kept))
	}
}

// rightDays holds the days of cards that the night pulled against what it had a reason for: a notification, no complete
// pull yet, the last week, something due. No other day is asked for, and every day a notification names is.
func (c *client) rightDays(l *store.Ledger, run string, sent []sentNotice) {
	c.t.Helper()
	pulls, err := l.PullsOfRun(c.t.Context(), 1001, run)
	if err != nil {
		c.t.Fatal(err)
	}
	pulled := map[ledger.Date]string{}
	for _, p := range pulls {
		if p.Window.Source == ledger.Cards {
			pulled[p.Window.Period.From] = p.Window.Reason
		}
	}
	named := map[ledger.Date]bool{}
	err = l.Notifications(c.t.Context(), 1001, func(n *ledger.LinkedNotification) error {
		if n.Target != nil {
			named[n.Target.Day] = true
		}
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	reasons := map[string]int{}
	for day, reason := range pulled {
		reasons[reason]++
		if strings.Contains(reason, "notification") && !named[day] {
			c.t.Errorf("%s was pulled for a notification that names another day", day)
		}
	}
	for day := range named {
		if _, ok := pulled[day]; !ok {
			c.t.Errorf("%s, which a notification names, was not pulled again", day)
		}
	}
	for day := ledger.NewDate(2026, 8, 10); day < ledger.NewDate(2026, 11, 18); day++ {
		if _, ok := pulled[day]; ok && !named[day] && day < ledger.NewDate(2026, 10, 9) &&
			!strings.Contains(pulled[day], "due") && !strings.HasPrefix(pulled[day], "finished on") {
			c.t.Errorf("%s was pulled again for nothing: %s", day, pulled[day])
		}
	}
	c.t.Logf("days of cards by reason: %v; %d notifications name %d days", reasons, len(sent), len(named))
}

// received is what the service's own records say was paid on sales of October and November.
func (c *client) received(s *sandbox) string {
	c.t.Helper()
	c.token = c.login(s)
	query := url.Values{"accountNumber": {"1001"}, "startDate": {"2026-10-01"}, "endDate": {"2026-11-30"}}
	req, err := http.NewRequest(http.MethodPost,
		s.integration+"/api/transaction/concil/search-by-operation-date-installments?"+query.Encode(), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	var rows []struct {
		InstallmentStatus string
		ReceivedValue     json.Number
	}
	if err := json.NewDecoder(res.Body).Decode(&rows); err != nil {
		c.t.Fatal(err)
	}
	var sum ledger.Amount
	for _, r := range rows {
		v, err := ledger.ParseAmount(r.ReceivedValue.String())
		if err != nil {
			c.t.Fatal(err)
		}
		if r.InstallmentStatus == "Paid" {
			sum += v
		}
	}
	return sum.String()
}

func (c *client) login(s *sandbox) string {
	c.t.Helper()
	body, err := json.Marshal(map[string]string{"userName": c.user, "password": c.password})
	if err != nil {
		c.t.Fatal(err)
	}
	res, err := http.Post(s.integration+"/api/authentication/login", "application/json", bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct{ AccessToken string }
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.AccessToken == "" {
		c.t.Fatalf("no token: %v", err)
	}
	return answer.AccessToken
}
