package main

import (
	"context"
	"slices"
	"strings"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/jobs"
	jobsbank "concilia/jobs/bank"
	"concilia/jobs/bank/match"
	"concilia/store"
	"concilia/store/ledger"

	"github.com/spf13/cobra"
)

func newBankShow(g *globals) *cobra.Command {
	var asOf dateFlag
	cmd := &cobra.Command{
		Use:   "show LINE|GROUP|MATCH",
		Short: "show one line, group or match, and the sales and slips it should have paid",
		Long: `show tells everything of one row of bank lines: both sides, what they differ by, where to look, and the sales and slips that
the service says it paid with it, twenty at most. It is named by a subject or the match of bank lines --json, or by a
piece of one that no other has.

With --json it prints one object: the members of a row of bank lines, and
  "titles":[{"subject","brand","product","amount"}],"more":{"items","amount"}.

Exit status: 0 shown; 2 usage, or not exactly one has the piece; 40 configuration; 50 ledger unreachable.`,
		Args: exactArgs(1, "a line, group or match"),
		RunE: func(cmd *cobra.Command, args []string) error { return g.showBankItem(cmd.Context(), args[0], asOf) },
	}
	cmd.Flags().Var(&asOf, "as-of", "the morning to tell from, YYYY-MM-DD (default today)")
	return cmd
}

// foundBankRow is a row that a person named.
type foundBankRow struct {
	view.BankRow
	bank   *jobsbank.Conciliation
	result *jobsbank.PayerResult
	row    *match.Row
}

func (g *globals) showBankItem(ctx context.Context, named string, flag dateFlag) error {
	asOf, terms, err := g.bankTerms(flag)
	if err != nil {
		return err
	}
	return g.withBanks(ctx, "", func(l *store.Ledger, accounts []keptBank) error {
		var found []foundBankRow
		for _, a := range accounts {
			c, results, err := jobs.ConciliateBank(ctx, l, &a.settings, terms, asOf)
			if err != nil {
				return err
			}
			found = append(found, findBankRows(c, results, named)...)
		}
		if slices.ContainsFunc(found, func(f foundBankRow) bool { return f.isNamed(named) }) {
			found = slices.DeleteFunc(found, func(f foundBankRow) bool { return !f.isNamed(named) })
		}
		if len(found) != 1 {
			return exit.Usagef("bank lines --json names them", "%d lines, groups or matches have %.80q", len(found), named)
		}
		detail := view.BankDetailOf(found[0].BankRow)
		if err := addTitles(ctx, l, &found[0], detail); err != nil {
			return err
		}
		return g.show(detail)
	})
}

// findBankRows are the rows with a piece of a subject or match.
func findBankRows(c *jobsbank.Conciliation, results []jobsbank.PayerResult, piece string) (found []foundBankRow) {
	for i := range results {
		r := &results[i]
		for n := range r.Rows {
			f := foundBankRow{view.BankRowOf(c, r, &r.Rows[n]), c, r, &r.Rows[n]}
			if strings.Contains(f.Match, piece) || slices.ContainsFunc(f.Subjects, func(s string) bool { return strings.Contains(s, piece) }) {
				found = append(found, f)
			}
		}
	}
	return found
}

// isNamed reports whether a person named the row whole.
func (f *foundBankRow) isNamed(whole string) bool {
	return f.Match == whole || slices.Contains(f.Subjects, whole)
}

// addTitles adds the sales and slips of the row's groups.
func addTitles(ctx context.Context, l *store.Ledger, f *foundBankRow, detail *view.BankDetail) error {
	for _, i := range f.row.Groups {
		group := &f.result.Groups[i]
		day := ledger.Period{From: group.Day, To: group.Day}
		for _, a := range f.bank.Account.Accounts {
			err := l.CreditedInstallments(ctx, a, day, func(x *ledger.CreditedInstallment) error {
				if t, ok := f.bank.InstallmentOf(f.result.Payer, group, x); ok {
					detail.Add(t)
				}
				return nil
			})
			if err != nil {
				return err
			}
			err = l.CreditedSlips(ctx, a, day, func(x *ledger.CreditedSlip) error {
				if t, ok := f.bank.SlipOf(f.result.Payer, group, x); ok {
					detail.Add(t)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
