package jobs

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"concilia/export/report"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// restate keeps what the run found changed of every closed period of an account, since what was kept last: a change is
// dated the day the first run saw it.
func (w *Worker) restate(ctx context.Context, run *ledger.Run, a ledger.Account) error {
	closes, err := w.closedAsOf(ctx, run, a)
	if err != nil {
		return err
	}
	for i := range closes {
		c := &closes[i]
		since, err := w.Ledger.RestatedTo(ctx, c)
		if err != nil {
			return err
		}
		documents, err := w.changedDocuments(ctx, c, since, run)
		if err != nil {
			return err
		}
		cards, agenda, err := w.restatedCards(ctx, c, since, run.ID, documents)
		if err != nil {
			return err
		}
		slips, err := w.restatedSlips(ctx, c, since, run.ID)
		if err != nil {
			return err
		}
		if err := w.Ledger.KeepRestated(ctx, c, run, append(cards, slips...), agenda); err != nil {
			return err
		}
	}
	return nil
}

// restatingDocuments are those that the contract net of an item follows from, besides what the service says of it, with the
// cause that a change of each is; of several that changed at once the first is named.
var restatingDocuments = []struct {
	name  string
	cause ledger.RestatementCause
}{
	{"contract", ledger.CauseContract}, {"mapping", ledger.CauseMapping}, {"profile", ledger.CauseProfile}, {"calendar", ledger.CauseCalendar},
}

// changedDocuments are the documents that a run rests on and the run since did not, with their hashes then and now. They
// restate what is closed by operation alone: by credit the receipts are reported.
func (w *Worker) changedDocuments(
	ctx context.Context, c *ledger.PeriodClose, since string, run *ledger.Run,
) (changed []ledger.RestatedField, err error) {
	if c.Basis != string(report.ByOperation) {
		return nil, nil
	}
	then, err := w.Ledger.RunByID(ctx, since)
	if err != nil {
		return nil, err
	}
	for _, d := range restatingDocuments {
		name := d.name
		if name == "calendar" {
			name += " " + c.Account.String()
		}
		if was, is := then.Documents[name], run.Documents[name]; was != is {
			changed = append(changed, ledger.RestatedField{Name: d.name, Old: was, New: is})
		}
	}
	sortFields(changed)
	return changed, nil
}

// sight is what the basis of a closed period reports of an item at one time. The zero value is an item that nobody saw.
type sight struct {
	there   bool // some list or pull shows it, wherever its date lies
	inside  bool // the period, by the basis' date
	version int
	class   ledger.Class
	fields  []ledger.RestatedField // Old alone is filled
	sums    ledger.RestatedSums    // what it adds to the closed figures
	parts   parts

	contractNet ledger.Amount // what it adds to net_contract, receipts and all
}

// parts is what of an installment the closed figures may move by while it stays in them.
type parts struct {
	gross, received, net, contract ledger.Amount
	rest                           ledger.BridgeLine
}

// transition is an item as the run before knew it, and as this one does.
type transition struct{ before, now sight }

// byDocuments says what documents that changed make of an item of which no reported member did, or that they make nothing
// of it. Several that changed at once are one change, by the cause of the first.
func (t *transition) byDocuments(c *ledger.PeriodClose, subject string, documents []ledger.RestatedField) (r ledger.Restatement, changed bool) {
	if len(documents) == 0 || !t.before.inside || !t.now.inside {
		return r, false
	}
	moved := t.now.contractNet - t.before.contractNet
	if t.before.version != t.now.version {
		// A receipt came too. It moves the contract net by what was agreed for its anticipation, which is the agenda's.
		moved = t.now.sums.Contract - t.before.sums.Contract
	}
	if moved == 0 {
		return r, false
	}
	r = ledger.Restatement{Close: *c, Subject: subject, Fields: documents, Changes: ledger.RestatedSums{Contract: moved}}
	for _, d := range restatingDocuments {
		if slices.ContainsFunc(documents, func(f ledger.RestatedField) bool { return f.Name == d.name }) {
			r.Cause = d.cause
			break
		}
	}
	return r, true
}

