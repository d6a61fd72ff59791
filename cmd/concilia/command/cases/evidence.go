package cases

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/progress"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
	"concilia/config/problem"
	"concilia/export/words"
	"concilia/jobs/casework"
	"concilia/store"
	"concilia/store/bank"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// NewEvidence is the command evidence and those below it.
func NewEvidence(inv *command.Invocation) *cobra.Command {
	cmd := command.MakeGroup(&cobra.Command{Use: "evidence", Short: "show kept answers of the service, or erase a payer from them"})
	cmd.AddCommand(newEvidenceShow(inv), newEvidenceForget(inv))
	return cmd
}

func newEvidenceShow(inv *command.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "show PULL|SHA256",
		Short: "print the body that a pull brought, or a statement of the bank",
		Long: `show writes the body of the answer that a pull brought to standard output, byte for byte as it is kept, and its
SHA-256 as received and as kept to standard error, with the reason if they differ. Card numbers are masked before anything
is kept, without changing their length. With --json it prints one object instead, with the body in "body" (in
"body_base64" if it is not text), or without it if the bytes were deleted.

A statement of a configured bank account is named by its SHA-256, as bank list --files --json has it, or by the beginning of it,
8 digits at least.

Bodies are kept for evidence.keep_days after the last pull that brought them, statements after the day they were taken in; their
hashes stay.

Exit status: 0 printed; 2 usage, or no such pull or statement; 20 the kept bytes are damaged; 40 configuration; 50 the bytes
were deleted, or ledger unreachable.`,
		Args: command.ExactArgs(1, "argument.a_pull_or_statement"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return inv.WithCasework(cmd.Context(), func(d *casework.Handler) error { return showEvidence(cmd.Context(), inv, d.Ledger, args[0]) })
		},
	}
}

func showEvidence(ctx context.Context, inv *command.Invocation, l *store.Ledger, id string) error {
	pulls, err := l.FindPulls(ctx, id)
	if err != nil {
		return err
	}
	if len(pulls) == 0 {
		return showStatementEvidence(ctx, inv, l, id)
	}
	p := &pulls[0]
	if p.SHA256 == "" {
		return exit.WithCode(words.NewFault("error.no_answer", "", "pull", p.ID, "cause", p.Failure), exit.Unreachable)
	}
	b, err := findBody(ctx, l, p.SHA256)
	if err != nil {
		return err
	}
	e := view.EvidenceOf(p, b)
	return writeEvidence(inv, e, &e.KeptBytes, b, explainMissingBody("pull "+p.ID, b))
}

// showStatementEvidence shows the only statement of the configured bank accounts whose hash begins so.
func showStatementEvidence(ctx context.Context, inv *command.Invocation, l *store.Ledger, begins string) error {
	c, err := inv.LoadConfig(0)
	if err != nil {
		return err
	}
	accounts, err := wire.BanksOf(c, "")
	if err != nil {
		return err
	}
	type kept struct {
		bank string
		file *bank.StatementFile
	}
	found := map[string]kept{} // by hash: bytes may have statements of several bank accounts
	for i := range accounts {
		a := &accounts[i]
		home, _, err := l.HomeOf(ctx, a.ID, a.Accounts[0])
		if err != nil {
			return err
		}
		files, err := l.StatementFiles(ctx, bank.Account{Home: home, ID: a.ID})
		if err != nil {
			return err
		}
		for n := range files {
			if f := &files[n]; len(begins) >= command.LeastHash && strings.HasPrefix(f.Bytes, strings.ToLower(begins)) {
				found[f.Bytes] = kept{a.ID, f}
			}
		}
	}
	switch {
	case len(found) == 0:
		return exit.NewUsageError("error.no_evidence", "hint.evidence_listed", "name", problem.Shown(begins))
	case len(found) > 1:
		return exit.NewUsageError("error.several_statements", "hint.more_digits", "n", len(found), "name", begins)
	}
	for sum, of := range found {
		b, err := findBody(ctx, l, sum)
		if err != nil {
			return err
		}
		e := view.StatementEvidenceOf(of.bank, of.file, b)
		return writeEvidence(inv, e, &e.KeptBytes, b, explainMissingBody("statement "+sum, b))
	}
	return nil
}

