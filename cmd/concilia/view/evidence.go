package view

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// Evidence is a pull and the body of the answer it brought.
type Evidence struct {
	Pull      string         `json:"pull"`
	Run       string         `json:"run"`
	Account   ledger.Account `json:"account"`
	Source    ledger.Source  `json:"source"`
	From      ledger.Date    `json:"from"`
	To        ledger.Date    `json:"to"`
	Began     Instant        `json:"began"`
	Received  string         `json:"sha256_received"`
	Kept      string         `json:"sha256_kept,omitempty"`
	Differs   bool           `json:"differs"`
	Size      int64          `json:"size"`
	Forgotten Instant        `json:"forgotten,omitzero"` // when a payer was last blanked in it
	Expired   ledger.Date    `json:"expired,omitzero"`   // when its bytes were deleted
	Body      string         `json:"body,omitempty"`
	Base64    string         `json:"body_base64,omitempty"` // of a body that is no text
}

// EvidenceOf is a pull with what is known about its body, without the bytes; nil: the body was not kept.
func EvidenceOf(p *ledger.Pull, b *ledger.Body) *Evidence {
	e := &Evidence{
		Pull: p.ID, Run: p.Run, Account: p.Window.Account, Source: p.Window.Source,
		From: p.Window.Period.From, To: p.Window.Period.To, Began: Instant{p.Began}, Received: p.SHA256, Size: p.Bytes,
	}
	if b == nil {
		return e
	}
	e.Kept, e.Differs, e.Forgotten = b.Kept, b.Changed(), Instant{b.Forgotten}
	if b.Packed == nil {
		e.Expired = b.ExpiredOn
	}
	return e
}

// AddBody adds the bytes for JSON.
func (v *Evidence) AddBody(body string) {
	if utf8.ValidString(body) {
		v.Body = body
		return
	}
	v.Base64 = base64.StdEncoding.EncodeToString([]byte(body))
}

// WriteText writes what is known about the body.
func (v *Evidence) WriteText(w io.Writer) error {
	var b strings.Builder
	period := v.From.String()
	if v.To != v.From {
		period += ".." + v.To.String()
	}
	fmt.Fprintf(&b, "pull      %s\nasked     %s of account %d, %s, at %s\nreceived  sha256 %s, %d bytes\n",
		v.Pull, v.Source, v.Account, period, FormatUTC(v.Began.Time), v.Received, v.Size)
	switch {
	case v.Kept == "":
	case !v.Differs:
		b.WriteString("kept      as received\n")
	case !v.Forgotten.IsZero():
		fmt.Fprintf(&b, "kept      sha256 %s: it differs, a payer was forgotten in it at %s\n", v.Kept, FormatUTC(v.Forgotten.Time))
	default:
		fmt.Fprintf(&b, "kept      sha256 %s: it differs, card numbers are masked in it\n", v.Kept)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Erasure is what the erasure of a payer did, or would do.
type Erasure struct{ casework.ErasureSummary }

// WriteText writes it on one line.
func (v Erasure) WriteText(w io.Writer) error {
	if !v.Found() {
		_, err := fmt.Fprintf(w, "%s is in none of the %d kept bodies of slips, nor in their versions\n", v.Subject, v.Read)
		return err
	}
	verb := "is"
	if v.DryRun {
		verb = "would be"
	}
	fmt.Fprintf(w, "%s %s blanked in %d of %d kept bodies of slips, %s; in %s of slips and %s\n", v.Subject, verb, v.Bodies, v.Read,
		countOf(int64(v.Records), "record"), countOf(int64(v.Versions), "version"), countOf(int64(v.Rows), "unreadable row"))
	for _, file := range v.Published {
		fmt.Fprintf(w, "may show the payer, and is not changed: %s\n", Escape(file))
	}
	return nil
}
