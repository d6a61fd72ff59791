// Package mailtest has the SMTP server that tests send mail to.
package mailtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Way is how a server is spoken to.
type Way string

// The ways.
const (
	StartTLS Way = "starttls"
	TLS      Way = "tls"
	Plain    Way = "none"
)

// User and Password are the login of a server.
const (
	User     = "concilia"
	Password = "correct horse battery"
)

// Server is a real mail server that keeps what it takes.
type Server struct {
	Port  int
	Roots *x509.CertPool // vouches for its certificate

	mu     sync.Mutex
	taken  []Message
	tries  int // messages that were given whole, taken or not
	logins int
	recipt func(to string) error // answer to RCPT; nil: every recipient is known
	data   func() error          // answer to DATA; nil: taken
}

// Message is one that was taken.
type Message struct {
	From, To string // of the envelope
	Header   mail.Header
	Raw      string
}

// NewServer listens on 127.0.0.1 until the test ends.
func NewServer(t *testing.T, way Way) *Server {
	t.Helper()
	s := &Server{}
	server := smtp.NewServer(s)
	server.Domain, server.ReadTimeout, server.WriteTimeout = "mail.test", time.Minute, time.Minute
	if way == Plain {
		server.AllowInsecureAuth = true
	} else {
		server.TLSConfig, s.Roots = NewCertificate(t)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Port = l.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // it listens on TCP
	if way == TLS {
		l = tls.NewListener(l, server.TLSConfig)
	}
	go func() { _ = server.Serve(l) }() // it ends with the test
	t.Cleanup(func() { _ = server.Close() })
	return s
}

// NewCertificate is a certificate for 127.0.0.1 with the authority that vouches for it.
func NewCertificate(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mail.test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(2100, time.January, 1, 0, 0, 0, 0, time.UTC), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(made)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}, roots
}

// AnswerRecipients sets the answer to each recipient.
func (s *Server) AnswerRecipients(answer func(to string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recipt = answer
}

// AnswerData sets the answer to each message that was given whole.
func (s *Server) AnswerData(answer func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data = answer
}

// Refuse is an answer with a code.
func Refuse(code int, text string) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 1, 1}, Message: text}
}

// Take returns what was taken since the last call.
func (s *Server) Take() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.taken
	s.taken = nil
	return out
}

// Tries and Logins count the messages that were given whole and the logins that were right.
func (s *Server) Tries() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tries
}

// Logins counts the logins that were right.
func (s *Server) Logins() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.logins
}

// NewSession is called by the library for each connection.
func (s *Server) NewSession(c *smtp.Conn) (smtp.Session, error) {
	return &session{server: s, conn: c}, nil
}

type session struct {
	server   *Server
	conn     *smtp.Conn
	from, to string
}

func (c *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (c *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != User || password != Password {
			return smtp.ErrAuthFailed
		}
		c.server.mu.Lock()
		defer c.server.mu.Unlock()
		c.server.logins++
		return nil
	}), nil
}

func (c *session) Mail(from string, _ *smtp.MailOptions) error {
	c.from = from
	return nil
}

func (c *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	c.server.mu.Lock()
	answer := c.server.recipt
	c.server.mu.Unlock()
	c.to = to
	if answer == nil {
		return nil
	}
	return answer(to)
}

// ErrDrop as the answer to DATA ends the connection without one, although the message was taken.
var ErrDrop = errors.New("the connection ends")

func (c *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	read, err := mail.ReadMessage(strings.NewReader(string(raw)))
	if err != nil {
		return Refuse(554, "no message")
	}
	c.server.mu.Lock()
	c.server.tries++
	answer := c.server.data
	c.server.mu.Unlock()
	if answer != nil {
		err = answer()
	}
	if err == nil || errors.Is(err, ErrDrop) {
		c.server.mu.Lock()
		c.server.taken = append(c.server.taken, Message{From: c.from, To: c.to, Header: read.Header, Raw: string(raw)})
		c.server.mu.Unlock()
	}
	if errors.Is(err, ErrDrop) {
		_ = c.conn.Conn().Close() // so that its answer never comes
	}
	return err
}

func (*session) Reset()        {}
func (*session) Logout() error { return nil }
