package banks

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view/bankview"
	"concilia/cmd/concilia/wire"
	"concilia/export/words"
	"concilia/jobs"
	jobsbank "concilia/jobs/bank"
	"concilia/jobs/calendar"
	"concilia/jobs/othersides"
	"concilia/store"
	"concilia/store/ledger"
)

// bankImport are the flags of bank import.
type bankImport struct {
	jobsbank.ReadOptions
	dryRun   bool
	actor    string
	from, to command.DateFlag // the period of a table
}

func newBankImport(inv *command.Invocation) *cobra.Command {
	o := &bankImport{}
	cmd := &cobra.Command{
		Use:   "import FILE…",
		Short: "take in statements: OFX, CNAB 240 with segment E, CSV or JSON",
		Long: `import takes in statements as banks offer them for download, in OFX or CNAB 240 (segment E), or as tables (CSV, JSON) whose
columns the configuration declares; the format is told by the content. - is standard input. Each file is taken in whole
or not at all, and a file that is refused hinders no other. Files are not changed.

Downloads may overlap and come in any order: lines are known by day, amount and text, not by the bank's numbers, and a
day is what all files that show it say in the order the bank made them. The same file again changes nothing.

The bank account is found by the numbers in the file. Statements of other accounts in it are passed over. A table names no
account and no period: --bank says whose it is where several have columns, --from and --to what it covers, else the days
strictly between its first and last row.

With --json it prints one object per line, file and account:
  {"file","sha256","bank","format","from","to","made","lines","new","same","reworded","vanished","scheduled",
   "balance_rows","blocked","passed_over","settled_to","notes","refused":{"id","message","remedy"}}
of a refused file only file, sha256 and refused.

Exit status: 0 taken in; 20 a file was refused; 2 usage; 40 configuration; 50 ledger unreachable.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exit.NewUsageError("error.import_needs_files", "hint.example", "command", "bank import", "example", "concilia bank import extrato.ofx")
			}
			return importStatements(cmd.Context(), inv, o, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Only, "bank", "", "the `ID` of the bank account the files are of")
	flags.BoolVar(&o.Own, "own", false, "take in a statement that concilia made; its balances prove nothing")
	flags.Var(&o.from, "from", "first day that a table covers, YYYY-MM-DD")
	flags.Var(&o.to, "to", "last day that a table covers, YYYY-MM-DD")
	flags.BoolVar(&o.dryRun, "dry-run", false, "say what would be new, and keep nothing")
	flags.StringVar(&o.actor, "as", "", "who takes them in (default: the operating system's user)")
	return cmd
}

// importMemory is what the collector keeps Go's heap to while statements are taken in, however many lines they have: little of a file is in
// memory. What SQLite caches comes on top.
const importMemory = 24 << 20

func importStatements(ctx context.Context, inv *command.Invocation, o *bankImport, paths []string) error {
	_, limited := inv.Lookup("GOMEMLIMIT")
	if was := debug.SetMemoryLimit(-1); was > importMemory && !limited {
		debug.SetMemoryLimit(importMemory)
		defer debug.SetMemoryLimit(was)
	}
	c, accounts, err := bankAccounts(inv, o.Only)
	if err != nil {
		return err
	}
	switch o.Period = (ledger.Period{From: o.from.Date, To: o.to.Date}); {
	case (o.Period.From == 0) != (o.Period.To == 0):
		return exit.NewUsageError("error.one_day", "hint.one_day")
	case o.Period.To < o.Period.From:
		return exit.NewUsageError("error.period_backwards", "hint.from_then_to", "from", o.from, "to", o.to)
	}
	if err := checkRegular(paths); err != nil {
		return exit.NewUsageError("error.cause", "hint.readable_files", "cause", exit.Cause(err))
	}
	if o.actor = command.NameActor(o.actor); o.actor == "" {
		return exit.NewUsageError("error.nobody", "hint.nobody")
	}

	days, err := wire.CalendarOf(c, nil)
	if err != nil {
		return err
	}
	l, err := inv.OpenLedger(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	in := &statementImport{inv: inv, o: o, ledger: l, accounts: accounts, calendar: days}
	var results bankview.BankImports
	for _, path := range paths {
		found, err := in.importFile(ctx, path)
		if err != nil {
			return err
		}
		results = append(results, found...)
	}
	if err := command.WriteLines(inv, results, results); err != nil {
		return err
	}
	if results.HasRefusal() {
		return exit.Status(jobs.ExitBreaks)
	}
	return nil
}

// statementImport takes in files one after another.
type statementImport struct {
	inv      *command.Invocation
	o        *bankImport
	ledger   *store.Ledger
	accounts []jobsbank.Account
	calendar *calendar.Calendar
}

// importFile takes in one file, and returns what became of each of its statements. A refusal is a result; an error ends the
// command.
func (in *statementImport) importFile(ctx context.Context, path string) (out bankview.BankImports, err error) {
	file, err := openStatement(path)
	if err != nil {
		return nil, exit.NewUsageError("error.cause", "hint.readable_files", "cause", exit.Cause(err))
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	name, sum := filepath.Base(path), file.Hash
	taken, passedOver, err := othersides.TakeInStatements(ctx, in.ledger, &othersides.StatementFile{
		File: file, Name: name, Accounts: in.accounts, Options: in.o.ReadOptions, Actor: in.o.actor, At: in.inv.Wall(), Calendar: in.calendar,
		DryRun: in.o.dryRun,
	})
	var refusal *words.Refusal
	if errors.As(err, &refusal) {
		return bankview.BankImports{bankview.RefusedBankFile(name, sum, refusal)}, nil
	}
	if err != nil {
		return nil, err
	}
	out = make(bankview.BankImports, len(taken))
	for i := range taken {
		t := &taken[i]
		out[i] = bankview.TakenBankFile(name, sum, t.Account.ID, &t.Statement, &t.Import, passedOver)
	}
	return out, nil
}

// checkRegular refuses, before anything is taken in, a path that is no regular file. - is standard input.
func checkRegular(paths []string) error {
	var problems []error
	for _, path := range paths {
		if path == "-" {
			continue
		}
		switch info, err := os.Stat(path); {
		case err != nil:
			problems = append(problems, err)
		case !info.Mode().IsRegular():
			problems = append(problems, words.NewFault("error.no_regular_file", "", "path", path))
		}
	}
	return errors.Join(problems...)
}

// openStatement opens a file, or keeps standard input for -.
func openStatement(path string) (*jobsbank.File, error) {
	if path == "-" {
		return jobsbank.CopyFile(os.Stdin)
	}
	return jobsbank.OpenFile(path)
}
