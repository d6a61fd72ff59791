package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"concilia/export"
)

func newVerify(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "verify PATH",
		Short: "check published files again, offline: hashes, totals, identities",
		Long: `verify checks every file published below a folder: its hash against the manifest, its sums against the manifest
and control, its identities, CNAB files against the columns of the standard, the chain of revisions. It needs no ledger
and no network. A missing file is a fault, and so is a folder in which nothing is published.

If the configured ledger is available, verify also checks its log of acts: a changed, missing or moved act is a fault.
Every control records the last act of the log when it was published; a log without that act was truncated or rewritten
since, which is a fault. Every file must have the hash with which the ledger published it, and a file that a tombstone
declares deleted must be deleted according to the ledger. Files of other ledgers are not compared with this one.

Exit status: 0 clean; 20 faults found, each named; 50 unreadable; 2 usage; 130 interrupted.`,
		Args: exactly(1, "a folder or a manifest"),
		RunE: func(cmd *cobra.Command, args []string) error { return g.verify(cmd.Context(), args[0]) },
	}
}

func (g *globals) verify(ctx context.Context, path string) error {
	report, err := export.Verify(ctx, path)
	if err != nil {
		return unreadable(err)
	}
	faults := []string{}
	for _, f := range report.Faults {
		faults = append(faults, f.String())
	}
	acts, err := g.verifyActs(ctx, &report)
	if err != nil {
		return err
	}
	faults = append(append(faults, acts.faults...), acts.setFaults...)
	if acts.unread != "" && !g.quiet {
		fmt.Fprintf(g.stderr, "the log of acts was not checked: %s\n", acts.unread)
	}
	if g.json {
		if err := json.NewEncoder(g.stdout).Encode(map[string]any{
			"path": path, "sets": report.Sets, "files": report.Files, "faults": faults, "more": report.More,
			"acts_checked": acts.unread == "", "ends_compared": acts.ends, "sets_compared": acts.sets,
		}); err != nil {
			return err
		}
	} else {
		for _, f := range faults {
			fmt.Fprintf(g.stdout, "fault: %s\n", f)
		}
		if report.More > 0 {
			fmt.Fprintf(g.stdout, "and %s\n", things(report.More, "more fault", "more faults"))
		}
		verdict := "all as published"
		if len(faults) > 0 {
			verdict = things(len(faults)+report.More, "fault", "faults")
		}
		if acts.unread == "" {
			verdict += fmt.Sprintf("; log of acts: %s, held against %s; %s held against the ledger", things(len(acts.faults), "fault", "faults"),
				things(acts.ends, "published end", "published ends"), things(acts.sets, "set", "sets"))
		}
		fmt.Fprintf(g.stdout, "%s: %s, %s: %s\n", path, things(report.Sets, "set", "sets"), things(report.Files, "file", "files"), verdict)
	}
	if len(faults) > 0 {
		return codeError(exitBreaks)
	}
	return nil
}
