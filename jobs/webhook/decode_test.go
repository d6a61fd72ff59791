package webhook_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/webhook"
	"concilia/store/ledger"
)

// newSlow is a connection that sends what it is told, when it is told, and reads lines; an empty one is the end.
func newSlow(t *testing.T, address string) (read func() string, write func(string)) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	lines := bufio.NewReader(conn)
	read = func() string {
		line, err := lines.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			t.Error(err)
		}
		return line
	}
	return read, func(s string) {
		if _, err := conn.Write([]byte(s)); err != nil {
			t.Error(err)
		}
	}
}

// with is good with one member spelled otherwise; an empty value leaves it out.
func with(member, value string) string {
	var out []string
	for _, m := range strings.Split(strings.Trim(good, "{}"), ",") {
		name, _, _ := strings.Cut(m, ":")
		switch {
		case name != `"`+member+`"`:
			out = append(out, m)
		case value != "":
			out = append(out, name+":"+value)
		}
	}
	return "{" + strings.Join(out, ",") + "}"
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, body, says string }{
		{"nothing", "", "no body"},
		{"a word", "paid", "not one JSON text"},
		{"a list", "[" + good + "]", "not a JSON object"},
		{"null", "null", "not a JSON object"},
		{"a cut text", good[:len(good)-1], "not one JSON text"},
		{"two texts", good + good, "not one JSON text"},
		{"text behind it", good + "x", "not one JSON text"},
		{"bytes that are no text", with("nsu", "\"\xff\""), "not UTF-8"},
		{"a mark of byte order", "\ufeff" + good, "not one JSON text"},
		{"a member twice", `{"nsu":"1",` + good[1:], "a member is given twice"},
		{"a member twice, once in escapes", `{"\u006esu":"1",` + good[1:], "a member is given twice"},
		{"an unknown member twice", `{"x":1,"x":2,` + good[1:], "a member is given twice"},
		{"a name in other letters", strings.Replace(good, "movementId", "movementID", 1), "movementId: missing"},
		{"a movement in quotes", with("movementId", `"1"`), "movementId: not a whole number"},
		{"a movement with decimals", with("movementId", "1.0"), "movementId: not a whole number"},
		{"a movement as a power", with("movementId", "1e3"), "movementId: not a whole number"},
		{"a movement of nothing", with("movementId", "null"), "movementId: not a whole number"},
		{"movement 0", with("movementId", "0"), "movementId: not above 0"},
		{"a movement below 0", with("movementId", "-5"), "movementId: not above 0"},
		{"a movement beyond 64 bits", with("movementId", "9223372036854775808"), "movementId: too large"},
		{"no movement", with("movementId", ""), "movementId: missing"},
		{"an NSU that is a number", with("nsu", "123"), "nsu: not a string"},
		{"an NSU of nothing", with("nsu", "null"), "nsu: not a string"},
		{"an empty NSU", with("nsu", `""`), "nsu: empty"},
		{"an NSU of 101", with("nsu", `"`+strings.Repeat("é", 101)+`"`), "nsu: longer than 100 characters"},
		{"an NSU with a NUL", with("nsu", `"1\u00002"`), "nsu: holds a NUL"},
		{"an authorization of 31", with("codAuth", `"`+strings.Repeat("A", 31)+`"`), "codAuth: longer than 30 characters"},
		{"an authorization of nothing", with("codAuth", "null"), "codAuth: not a string"},
		{"no authorization", with("codAuth", ""), "codAuth: missing"},
		{"installment -1", with("installmentNumber", "-1"), "installmentNumber: not between 0 and 99"},
		{"installment 100", with("installmentNumber", "100"), "installmentNumber: not between 0 and 99"},
		{"a moment that is none", with("moment", `"yesterday"`), "moment: not a date and time"},
		{"a moment on 30 February", with("moment", `"2026-02-30T10:00:00"`), "moment: not a date and time"},
		{"an empty moment", with("moment", `""`), "moment: not a date and time"},
		{"a moment in seconds", with("moment", "1795000000"), "moment: not a string"},
		{"a type of nothing", with("type", "null"), "type: not a string"},
		{"an old value that is a number", with("oldValue", "1"), "oldValue: not a string"},
		{"no old value", with("oldValue", ""), "oldValue: missing"},
		{"a new value of nothing", with("newValue", "null"), "newValue: not a string"},
		{"a new value that is an object", with("newValue", "{}"), "newValue: not a string"},
		{"all at once", "{}", "movementId: missing; nsu: missing; codAuth: missing; installmentNumber: missing; " +
			"moment: missing; type: missing; oldValue: missing; newValue: missing"},
	} {
		_, _, err := webhook.Decode([]byte(c.body), time.UTC)
		var wrong *webhook.PayloadError
		if !errors.As(err, &wrong) || err.Error() != c.says {
			t.Errorf("%s: %v, not %q", c.name, err, c.says)
		}
	}
}

