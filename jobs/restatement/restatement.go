// Package restatement finds what changed in closed periods.
//
// When people close the month of an account, its reports stay as they were published. What the service reports differently
// afterwards, or what a corrected contract changes, is stored as a restatement: which item changed, why, and by how much it
// changes the figures of the close. RecordChanges compares the period as of the run up to which changes were stored with the
// current run; it may be repeated. ListCloses returns the closed periods as the rules on changes after a close need them.
package restatement

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"concilia/export/report"
	"concilia/jobs/calendar"
	"concilia/jobs/rules"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// ListCloses returns the closed periods of an account as the rules need them in a run; nil if no period was ever closed.
func ListCloses(ctx context.Context, l *store.Ledger, run *ledger.Run, a ledger.Account) ([]rules.Close, error) {
	all, err := l.PeriodCloses(ctx, caselog.PeriodFilter{Accounts: []ledger.Account{a}})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	closed, err := closesBefore(ctx, l, run, a)
	if err != nil {
		return nil, err
	}
	out := []rules.Close{}
	for _, c := range closed {
		later, err := l.PullsAfterRun(ctx, a, c.Run)
		if err != nil {
			return nil, err
		}
		out = append(out, rules.Close{Basis: c.Basis, Period: c.Period, AsOf: c.AsOf, Later: later})
	}
	return out, nil
}

// closesBefore returns the closes that were in force before the run reconciled the account.
func closesBefore(ctx context.Context, l *store.Ledger, run *ledger.Run, a ledger.Account) ([]ledger.PeriodClose, error) {
	return l.PeriodCloses(ctx, caselog.PeriodFilter{Accounts: []ledger.Account{a}, AsOfRun: run.ID})
}

// RecordChanges stores what has changed in every closed period of an account since its changes were last stored. A change is
// dated by the first run that observed it.
func RecordChanges(ctx context.Context, l *store.Ledger, run *ledger.Run, a ledger.Account) error {
	closes, err := closesBefore(ctx, l, run, a)
	if err != nil {
		return err
	}
	for i := range closes {
		c := &comparison{ledger: l, period: &closes[i], run: run}
		if c.since, err = l.RestatedTo(ctx, c.period); err != nil {
			return err
		}
		if err := c.recordChanges(ctx); err != nil {
			return err
		}
	}
	return nil
}

// comparison compares a closed period as two runs reported it.
type comparison struct {
	ledger *store.Ledger
	period *ledger.PeriodClose
	since  string // the run up to which changes are stored
	run    *ledger.Run
	// calendars are those of the two runs, by which both know when an amount falls due; nil unless another one is in force now.
	calendars *[2]*calendar.Calendar
}

func (c *comparison) recordChanges(ctx context.Context) error {
	documents, err := c.listChangedDocuments(ctx)
	if err != nil {
		return err
	}
	cards, agenda, err := c.compareCards(ctx, documents)
	if err != nil {
		return err
	}
	slips, err := c.compareSlips(ctx, documents)
	if err != nil {
		return err
	}
	return c.ledger.KeepRestated(ctx, c.period, c.run, append(cards, slips...), agenda)
}

// restatingDocuments are the documents that the contract net of an item and its dates depend on, each with the cause of a
// change that it explains. Of several that changed at once the first one is the cause.
var restatingDocuments = []struct {
	name  string
	cause ledger.RestatementCause
}{
	{"contract", ledger.CauseContract}, {"mapping", ledger.CauseMapping}, {"profile", ledger.CauseProfile}, {"calendar", ledger.CauseCalendar},
}

