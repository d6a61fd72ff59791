package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/user"
	"strings"

	"concilia/jobs/casework"

	"github.com/spf13/cobra"
)

func newEvidenceForget(g *globals) *cobra.Command {
	var e casework.ErasureRequest
	cmd := &cobra.Command{
		Use:   "forget --payer DOCUMENT",
		Short: "erase a payer from the kept bodies",
		Long: `forget overwrites a payer's document, name, phone and address with asterisks in every kept body of slips, without changing
lengths; the SHA-256 as received stays. It is done completely or not at all, and recorded in the log of acts with the
beginning of the document's SHA-256, which does not identify the payer.

The versions of slips in the ledger are facts and are not changed, nor are quarantined rows; reports mask payers. What
the service sends again in another answer is kept again.

Exit status: 0 done, or nothing to do; 2 usage; 20 the kept bytes are damaged; 40 configuration; 50 ledger unreachable.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if e.Document == "" {
				return usage("for example --payer 123.456.789-09", "evidence forget needs --payer")
			}
			return g.withDesk(cmd.Context(), func(d *casework.Handler) error { return g.forget(cmd.Context(), d, e) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&e.Document, "payer", "", "the payer's CPF or CNPJ")
	flags.StringVar(&e.Reason, "reason", "", "why, kept in the log of acts")
	flags.StringVar(&e.Actor, "as", "", "who acts (default: the operating system's user)")
	flags.BoolVar(&e.DryRun, "dry-run", false, "show what would be erased, and change nothing")
	return cmd
}

func (g *globals) forget(ctx context.Context, d *casework.Handler, e casework.ErasureRequest) error {
	if e.Actor = strings.TrimSpace(e.Actor); e.Actor == "" {
		// Without a name of the system the request itself asks for --as.
		if u, err := user.Current(); err == nil {
			e.Actor = u.Username
		}
	}
	done, err := d.ErasePayer(ctx, e)
	if err != nil {
		return damaged(err)
	}
	if g.json {
		return json.NewEncoder(g.stdout).Encode(done)
	}
	switch {
	case done.Bodies == 0:
		_, err = fmt.Fprintf(g.stdout, "%s is in none of the %d kept bodies of slips\n", done.Subject, done.Read)
	case e.DryRun:
		_, err = fmt.Fprintf(g.stdout, "%s would be blanked in %d of %d kept bodies of slips, %s\n",
			done.Subject, done.Bodies, done.Read, things(done.Records, "record", "records"))
	default:
		_, err = fmt.Fprintf(g.stdout, "%s is blanked in %d of %d kept bodies of slips, %s\n",
			done.Subject, done.Bodies, done.Read, things(done.Records, "record", "records"))
	}
	if err == nil && !g.quiet {
		fmt.Fprintln(g.stderr, "versions of slips in the ledger are facts and stay; what the service sends again is kept again")
	}
	return err
}
