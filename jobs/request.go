package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"concilia/export"
	"concilia/jobs/desk"
	"concilia/jobs/reconcile"
	"concilia/jobs/rules"
	"concilia/jobs/totals"
	"concilia/store"
	"concilia/store/ledger"
)

// ReportRequest is a person's request for reports. Empty lists mean the configured ones.
type ReportRequest struct {
	Period   ledger.Period
	Basis    string
	Kinds    []string
	Formats  []string
	Brands   []string
	Statuses []string
	Out      string // used when the worker is wired
	// AsOfRun asks for the files that were current when the run with that id had reconciled; empty: as of now.
	AsOfRun string
}

// Report renders and publishes a period, for each account as of its last finished reconcile.
func (w *Worker) Report(ctx context.Context, req ReportRequest) (*Summary, error) {
	if req.AsOfRun != "" {
		return w.reportAgain(ctx, req)
	}
	sets, err := w.requested(req)
	if err != nil {
		return nil, err
	}
	bases, closed := make([]*ledger.Run, len(sets)), make([]closedSet, len(sets))
	for i := range sets {
		if bases[i], err = w.reconciled(ctx, sets[i].accounts[0], req.Period); err != nil {
			return nil, err
		}
		if err := sets[i].onDay(bases[i].AsOf); err != nil {
			return nil, err
		}
		if closed[i], err = w.closedAnswer(ctx, &req, &sets[i]); err != nil {
			return nil, err
		}
	}
	run, release, err := w.begin(ctx, ledger.ReportRun, latest(bases))
	if err != nil {
		return nil, err
	}
	defer release()
	s := &Summary{Run: run.ID, AsOf: run.AsOf, Totals: &export.Totals{}}
	for i, set := range sets {
		j, err := w.believed(ctx, bases[i], set.accounts[0].Number)
		if err != nil {
			return nil, err
		}
		if len(closed[i]) > 0 {
			for _, kept := range closed[i] {
				w.standing(s, kept)
				w.missed(ctx, s, kept, false)
			}
		} else if err := w.publishSets(ctx, bases[i], s, j, []setRequest{set}); err != nil {
			return nil, err
		}
		a := set.accounts[0].Number
		s.Verdict = s.Verdict.Worse(j.results[a].Verdict)
		s.Accounts = append(s.Accounts, AccountSummary{Account: a, Verdict: j.results[a].Verdict, Withheld: w.withheldNames(j, a)})
		if set.basis == export.ByAsOf {
			continue // the totals are of a period
		}
		if err := totals.Add(ctx, w.Ledger, w.Terms.Profile.Unit, s.Totals, a, req.Period, ""); err != nil {
			return nil, err
		}
	}
	if len(s.Unpublished) > 0 {
		s.Verdict = ledger.Incomplete
	}
	if err := w.gravest(ctx, s, ""); err != nil {
		return nil, err
	}
	return s, w.end(ctx, run, s, nil)
}

// requested turns the request into one set per account, refusing what does not go together.
func (w *Worker) requested(req ReportRequest) ([]setRequest, error) {
	basis, err := export.ParseBasis(req.Basis)
	if err != nil {
		return nil, &desk.RequestError{Text: err.Error(), Hint: "bases are operation, forecast, payment, credit and asof"}
	}
	kinds, formats := w.Reports.Kinds, w.Reports.Formats
	if len(req.Kinds) > 0 {
		if kinds, err = parseAll(req.Kinds, export.ParseKind); err != nil {
			return nil, &desk.RequestError{Text: err.Error(), Hint: "see concilia report --help"}
		}
	}
	if len(req.Formats) > 0 {
		if formats, err = parseAll(req.Formats, export.ParseFormat); err != nil {
			return nil, &desk.RequestError{Text: err.Error(), Hint: "formats are csv, csv-br, jsonl, xlsx, html and edi"}
		}
	}
	filter, err := w.filter(req)
	if err != nil {
		return nil, err
	}
	if _, err := export.Choose(kinds, formats, basis, filter, len(req.Kinds) > 0); err != nil {
		return nil, &desk.RequestError{Text: err.Error(), Hint: "see concilia report --help"}
	}
	if len(kinds) == 1 && kinds[0] == export.StatementKind {
		// It exists in EDI alone: a workbook beside it would hold nothing and supersede the set's own.
		formats = []export.Format{export.EDI}
	}
	var sets []setRequest
	for _, a := range w.Accounts {
		if w.Reports.StrictBank && slices.Contains(formats, export.EDI) && a.Block.CNAB().ReadersReslice() {
			return nil, &desk.RequestError{
				Text: fmt.Sprintf("format edi: readers of bank %s, account %s, cut some columns differently from the standard", a.Block.Bank.Code, a.Number),
				Hint: "reports.edi.strict_bank refuses that: leave edi out, or take the key out",
			}
		}
		sets = append(sets, setRequest{
			name: a.Number.String(), accounts: []Account{a}, basis: basis, period: req.Period, kinds: kinds,
			formats: formats, filter: filter, asked: true,
		})
	}
	return sets, nil
}

