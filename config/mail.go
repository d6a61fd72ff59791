package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"concilia/export/words"
)

// The words of mail.
var (
	mailTLSWords  = []string{"starttls", "tls", "none"}
	mailWhenWords = []string{"always", "change", "breaks"}
)

// Mail is how people get the morning by mail.
type Mail struct {
	// Host is the SMTP server; empty: no mail is sent. Defaults to empty.
	Host string `yaml:"host" env:"HOST"`
	// Port of the server. Defaults to 587.
	Port int `yaml:"port" env:"PORT"`
	// TLS is starttls (which the server must offer), tls (from the first byte) or none, only for a server on this machine. Defaults to
	// starttls.
	TLS string `yaml:"tls" env:"TLS"`
	// UserName logs in to the server. Defaults to empty: without login.
	UserName string `yaml:"user_name" env:"USER_NAME"`
	// PasswordFile, or CONCILIA_MAIL_PASSWORD, holds the password of UserName.
	PasswordFile string `yaml:"password_file" env:"PASSWORD_FILE" path:"input"`
	Password     Secret `yaml:"password" env:"PASSWORD"`
	// From is the address of the sender, such as concilia@loja.example or Concilia <concilia@loja.example>; required with Host.
	From string `yaml:"from" env:"FROM"`
	// Digest is who gets the first page of each morning. Defaults to none.
	Digest []MailDigest `yaml:"digest" env:"-"`
}

// MailDigest is who gets the first page of each morning by mail, and which.
type MailDigest struct {
	// To are addresses, each of which gets a message of its own; one is required.
	To []string `yaml:"to" env:"TO"`
	// Accounts are what it is about. Defaults to all.
	Accounts []int64 `yaml:"accounts" env:"ACCOUNTS"`
	// Language is pt-BR or en. Defaults to reports.language.
	Language string `yaml:"language" env:"LANGUAGE"`
	// When is always, change (a verdict, figure or case differs from the message before) or breaks (the verdict is breaks or
	// incomplete). Defaults to always.
	When string `yaml:"when" env:"WHEN"`
}

// IsEnabled reports whether there is a server to send by.
func (m *Mail) IsEnabled() bool { return m.Host != "" }

// checkMail checks mail, and what alerts ask of it.
func checkMail(v *validator, c *Config) {
	m := &c.Mail
	v.checkRange("mail.port", m.Port, 1, 65535, words.NewMessage("want.port"))
	v.checkOneOf("mail.tls", m.TLS, mailTLSWords...)
	if m.Host != "" {
		checkMailServer(v, m)
	}
	if m.From != "" {
		v.checkMailAddress("mail.from", m.From)
	}
	for i := range m.Digest {
		d, key := &m.Digest[i], fmt.Sprintf("mail.digest[%d]", i)
		v.checkMailAddresses(key+".to", d.To)
		for n, number := range d.Accounts {
			if !slices.ContainsFunc(c.Accounts, func(a Account) bool { return a.Number == number }) {
				v.addProblem(fmt.Sprintf("%s.accounts[%d]", key, n), strconv.FormatInt(number, 10), words.NewMessage("want.number_of_accounts"))
			}
		}
		if d.Language != "" {
			v.checkOneOf(key+".language", d.Language, "pt-BR", "en")
		}
		if d.When != "" {
			v.checkOneOf(key+".when", d.When, mailWhenWords...)
		}
		if m.Host == "" {
			v.addMissing("mail.host", words.NewMessage("want.smtp_digest"))
		}
	}
}

func checkMailServer(v *validator, m *Mail) {
	if strings.ContainsFunc(m.Host, func(r rune) bool { return r <= ' ' || r == '/' || r == '@' || unicode.IsControl(r) }) {
		v.addProblem("mail.host", m.Host, words.NewMessage("want.smtp_host"))
	}
	if m.TLS == "none" && !isLoopback(m.Host) {
		v.addProblem("mail.tls", m.TLS, words.NewMessage("want.mail_tls", "host", m.Host))
	}
	if m.From == "" {
		v.addMissing("mail.from", words.NewMessage("want.sender"))
	}
	if m.UserName != "" && m.Password.Empty() && !v.offline && !v.hasProblem["mail.password_file"] {
		v.addMissing("mail.password_file", words.NewMessage("want.user_password", "variable", variableName("mail.password")))
	}
	if m.UserName == "" && (m.PasswordFile != "" || !m.Password.Empty()) {
		v.addMissing("mail.user_name", words.NewMessage("want.password_user"))
	}
}
