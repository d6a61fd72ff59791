package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/bankview"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/config/problem"
	"concilia/jobs"
	jobsbank "concilia/jobs/bank"
	"concilia/jobs/calendar"
	"concilia/jobs/othersides"
	"concilia/store"
	"concilia/store/bank"
	"concilia/store/ledger"
)

func newBank(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bank",
		Short: "take in statements of the bank, and see what they prove",
		Long: `bank keeps the statements of the bank accounts of banks: line by line, whatever downloads overlap, and with them which
days the bank's own balances prove.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newBankImport(g), newBankList(g), newBankLines(g), newBankShow(g), newBankCoverage(g), newBankMatch(g), newBankUnmatch(g))
	return cmd
}

// bankImport are the flags of bank import.
type bankImport struct {
	jobsbank.ReadOptions
	dryRun   bool
	actor    string
	from, to dateFlag // the period of a table
}

func newBankImport(g *globals) *cobra.Command {
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
				return exit.Usagef("such as concilia bank import extrato.ofx", "bank import needs files")
			}
			return g.importStatements(cmd.Context(), o, args)
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

func (g *globals) importStatements(ctx context.Context, o *bankImport, paths []string) error {
	_, limited := g.Lookup("GOMEMLIMIT")
	if was := debug.SetMemoryLimit(-1); was > importMemory && !limited {
		debug.SetMemoryLimit(importMemory)
		defer debug.SetMemoryLimit(was)
	}
	c, accounts, err := g.bankAccounts(o.Only)
	if err != nil {
		return err
	}
	switch o.Period = (ledger.Period{From: o.from.Date, To: o.to.Date}); {
	case (o.Period.From == 0) != (o.Period.To == 0):
		return exit.Usagef("give --from and --to, or neither", "a period needs both its days")
	case o.Period.To < o.Period.From:
		return exit.Usagef("--from is the first day, --to the last", "--to %s lies before --from %s", o.to, o.from)
	}
	if err := checkRegular(paths); err != nil {
		return exit.Usagef("name files that can be read", "%v", err)
	}
	if o.actor = strings.TrimSpace(o.actor); o.actor == "" {
		u, err := user.Current()
		if err != nil {
			return exit.Usagef("name yourself with --as", "the operating system does not say who takes the files in")
		}
		o.actor = u.Username
	}
	days, err := wire.CalendarOf(c, nil)
	if err != nil {
		return err
	}
	l, err := g.OpenLedger(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	in := &statementImport{g: g, o: o, ledger: l, accounts: accounts, calendar: days}
	var results bankview.BankImports
	for _, path := range paths {
		found, err := in.importFile(ctx, path)
		if err != nil {
			return err
		}
		results = append(results, found...)
	}
	if err := view.WriteLines(g.stdout, g.json, g.Language, results, results); err != nil {
		return err
	}
	if results.HasRefusal() {
		return exit.Status(jobs.ExitBreaks)
	}
	return nil
}

// bankAccounts are the configured bank accounts, or the one named.
func (g *globals) bankAccounts(only string) (*config.Config, []jobsbank.Account, error) {
	c, err := g.LoadConfig(0)
	if err != nil {
		return nil, nil, err
	}
	if len(c.Banks) == 0 {
		return nil, nil, problem.List{c.Problem("banks", "", "missing: the accounts at banks whose statements are to be taken in, as in `concilia config example`")}
	}
	all, err := wire.BanksOf(c, "")
	if err != nil || only == "" {
		return c, all, err
	}
	var ids []string
	for i := range all {
		if all[i].ID == only {
			return c, all[i : i+1], nil
		}
		ids = append(ids, all[i].ID)
	}
	return nil, nil, exit.Usagef("bank accounts are "+strings.Join(ids, ", "), "bank account %.40q is not configured", only)
}

// statementImport takes in files one after another.
type statementImport struct {
	g        *globals
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
		return nil, exit.Usagef("name files that can be read", "%v", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	name, sum := filepath.Base(path), file.Hash
	taken, passedOver, err := othersides.TakeInStatements(ctx, in.ledger, &othersides.StatementFile{
		File: file, Name: name, Accounts: in.accounts, Options: in.o.ReadOptions, Actor: in.o.actor, At: in.g.Wall(), Calendar: in.calendar,
		DryRun: in.o.dryRun,
	})
	var refusal *ledger.BankRefusal
	if errors.As(err, &refusal) {
		return bankview.BankImports{bankview.RefusedBankFile(name, sum, refusal)}, nil
	}
	if err != nil {
		return nil, err
	}
	out = make(bankview.BankImports, len(taken))
	for i := range taken {
		t := &taken[i]
		out[i] = bankview.TakenBankFile(name, sum, t.Account.ID, &t.Statement, &t.BankImport, passedOver)
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
			problems = append(problems, fmt.Errorf("%s is no regular file", path))
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

func newBankList(g *globals) *cobra.Command {
	var files bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "show the bank accounts, and up to which day each is settled",
		Long: `list shows the bank accounts of the configuration: the first and last day that statements show, the frontier (the last day
up to which every day is settled), how many lines are kept, and how much of what the service says it paid up to the frontier
came to the cent. With --files it shows the statements taken in, in the order the bank made them.

With --json it prints one object per line: {"bank","home","accounts","since","frontier","days","lines","received","proven"},
with --files
  {"bank","file","sha256","format","from","to","stated","made","as_of","lines","credits","debits","balance_rows","blocked",
   "notes","actor","taken"}.

Exit status: 0 shown; 2 usage; 40 configuration; 50 ledger unreachable.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return g.listBanks(cmd.Context(), files) },
	}
	cmd.Flags().BoolVar(&files, "files", false, "the statements taken in")
	return cmd
}

