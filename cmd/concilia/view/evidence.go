package view

import (
	"encoding/base64"
	"fmt"
	"io"
	"unicode/utf8"

	"concilia/jobs/casework"
	"concilia/store/bank"
	"concilia/store/ledger"
)

// Evidence is a pull and the body of the answer it brought.
type Evidence struct {
	Pull    string         `json:"pull"`
	Run     string         `json:"run"`
	Account ledger.Account `json:"account"`
	Source  ledger.Source  `json:"source"`
	From    ledger.Date    `json:"from"`
	To      ledger.Date    `json:"to"`
	Began   Instant        `json:"began"`
	KeptBytes
}

// StatementEvidence is a statement of a bank and the bytes it came in.
type StatementEvidence struct {
	Bank  string  `json:"bank"`
	File  string  `json:"file"`
	Actor string  `json:"actor"`
	Taken Instant `json:"taken"`
	KeptBytes
}

// KeptBytes are what is known about bytes that were kept, and the bytes where they are asked for.
type KeptBytes struct {
	Received  string      `json:"sha256_received"`
	Kept      string      `json:"sha256_kept,omitempty"`
	Differs   bool        `json:"differs"`
	Size      int64       `json:"size"`
	Forgotten Instant     `json:"forgotten,omitzero"` // when a payer was last blanked in it
	Expired   ledger.Date `json:"expired,omitzero"`   // when its bytes were deleted
	Body      string      `json:"body,omitempty"`
	Base64    string      `json:"body_base64,omitempty"` // of a body that is no text
}

// EvidenceOf is a pull with what is known about its body, without the bytes; nil: the body was not kept.
func EvidenceOf(p *ledger.Pull, b *ledger.Body) *Evidence {
	e := &Evidence{
		Pull: p.ID, Run: p.Run, Account: p.Window.Account, Source: p.Window.Source,
		From: p.Window.Period.From, To: p.Window.Period.To, Began: Instant{p.Began}, KeptBytes: KeptBytes{Received: p.SHA256, Size: p.Bytes},
	}
	e.describeBody(b)
	return e
}

// StatementEvidenceOf is a statement of a bank account with what is known about its bytes, as EvidenceOf.
func StatementEvidenceOf(id string, f *bank.StatementFile, b *ledger.Body) *StatementEvidence {
	e := &StatementEvidence{Bank: id, File: f.Name, Actor: f.Actor, Taken: Instant{f.Taken}, KeptBytes: KeptBytes{Received: f.Bytes}}
	e.describeBody(b)
	return e
}

// describeBody sets what is known about a body, without its bytes.
func (k *KeptBytes) describeBody(b *ledger.Body) {
	if b == nil {
		return
	}
	k.Kept, k.Differs, k.Size, k.Forgotten = b.Kept, b.Changed(), b.Size, Instant{b.Forgotten}
	if b.Packed == nil {
		k.Expired = b.ExpiredOn
	}
}

// AddBody adds the bytes for JSON.
func (k *KeptBytes) AddBody(body string) {
	if utf8.ValidString(body) {
		k.Body = body
		return
	}
	k.Base64 = base64.StdEncoding.EncodeToString([]byte(body))
}

// WriteText writes what is known about the body.
func (v *Evidence) WriteText(w io.Writer, l Language) error {
	s := NewScreen(l, 9)
	days := l.FormatDay(v.From)
	if v.To != v.From {
		days = l.FormatDays(v.From, v.To)
	}
	s.AddLine("evidence.pull", v.Pull)
	s.AddText("evidence.asked", "evidence.asked_for", "list", l.label("source", string(v.Source)), "account", v.Account, "days", days, "at", FormatUTC(v.Began.Time))
	v.writeKept(s)
	return s.Print(w)
}

// WriteText writes what is known about the bytes.
func (v *StatementEvidence) WriteText(w io.Writer, l Language) error {
	s := NewScreen(l, 9)
	s.AddLine("evidence.statement", Escape(v.File))
	s.AddText("evidence.taken", "evidence.taken_in", "bank", v.Bank, "actor", Escape(v.Actor), "at", FormatUTC(v.Taken.Time))
	v.writeKept(s)
	return s.Print(w)
}

// writeKept writes the hashes of bytes, and why they differ.
func (k *KeptBytes) writeKept(s *Screen) {
	s.AddText("evidence.received", "evidence.received_bytes", "hash", k.Received, "bytes", k.Size)
	switch {
	case k.Kept == "":
	case !k.Differs:
		s.AddText("evidence.kept", "evidence.as_received")
	case !k.Forgotten.IsZero():
		s.AddText("evidence.kept", "evidence.forgotten_in", "hash", k.Kept, "at", FormatUTC(k.Forgotten.Time))
	default:
		s.AddText("evidence.kept", "evidence.masked_in", "hash", k.Kept)
	}
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
		"versions", l.Count(int64(v.Versions), "version"), "rows", l.Count(int64(v.Rows), "row_not_parsed"),
		"statements", l.Count(int64(v.Statements), "bank_statement"), "lines", l.Count(int64(v.Lines), "bank_line")))
	for _, file := range v.Published {
		fmt.Fprintln(w, l.text("evidence.may_show", "file", Escape(file)))
	}
	return nil
}
