package cases

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
	"concilia/jobs"
	"concilia/jobs/agreements"
	"concilia/jobs/evaluate"
	"concilia/jobs/rules/assumptions"
)

// NewCalibrate is the command calibrate.
func NewCalibrate(inv *command.Invocation) *cobra.Command {
	var write string
	cmd := &cobra.Command{
		Use:   "calibrate [--write FILE]",
		Short: "choose between readings of undocumented members, from the ledger",
		Long: fmt.Sprintf(`calibrate tests every candidate reading of what the interface document leaves open against the rows of the
ledger, over all configured accounts. It does not call the service. Only rows for which the candidates give different
values count.

A reading is decided if it is right on at least %d %% of the rows that distinguish it from each other candidate, if there
are at least %d such rows, and if the other candidate is right on at least %d percentage points fewer of them. Otherwise,
and when accounts contradict each other, the reading is left as it is. The unit of rates is decided first; readings that
depend on it are measured with that unit.

What a payer below banks of the configuration says is measured (grain, per_account, net_of_splits, slip_tariff) is tried in
every combination on the settled days of the last 60: each value is told with the reais that it matches by day and cents. One
is decided that matches 2 %% more than any other, on 10 days at least.

Below the readings is what the first nights measured about the date ranges of the lists: whether the first and the last
day asked for are included in the answer.

calibrate changes nothing by itself: --write creates a profile file with the decided readings and those in force that
differ from the defaults, and the next run uses the file if profile names it in the configuration. An existing file with
other content is never overwritten.

Exit status: 0 every reading with rows to decide it is decided; 10 at least one is not; 2 usage, or FILE exists; 40
configuration; 50 the ledger is unreachable; 130 interrupted.`, assumptions.EnoughHits, assumptions.EnoughRows, assumptions.ClearMargin),
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return calibrateReadings(cmd.Context(), inv, write) },
	}
	cmd.Flags().StringVar(&write, "write", "", "write a profile file to `FILE`, which must not exist")
	return cmd
}

func calibrateReadings(ctx context.Context, inv *command.Invocation, write string) error {
	w, done, err := inv.WireWorker(ctx, wire.WantKept)
	if err != nil {
		return err
	}
	defer done()
	c, err := w.Calibrate(ctx)
	if err != nil {
		return err
	}
	if write != "" {
		if err := writeProfile(write, profileFile(c)); err != nil {
			return err
		}
	}
	if err := inv.WritePage(view.CalibrationOf(c, write)); err != nil {
		return err
	}
	if c.Undecided() {
		return exit.Status(jobs.ExitWarnings)
	}
	return nil
}

// profileFile is the profile with what was decided, and how sure that is.
func profileFile(c *evaluate.CalibrationResult) []byte {
	var keys []agreements.ProfileKey
	notes := map[agreements.ProfileKey]string{}
	for i := range c.Answers {
		a := &c.Answers[i]
		chosen := slices.IndexFunc(a.Fits, func(f assumptions.Fit) bool { return f.Value == strings.Join(a.Values, ", ") })
		for k, key := range a.Keys {
			notes[key] = "in force, not decided by the ledger"
			if a.Verdicts[k].Decided() {
				keys = append(keys, key)
				notes[key] = string(a.Verdicts[k])
			}
			if a.Verdicts[k].Decided() && chosen >= 0 {
				notes[key] = fmt.Sprintf("%s: fits %d of %d rows that tell", a.Verdicts[k], a.Fits[chosen].Hits, a.Rows)
			}
		}
	}
	for i := range c.Banks {
		if k := &c.Banks[i]; k.Decided {
			notes[agreements.BankProfileKey(k.Bank, k.Payer, k.Key)] = fmt.Sprintf("matches by day and cents on %d days", k.Days)
		}
	}
	return c.Profile.RenderFile(keys, func(k agreements.ProfileKey) string { return notes[k] })
}

// writeProfile makes the file, whole or not at all. A file with the same content is left as it is, one with other content is
// never overwritten.
func writeProfile(path string, data []byte) error {
	taken := func() error {
		have, err := os.ReadFile(path)
		if err == nil && bytes.Equal(have, data) {
			return nil
		}
		return exit.NewUsageError("error.file_taken", "hint.file_taken", "flag", "--write", "path", path)
	}
	if _, err := os.Lstat(path); err == nil {
		return taken()
	}
	failed := func(err error) error {
		return exit.NewUsageError("error.file_unwritable", "hint.file_unwritable", "flag", "--write", "path", path, "cause", exit.Cause(err))
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".profile-*")
	if err != nil {
		return failed(err)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return failed(err)
	}
	// A link, unlike a rename, never takes the place of what another process put there meanwhile.
	switch err := os.Link(f.Name(), path); {
	case errors.Is(err, fs.ErrExist):
		return taken()
	case err != nil:
		return failed(err)
	}
	return nil
}
