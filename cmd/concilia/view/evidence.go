package view

import (
	"encoding/base64"
	"fmt"
	"io"
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
func (v *Evidence) WriteText(w io.Writer, l Language) error {
	s := &screen{l: l, width: 9}
	days := l.FormatDay(v.From)
	if v.To != v.From {
		days = l.formatDays(v.From, v.To)
	}
	s.writeLine("evidence.pull", v.Pull)
	s.writeText("evidence.asked", "evidence.asked_for", "list", l.label("source", string(v.Source)), "account", v.Account, "days", days, "at", FormatUTC(v.Began.Time))
	s.writeText("evidence.received", "evidence.received_bytes", "hash", v.Received, "bytes", v.Size)
	switch {
	case v.Kept == "":
	case !v.Differs:
		s.writeText("evidence.kept", "evidence.as_received")
	case !v.Forgotten.IsZero():
		s.writeText("evidence.kept", "evidence.forgotten_in", "hash", v.Kept, "at", FormatUTC(v.Forgotten.Time))
	default:
		s.writeText("evidence.kept", "evidence.masked_in", "hash", v.Kept)
	}
	return s.writeTo(w)
}

// Erasure is what the erasure of a payer did, or would do.
type Erasure struct{ casework.ErasureSummary }

// WriteText writes it on one line.
func (v Erasure) WriteText(w io.Writer, l Language) error {
	if !v.Found() {
		_, err := fmt.Fprintln(w, l.text("evidence.payer_not_found", "payer", v.Subject, "read", v.Read))
		return err
	}
	id := "evidence.blanked"
	if v.DryRun {
		id = "evidence.would_blank"
	}
	fmt.Fprintln(w, l.text(id, "payer", v.Subject, "bodies", v.Bodies, "read", v.Read, "records", l.Count(int64(v.Records), "record"),
		"versions", l.Count(int64(v.Versions), "version"), "rows", l.Count(int64(v.Rows), "row_not_parsed")))
	for _, file := range v.Published {
		fmt.Fprintln(w, l.text("evidence.may_show", "file", Escape(file)))
	}
	return nil
}
