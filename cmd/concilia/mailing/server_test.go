package mailing

import (
	"net"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/mailtest"
	"concilia/config"
	"concilia/export/mail"
)

func settingsOf(port int, way mailtest.Way) config.Mail {
	return config.Mail{Host: "127.0.0.1", Port: port, TLS: string(way), From: "Concilia <concilia@loja.example>"}
}

// passwordOf is a secret with a text.
func passwordOf(t *testing.T, text string) (s config.Secret) {
	t.Helper()
	if err := s.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return s
}

// sendTrial sends a message by a server and says what came of it.
func sendTrial(t *testing.T, s *Server) (string, error) {
	t.Helper()
	m := &mail.Message{Subject: "Situação em 19/11", Text: "Nada falta.\n", HTML: "<p>Nada falta.</p>"}
	msg, err := m.Compose(s.settings.From, "ana@loja.example", "trial", time.Date(2026, 11, 19, 8, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return s.Send(t.Context(), msg)
}

// TestServerWays: by each way a message arrives whole, and never in clear where it must not.
func TestServerWays(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		says        string
		served, way mailtest.Way
		user, pass  string
		unknown     bool // the certificate is signed by an unknown authority
		takes       bool
		misset      bool
	}{
		{says: "with STARTTLS", served: mailtest.StartTLS, way: mailtest.StartTLS, takes: true},
		{says: "with STARTTLS and a login", served: mailtest.StartTLS, way: mailtest.StartTLS, user: mailtest.User, pass: mailtest.Password, takes: true},
		{says: "with TLS from the first byte and a login", served: mailtest.TLS, way: mailtest.TLS, user: mailtest.User, pass: mailtest.Password, takes: true},
		{says: "in clear on this machine", served: mailtest.Plain, way: mailtest.Plain, takes: true},
		{says: "a server without STARTTLS is not spoken to in clear", served: mailtest.Plain, way: mailtest.StartTLS, misset: true},
		{says: "a password never goes in clear", served: mailtest.Plain, way: mailtest.Plain, user: mailtest.User, pass: mailtest.Password, misset: true},
		{says: "a certificate that nobody vouches for is refused", served: mailtest.StartTLS, way: mailtest.StartTLS, unknown: true, misset: true},
		{says: "also with TLS from the first byte", served: mailtest.TLS, way: mailtest.TLS, unknown: true, misset: true},
		{says: "a wrong password", served: mailtest.TLS, way: mailtest.TLS, user: mailtest.User, pass: "hunter2", misset: true},
	} {
		t.Run(row.says, func(t *testing.T) {
			t.Parallel()
			there := mailtest.NewServer(t, row.served)
			s := NewServer(settingsOf(there.Port, row.way))
			s.settings.UserName, s.settings.Password = row.user, passwordOf(t, row.pass)
			if s.roots = there.Roots; row.unknown {
				s.roots = nil
			}
			answer, err := sendTrial(t, s)
			taken := there.Take()
			if row.takes != (err == nil) || row.takes != (len(taken) == 1) || IsMisconfigured(err) != row.misset {
				t.Fatalf("%d messages, %v, misconfigured %v", len(taken), err, IsMisconfigured(err))
			}
			if err != nil && row.pass != "" && strings.Contains(err.Error(), row.pass) {
				t.Errorf("the password is in: %v", err)
			}
			if row.takes && (answer == "" || row.user != "" && there.Logins() != 1 || taken[0].From != "concilia@loja.example" || taken[0].To != "ana@loja.example") {
				t.Errorf("answered %q, %d logins: %+v", answer, there.Logins(), taken[0])
			}
		})
	}
}

// TestServerAnswers: a final no ends a message, everything else lets it wait.
func TestServerAnswers(t *testing.T) {
	t.Parallel()
	there := mailtest.NewServer(t, mailtest.Plain)
	s := NewServer(settingsOf(there.Port, mailtest.Plain))
	for _, row := range []struct {
		says      string
		recipient error
		data      error
		refused   bool
	}{
		{says: "an unknown recipient", recipient: mailtest.Refuse(550, "no such person"), refused: true},
		{says: "a content it does not want", data: mailtest.Refuse(554, "no"), refused: true},
		{says: "a full mailbox", recipient: mailtest.Refuse(452, "full")},
		{says: "come back later", data: mailtest.Refuse(451, "later")},
		{says: "a connection that ends behind the message", data: mailtest.ErrDrop},
	} {
		there.AnswerRecipients(func(string) error { return row.recipient })
		there.AnswerData(func() error { return row.data })
		_, err := sendTrial(t, s)
		if err == nil || isRefused(err) != row.refused || IsMisconfigured(err) != row.refused {
			t.Errorf("%s: %v", row.says, err)
		}
	}
}

// A server that takes the connection and says nothing is left after a while.
func TestServerThatHangs(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := NewServer(settingsOf(l.Addr().(*net.TCPAddr).Port, mailtest.Plain)) //nolint:forcetypeassert // it listens on TCP
	s.step = 50 * time.Millisecond
	if _, err := sendTrial(t, s); err == nil || IsMisconfigured(err) {
		t.Errorf("it ended with %v", err)
	}
}
