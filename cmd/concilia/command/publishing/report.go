package publishing

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/desk"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/progress"
	"concilia/cmd/concilia/wire"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/jobs"
)

// listKinds lists the kinds that a person may ask for by name, those of a period or those of a state. The movement and the journal have a
// basis of their own, and every set has control.
func listKinds(ofState bool) string {
	var kinds []report.Kind
	for _, d := range kindlist.Definitions() {
		own := d.Bases[0] == report.ByMovement || d.Bases[0] == report.ByPosting || d.Kind == report.ControlKind
		if !own && slices.Contains(d.Bases, report.ByAsOf) == ofState {
			kinds = append(kinds, d.Kind)
		}
	}
	return report.JoinNames(kinds)
}

// NewReport is the command report.
func NewReport(inv *command.Invocation) *cobra.Command {
	var o jobs.ReportRequest
	var from, to command.DateFlag
	var accountNumbers []int64
	cmd := &cobra.Command{
		Use:   "report --from DATE --to DATE",
		Short: "render and publish settlement reports of a period, or the state of a day",
		Long: `report renders, proves and publishes the reports of a period as of the last finished reconcile of each account.
A set whose published revision has the same content is not written again; otherwise it gets its next revision. Without
--account the reports over all accounts follow, as with run. The totals printed are those of the files named.

Kinds of a period: ` + listKinds(false) + `.
Kinds of a state: ` + listKinds(true) + `.
Those of a state need --basis asof, the state on the as-of date of the run that is rendered: leave --from and --to out, or set both
to that day. Formats: csv, csv-br, jsonl, xlsx, html (one page per set), edi. Every set includes a control table in csv, which is its
proof. concilia help reports says what each kind holds.

month and efd-1601 (record 1601 of the EFD) are of one calendar month. fees compares charges with the contract; claims lists every
installment and fee charged off the contract, with its case, ready to send to the operator. restatement is what changed in closed
months, bank what came to the bank accounts (basis credit), sales what stores say they sold.

statement is a movement account of what the service settled, by credit date: receipts, slips with their tariffs, reversals.
It is not a bank account and has no payouts; its opening balance is the closing balance of the statement before it. It has
to be named: report --kind statement --basis credit --from DATE --to DATE. After 999,999 records, EDI continues in another
file of the set.

A month that was closed on the basis stays as it was closed: its files are named, and no new revision is made until it is
reopened. For its days only restatement and statement are rendered, when named, without workbook and page.

--out PLACE makes private extracts: rendered anew and proved alike, with names that end _x and eight digits of a digest, in
place of a revision. Nothing else names, numbers or publishes them, so they have no EDI files. Claims are an extract even in
reports.out, unless reports.kinds names them: what is sent to the operator takes the place of no published workbook.

--as-of-run R reproduces, byte for byte, the revision that was current when run R had reconciled: deleted files are written
again, existing ones stay untouched, and no revision is made. A file that this program would render differently is not
written but named, with the SHA-256 of the published file (exit 30). With --out the copies go there.

--kind journal --format beancount writes the entries of the journal that were posted in the period, as of the last set of the movement,
to the accounts of the office (journal in the configuration). Its formats are csv, jsonl, beancount, hledger and dominio; its basis,
posting, need not be named. With --out it is a private extract, and with --as-of-run too the one that the sets of then had made.

--basis movement --out PLACE copies the sets of the movement of those days (see movement list) from the archive, whole, in their
order and with their numbers.` + "\n" + exit.Help,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			// The state on a day is that of the run rendered, which has its day.
			if o.Basis != string(report.ByAsOf) || from.Date != 0 || to.Date != 0 {
				if o.Period, err = command.PeriodOf(from, to); err != nil {
					return err
				}
			}
			return renderReports(cmd.Context(), inv, o, accountNumbers)
		},
	}
	flags := cmd.Flags()
	flags.Var(&from, "from", "first day, YYYY-MM-DD")
	flags.Var(&to, "to", "last day, YYYY-MM-DD")
	flags.StringVar(&o.Basis, "basis", "operation", "date that selects rows: operation, forecast, payment or credit; asof: the state of the day; movement: copies of what was told")
	flags.StringSliceVar(&o.Kinds, "kind", nil, "only these `kinds` (default the configured ones)")
	flags.StringSliceVar(&o.Formats, "format", nil, "only these `formats` (default the configured ones)")
	flags.StringSliceVar(&o.Brands, "brand", nil, "only these `brands`; excludes slips")
	flags.StringSliceVar(&o.Statuses, "status", nil, "only these `classes`: open, received, blocked, cancelled, chargeback, paid, failed")
	command.AddAccountFlag(flags, &accountNumbers)
	flags.StringVar(&o.AsOfRun, "as-of-run", "", "reproduce the files that were current when this `run` had reconciled")
	flags.StringVar(&o.Out, "out", "", "write private extracts to this `place`, and nothing to reports.out")
	return cmd
}

func renderReports(ctx context.Context, inv *command.Invocation, o jobs.ReportRequest, accountNumbers []int64) error {
	w, done, err := inv.WireTo(ctx, wire.WantTarget|wire.WantKept, o.Out, func(w *jobs.Worker) error {
		if o.Out == "" || !wire.SamePlace(o.Out, w.Reports.Out) {
			return nil
		}
		if o.AsOfRun == "" {
			return exit.NewUsageError("error.out_is_target", "hint.out_is_target", "place", o.Out)
		}
		o.Out = ""
		return nil
	})
	if err != nil {
		return inv.ConcludeOrFail(ctx, nil, err, 0)
	}
	defer done()
	if err := command.ChooseAccounts(w, accountNumbers); err != nil {
		return err
	}
	o.AccountsNamed = len(accountNumbers) > 0
	if o.AsOfRun != "" {
		run, err := desk.FindRun(ctx, w.Ledger, o.AsOfRun)
		if err != nil {
			return err
		}
		o.AsOfRun = run.ID
	}
	s, err := w.Report(ctx, o)
	progress.RecordExitOf(ctx, w, err)
	return inv.ConcludeOrFail(ctx, s, err, w.Today())
}
