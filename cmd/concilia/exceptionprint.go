package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"concilia/jobs/rules"
	"concilia/store"
	"concilia/store/ledger"
)

func (g *globals) listExceptions(ctx context.Context, o *exceptionFilter) error {
	filter, err := o.filter()
	if err != nil {
		return err
	}
	return g.withLedger(ctx, func(l *store.Ledger) error {
		encoder := json.NewEncoder(g.stdout)
		encoder.SetEscapeHTML(false)
		t := newTable(g.stdout)
		t.AppendHeader(table.Row{"case", "code", "sev", "state", "impact R$", "subject"})
		t.SetColumnConfigs([]table.ColumnConfig{{Number: 5, Align: text.AlignRight}})
		var count int
		var lost, gained ledger.Amount
		err := l.Findings(ctx, filter, func(f *ledger.Finding) error {
			if g.json {
				return encoder.Encode(exceptionOf(f))
			}
			count++
			lost += max(f.Impact.V, 0)
			gained += max(-f.Impact.V, 0)
			t.AppendRow(table.Row{f.Case, f.Code, f.Severity, f.State, impactText(f.Impact), f.Subject})
			return nil
		})
		if err != nil || g.json {
			return err
		}
		if count > 0 {
			t.Render()
		}
		_, err = fmt.Fprintf(g.stdout, "%d cases: R$ %s missing, R$ %s in excess\n", count, reais(lost), reais(gained))
		return err
	})
}

func (g *globals) showExceptions(ctx context.Context, cases []string) error {
	return g.withLedger(ctx, func(l *store.Ledger) error {
		for _, id := range cases {
			f, err := l.FindingByCase(ctx, id)
			if errors.Is(err, store.ErrNotFound) {
				return usage("concilia exceptions list names them", "there is no case %q", id)
			}
			if err != nil {
				return err
			}
			if g.json {
				if err := json.NewEncoder(g.stdout).Encode(exceptionOf(f)); err != nil {
					return err
				}
				continue
			}
			events, err := l.FindingEvents(ctx, id)
			if err != nil {
				return err
			}
			g.printCase(f, events)
		}
		return nil
	})
}

func (g *globals) printCase(f *ledger.Finding, events []store.FindingEvent) {
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(g.stdout, "  %-13s %s\n", name, value)
		}
	}
	fmt.Fprintf(g.stdout, "case %s  %s  %s  %s\n", f.Case, f.Code, f.Severity, f.State)
	row("", rules.Explain(*f, "en"))
	row("", rules.Explain(*f, "pt-BR"))
	row("account", f.Account.String())
	row("subject", f.Subject)
	row("expected", f.Expected.String())
	row("actual", f.Actual.String())
	row("impact R$", impactText(f.Impact))
	row("explained by", f.ExplainedBy)
	row("related", strings.Join(f.Related, ", "))
	row("breaks on", f.BreakOn.String())
	row("first seen", f.FirstSeen.String())
	row("opened", f.OpenedOn.String())
	row("contract", f.ContractLine)
	for _, e := range events {
		row("history", fmt.Sprintf("%s  %s  expected %s, actual %s, impact %s", e.AsOf, e.Finding.State, e.Finding.Expected, e.Finding.Actual, impactText(e.Finding.Impact)))
	}
	fmt.Fprintln(g.stdout)
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

// withLedger opens the configured ledger for a command that only reads it.
func (g *globals) withLedger(ctx context.Context, fn func(*store.Ledger) error) error {
	c, err := g.load(0)
	if err != nil {
		return err
	}
	l, err := g.open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // only read: a failed close loses nothing
	return fn(l)
}

// standing lists the cases that are pending, open or reopened.
func standing(ctx context.Context, l *store.Ledger) ([]ledger.Finding, error) {
	var found []ledger.Finding
	filter := store.FindingFilter{States: []ledger.State{ledger.Pending, ledger.Opened, ledger.Reopened}}
	err := l.Findings(ctx, filter, func(f *ledger.Finding) error {
		found = append(found, *f)
		return nil
	})
	return found, err
}
