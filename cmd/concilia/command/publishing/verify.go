package publishing

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/audit"
	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/export/manifest"
	"concilia/export/publish"
	"concilia/export/verify"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/store"
	"concilia/store/published"
)

// NewVerify is the command verify.
func NewVerify(inv *command.Invocation) *cobra.Command {
	var keyFile string
	cmd := &cobra.Command{
		Use:   "verify PATH",
		Short: "check published files again, offline: hashes, totals, identities",
		Long: `verify checks every file published below a folder: its hash against the manifest, its sums against the manifest
and control, its identities, CNAB files against the columns of the standard, the chain of revisions. It needs no ledger
and no network. A missing file is a fault, and so is a folder in which nothing is published.

If the configured ledger is available, verify also checks its log of acts: a changed, missing or moved act is a fault.
Every control records the last act of the log when it was published; a log without that act was truncated or rewritten
since, which is a fault. Every file must have the hash with which the ledger published it, and a file that a tombstone
declares deleted must be deleted according to the ledger. A revision that the ledger does not know is a fault, unless its run
has not ended. The content digest of each set is computed again from the rows that
the ledger has as of its run; sets in another layout than today's are held by hash alone, and counted. Every manifest says where the
records of runs, and what was concluded of its accounts, ended when it was made: a ledger that no longer has those ends was changed
behind the program, its own digests included. In the folder of reports.out every set that was delivered there
must be; what waits for delivery is counted, and is no fault. Sets of other ledgers are counted and not compared with
this one.

With --key every manifest must have been signed with that key (reports.signing_key_file): whoever can write to the folder can
make files that agree with each other, but no signature. Without a key, and without the ledger, verify cannot know who made
what it read. Extracts are not signed.

Of an archive, which reports.archive names, verify hashes every file and looks for those that its manifests list.

Exit status: 0 clean; 20 faults found, each named; 50 unreadable; 2 usage; 130 interrupted.`,
		Args: command.ExactArgs(1, "argument.folder_or_manifest"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return verifyFiles(cmd.Context(), inv, args[0], keyFile)
		},
	}
	cmd.Flags().StringVar(&keyFile, "key", "", "`FILE` with the public key that every manifest must be signed with")
	return cmd
}

func verifyFiles(ctx context.Context, inv *command.Invocation, path, keyFile string) error {
	if strings.Contains(path, "://") || publish.IsArchiveFolder(path) {
		if keyFile != "" {
			return exit.NewUsageError("error.archive_unsigned", "hint.archive_unsigned")
		}
		return verifyArchive(ctx, inv, path)
	}
	var key ed25519.PublicKey
	if keyFile != "" {
		var err error
		if key, err = manifest.ReadVerifyKey(keyFile); err != nil {
			return exit.NewUsageError("error.flag_cause", "hint.public_key", "flag", "--key", "cause", exit.Cause(err))
		}
	}
	report, err := verify.CheckTree(ctx, path, key)
	if err != nil {
		return exit.ExplainUnreadable(err)
	}
	compared, unread, err := compareWithLedger(ctx, inv, path, &report)
	if err != nil {
		return err
	}
	page := &view.Verification{
		Path: path, Sets: report.Sets, Signed: report.Signed, Files: report.Files, Faults: []words.Message{}, More: report.OmittedFaults,
		ActsChecked: unread.ID == "", EndsCompared: compared.Ends, SetsCompared: compared.Sets, DigestsComputed: compared.Digests,
		ChainsCompared: compared.Chained, HashesOnly: compared.HashesOnly, Forgotten: compared.Forgotten, Waiting: compared.Waiting,
		Foreign: compared.Foreign, Unfinished: compared.Unfinished, ActFaults: len(compared.ActFaults),
	}
	for _, f := range report.Faults {
		page.Faults = append(page.Faults, f.Message())
	}
	page.Faults = append(append(page.Faults, compared.ActFaults...), compared.SetFaults...)
	if unread.ID != "" && !inv.Quiet {
		fmt.Fprintln(inv.Stderr, words.Text(inv.Language, "verify.acts_unread", "why", unread.In(string(inv.Language))))
	}
	if key == nil && unread.ID != "" && !inv.Quiet {
		fmt.Fprintln(inv.Stderr, words.Text(inv.Language, "verify.unsigned"))
	}
	if err := inv.WritePage(page); err != nil {
		return err
	}
	if len(page.Faults) > 0 {
		return exit.Status(exit.Breaks)
	}
	return nil
}

