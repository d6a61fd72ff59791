package cases

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/caseview"
	"concilia/cmd/concilia/wire"
	"concilia/jobs/find"
)

// NewExplain is the command explain.
func NewExplain(inv *command.Invocation) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain CASE|SUBJECT|QUERY…",
		Short: "print one page about a case, a sale or a slip: formulas, versions, contract, dates, evidence",
		Long: `explain prints one page, to show to the payment service's operator.

About a case: what happened, the formula with its numbers, every version of the record and what each answer changed, the
contract line in force, the business days behind its dates, the answers as evidence, related cases, and what would close it.

About any sale or slip, with a case or without: its cost step by step, what was charged and what the contract says, its
dates and why, its versions, notifications and cases, and the published files that have it.

CASE is the 16 hex digits of the case, or six or more leading digits if they are unique. SUBJECT is as concilia find and the
reports write it. Any other words are looked for as concilia find does: if they lead to one thing it is explained, and if they
lead to several those are listed. It shows nothing about a payer. With --json it prints one object.

  concilia explain 9d9d70
  concilia explain sale:1001:2026-11-01:123456:A1B2C3
  concilia explain 123456 331,38 --lang en

Exit status: 0 printed; 2 usage, nothing found, or several; 40 configuration; 50 ledger unreachable.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exit.NewUsageError("error.explain_nothing", "hint.usage", "usage", cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return explainWords(cmd.Context(), inv, strings.Join(args, " "))
		},
	}
	return cmd
}

func explainWords(ctx context.Context, inv *command.Invocation, text string) error {
	lang := string(inv.Language)
	w, done, err := inv.WireWorker(ctx, wire.WantKept)
	if err != nil {
		return err
	}
	defer done()
	x := wire.NewExplainer(w)
	query, err := parseQuery(text, w.Today(), string(inv.Language))
	if err != nil {
		return err
	}
	finder := &find.Finder{Ledger: w.Ledger, Voice: wire.VoiceOf(w, lang)}
	for _, a := range w.Accounts {
		finder.Accounts = append(finder.Accounts, a.Number)
	}
	answer, err := finder.Find(ctx, find.Request{Query: query})
	if err != nil {
		return err
	}
	preferService(answer)
	switch {
	case answer.TooMany:
		return exit.NewUsageError("error.too_many_hits", "hint.another_word", "query", text)
	case len(answer.Hits) == 0:
		return exit.NewUsageError("error.nothing_known", "hint.find_words", "query", text)
	case answer.Total > 1 || len(answer.Hits) > 1:
		if err := command.WriteLines(inv, answer.Hits, &view.Found{Answer: answer, Query: query, Language: lang}); err != nil {
			return err
		}
		return exit.Status(exit.Usage)
	}
	hit := &answer.Hits[0]
	if hit.Kind == find.CaseHit {
		e, err := x.ExplainCase(ctx, hit.Case, lang)
		if err != nil {
			return err
		}
		return inv.WritePage(caseview.Explanation{CasePage: e, Zone: w.Zone})
	}
	item, err := x.ExplainItem(ctx, hit.Subject, lang)
	if err != nil {
		return err
	}
	return inv.WritePage(caseview.Item{ItemPage: item, Zone: w.Zone})
}

// preferService leaves out the payments of stores where the service has what was looked for: the page about it shows its payments.
func preferService(answer *find.Answer) {
	isOfStore := func(h find.Hit) bool { return h.Kind == find.OwnHit }
	of := slices.DeleteFunc(slices.Clone(answer.Hits), isOfStore)
	if len(of) > 0 {
		answer.Total -= len(answer.Hits) - len(of)
		answer.Hits = of
	}
}