func TestDecodeTakes(t *testing.T) {
	t.Parallel()
	at := func(s string) ledger.LocalTime {
		v, err := ledger.ParseLocalTime(s, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	plain := ledger.Notification{
		MovementID: 987654321, NSU: "000123", Auth: "A1B2C3", Installment: 2, Moment: at("2026-11-18T08:59:58.5"),
		Type: "status", OldValue: "Authorized", NewValue: "Paid",
	}
	zone := time.FixedZone("", -3*3600)
	for _, c := range []struct {
		name, body string
		change     func(*ledger.Notification)
		unknown    []string
	}{
		{name: "as in the document", body: good},
		{name: "blanks around it", body: "\r\n " + good + "\n"},
		{name: "members in escapes", body: strings.Replace(good, "nsu", `n\u0073u`, 1)},
		{name: "no authorization yet", body: with("codAuth", `""`), change: func(n *ledger.Notification) { n.Auth = "" }},
		{name: "nothing before the first status", body: with("oldValue", "null"), change: func(n *ledger.Notification) { n.OldValue = "" }},
		{name: "an unknown status", body: with("newValue", `"Em análise"`), change: func(n *ledger.Notification) { n.NewValue = "Em análise" }},
		{name: "installment 0", body: with("installmentNumber", "0"), change: func(n *ledger.Notification) { n.Installment = 0 }},
		{
			name: "a moment with an offset is shown on our clock", body: with("moment", `"2026-11-18T11:59:58.500Z"`),
			change: func(n *ledger.Notification) { n.Moment = at("2026-11-18T08:59:58.5") },
		},
		{
			name: "more members than documented", unknown: []string{"account", "\x00"},
			body: `{"account":{"n":[1,null]},"\u0000":"\u0000",` + good[1:],
		},
	} {
		n, unknown, err := webhook.Decode([]byte(c.body), zone)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		want := plain
		if c.change != nil {
			c.change(&want)
		}
		want.Body = []byte(c.body)
		sum := sha256.Sum256(want.Body)
		want.BodyHash = hex.EncodeToString(sum[:])
		if diff := cmp.Diff(want, n); diff != "" {
			t.Errorf("%s: wanted (-), read (+):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.unknown, unknown); diff != "" {
			t.Errorf("%s: unknown members:\n%s", c.name, diff)
		}
	}
}

// FuzzDecode: what is taken can be written again and is taken as the same; nothing taken is out of its bounds.
func FuzzDecode(f *testing.F) {
	for _, body := range []string{good, with("oldValue", "null"), with("nsu", `"\ud800"`), `{"x":{},` + good[1:], "{}", "[]", "nul"} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		n, _, err := webhook.Decode(body, time.UTC)
		if err != nil {
			return
		}
		if n.MovementID <= 0 || n.NSU == "" || n.Installment < 0 || n.Installment > 99 || n.Moment <= 0 || n.BodyHash == "" {
			t.Fatalf("took %+v", n)
		}
		again, err := json.Marshal(map[string]any{
			"movementId": n.MovementID, "nsu": n.NSU, "codAuth": n.Auth, "installmentNumber": n.Installment,
			"moment": n.Moment.String(), "type": n.Type, "oldValue": n.OldValue, "newValue": n.NewValue,
		})
		if err != nil {
			t.Fatal(err)
		}
		m, unknown, err := webhook.Decode(again, time.UTC)
		if err != nil || len(unknown) > 0 {
			t.Fatalf("%s: %v, unknown %q", again, err, unknown)
		}
		n.Body, n.BodyHash, m.Body, m.BodyHash = nil, "", nil, ""
		if diff := cmp.Diff(n, m); diff != "" {
			t.Fatal(diff)
		}
	})
}

// FuzzHandler: whatever is sent, the answer is one of those documented, has no body, and 200 means kept.
func FuzzHandler(f *testing.F) {
	f.Add("/notifications/1001", accessKey, "Basic Y29uY2lsaWE6Z2VoZWltLXBhc3N3b3J0", []byte(good))
	f.Add("/notifications/1001", accessKey, "Basic ====", []byte("{}"))
	f.Add("//notifications/%31", "", "", []byte{0})
	f.Fuzz(func(t *testing.T, path, key, pair string, body []byte) {
		d := newDesk(t, nil)
		r := post("/", string(body))
		r.URL.Path = path
		r.Header.Set("Access-Key", key)
		r.Header.Set("Authorization", pair)
		status := d.ask(t, r)
		switch status {
		case http.StatusOK:
			if len(d.kept) != 1 || key != accessKey {
				t.Fatalf("200 and kept %d", len(d.kept))
			}
		case http.StatusBadRequest, http.StatusUnauthorized, http.StatusNotFound:
			if len(d.kept) != 0 {
				t.Fatalf("%d and kept %d", status, len(d.kept))
			}
		default:
			t.Fatalf("answered %d", status)
		}
	})
}
