package books

import (
	"context"
	"slices"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/sqldb"
)

// Tie is a figure of the journal with the figure of a report that it has to be, and what explains the difference. What is left is zero.
type Tie struct {
	Item  string // of the journal
	Lines []TieLine
}

// TieLine is an amount of a tie: the journal's first, the report's last, and between them what the journal has besides.
type TieLine struct {
	Measure string
	Amount  ledger.Amount
}

// Residual is what the journal has in excess of the report and of what explains it.
func (t *Tie) Residual() ledger.Amount {
	rest := t.Lines[0].Amount
	for _, l := range t.Lines[1:] {
		rest -= l.Amount
	}
	return rest
}

// The lines of ties.
const (
	linePosted     = "posted"
	lineOtherMonth = "other month"
	lineCancelled  = "cancelled rows"
	lineCounted    = "counted otherwise"
	lineRounding   = "rounding"
	lineOwed       = "cancelled but received"
	lineSlipsOwed  = "cancelled but paid"
	lineGivenUp    = "written off"
)

// TieJournal holds the journal of an account in a period, and its balances, against what reports say as of the last cuts up to a set; 0:
// of all. Both are of what occurred since the first day of the movement.
func (s *Store) TieJournal(ctx context.Context, a ledger.Account, m ledger.Method, p ledger.Period, upTo int) ([]Tie, error) {
	cuts, err := s.Cuts(ctx, a)
	if err != nil {
		return nil, err
	}
	t := &tier{store: s, account: a, method: m, upTo: upTo}
	for i := range cuts {
		c := &cuts[i]
		if upTo != 0 && c.Set > upTo {
			continue
		}
		if c.Source == ledger.CardEvents {
			t.cards = c
		} else {
			t.slips = c
		}
	}
	if t.cards != nil {
		t.period = ledger.Period{From: max(p.From, t.cards.From), To: p.To}
		if err := t.tieCards(ctx, p); err != nil {
			return nil, err
		}
	}
	if t.slips != nil && m == ledger.Accrual {
		err = t.tieTransit(ctx)
	}
	return t.list, err
}

// tier makes ties.
type tier struct {
	store        *Store
	account      ledger.Account
	method       ledger.Method
	upTo         int
	period       ledger.Period // since the first day
	cards, slips *Cut          // the last ones; nil: none
	list         []Tie
}

// flowSums are what entries of a type add up to by role: posted in the period, and of them those that occurred elsewhere less those that
// are posted elsewhere; and of rows that are cancelled.
type flowSums struct{ posted, other, cancelled map[ledger.Role]ledger.Amount }

func (t *tier) tieCards(ctx context.Context, p ledger.Period) error {
	apart, err := t.store.reports.SetApart(ctx, t.account, t.cards.ToRun, t.period, t.cards.NetOfSplits)
	if err != nil {
		return err
	}
	credit, err := t.sumReport(ctx, "credit", t.period, "summary")
	if err != nil {
		return err
	}
	settled, err := t.sumFlow(ctx, p, ledger.EntrySettled)
	if err != nil {
		return err
	}
	t.addFlow("settled service", settled, ledger.RoleService, -apart.Received, "summary received", credit["received"])
	t.addFlow("settled anticipation", settled, ledger.RoleAnticipation, -apart.Anticipation, "summary anticipation_cost", credit["anticipation_cost"])
	if t.method == ledger.Accrual {
		if err := t.tieFees(ctx, p); err != nil {
			return err
		}
	}
	if !t.cards.NetOfSplits {
		shares, err := t.sumFlow(ctx, p, ledger.EntrySplit)
		if err != nil {
			return err
		}
		payable, err := t.sumReport(ctx, "credit", t.period, "splits-payable")
		if err != nil {
			return err
		}
		t.addFlow("split", shares, ledger.RoleSplitCost, -apart.Splits, "splits-payable value", payable["value"])
	}
	return t.tieClaims(ctx, &apart)
}

