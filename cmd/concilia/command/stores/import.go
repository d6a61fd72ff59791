package stores

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view/salesview"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/jobs/othersides"
	"concilia/store"
	"concilia/store/ledger"
)

// salesImport are the flags of sales import.
type salesImport struct {
	store    string
	actor    string
	dryRun   bool
	from, to command.DateFlag
}

func newSalesImport(inv *command.Invocation) *cobra.Command {
	o := &salesImport{}
	cmd := &cobra.Command{
		Use:   "import FILE…",
		Short: "take in sales: notes as XML, folder or ZIP, tables as CSV or JSON",
		Long: `import takes in files of a store in the store's format. Each is taken in whole or not at all, and one that is refused hinders no
other. Files are not changed. The same file again changes nothing.

Files may overlap and come in any order: of a payment the file made last is believed. A file that covers a day lists it
whole: what it lacks is gone, but stays visible. A note is void by its event alone.

A day is complete when a file made after it covers it: from --from to --to, else from the first day in the file to the one before
its last; of notes when every series has every number from the last note before the day to the first one after it.

A row that cannot be read is left out and told; over a tenth of them the file is refused.

With --json it prints one object per line and file:
  {"file","sha256","store","from","to","rows","new","changed","same","vanished","quarantined","faults","unmapped",
   "refused":{"id","message","remedy"}}
of a refused file only file, sha256, store and refused.

Exit status: 0 taken in; 20 a file was refused or rows were left out; 2 usage; 40 configuration or map; 50 ledger unreachable.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exit.NewUsageError("error.import_needs_files", "hint.example", "command", "sales import", "example", "concilia sales import vendas.csv")
			}
			return importSales(cmd.Context(), inv, o, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.store, "store", "", "the `ID` of the store the files are of (default: the only one)")
	flags.Var(&o.from, "from", "first day that the files cover, YYYY-MM-DD")
	flags.Var(&o.to, "to", "last day that the files cover, YYYY-MM-DD")
	flags.BoolVar(&o.dryRun, "dry-run", false, "say what would be new, and keep nothing")
	flags.StringVar(&o.actor, "as", "", "who takes them in (default: the operating system's user)")
	return cmd
}

func importSales(ctx context.Context, inv *command.Invocation, o *salesImport, paths []string) error {
	c, stores, err := loadStores(inv, o.store)
	if err != nil {
		return err
	}
	if len(stores) > 1 {
		return exit.NewUsageError("error.which_store", "hint.stores", "names", storeIDs(stores))
	}
	period := ledger.Period{From: o.from.Date, To: o.to.Date}
	switch {
	case (period.From == 0) != (period.To == 0):
		return exit.NewUsageError("error.one_day", "hint.one_day")
	case period.To < period.From:
		return exit.NewUsageError("error.period_backwards", "hint.from_then_to", "from", o.from, "to", o.to)
	}
	if err := checkReadable(paths); err != nil {
		return exit.NewUsageError("error.cause", "hint.readable_files", "cause", exit.Cause(err))
	}
	if o.actor = command.NameActor(o.actor); o.actor == "" {
		return exit.NewUsageError("error.nobody", "hint.nobody")
	}

	now, _, err := inv.BusinessClock(c)
	if err != nil {
		return err
	}
	l, err := inv.OpenLedger(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	var together map[ledger.FileHash]bool
	if len(paths) > 1 {
		together = othersides.HashSales(paths, &stores[0])
	}
	var results salesview.SalesImports
	for _, path := range paths {
		f := &othersides.SalesFile{
			Path: path, Store: &stores[0], Period: period, Together: together, Today: ledger.DateOf(now(), stores[0].Zone), Actor: o.actor, At: inv.Wall(), DryRun: o.dryRun,
		}
		one, err := importSalesFile(ctx, l, f)
		if err != nil {
			return err
		}
		results = append(results, one)
	}
	if err := command.WriteLines(inv, results, results); err != nil {
		return err
	}
	if results.HasFault() {
		return exit.Status(jobs.ExitBreaks)
	}
	return nil
}

// importSalesFile takes in one file. A refusal is a result; an error ends the command.
func importSalesFile(ctx context.Context, l *store.Ledger, f *othersides.SalesFile) (salesview.SalesImport, error) {
	file, done, err := othersides.TakeInSales(ctx, l, f)
	var refusal *words.Refusal
	var unreadable *fs.PathError
	switch {
	case errors.As(err, &refusal):
		var sum ledger.FileHash
		if file != nil {
			sum = file.Hash
		}
		return salesview.RefusedSales(filepath.Base(f.Path), sum, f.Store.ID, refusal), nil
	case errors.As(err, &unreadable):
		return salesview.SalesImport{}, exit.NewUsageError("error.cause", "hint.readable_files", "cause", exit.Cause(err))
	case err != nil:
		return salesview.SalesImport{}, err
	}
	return salesview.TakenSales(file.Name, file.Hash, f.Store.ID, &done), nil
}

// checkReadable refuses, before anything is taken in, a path that is neither a file nor a folder.
func checkReadable(paths []string) error {
	var problems []error
	for _, path := range paths {
		switch info, err := os.Stat(path); {
		case err != nil:
			problems = append(problems, err)
		case !info.Mode().IsRegular() && !info.IsDir():
			problems = append(problems, &fs.PathError{Op: "read", Path: path, Err: words.NewFault("error.no_file_nor_folder", "")})
		}
	}
	return errors.Join(problems...)
}
