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
no ledger and no network. A file that is missing is a fault.

Exit status: 0 clean; 20 faults found, each named; 50 unreadable; 2 usage.`,
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
	if g.json {
		if err := json.NewEncoder(g.stdout).Encode(map[string]any{
			"path": path, "sets": report.Sets, "files": report.Files, "faults": faults, "more": report.More,
		}); err != nil {
			return err
		}
	} else {
		for _, f := range faults {
			fmt.Fprintf(g.stdout, "fault: %s\n", f)
		}
		if report.More > 0 {
			fmt.Fprintf(g.stdout, "and %d more faults\n", report.More)
		}
		verdict := "all as published"
		if len(faults) > 0 {
			verdict = fmt.Sprintf("%d faults", len(faults)+report.More)
		}
		fmt.Fprintf(g.stdout, "%s: %d sets, %d files: %s\n", path, report.Sets, report.Files, verdict)
	}
	if len(faults) > 0 {
		return codeError(exitBreaks)
	}
	return nil
}