// onDay gives a state set its period: the as-of of the run that is rendered. Another one that was asked for is refused.
func (s *setRequest) onDay(asOf ledger.Date) error {
	if s.basis != export.ByAsOf {
		return nil
	}
	day := ledger.Period{From: asOf, To: asOf}
	if s.period != (ledger.Period{}) && s.period != day {
		return &desk.RequestError{
			Text: fmt.Sprintf("basis asof is the state on %s, the as-of of the last reconcile of account %s, not of %s", asOf, s.name, s.period),
			Hint: "leave --from and --to out, or give that day for both",
		}
	}
	s.period = day
	return nil
}

// filter maps the brands and classes asked for; unknown ones are refused with the known.
func (w *Worker) filter(req ReportRequest) (export.Filter, error) {
	var f export.Filter
	for _, b := range req.Brands {
		brand, ok := w.Terms.Mapping.Brand(b)
		if !ok {
			return f, &desk.RequestError{Text: fmt.Sprintf("no brand %q", b), Hint: "brands are visa, mastercard, elo, amex, hipercard and those of the mapping"}
		}
		f.Brands = append(f.Brands, brand)
	}
	classes := []ledger.Class{
		ledger.Open, ledger.Received, ledger.Blocked, ledger.Cancelled, ledger.Chargeback, ledger.Paid, ledger.Failed,
	}
	for _, s := range req.Statuses {
		known := false
		for _, c := range classes {
			known = known || strings.EqualFold(string(c), s)
			if strings.EqualFold(string(c), s) {
				f.Classes = append(f.Classes, c)
			}
		}
		if !known {
			return f, &desk.RequestError{Text: fmt.Sprintf("no status %q", s), Hint: fmt.Sprintf("statuses are %v", classes)}
		}
	}
	return f, nil
}

// reconciled is the last finished run that reconciled the account; a period it does not answer for is refused.
func (w *Worker) reconciled(ctx context.Context, a Account, p ledger.Period) (*ledger.Run, error) {
	base, err := w.Ledger.LastReconciled(ctx, a.Number)
	if errors.Is(err, store.ErrNotFound) {
		return nil, &desk.RequestError{Text: fmt.Sprintf("account %s was never reconciled", a.Number), Hint: "concilia run, or concilia reconcile, first"}
	}
	if err != nil {
		return nil, err
	}
	since, err := w.since(ctx, a, base.AsOf)
	if err != nil {
		return nil, err
	}
	if p.From != 0 && p.From < since {
		return nil, &desk.RequestError{
			Text: fmt.Sprintf("account %s is answered for since %s, not since %s", a.Number, since, p.From),
			Hint: "start at that day, or set accounts[].since earlier and run again",
		}
	}
	return base, nil
}

// believed is what the last reconcile said of the account, as its cases tell.
func (w *Worker) believed(ctx context.Context, base *ledger.Run, a ledger.Account) (*judged, error) {
	r := reconcile.Result{Verdict: base.Verdicts[a], Critical: map[string][]string{}}
	filter := store.FindingFilter{
		Accounts: []ledger.Account{a}, Severities: []ledger.Severity{ledger.Critical},
		States: []ledger.State{ledger.Opened, ledger.Reopened},
	}
	err := w.Ledger.Findings(ctx, filter, func(f *ledger.Finding) error {
		if f.Code == rules.TieFailed {
			return nil // it is what the report may make good
		}
		side := reconcile.SideOf(f.Subject)
		r.Critical[side] = append(r.Critical[side], f.Code)
		return nil
	})
	return &judged{results: map[ledger.Account]reconcile.Result{a: r}}, err
}

func parseAll[T any](texts []string, parse func(string) (T, error)) ([]T, error) {
	out := make([]T, 0, len(texts))
	for _, text := range texts {
		v, err := parse(text)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func latest(runs []*ledger.Run) ledger.Date {
	var d ledger.Date
	for _, r := range runs {
		d = max(d, r.AsOf)
	}
	return d
}