// addFlow adds the tie of a role of the entries of a type.
func (t *tier) addFlow(item string, f *flowSums, r ledger.Role, counted ledger.Amount, report string, of ledger.Amount) {
	t.list = append(t.list, Tie{item, []TieLine{
		{linePosted, f.posted[r]}, {lineOtherMonth, f.other[r]}, {lineCancelled, f.cancelled[r]}, {lineCounted, counted}, {report, of},
	}})
}

func (t *tier) tieFees(ctx context.Context, p ledger.Period) error {
	f, err := t.sumFlow(ctx, p, ledger.EntryFees)
	if err != nil {
		return err
	}
	operation, err := t.sumReport(ctx, "operation", t.period, "summary")
	if err != nil {
		return err
	}
	for _, x := range []struct {
		role   ledger.Role
		column string
	}{{ledger.RoleMDR, "mdr"}, {ledger.RoleTransactionFee, "transaction_fee"}, {ledger.RoleAntifraudFee, "antifraud_fee"}} {
		t.list = append(t.list, Tie{"fees " + string(x.role), []TieLine{
			{linePosted, f.posted[x.role]}, {lineOtherMonth, f.other[x.role]}, {lineCancelled, f.cancelled[x.role]}, {"summary " + x.column, operation[x.column]},
		}})
	}
	return nil
}

// tieClaims ties what the service owes with what it was short of, over all days.
func (t *tier) tieClaims(ctx context.Context, apart *reports.Apart) error {
	summary, err := t.sumReport(ctx, "operation", facts.AllDays, "summary")
	if err != nil {
		return err
	}
	balance, err := t.sumBalances(ctx, ledger.RoleClaims, ledger.RoleExcess)
	if err != nil {
		return err
	}
	var givenUp, slipsOwed ledger.Amount
	err = t.store.reports.GivenUp(ctx, t.account, t.lastRun(), t.cards.NetOfSplits, func(b *ledger.Booking) error {
		givenUp += b.Lines[0].Amount
		return nil
	})
	if err == nil && t.slips != nil {
		var rows []reports.RowBalance
		rows, err = t.store.reports.JournalBalances(ctx, t.account, ledger.SlipEvents, t.slips.ToRun, t.method, t.slips.NetOfSplits)
		for _, r := range rows {
			if r.Role == ledger.RoleExcess {
				slipsOwed += r.Amount
			}
		}
	}
	t.list = append(t.list, Tie{"claims less excess", []TieLine{
		{"balance", balance},
		{lineGivenUp, -givenUp},
		{lineCounted, -apart.Claims},
		{lineRounding, -apart.Rounding},
		{lineOwed, apart.Undated - summary["cancelled_received"]},
		{lineSlipsOwed, slipsOwed},
		{"summary short less over", summary["short"] - summary["over"]},
	}})
	return err
}

// lastRun is the one that the last set was cut from.
func (t *tier) lastRun() string {
	if t.slips != nil && t.slips.Set > t.cards.Set {
		return t.slips.ToRun
	}
	return t.cards.ToRun
}

// tieTransit ties what payers paid and the service has not credited, over all days.
func (t *tier) tieTransit(ctx context.Context) error {
	q := reports.Query{Account: t.account, Basis: "operation", Period: facts.AllDays, AsOfRun: t.slips.ToRun}
	sums, err := t.store.reports.Sums(ctx, q, "slips-summary", ledger.Percent)
	if err != nil {
		return err
	}
	balance, err := t.sumBalances(ctx, ledger.RoleSlipTransit)
	if err != nil {
		return err
	}
	owing, err := t.store.reports.JournalBalances(ctx, t.account, ledger.SlipEvents, t.slips.ToRun, ledger.Cash, t.slips.NetOfSplits)
	var cancelled ledger.Amount
	for _, r := range owing {
		if r.Role == ledger.RoleSlipTransit {
			cancelled += r.Amount // by cash, only cancelled slips are in transit
		}
	}
	t.list = append(t.list, Tie{"slip_transit", []TieLine{
		{"balance", balance},
		{lineSlipsOwed, cancelled},
		{"slips-summary not_credited and credit_overdue", ledger.Amount(sums.Columns["not_credited"] + sums.Columns["credit_overdue"])},
	}})
	return err
}