// compareWithLedger compares what was published with the configured ledger. unread says why it was not; empty: it was. No ledger is
// made if there is none.
func compareWithLedger(ctx context.Context, inv *command.Invocation, path string, result *verify.Result) (out *audit.Comparison, unread words.Message, err error) {
	l, c, unread, err := ledgerAtHand(ctx, inv)
	if err != nil || l == nil {
		return &audit.Comparison{}, unread, err
	}
	defer func() { _ = l.Close() }() // only read: a failed close loses nothing
	recompute, done, err := digestsOf(c, l)
	if err != nil {
		return nil, unread, err
	}
	defer done()
	out, err = audit.Compare(ctx, l, &audit.Published{Path: path, Target: c.Reports.Target(), Result: result, Recompute: recompute})
	return out, unread, err
}

// digestsOf returns what computes the content digest of a revision from the ledger. done removes what that needed.
func digestsOf(c *config.Config, l *store.Ledger) (recompute func(context.Context, *published.Set) (string, error), done func(), err error) {
	w := &jobs.Worker{Ledger: l, Reports: wire.ReportSettings(c)}
	if err := wire.LoadAgreements(c, w); err != nil {
		return nil, nil, err
	}
	dir, err := publish.MakeTemporary("verify")
	if err != nil {
		return nil, nil, err
	}
	recompute = func(ctx context.Context, kept *published.Set) (string, error) {
		return w.RecomputeDigest(ctx, kept, dir)
	}
	return recompute, func() { _ = os.RemoveAll(dir) }, nil
}

// ledgerAtHand opens the configured ledger, or returns why there is none.
func ledgerAtHand(ctx context.Context, inv *command.Invocation) (l *store.Ledger, c *config.Config, unread words.Message, err error) {
	if _, err := os.Stat(inv.ConfigPath); err != nil {
		return nil, nil, words.NewMessage("verify.no_configuration", "path", inv.ConfigPath), nil //nolint:nilerr // offline, as it may be
	}
	if c, err = config.LoadOffline(inv.ConfigPath, inv.Lookup); err != nil {
		return nil, nil, words.NewMessage("verify.bad_configuration", "path", inv.ConfigPath), nil //nolint:nilerr // as above
	}
	dsn := inv.LedgerAddress(c)
	if wire.CheckLedgerFile(dsn) != nil {
		return nil, nil, words.NewMessage("verify.no_ledger"), nil
	}
	l, err = store.Open(ctx, dsn)
	if exit.IsUnavailable(err) {
		return nil, nil, words.NewMessage("problem.text", "cause", err), nil
	}
	return l, c, unread, err
}

// verifyArchive hashes every file of the archive at a place: a folder, or a URL as reports.archive names it.
func verifyArchive(ctx context.Context, inv *command.Invocation, place string) error {
	var o publish.Options
	if strings.Contains(place, "://") {
		c, err := config.LoadPublishing(inv.ConfigPath, inv.Lookup)
		if err != nil {
			return err
		}
		o = wire.TargetOptions(c, inv.Wall)
	}
	a, err := publish.OpenArchive(place, o)
	if err != nil {
		return err
	}
	report, err := a.Verify(ctx)
	if err != nil {
		return exit.ExplainUnreadable(err)
	}
	err = inv.WritePage(&view.ArchiveVerification{
		Path: place, Sets: report.Manifests, Files: report.Files, Faults: append([]words.Message{}, report.Faults...), More: report.More,
	})
	if err == nil && len(report.Faults) > 0 {
		err = exit.Status(exit.Breaks)
	}
	return err
}
