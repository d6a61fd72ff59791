package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"concilia/jobs/casework"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sqldb"

	"github.com/spf13/cobra"
)

func newEvidence(g *globals) *cobra.Command {
	cmd := group(&cobra.Command{Use: "evidence", Short: "show kept answers of the service, or erase a payer from them"})
	cmd.AddCommand(newEvidenceShow(g), newEvidenceForget(g))
	return cmd
}

func newEvidenceShow(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "show PULL",
		Short: "print the body that a pull brought",
		Long: `show writes the body of the answer that a pull brought to standard output, byte for byte as it is kept, and its
SHA-256 as received and as kept to standard error, with the reason if they differ. Card numbers are masked before anything
is kept, without changing their length. With --json it prints one object instead, with the body in "body" (in
"body_base64" if it is not text), or without it if the bytes were deleted.

Bodies are kept for evidence.keep_days after the last pull that brought them; their hashes stay.

Exit status: 0 printed; 2 usage, or no such pull; 20 the kept bytes are damaged; 40 configuration; 50 the bytes of the
answer were deleted, or ledger unreachable.`,
		Args: exactly(1, "a pull"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.withDesk(cmd.Context(), func(d *casework.Handler) error { return g.showEvidence(cmd.Context(), d.Ledger, args[0]) })
		},
	}
}

// evidence is a pull and the body it brought, in evidence show --json.
type evidence struct {
	Pull      string `json:"pull"`
	Run       string `json:"run"`
	Account   int64  `json:"account"`
	Source    string `json:"source"`
	From      string `json:"from"`
	To        string `json:"to"`
	Began     string `json:"began"`
	Received  string `json:"sha256_received"`
	Kept      string `json:"sha256_kept,omitempty"`
	Differs   bool   `json:"differs"`
	Size      int64  `json:"size"`
	Forgotten string `json:"forgotten,omitempty"` // when a payer was last blanked in it
	Expired   string `json:"expired,omitempty"`   // when its bytes were deleted
	Body      string `json:"body,omitempty"`
	Base64    string `json:"body_base64,omitempty"`
}

func evidenceOf(p *ledger.Pull, b *ledger.Body) evidence {
	e := evidence{
		Pull: p.ID, Run: p.Run, Account: int64(p.Window.Account), Source: string(p.Window.Source),
		From: p.Window.Period.From.String(), To: p.Window.Period.To.String(), Began: p.Began.UTC().Format(time.RFC3339),
		Received: p.SHA256, Size: p.Bytes,
	}
	if b == nil {
		return e
	}
	e.Kept, e.Differs = b.Kept, b.Changed()
	if !b.Forgotten.IsZero() {
		e.Forgotten = b.Forgotten.Format(time.RFC3339)
	}
	if b.Packed == nil {
		e.Expired = b.ExpiredOn.String()
	}
	return e
}

func (g *globals) showEvidence(ctx context.Context, l *store.Ledger, id string) error {
	pulls, err := l.FindPulls(ctx, id)
	if err != nil {
		return err
	}
	if len(pulls) == 0 {
		return usage("coverage and explain name pulls", "there is no pull %q", id)
	}
	p := &pulls[0]
	if p.SHA256 == "" {
		return &withCode{fmt.Errorf("pull %s brought no answer: %s", p.ID, p.Failure), exitUnreachable}
	}
	b, err := l.Body(ctx, p.SHA256)
	if errors.Is(err, sqldb.ErrNotFound) {
		b, err = nil, nil
	}
	if err != nil {
		return err
	}
	e := evidenceOf(p, b)
	if g.json {
		return g.evidenceJSON(e, b)
	}
	if !g.quiet {
		fmt.Fprint(g.stderr, e.describe())
	}
	if err := e.gone(b); err != nil {
		return err
	}
	_, err = b.WriteTo(g.stdout)
	return damaged(err)
}

func (g *globals) evidenceJSON(e evidence, b *ledger.Body) error {
	gone := e.gone(b)
	if gone == nil {
		var text strings.Builder
		if _, err := b.WriteTo(&text); err != nil {
			return damaged(err)
		}
		if e.Body = text.String(); !utf8.ValidString(e.Body) {
			e.Body, e.Base64 = "", base64.StdEncoding.EncodeToString([]byte(text.String()))
		}
	}
	encoder := json.NewEncoder(g.stdout)
	encoder.SetEscapeHTML(false)
	return errors.Join(encoder.Encode(e), gone)
}

// gone says that, and why, there are no bytes to give back.
func (e *evidence) gone(b *ledger.Body) error {
	switch {
	case b == nil:
		return &withCode{fmt.Errorf("pull %s: the body of its answer was not kept, its SHA-256 is", e.Pull), exitUnreachable}
	case b.Packed == nil && e.Expired != "":
		return &withCode{fmt.Errorf("pull %s: the body of its answer was past its time and deleted on %s, its SHA-256 stays", e.Pull, e.Expired), exitUnreachable}
	case b.Packed == nil:
		return &withCode{fmt.Errorf("pull %s: the body of its answer is gone, its SHA-256 stays", e.Pull), exitUnreachable}
	}
	return nil
}

// damaged gives bytes that are not those that were kept the exit code of a fault.
func damaged(err error) error {
	if errors.Is(err, ledger.ErrBodyDamaged) {
		return &withCode{err, exitBreaks}
	}
	return err
}

func (e *evidence) describe() string {
	var b strings.Builder
	period := e.From
	if e.To != e.From {
		period += ".." + e.To
	}
	fmt.Fprintf(&b, "pull      %s\nasked     %s of account %d, %s, at %s\nreceived  sha256 %s, %d bytes\n",
		e.Pull, e.Source, e.Account, period, e.Began, e.Received, e.Size)
	switch {
	case e.Kept == "":
		return b.String()
	case !e.Differs:
		b.WriteString("kept      as received\n")
	case e.Forgotten != "":
		fmt.Fprintf(&b, "kept      sha256 %s: it differs, a payer was forgotten in it at %s\n", e.Kept, e.Forgotten)
	default:
		fmt.Fprintf(&b, "kept      sha256 %s: it differs, card numbers are masked in it\n", e.Kept)
	}
	return b.String()
}