// restatement says what changed of an item in a run, or that nothing did.
func (t *transition) restatement(
	c *ledger.PeriodClose, subject string, moved func(before, now *sight) ledger.RestatedSums,
) (ledger.Restatement, bool) {
	r := ledger.Restatement{Close: *c, Subject: subject}
	for i := range max(len(t.before.fields), len(t.now.fields)) {
		var f ledger.RestatedField
		if i < len(t.before.fields) {
			f = t.before.fields[i]
		}
		if i < len(t.now.fields) {
			f.Name, f.New = t.now.fields[i].Name, t.now.fields[i].Old
		}
		if f.Old != f.New {
			r.Fields = append(r.Fields, f)
		}
	}
	if len(r.Fields) == 0 {
		return r, false
	}
	sortFields(r.Fields)
	r.Cause = t.cause()
	r.Changes = moved(&t.before, &t.now)
	return r, true
}

// sortFields puts fields in the order of reports, in which the first bears the amounts.
func sortFields(fields []ledger.RestatedField) {
	slices.SortFunc(fields, func(a, b ledger.RestatedField) int { return strings.Compare(a.Name, b.Name) })
}

func (t *transition) cause() ledger.RestatementCause {
	was, is := &t.before, &t.now
	switch {
	case !was.inside && !was.there && is.version > 1:
		return ledger.CauseReappeared
	case !was.inside:
		return ledger.CauseEntered
	case !is.there:
		return ledger.CauseVanished
	case was.class != is.class && was.version == is.version:
		return ledger.CauseReclassified
	case was.class != is.class && is.class == ledger.Cancelled:
		return ledger.CauseCancelled
	case was.class != is.class && is.class == ledger.Chargeback:
		return ledger.CauseChargedBack
	case was.class.IsReversal() && !is.class.IsReversal(), was.class == ledger.Received && is.class.IsLive() && is.class != ledger.Received,
		was.class == ledger.Paid && is.class == ledger.Open:
		return ledger.CauseReversed
	case !is.inside:
		return ledger.CauseLeft
	}
	return ledger.CauseRestated
}

