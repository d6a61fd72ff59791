package upkeep

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/jobs/publish"
	"concilia/store"
	"concilia/store/published"
)

// NewLedger is the command ledger and those below it.
func NewLedger(inv *command.Invocation) *cobra.Command {
	cmd := command.MakeGroup(&cobra.Command{Use: "ledger", Short: "check the ledger, back it up while it is in use, or prune it"})
	check := &cobra.Command{
		Use:   "check",
		Short: "read the whole ledger again and name what does not fit",
		Long: `check verifies the whole ledger and changes nothing, except that missing tables are made first. It checks
the structures of the database; that the versions of every installment and slip are complete and match their
hashes; that the pulls they came from are recorded; that every case is there and agrees with its last event; that the records
of runs, and the expectations, bridges and sums they concluded, are as they were recorded; the documents; the kept
bodies of answers, each decompressed and hashed; the lines and days of bank accounts, computed from their statements
again; the hash chain of the acts; that the archive has each published file that the ledger names, with its size
(concilia verify hashes them all); and that the records of runs and what was concluded end as the last published manifest of each
account says, so that a ledger is found whose own digests were computed again after a change. It takes no lock and reads the ledger as it
was at one instant, so a run may write at the same time.

Exit status: 0 clean; 20 faults found, the first hundred named; 50 ledger or archive unreadable; 40 configuration;
2 usage; 130 interrupted.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return checkLedger(cmd.Context(), inv) },
	}
	backup := &cobra.Command{
		Use:   "backup FILE",
		Short: "copy a ledger on SQLite into a new file while runs go on",
		Long: `backup copies a snapshot of the ledger into a new file, also while runs write to it. The file gets its name only when it
is complete, synced and checked; an existing file is never overwritten. The copy can be used as a ledger: name it in
ledger.dsn. The inbox beside the ledger, where notifications wait for a run, is copied beside FILE.

A ledger on Postgres is backed up by Postgres: pg_dump --format=custom.

Exit status: 0 copied; 2 usage, an existing file, or a ledger on Postgres; 40 configuration; 50 the ledger
or the file's disk is not available; 130 interrupted.`,
		Args: command.ExactArgs(1, "argument.file_to_write"),
		RunE: func(cmd *cobra.Command, args []string) error { return backupLedger(cmd.Context(), inv, args[0]) },
	}
	cmd.AddCommand(check, backup, newLedgerPrune(inv))
	return cmd
}

// withLedger opens the configured ledger for fn, with the tables it has. A ledger that is not there is made by a
// run; here a mistyped path would be a clean ledger.
func withLedger(ctx context.Context, inv *command.Invocation, fn func(*store.Ledger) error) error {
	c, err := inv.LoadConfig(0)
	if err != nil {
		return err
	}
	dsn := inv.LedgerAddress(c)
	if err := wire.CheckLedgerFile(dsn); err != nil {
		return err
	}
	l, err := store.Open(ctx, dsn)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // nothing was written that is not committed
	return fn(l)
}

func checkLedger(ctx context.Context, inv *command.Invocation) error {
	var report *store.CheckReport
	archived := &publish.CheckReport{}
	err := withLedger(ctx, inv, func(l *store.Ledger) (err error) {
		// Every row is read as this program keeps it.
		if _, _, err := l.Migrate(ctx); err != nil {
			return err
		}
		if report, err = l.Check(ctx); err == nil {
			archived, err = checkArchive(ctx, inv, l)
		}
		return err
	})
	if err != nil {
		return err
	}
	report.Faults, report.More = append(report.Faults, archived.Faults...), report.More+archived.More
	err = inv.WritePage(view.LedgerCheckOf(report, archived.Files))
	if err == nil && len(report.Faults) > 0 {
		err = exit.Status(exit.Breaks)
	}
	return err
}

// backupInbox copies the inbox of a ledger on SQLite next to the copy of the ledger, and gives the copy's name; none when there is none.
func backupInbox(ctx context.Context, inv *command.Invocation, path string) (string, error) {
	c, err := inv.LoadConfig(0)
	if err != nil {
		return "", err
	}
	dsn := c.Ledger.Address()
	file, ok := strings.CutPrefix(dsn, "sqlite:")
	if !ok {
		return "", nil
	}
	if _, err := os.Stat(store.InboxPath(file)); err != nil {
		return "", nil // no notification ever came
	}
	inbox, err := store.OpenInbox(ctx, dsn)
	if err != nil {
		return "", err
	}
	copied := store.InboxPath(path)
	_, err = inbox.Backup(ctx, copied)
	return copied, errors.Join(err, inbox.Close())
}

func backupLedger(ctx context.Context, inv *command.Invocation, path string) error {
	var size int64
	began := inv.Wall()
	err := withLedger(ctx, inv, func(l *store.Ledger) error {
		// The inbox goes first: what a run moves meanwhile is in both copies, and counts once.
		inbox, err := backupInbox(ctx, inv, path)
		if err != nil {
			return err
		}
		if size, err = l.Backup(ctx, path); err != nil && inbox != "" {
			_ = os.Remove(inbox) // of a ledger that was not copied
		}
		return err
	})
	var refused *store.BackupError
	if errors.As(err, &refused) {
		return exit.NewUsageError("error.cause", "hint.command", "cause", refused, "command", "concilia ledger backup --help")
	}
	if err != nil {
		return err
	}
	return inv.WritePage(view.LedgerBackup{Bytes: size, Path: path, Took: inv.Wall().Sub(began)})
}

// checkArchive holds the configured archive against the ledger. A ledger that has published nothing needs none.
func checkArchive(ctx context.Context, inv *command.Invocation, l *store.Ledger) (*publish.CheckReport, error) {
	hasPublished := false
	err := l.ArchivedFiles(ctx, func(published.File) error {
		hasPublished = true
		return errEnough
	})
	if err != nil && !errors.Is(err, errEnough) || !hasPublished {
		return &publish.CheckReport{}, err
	}
	c, err := config.LoadPublishing(inv.ConfigPath, inv.Lookup)
	if err != nil {
		return nil, err
	}
	a, err := wire.OpenUnguardedArchive(c, inv.Wall)
	if err != nil {
		return nil, err
	}
	return (&publish.Publisher{Ledger: l, Archive: a}).Check(ctx)
}

// errEnough ends a reading of rows of which one is enough.
var errEnough = errors.New("enough")
