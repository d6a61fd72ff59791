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
		Long: `verify reads every file published below a folder again: its hash against the manifest, its sums against the
manifest and control, its identities, the CNAB files by the standard's own columns, the chain of revisions. It needs
no ledger and no network. A file that is missing is a fault, and so is a folder where nothing is published.

Where the configured ledger is at hand, its log of acts is walked too: an act that was changed, left out or moved is a
fault. Every control says where the log ended when it was published; a log that lacks that act was cut or told anew
since, which is a fault. Every file has to have the hash the ledger published it with, and one that a tombstone says
was past its days has to be gone by the ledger too. Files of another ledger are not held against this one.

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
