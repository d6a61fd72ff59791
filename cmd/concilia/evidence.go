package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"concilia/export/words"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/progress"
	"concilia/cmd/concilia/view"
	"concilia/jobs/casework"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sqldb"

	"github.com/spf13/cobra"
)

func newEvidence(g *globals) *cobra.Command {
	cmd := commandGroup(&cobra.Command{Use: "evidence", Short: "show kept answers of the service, or erase a payer from them"})
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
		Args: exactArgs(1, "a pull"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.withCasework(cmd.Context(), func(d *casework.Handler) error { return g.showEvidence(cmd.Context(), d.Ledger, args[0]) })
		},
	}
}

func (g *globals) showEvidence(ctx context.Context, l *store.Ledger, id string) error {
	pulls, err := l.FindPulls(ctx, id)
	if err != nil {
		return err
	}
	if len(pulls) == 0 {
		return exit.Usagef("coverage and explain name pulls", "there is no pull %q", id)
	}
	p := &pulls[0]
	if p.SHA256 == "" {
		return exit.WithCode(fmt.Errorf("pull %s brought no answer: %s", p.ID, p.Failure), exit.Unreachable)
	}
	b, err := l.Body(ctx, p.SHA256)
	if errors.Is(err, sqldb.ErrNotFound) {
		b, err = nil, nil
	}
	if err != nil {
		return err
	}
	e, missing := view.EvidenceOf(p, b), explainMissingBody(p.ID, b)
	if g.json {
		return g.showEvidenceJSON(e, b, missing)
	}
	if !g.Quiet {
		_ = e.WriteText(g.Stderr, g.Language)
	}
	if missing != nil {
		return missing
	}
	out := g.exact
	if _, ok := progress.TerminalOf(out); ok {
		out = g.stdout // a file or a pipe gets the very bytes, a terminal none that it would obey
	}
	_, err = b.WriteTo(out)
	return explainDamage(err)
}

// showEvidenceJSON prints the pull with the bytes of its answer where they are not missing.
func (g *globals) showEvidenceJSON(e *view.Evidence, b *ledger.Body, missing error) error {
	if missing == nil {
		var text strings.Builder
		if _, err := b.WriteTo(&text); err != nil {
			return explainDamage(err)
		}
		e.AddBody(text.String())
	}
	return errors.Join(g.writePage(e), missing)
}

// explainMissingBody is nil where the bytes of an answer are kept, else an error with the reason.
func explainMissingBody(pull string, b *ledger.Body) error {
	switch {
	case b == nil:
		return exit.WithCode(fmt.Errorf("pull %s: the body of its answer was not kept, its SHA-256 is", pull), exit.Unreachable)
	case b.Packed == nil && b.ExpiredOn != 0:
		return exit.WithCode(fmt.Errorf("pull %s: the body of its answer was past its time and deleted on %s, its SHA-256 stays", pull, b.ExpiredOn), exit.Unreachable)
	case b.Packed == nil:
		return exit.WithCode(fmt.Errorf("pull %s: the body of its answer is gone, its SHA-256 stays", pull), exit.Unreachable)
	}
	return nil
}

// explainDamage gives bytes that are not those that were kept the exit code of a fault.
func explainDamage(err error) error {
	if errors.Is(err, ledger.ErrBodyDamaged) {
		return exit.WithCode(err, exit.Breaks)
	}
	return err
}

func newEvidenceForget(g *globals) *cobra.Command {
	var e casework.ErasureRequest
	cmd := &cobra.Command{
		Use:   "forget --payer DOCUMENT",
		Short: "erase a payer from kept bodies and versions of slips",
		Long: `forget overwrites a payer's document, name, phone and address with asterisks in every kept body of slips, without changing
lengths, and in rows that could not be parsed; the SHA-256 as received stays. In the versions of slips it leaves of the
document what reports show of one, and removes the rest; the hash of each version stays provable by a salted digest, and an
equal answer makes no new version. It is done completely or not at all, and recorded in the log of acts with the beginning of
the document's SHA-256, which does not identify the payer.

Published files, and their copies in the archive, are not changed. Those that may show the payer, because reports.identified
says so, are named; concilia verify then holds them by hash alone. Statements of banks are not searched. What the service
sends again in another answer is kept again.

Exit status: 0 done, or nothing to do; 2 usage; 20 the kept bytes are damaged; 40 configuration; 50 ledger unreachable.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if e.Document == "" {
				return exit.Usagef("for example --payer 123.456.789-09", "evidence forget needs --payer")
			}
			return g.withCasework(cmd.Context(), func(d *casework.Handler) error { return g.erasePayer(cmd.Context(), d, e) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&e.Document, "payer", "", "the payer's CPF or CNPJ")
	flags.StringVar(&e.Reason, "reason", "", "why, kept in the log of acts")
	flags.StringVar(&e.Actor, "as", "", "who acts (default: the operating system's user)")
	flags.BoolVar(&e.DryRun, "dry-run", false, "show what would be erased, and change nothing")
	return cmd
}

func (g *globals) erasePayer(ctx context.Context, d *casework.Handler, e casework.ErasureRequest) error {
	if e.Actor = strings.TrimSpace(e.Actor); e.Actor == "" {
		e.Actor = currentPerson()
	}
	done, err := d.ErasePayer(ctx, e)
	if err != nil {
		return explainDamage(err)
	}
	err = g.writePage(view.Erasure{ErasureSummary: done})
	if err == nil && !g.Quiet && !g.json {
		fmt.Fprintln(g.Stderr, words.Text(g.Language, "evidence.sent_again"))
	}
	return err
}