// restatedCards are the changes of installments, by what the service says or by documents that changed. agenda is by what
// the contract net moved besides them.
func (w *Worker) restatedCards(
	ctx context.Context, c *ledger.PeriodClose, since, run string, documents []ledger.RestatedField,
) (out []ledger.Restatement, agenda ledger.Amount, err error) {
	items := map[ledger.InstallmentKey]*transition{}
	var order []ledger.InstallmentKey
	for i, asOf := range []string{since, run} {
		err := w.Ledger.MovedCards(ctx, c, since, run, asOf, func(k *ledger.ReportedCard) error {
			t := items[k.Key]
			if t == nil {
				t = &transition{}
				items[k.Key], order = t, append(order, k.Key)
			}
			*[]*sight{&t.before, &t.now}[i] = cardSight(c, k)
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	moved := movedByCredit
	if c.Basis == string(report.ByOperation) {
		moved = movedByOperation
	}
	for _, k := range order {
		t := items[k]
		r, changed := t.restatement(c, k.Subject(), moved)
		if !changed {
			r, changed = t.byDocuments(c, k.Subject(), documents)
		}
		agenda += t.now.contractNet - t.before.contractNet
		if changed {
			agenda -= r.Changes.Contract
			out = append(out, r)
		}
	}
	return out, agenda, nil
}

// cardSight is what a basis reports of an installment. Cancelled and charged-back ones are in no figure but, by credit,
// what was received.
func cardSight(c *ledger.PeriodClose, k *ledger.ReportedCard) sight {
	s := sight{there: true, version: k.Version, class: k.Class, inside: c.Period.Contains(k.Key.Day)}
	if c.Basis == string(report.ByCredit) {
		s.inside = c.Period.Contains(k.Effective)
	}
	if !s.inside {
		return s
	}
	live := !k.Class.IsReversal()
	if c.Basis == string(report.ByCredit) {
		s.fields = []ledger.RestatedField{
			{Name: "receivedDateEffective", Old: k.Effective.String()}, {Name: "receivedValue", Old: k.Received.V.String()},
		}
		s.sums.Received = k.Received.Or(0)
	} else {
		s.fields = []ledger.RestatedField{
			{Name: "installmentValue", Old: k.Gross.String()},
			{Name: "installmentsCount", Old: strconv.Itoa(k.Count)},
			{Name: "discountMdrValue", Old: k.MDR.Or(0).String()},
			{Name: "discountTrnRateInstalmentValue", Old: k.Fee.Or(0).String()},
			{Name: "discountAntifraudRateInstalmentValue", Old: k.Antifraud.Or(0).String()},
			{Name: "installmentStatus", Old: string(standingClass(live))},
		}
	}
	s.parts = parts{gross: k.Gross, received: k.Received.Or(0), net: k.Net, contract: k.Contract, rest: k.Rest}
	if c.Basis == string(report.ByOperation) {
		// What an anticipation costs is known with the receipt: it is the agenda's movement, as that is.
		net := k.Gross - k.MDR.Or(0) - k.Fee.Or(0) - k.Antifraud.Or(0)
		s.parts.net, s.parts.contract = net, net+k.Contract-k.Net
	}
	if live {
		s.sums.Gross = k.Gross
		s.parts.stand(&s.sums)
		s.contractNet = k.Contract
	}
	return s
}

// standingClass tells apart what a period counts and what stands beside it.
func standingClass(live bool) ledger.Class {
	if live {
		return ledger.Open
	}
	return ledger.Cancelled
}

// stand adds a live installment where a summary puts it.
func (p parts) stand(s *ledger.RestatedSums) {
	s.Net, s.Contract = p.net, p.contract
	s.Came, s.NotDue, s.Overdue, s.Blocked, s.ShortBy, s.OverBy = 0, 0, 0, 0, 0, 0
	switch open := p.net - p.received; p.rest {
	case ledger.LineBlocked:
		s.Blocked = open
	case ledger.LineOverdue:
		s.Overdue = open
	case ledger.LineNotDue, ledger.LineNoForecast:
		s.NotDue = open
	default:
		s.Came, s.ShortBy, s.OverBy = p.received, max(open, 0), max(-open, 0)
	}
}

// movedByCredit: what enters and leaves moves everything it has; of what stays the receipt moves alone. What else changes
// of it is no restatement of what was credited.
func movedByCredit(before, now *sight) ledger.RestatedSums {
	if !before.inside || !now.inside {
		return now.sums.Minus(before.sums)
	}
	s := before.sums
	s.Received = now.sums.Received
	if !before.class.IsReversal() {
		p := before.parts
		p.received = now.parts.received
		p.stand(&s)
	}
	return s.Minus(before.sums)
}

// movedByOperation: what stays in the figures moves them by its value and the fees of the sale alone, where it stood.
func movedByOperation(before, now *sight) ledger.RestatedSums {
	counted := func(s *sight) bool { return s.inside && !s.class.IsReversal() }
	if !counted(before) || !counted(now) {
		return now.sums.Minus(before.sums)
	}
	p := now.parts
	p.received, p.rest = before.parts.received, before.parts.rest
	s := ledger.RestatedSums{Gross: p.gross}
	p.stand(&s)
	return s.Minus(before.sums)
}

func (w *Worker) restatedSlips(ctx context.Context, c *ledger.PeriodClose, since, run string) ([]ledger.Restatement, error) {
	ids, err := w.Ledger.MovedSlips(ctx, c, since, run)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	items := make([]transition, len(ids))
	for i, asOf := range []string{since, run} {
		slips, err := w.Ledger.SlipsAsOf(ctx, c.Account, asOf, ids)
		if err != nil {
			return nil, err
		}
		for n, id := range ids {
			if s, there := slips[id]; there {
				*[]*sight{&items[n].before, &items[n].now}[i] = slipSight(c, s.Slip)
			}
		}
	}
	moved := func(before, now *sight) ledger.RestatedSums { return now.sums.Minus(before.sums) }
	var out []ledger.Restatement
	for n, id := range ids {
		if r, changed := items[n].restatement(c, ledger.SlipSubject(c.Account, id), moved); changed {
			out = append(out, r)
		}
	}
	return out, nil
}

// slipSight is what a basis reports of a slip: by operation its value unless it is cancelled, by credit what was paid.
func slipSight(c *ledger.PeriodClose, v *ledger.Slip) sight {
	s := sight{there: true, version: v.Version, class: rules.SlipClass(v), inside: c.Period.Contains(v.Issued)}
	live := s.class != ledger.Cancelled
	if c.Basis == string(report.ByCredit) {
		if s.inside = c.Period.Contains(v.CreditedOn); !s.inside {
			return s
		}
		paid := v.PaidValue.Or(0)
		s.fields = []ledger.RestatedField{
			{Name: "effectiveCreditDate", Old: v.CreditedOn.String()}, {Name: "effectivePaymentValue", Old: paid.String()},
		}
		s.sums = ledger.RestatedSums{Gross: v.Value, Net: paid, Received: paid}
		return s
	}
	if !s.inside {
		return s
	}
	s.fields = []ledger.RestatedField{{Name: "value", Old: v.Value.String()}, {Name: "statusBill", Old: string(standingClass(live))}}
	if live {
		s.sums = ledger.RestatedSums{Gross: v.Value, Net: v.Value}
	}
	return s
}