// sumReport sums a table of the installments of a period as of the last cut of cards.
func (t *tier) sumReport(ctx context.Context, basis string, p ledger.Period, table string) (map[string]ledger.Amount, error) {
	out := map[string]ledger.Amount{}
	if p.From > p.To {
		return out, nil
	}
	q := reports.Query{Account: t.account, Basis: basis, Period: p, AsOfRun: t.cards.ToRun}
	sums, err := t.store.reports.Sums(ctx, q, table, ledger.Percent)
	for id, v := range sums.Columns {
		out[id] = ledger.Amount(v)
	}
	return out, err
}

// sumBalances adds up roles over all that was ever posted.
func (t *tier) sumBalances(ctx context.Context, roles ...ledger.Role) (out ledger.Amount, err error) {
	sums, err := t.store.RoleSums(ctx, &JournalQuery{Account: t.account, Method: t.method, UpTo: t.upTo})
	for i := range sums {
		if slices.Contains(roles, sums[i].Role) {
			out += sums[i].Debit - sums[i].Credit
		}
	}
	return out, err
}

// sumFlow adds up the entries of a type.
func (t *tier) sumFlow(ctx context.Context, p ledger.Period, kind ledger.EntryType) (*flowSums, error) {
	f := &flowSums{map[ledger.Role]ledger.Amount{}, map[ledger.Role]ledger.Amount{}, map[ledger.Role]ledger.Amount{}}
	q := JournalQuery{Account: t.account, Method: t.method, UpTo: t.upTo}
	for _, other := range ledger.EntryTypes() {
		if other != kind {
			q.Skip = append(q.Skip, other)
		}
	}
	all := q
	all.Period = p
	sums, err := t.store.RoleSums(ctx, &all)
	if err != nil {
		return nil, err
	}
	for i := range sums {
		f.posted[sums[i].Role] += sums[i].Debit - sums[i].Credit
	}
	c := q.newConditions()
	from, to := c.AddArg(int64(p.From)), c.AddArg(int64(p.To))
	in := func(day string) string {
		return "CASE WHEN x." + day + " BETWEEN " + from + " AND " + to + " THEN 1 ELSE 0 END"
	}
	c.Add(in("posted") + " <> " + in("occurred"))
	err = eachEntry(ctx, t.store.db.Read, func(e *ledger.Entry) error {
		sign := ledger.Amount(-1)
		if p.Contains(e.Posted) {
			sign = 1
		}
		for _, l := range e.Lines {
			f.other[l.Role] += sign * l.Amount
		}
		return nil
	}, c.Where(), c.Args...)
	if err == nil && kind != ledger.EntrySplit { // the shares of a cancelled row are reversed
		err = t.sumCancelled(ctx, &q, p, f.cancelled)
	}
	return f, t.store.db.WrapError("tie the journal of account "+t.account.String(), err)
}

// sumCancelled adds up the chosen entries that occurred in a period, of rows that are cancelled or charged back.
func (t *tier) sumCancelled(ctx context.Context, q *JournalQuery, p ledger.Period, into map[ledger.Role]ledger.Amount) error {
	rows, err := t.store.reports.ReversedRows(ctx, t.account, t.cards.ToRun)
	for some := range slices.Chunk(rows, cutBatch) {
		if err != nil {
			return err
		}
		c := q.newConditions()
		c.Add("x.occurred BETWEEN " + c.AddArg(int64(p.From)) + " AND " + c.AddArg(int64(p.To)))
		sqldb.AddIn(c, "x.title", some, func(s string) any { return s })
		err = eachEntry(ctx, t.store.db.Read, func(e *ledger.Entry) error {
			for _, l := range e.Lines {
				into[l.Role] += l.Amount
			}
			return nil
		}, c.Where(), c.Args...)
	}
	return err
}
