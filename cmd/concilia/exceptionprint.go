package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"concilia/jobs/casework"
	"concilia/jobs/rules/catalogue"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/results"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

func (g *globals) listExceptions(ctx context.Context, o *exceptionFilter, order string) error {
	known := results.FindingOrders()
	if order != "" && !slices.Contains(known, results.FindingOrder(order)) {
		return usage("orders are "+listed(known), "--sort %q", order)
	}
	filter, err := o.filter()
	if err != nil {
		return err
	}
	return g.withDesk(ctx, func(d *casework.Handler) error {
		filter.OpenedBy = o.openedBy(d.Today)
		if filter.Order = results.FindingOrder(order); order == "" {
			filter.Order = results.BySeverity
		}
		if len(filter.States) == 0 {
			filter.States = standingStates()
		}
		encoder := json.NewEncoder(g.stdout)
		encoder.SetEscapeHTML(false)
		t := newTable(g.stdout)
		t.AppendHeader(table.Row{"case", "code", "sev", "state", "impact R$", "subject"})
		t.SetColumnConfigs([]table.ColumnConfig{{Number: 5, Align: text.AlignRight}})
		var count int
		sums := figureSums{ledger: d.Ledger, days: map[ledger.Account]ledger.Date{}}
		err = d.Ledger.Findings(ctx, filter, func(f *ledger.Finding) error {
			if g.json {
				return encoder.Encode(exceptionOf(f))
			}
			count++
			if err := sums.add(ctx, f); err != nil {
				return err
			}
			t.AppendRow(table.Row{f.Case, f.Code, f.Severity, f.State, catalogue.Spell(impactText(f.Impact), "en"), f.Subject})
			return nil
		})
		if err != nil || g.json {
			return err
		}
		if count > 0 {
			t.Render()
		}
		_, err = fmt.Fprintf(g.stdout, "%s: %s\n", things(count, "case", "cases"), figuresText(sums.figures))
		return err
	})
}

// figureSums adds up the figures of cases one by one, each as of the last reconcile of its account, as store.Ledger.Figures does
// of all of them.
type figureSums struct {
	ledger  *store.Ledger
	days    map[ledger.Account]ledger.Date
	figures ledger.Figures
}

func (s *figureSums) add(ctx context.Context, f *ledger.Finding) error {
	asOf, known := s.days[f.Account]
	if !known {
		var err error
		if asOf, err = s.ledger.ReconciledAsOf(ctx, f.Account, ""); err != nil {
			return err
		}
		s.days[f.Account] = asOf
	}
	return s.figures.Add(f.Figure(asOf), f.Impact.V)
}

// exception is a case as exceptions list --json prints it; absent parts are empty or null.
type exception struct {
	Case        string   `json:"case"`
	Code        string   `json:"code"`
	Severity    string   `json:"severity"`
	State       string   `json:"state"`
	Account     int64    `json:"account"`
	Subject     string   `json:"subject"`
	Expected    string   `json:"expected"`
	Actual      string   `json:"actual"`
	Impact      string   `json:"impact"`
	Opened      string   `json:"opened"`
	BreakOn     string   `json:"break_on"`
	ExplainedBy string   `json:"explained_by"`
	Related     []string `json:"related"`
}

func exceptionOf(f *ledger.Finding) exception {
	return exception{
		Case: f.Case, Code: f.Code, Severity: string(f.Severity), State: string(f.State), Account: int64(f.Account),
		Subject: f.Subject, Expected: f.Expected.String(), Actual: f.Actual.String(), Impact: impactText(f.Impact),
		Opened: f.OpenedOn.String(), BreakOn: f.BreakOn.String(), ExplainedBy: f.ExplainedBy,
		Related: append([]string{}, f.Related...),
	}
}

// standing lists the cases that are pending, open or reopened.
func standing(ctx context.Context, l *store.Ledger) ([]ledger.Finding, error) {
	var found []ledger.Finding
	filter := results.FindingFilter{States: []ledger.State{ledger.Pending, ledger.Opened, ledger.Reopened}}
	err := l.Findings(ctx, filter, func(f *ledger.Finding) error {
		found = append(found, *f)
		return nil
	})
	return found, err
}
