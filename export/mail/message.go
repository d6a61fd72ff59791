package mail

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"sort"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// Message is a page as it is sent, the same at every try.
type Message struct {
	Subject string `json:"subject"`
	Text    string `json:"text"`
	HTML    string `json:"html"`
}

// maxHTML bounds the HTML of a message: some mail programs cut off what is larger.
const maxHTML = 60_000

// Write writes a page as a message. One that is too large loses the rows at its end.
func Write(subject string, p *Page) (*Message, error) {
	rows := 0
	for i := range p.Sections {
		rows += len(p.Sections[i].Rows)
	}
	whole, err := p.writeHTML()
	if err != nil {
		return nil, err
	}
	if len(whole) <= maxHTML {
		return &Message{Subject: plainLine(subject), Text: p.writeText(), HTML: whole}, nil
	}
	fits := sort.Search(rows, func(n int) bool {
		html, failed := p.cutRows(n + 1).writeHTML()
		err = errors.Join(err, failed)
		return len(html) > maxHTML
	})
	if err != nil {
		return nil, err
	}
	small := p.cutRows(fits)
	html, err := small.writeHTML()
	return &Message{Subject: plainLine(subject), Text: small.writeText(), HTML: html}, err
}

// cutRows is the page with the first n rows of its sections alone.
func (p *Page) cutRows(n int) *Page {
	small := *p
	small.Sections = slices.Clone(p.Sections)
	for i := range small.Sections {
		s := &small.Sections[i]
		s.Rows = s.Rows[:min(len(s.Rows), n)]
		n -= len(s.Rows)
	}
	return &small
}

// Compose is the message from one address to another. date is when it was first to be sent. Its id is that of what it is about (of), of
// the recipient and the content: a server that is given it twice can know that.
func (m *Message) Compose(from, to, of string, date time.Time) (*gomail.Msg, error) {
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, fmt.Errorf("the address of the sender: %w", err)
	}
	recipient, err := mail.ParseAddress(to)
	if err != nil {
		return nil, fmt.Errorf("the address of the recipient: %w", err)
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{of, recipient.Address, m.Subject, m.Text, m.HTML}, "\x00")))
	id := hex.EncodeToString(sum[:16])
	_, domain, _ := strings.Cut(sender.Address, "@")
	out := gomail.NewMsg(gomail.WithNoDefaultUserAgent(), gomail.WithBoundary("concilia-"+id))
	out.FromMailAddress(sender)
	out.ToMailAddress(recipient)
	out.Subject(plainLine(m.Subject))
	out.SetDateWithValue(date)
	out.SetMessageIDWithValue(id + "@" + domain)
	out.SetGenHeader("Auto-Submitted", "auto-generated")
	out.SetBodyString(gomail.TypeTextPlain, m.Text)
	out.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	return out, nil
}