// findBody is what is kept of bytes by their hash; nil: nothing is.
func findBody(ctx context.Context, l *store.Ledger, sum string) (*ledger.Body, error) {
	b, err := l.Body(ctx, sum)
	if errors.Is(err, sqldb.ErrNotFound) {
		return nil, nil
	}
	return b, err
}

// writeEvidence prints the bytes that were kept, and what is known of them; missing says why there are none.
func writeEvidence(inv *command.Invocation, e view.Page, kept *view.KeptBytes, b *ledger.Body, missing error) error {
	if inv.JSON {
		if missing == nil {
			var text strings.Builder
			if _, err := b.WriteTo(&text); err != nil {
				return explainDamage(err)
			}
			kept.AddBody(text.String())
		}
		return errors.Join(inv.WritePage(e), missing)
	}
	if !inv.Quiet {
		_ = e.WriteText(inv.Stderr, inv.Language)
	}
	if missing != nil {
		return missing
	}
	out := inv.Exact
	if _, ok := progress.TerminalOf(out); ok {
		out = inv.Stdout // a file or a pipe gets the very bytes, a terminal none that it would obey
	}
	_, err := b.WriteTo(out)
	return explainDamage(err)
}

// explainMissingBody is nil where the bytes of an answer are kept, else an error with the reason.
func explainMissingBody(what string, b *ledger.Body) error {
	switch {
	case b == nil:
		return exit.WithCode(words.NewFault("error.bytes_not_kept", "", "what", what), exit.Unreachable)
	case b.Packed == nil && b.ExpiredOn != 0:
		return exit.WithCode(words.NewFault("error.bytes_expired", "", "what", what, "day", b.ExpiredOn), exit.Unreachable)
	case b.Packed == nil:
		return exit.WithCode(words.NewFault("error.bytes_gone", "", "what", what), exit.Unreachable)
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

func newEvidenceForget(inv *command.Invocation) *cobra.Command {
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
says so, are named; concilia verify then holds them by hash alone. What the service sends again in another answer is kept again.

In the kept bytes of banks' statements, and in the texts of their lines, it overwrites the document and the names that slips give the
payer; their SHA-256 stays, and lines are matched and told apart by it as before.

Exit status: 0 done, or nothing to do; 2 usage; 20 the kept bytes are damaged; 40 configuration; 50 ledger unreachable.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if e.Document == "" {
				return exit.NewUsageError("error.needs_payer", "hint.example", "example", "--payer 123.456.789-09")
			}
			return inv.WithCasework(cmd.Context(), func(d *casework.Handler) error { return erasePayer(cmd.Context(), inv, d, e) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&e.Document, "payer", "", "the payer's CPF or CNPJ")
	flags.StringVar(&e.Reason, "reason", "", "why, kept in the log of acts")
	flags.StringVar(&e.Actor, "as", "", "who acts (default: the operating system's user)")
	flags.BoolVar(&e.DryRun, "dry-run", false, "show what would be erased, and change nothing")
	return cmd
}

func erasePayer(ctx context.Context, inv *command.Invocation, d *casework.Handler, e casework.ErasureRequest) error {
	e.Actor = command.NameActor(e.Actor)
	done, err := d.ErasePayer(ctx, e)
	if err != nil {
		return explainDamage(err)
	}
	err = inv.WritePage(view.Erasure{ErasureSummary: done})
	if err == nil && !inv.Quiet && !inv.JSON {
		fmt.Fprintln(inv.Stderr, words.Text(inv.Language, "evidence.sent_again"))
	}
	return err
}
