package mailing

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/textproto"
	"strings"
	"time"

	"github.com/wneessen/go-mail"

	"concilia/config"
	"concilia/export/words"
)

// stepTime bounds a connection with its login, and then each message.
const stepTime = 15 * time.Second

// Server is the configured SMTP server.
type Server struct {
	settings config.Mail
	roots    *x509.CertPool // authorities that vouch for it; nil: those of the system
	step     time.Duration  // bounds a connection with its login, and then each message
}

// NewServer is the configured server.
func NewServer(settings config.Mail) *Server { return &Server{settings: settings, step: stepTime} }

// RefusedError is a final no of the server: trying again would not help.
type RefusedError struct {
	Answer string
	err    error
}

func (e *RefusedError) Error() string { return "the mail server refused it: " + e.Answer }

// Unwrap is what the library says.
func (e *RefusedError) Unwrap() error { return e.err }

// dialServer connects and logs in.
func (s *Server) dialServer(ctx context.Context) (*mail.Client, error) {
	m := &s.settings
	options := []mail.Option{
		mail.WithPort(m.Port), mail.WithTimeout(s.step), mail.WithoutNoop(),
		mail.WithTLSConfig(&tls.Config{ServerName: m.Host, MinVersion: tls.VersionTLS12, RootCAs: s.roots}),
	}
	switch m.TLS {
	case "tls":
		options = append(options, mail.WithSSL())
	case "none":
		options = append(options, mail.WithTLSPolicy(mail.NoTLS))
	default:
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if m.UserName != "" {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(m.UserName), mail.WithPassword(m.Password.Reveal()))
	}
	client, err := mail.NewClient(m.Host, options...)
	if err == nil {
		err = client.DialWithContext(ctx)
	}
	if err != nil {
		return nil, words.NewFault("publish_fault.mail_server", "", "host", m.Host, "port", m.Port, "cause", err)
	}
	return client, nil
}

// sendOne sends a message on an open connection and returns what the server answered. A RefusedError is about this message alone;
// after another error the connection is of no use.
func sendOne(client *mail.Client, msg *mail.Msg) (answer string, err error) {
	err = client.Send(msg)
	if msg.IsDelivered() {
		return msg.ServerResponse(), nil // what failed after it was taken is no failure of the message
	}
	if one := (*mail.SendError)(nil); errors.As(err, &one) && one.ErrorCode() >= 500 {
		return "", &RefusedError{Answer: one.Error(), err: err}
	}
	return "", err
}

// Send sends one message on a connection of its own.
func (s *Server) Send(ctx context.Context, msg *mail.Msg) (answer string, err error) {
	client, err := s.dialServer(ctx)
	if err != nil {
		return "", err
	}
	answer, err = sendOne(client, msg)
	_ = client.Close() // the message is taken, or it is not
	return answer, err
}

// IsMisconfigured reports whether an error of Send comes again however often it is tried, until the configuration or the server changes:
// a certificate of an unknown authority, no STARTTLS, a login or a message that is refused.
func IsMisconfigured(err error) bool {
	var refused *RefusedError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var answer *textproto.Error
	switch {
	case errors.As(err, &refused), errors.As(err, &certificate), errors.As(err, &record):
		return true
	case errors.As(err, &answer):
		return answer.Code >= 500
	}
	// That there is no STARTTLS or AUTH the library says in words alone.
	return errors.Is(err, mail.ErrNoSupportedAuthDiscovered) || err != nil && strings.Contains(err.Error(), "support S")
}