func (g *globals) listBanks(ctx context.Context, files bool) error {
	asOf, terms, err := g.bankTerms(dateFlag{})
	if err != nil {
		return err
	}
	return g.withBanks(ctx, "", func(l *store.Ledger, accounts []keptBank) error {
		var list bankview.BankAccounts
		var kept bankview.BankFiles
		for _, a := range accounts {
			if !files {
				c, results, err := othersides.ConciliateBank(ctx, l, &a.settings, terms, asOf)
				if err != nil {
					return err
				}
				list = append(list, bankview.BankAccountOf(c, results))
				continue
			}
			all, err := l.StatementFiles(ctx, a.Account)
			if err != nil {
				return err
			}
			kept = append(kept, bankview.BankFilesOf(a.ID, all)...)
		}
		if files {
			return view.WriteLines(g.stdout, g.json, g.Language, kept, kept)
		}
		return view.WriteLines(g.stdout, g.json, g.Language, list, list)
	})
}

// keptBank is a configured bank account with its home in the ledger.
type keptBank struct {
	bank.Account
	settings jobsbank.Account
}

// withBanks opens the ledger that is there for the bank accounts configured, or the one named.
func (g *globals) withBanks(ctx context.Context, only string, fn func(*store.Ledger, []keptBank) error) error {
	c, accounts, err := g.bankAccounts(only)
	if err != nil {
		return err
	}
	l, err := g.OpenKept(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	kept := make([]keptBank, len(accounts))
	for i, a := range accounts {
		home, _, err := l.HomeOf(ctx, a.ID, a.Accounts[0])
		if err != nil {
			return err
		}
		kept[i] = keptBank{bank.Account{Home: home, ID: a.ID}, a}
	}
	return fn(l, kept)
}

// bankPeriod are the flags of bank lines and bank coverage.
type bankPeriod struct {
	bank     string
	from, to dateFlag
}

func (o *bankPeriod) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.bank, "bank", "", "the `ID` of one bank account (default: all)")
	flags.Var(&o.from, "from", "first day, YYYY-MM-DD (default the first shown)")
	flags.Var(&o.to, "to", "last day, YYYY-MM-DD (default the last shown)")
}

// period is the period of the flags, open ends being the ends of all dates.
func (o *bankPeriod) period() (ledger.Period, error) {
	p := ledger.Period{From: max(1, o.from.Date), To: ledger.NewDate(9999, 12, 31)}
	if o.to.Date != 0 {
		p.To = o.to.Date
	}
	if p.To < p.From {
		return p, exit.Usagef("--from is the first day, --to the last", "--to %s lies before --from %s", o.to, o.from)
	}
	return p, nil
}

func newBankCoverage(g *globals) *cobra.Command {
	o := &bankPeriod{}
	cmd := &cobra.Command{
		Use:   "coverage",
		Short: "show which days of the bank accounts are proven, covered, broken or missing",
		Long: `coverage shows each day from the first to the last that statements show, as a calendar: a row a month, a mark a day.

A day is proven when the bank's balances before and after it agree with its lines, covered when a statement has all of it
and no balances say more, broken when balances contradict the lines, partial when no statement has all of it, missing when
none shows it. Proven and covered days are settled; days on which banks are closed are covered when the days around
them are settled.

With --json it prints one object per line and day:
  {"bank","day","state","lines","credits","debits","balance","residual","file"}.

Exit status: 0 every day from the first answered for to the last settled one is settled; 30 one is not; 2 usage;
40 configuration; 50 ledger unreachable.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return g.showBankCoverage(cmd.Context(), o) },
	}
	o.addFlags(cmd)
	return cmd
}

func (g *globals) showBankCoverage(ctx context.Context, o *bankPeriod) error {
	p, err := o.period()
	if err != nil {
		return err
	}
	return g.withBanks(ctx, o.bank, func(l *store.Ledger, accounts []keptBank) error {
		var page bankview.BankCoverage
		for _, a := range accounts {
			days, err := l.BankDays(ctx, a.Account)
			if err != nil {
				return err
			}
			page = append(page, bankview.BankCoverageOf(a.ID, a.settings.Since, days, p))
		}
		if err := view.WriteLines(g.stdout, g.json, g.Language, page.Days(), page); err != nil {
			return err
		}
		if page.HasGap() {
			return exit.Status(jobs.ExitIncomplete)
		}
		return nil
	})
}