// listChangedDocuments returns the documents that changed between the two runs, with both hashes. They change only periods
// closed by operation: by credit, receipts are reported.
func (c *comparison) listChangedDocuments(ctx context.Context) (changed []ledger.RestatedField, err error) {
	if c.period.Basis != string(report.ByOperation) {
		return nil, nil
	}
	then, err := c.ledger.RunByID(ctx, c.since)
	if err != nil {
		return nil, err
	}
	for _, d := range restatingDocuments {
		name := d.name
		if name == "calendar" {
			name += " " + c.period.Account.String()
		}
		if was, is := then.Documents[name], c.run.Documents[name]; was != is {
			changed = append(changed, ledger.RestatedField{Name: d.name, Old: was, New: is})
			if d.name == "calendar" {
				c.calendars = &[2]*calendar.Calendar{}
				for i, hash := range []string{was, is} {
					if c.calendars[i], err = c.readCalendar(ctx, hash); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	sortFields(changed)
	return changed, nil
}

// readCalendar returns a calendar as a run used it.
func (c *comparison) readCalendar(ctx context.Context, hash string) (*calendar.Calendar, error) {
	_, text, err := c.ledger.Document(ctx, hash)
	if err != nil {
		return nil, err
	}
	used, err := calendar.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("calendar %s of account %s: %w", hash, c.period.Account, err)
	}
	return used, nil
}

// reportedItem is what the basis of a closed period reports of an item as of one run. The zero value is an item that did not
// exist yet.
type reportedItem struct {
	exists  bool // a list or pull shows it, whatever its date
	inside  bool // its date by the basis is in the period
	version int
	class   ledger.Class
	fields  []ledger.RestatedField // only Old is set
	sums    ledger.RestatedSums    // what it adds to the closed figures
	amounts amounts
	dates   []ledger.RestatedField // days that follow from a document; only Old is set, empty if there is none

	contractNet ledger.Amount // what it adds to net_contract, including receipts
}

// amounts are the amounts of an installment by which closed figures may change while it stays in them.
type amounts struct {
	gross, received, net, contract ledger.Amount
	rest                           ledger.BridgeLine
}

// itemChange is an item as of two runs.
type itemChange struct{ before, now reportedItem }

// describeDocumentChange returns the restatement that changed documents cause for an item without a changed member, and
// whether there is one: another contract net, or other dates. Several documents that changed at once make one change, with the
// cause of the first; what changed by its dates alone is the calendar's, if that is among them.
func (t *itemChange) describeDocumentChange(c *ledger.PeriodClose, subject string, documents []ledger.RestatedField) (r ledger.Restatement, changed bool) {
	if len(documents) == 0 || !t.before.inside || !t.now.inside {
		return r, false
	}
	moved := t.now.contractNet - t.before.contractNet
	if t.before.version != t.now.version {
		// A receipt came too. It changes the contract net by the agreed cost of its anticipation, which belongs to the agenda.
		moved = t.now.sums.Contract - t.before.sums.Contract
	}
	dates := t.listMovedDates()
	if moved == 0 && len(dates) == 0 {
		return r, false
	}
	isCalendar := func(f ledger.RestatedField) bool { return f.Name == "calendar" }
	if i := slices.IndexFunc(documents, isCalendar); moved == 0 && i >= 0 {
		documents = documents[i : i+1] // no amount follows from it, and every date does
	}
	r = ledger.Restatement{Close: *c, Subject: subject, Fields: slices.Concat(documents, dates), Changes: ledger.RestatedSums{Contract: moved}}
	sortFields(r.Fields)
	for _, d := range restatingDocuments {
		if slices.ContainsFunc(documents, func(f ledger.RestatedField) bool { return f.Name == d.name }) {
			r.Cause = d.cause
			break
		}
	}
	return r, true
}

// listMovedDates returns the dates of an item that another document moved: it is the same item, and both runs have the date.
func (t *itemChange) listMovedDates() (moved []ledger.RestatedField) {
	if t.before.version != t.now.version || len(t.before.dates) != len(t.now.dates) {
		return nil
	}
	for i, was := range t.before.dates {
		if is := t.now.dates[i].Old; was.Old != "" && is != "" && was.Old != is {
			moved = append(moved, ledger.RestatedField{Name: was.Name, Old: was.Old, New: is})
		}
	}
	return moved
}

// describeChange returns the restatement of an item whose reported members changed, and whether there is one.
func (t *itemChange) describeChange(
	c *ledger.PeriodClose, subject string, sumChange func(before, now *reportedItem) ledger.RestatedSums,
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
	r.Cause = t.findCause()
	r.Changes = sumChange(&t.before, &t.now)
	return r, true
}

// sortFields sorts fields in the order of reports, in which the first one has the amounts.
func sortFields(fields []ledger.RestatedField) {
	slices.SortFunc(fields, func(a, b ledger.RestatedField) int { return strings.Compare(a.Name, b.Name) })
}

// findCause returns why an item changed.
func (t *itemChange) findCause() ledger.RestatementCause {
	was, is := &t.before, &t.now
	switch {
	case !was.inside && !was.exists && is.version > 1:
		return ledger.CauseReappeared
	case !was.inside:
		return ledger.CauseEntered
	case !is.exists:
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

// compareCards returns the changes of installments, by their members or by changed documents. agenda is the change of the
// contract net that these do not explain.
func (c *comparison) compareCards(
	ctx context.Context, documents []ledger.RestatedField,
) (out []ledger.Restatement, agenda ledger.Amount, err error) {
	items := map[ledger.InstallmentKey]*itemChange{}
	var order []ledger.InstallmentKey
	for i, asOf := range []string{c.since, c.run.ID} {
		err := c.ledger.MovedCards(ctx, c.period, c.since, c.run.ID, asOf, func(k *ledger.ReportedCard) error {
			t := items[k.Key]
			if t == nil {
				t = &itemChange{}
				items[k.Key], order = t, append(order, k.Key)
			}
			s := reportCard(c.period, k)
			if c.calendars != nil && k.Forecast != 0 {
				s.dates = []ledger.RestatedField{{Name: "forecast_adjusted", Old: c.calendars[i].NextBusinessDay(calendar.Settles, k.Forecast).String()}}
			}
			*[]*reportedItem{&t.before, &t.now}[i] = s
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	sumChange := sumChangeByCredit
	if c.period.Basis == string(report.ByOperation) {
		sumChange = sumChangeByOperation
	}
	for _, k := range order {
		t := items[k]
		r, changed := t.describeChange(c.period, k.Subject(), sumChange)
		if !changed {
			r, changed = t.describeDocumentChange(c.period, k.Subject(), documents)
		}
		agenda += t.now.contractNet - t.before.contractNet
		if changed {
			agenda -= r.Changes.Contract
			out = append(out, r)
		}
	}
	return out, agenda, nil
}

// reportCard is what a basis reports of an installment. Cancelled and charged-back ones are in no figure except, by credit,
// what was received.
func reportCard(c *ledger.PeriodClose, k *ledger.ReportedCard) reportedItem {
	s := reportedItem{exists: true, version: k.Version, class: k.Class, inside: c.Period.Contains(k.Key.Day)}
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
			{Name: "installmentStatus", Old: string(countedClass(live))},
		}
	}
	s.amounts = amounts{gross: k.Gross, received: k.Received.Or(0), net: k.Net, contract: k.Contract, rest: k.Rest}
	if c.Basis == string(report.ByOperation) {
		// The cost of an anticipation is known with the receipt, so it belongs to the agenda, as the receipt does.
		net := k.Gross - k.MDR.Or(0) - k.Fee.Or(0) - k.Antifraud.Or(0)
		s.amounts.net, s.amounts.contract = net, net+k.Contract-k.Net
	}
	if live {
		s.sums.Gross = k.Gross
		s.amounts.addTo(&s.sums)
		s.contractNet = k.Contract
	}
	return s
}

// countedClass distinguishes what the figures of a period count from what they do not.
func countedClass(live bool) ledger.Class {
	if live {
		return ledger.Open
	}
	return ledger.Cancelled
}

// addTo sets the sums of a live installment, as a summary counts them.
func (p amounts) addTo(s *ledger.RestatedSums) {
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

// sumChangeByCredit is the change of the sums of a period by credit: an item that enters or leaves changes all of them, one
// that stays only the receipts. Its other changes do not restate what was credited.
func sumChangeByCredit(before, now *reportedItem) ledger.RestatedSums {
	if !before.inside || !now.inside {
		return now.sums.Minus(before.sums)
	}
	s := before.sums
	s.Received = now.sums.Received
	if !before.class.IsReversal() {
		p := before.amounts
		p.received = now.amounts.received
		p.addTo(&s)
	}
	return s.Minus(before.sums)
}

// sumChangeByOperation is the change of the sums of a period by operation: an item that stays in the figures changes them only
// by its value and the fees of the sale, not by receipts.
func sumChangeByOperation(before, now *reportedItem) ledger.RestatedSums {
	counted := func(s *reportedItem) bool { return s.inside && !s.class.IsReversal() }
	if !counted(before) || !counted(now) {
		return now.sums.Minus(before.sums)
	}
	p := now.amounts
	p.received, p.rest = before.amounts.received, before.amounts.rest
	s := ledger.RestatedSums{Gross: p.gross}
	p.addTo(&s)
	return s.Minus(before.sums)
}

// compareSlips returns the changes of slips, by their members or by changed documents.
func (c *comparison) compareSlips(ctx context.Context, documents []ledger.RestatedField) ([]ledger.Restatement, error) {
	ids, err := c.ledger.MovedSlips(ctx, c.period, c.since, c.run.ID, len(documents) > 0)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	items := make([]itemChange, len(ids))
	for i, asOf := range []string{c.since, c.run.ID} {
		slips, err := c.ledger.SlipsAsOf(ctx, c.period.Account, asOf, ids)
		if err != nil {
			return nil, err
		}
		for n, id := range ids {
			if s, exists := slips[id]; exists {
				*[]*reportedItem{&items[n].before, &items[n].now}[i] = reportSlip(c.period, s)
			}
		}
	}
	sumChange := func(before, now *reportedItem) ledger.RestatedSums { return now.sums.Minus(before.sums) }
	var out []ledger.Restatement
	for n, id := range ids {
		subject := ledger.SlipSubject(c.period.Account, id)
		r, changed := items[n].describeChange(c.period, subject, sumChange)
		if !changed {
			r, changed = items[n].describeDocumentChange(c.period, subject, documents)
		}
		if changed {
			out = append(out, r)
		}
	}
	return out, nil
}

// reportSlip is what a basis reports of a slip: by operation its value unless it is cancelled, by credit what was paid.
func reportSlip(c *ledger.PeriodClose, v reports.ReportedSlip) reportedItem {
	s := reportedItem{exists: true, version: v.Version, class: rules.SlipClass(v.Slip), inside: c.Period.Contains(v.Issued)}
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
	s.fields = []ledger.RestatedField{{Name: "value", Old: v.Value.String()}, {Name: "statusBill", Old: string(countedClass(live))}}
	if live {
		s.sums = ledger.RestatedSums{Gross: v.Value, Net: v.Value}
	}
	if e := v.Expectation; e != nil {
		credit := e.CreditOn
		if v.CreditedOn != 0 {
			credit = 0 // it is not waited for
		}
		s.dates = []ledger.RestatedField{{Name: "credit_due", Old: credit.String()}, {Name: "due_date_adjusted", Old: e.DueAdjusted.String()}}
	}
	return s
}
