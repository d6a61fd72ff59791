package view

import (
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/store/ledger"
)

// Simulation is what to charge so that a net amount is received.
type Simulation struct {
	Brand   string             `json:"brand"`
	Net     Amount             `json:"net"`
	Options []SimulationOption `json:"options"`
}

// SimulationOption is what to charge in so many installments.
type SimulationOption struct {
	Installments int    `json:"installments"`
	Gross        Amount `json:"gross"`
	Cost         Amount `json:"cost"` // gross less net
}

// SimulationOf is the service's answer.
func SimulationOf(brand string, net ledger.Amount, options []ledger.SimulatedOption) *Simulation {
	out := &Simulation{Brand: brand, Net: Amount(net), Options: []SimulationOption{}}
	for _, o := range options {
		out.Options = append(out.Options, SimulationOption{o.Installments, Amount(o.Gross), Amount(o.Gross - net)})
	}
	return out
}

// WriteText writes a line for each number of installments.
func (v *Simulation) WriteText(w io.Writer, l Language) error {
	t := NewTable(w, 2, 3)
	t.AppendHeader(l.HeadRow("simulate.installments", "simulate.charge", "simulate.cost"))
	for _, o := range v.Options {
		t.AppendRow(table.Row{o.Installments, l.FormatReais(ledger.Amount(o.Gross)), l.FormatReais(ledger.Amount(o.Cost))})
	}
	t.Render()
	return nil
}

// Subscription is where the notifications of an account go.
type Subscription struct {
	Account  int64   `json:"account"`
	URL      *string `json:"url"`                // nil: nowhere
	Expected string  `json:"expected,omitempty"` // what webhook.public_url comes to
	Matches  *bool   `json:"matches,omitempty"`  // nil: there is nothing to match
	Removed  string  `json:"removed,omitempty"`  // what the service says unsubscribe removed
}

func (s *Subscription) describeURL(l Language) string {
	if s.URL == nil {
		return l.text("webhook_text.nowhere")
	}
	return Escape(*s.URL)
}

func (s *Subscription) describeMatch(l Language) string {
	switch {
	case s.Removed != "":
		return l.text("webhook_text.removed", "what", s.Removed)
	case s.Matches == nil:
		return ""
	case *s.Matches:
		return l.text("webhook_text.here")
	}
	return l.text("webhook_text.not_here", "url", s.Expected)
}

// Subscriptions are those of several accounts.
type Subscriptions []Subscription

// WriteText writes a line for each account.
func (v Subscriptions) WriteText(w io.Writer, l Language) error {
	if len(v) == 0 {
		return nil
	}
	t := NewTable(w)
	t.AppendHeader(l.HeadRow("webhook_text.account", "webhook_text.go_to", ""))
	for i := range v {
		t.AppendRow(table.Row{v[i].Account, v[i].describeURL(l), v[i].describeMatch(l)})
	}
	t.Render()
	return nil
}
