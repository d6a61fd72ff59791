package books

import (
	"context"
	"errors"
	"slices"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
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

// Ties holds the journal, and its balances, against what reports say. Both are of what occurred since the first day of the movement.
func (j *Journal) Ties(ctx context.Context) ([]Tie, error) {
	t := &tier{Journal: j}
	if j.cards != nil {
		if err := t.tieCards(ctx); err != nil {
			return nil, err
		}
	}
	if j.slips != nil && j.method == bookkeeping.Accrual {
		if err := t.tieTransit(ctx); err != nil {
			return nil, err
		}
	}
	return t.list, nil
}

// tier makes ties.
type tier struct {
	*Journal
	list []Tie
}

// flowSums are what entries of a type add up to by role: posted in the period, and of them those that occurred elsewhere less those that
// are posted elsewhere; and of rows that are cancelled.
type flowSums struct {
	posted, other, cancelled map[bookkeeping.Role]ledger.Amount
}

// feeColumns are the roles of the fees of an installment, with their columns of the summary.
var feeColumns = []struct {
	role   bookkeeping.Role
	column string
}{{bookkeeping.RoleMDR, "mdr"}, {bookkeeping.RoleTransactionFee, "transaction_fee"}, {bookkeeping.RoleAntifraudFee, "antifraud_fee"}}

func (t *tier) tieCards(ctx context.Context) error {
	apart := &t.apart
	credit, operation, err := t.sumSummaries(ctx)
	if err != nil {
		return err
	}
	flows, err := t.sumFlows(ctx)
	if err != nil {
		return err
	}
	settled := flows[bookkeeping.EntrySettled]
	t.addFlow("settled service", settled, bookkeeping.RoleService, -apart.Received, "summary received", credit["received"])
	t.addFlow("settled anticipation", settled, bookkeeping.RoleAnticipation, -apart.Anticipation, "summary anticipation_cost", credit["anticipation_cost"])
	if t.method == bookkeeping.Accrual {
		t.addFees(flows[bookkeeping.EntryFees], operation)
	}
	if !t.cards.NetOfSplits {
		payable, err := t.sumPayable(ctx)
		if err != nil {
			return err
		}
		t.addFlow("split", flows[bookkeeping.EntrySplit], bookkeeping.RoleSplitCost, -apart.Splits, "splits-payable value", payable)
	}
	return t.tieClaims(ctx, operation)
}

// addFlow adds the tie of a role of the entries of a type.
func (t *tier) addFlow(item string, f *flowSums, r bookkeeping.Role, counted ledger.Amount, report string, of ledger.Amount) {
	t.list = append(t.list, Tie{item, []TieLine{
		{linePosted, f.posted[r]}, {lineOtherMonth, f.other[r]}, {lineCancelled, f.cancelled[r]}, {lineCounted, counted}, {report, of},
	}})
}

// addFees adds the ties of the fees.
func (t *tier) addFees(f *flowSums, operation map[string]ledger.Amount) {
	for _, x := range feeColumns {
		t.list = append(t.list, Tie{"fees " + string(x.role), []TieLine{
			{linePosted, f.posted[x.role]}, {lineOtherMonth, f.other[x.role]}, {lineCancelled, f.cancelled[x.role]}, {"summary " + x.column, operation[x.column]},
		}})
	}
}

// tieClaims ties what the service owes with what it was short of, over all days.
func (t *tier) tieClaims(ctx context.Context, summary map[string]ledger.Amount) error {
	balance, err := t.sumBalances(ctx, bookkeeping.RoleClaims, bookkeeping.RoleExcess)
	var givenUp, slipsOwed ledger.Amount
	for i := range t.bookings {
		if b := &t.bookings[i]; b.Type == bookkeeping.EntryClaimWrittenOff {
			givenUp += b.Lines[0].Amount
		}
	}
	for _, r := range t.ofSlips {
		if r.Role == bookkeeping.RoleExcess {
			slipsOwed += r.Amount
		}
	}
	t.list = append(t.list, Tie{"claims less excess", []TieLine{
		{"balance", balance},
		{lineGivenUp, -givenUp},
		{lineCounted, -t.apart.Claims},
		{lineRounding, -t.apart.Rounding},
		{lineOwed, t.apart.Undated - summary["cancelled_received"]},
		{lineSlipsOwed, slipsOwed},
		{"summary short less over", summary["short"] - summary["over"]},
	}})
	return err
}

// tieTransit ties what payers paid and the service has not credited, over all days.
func (t *tier) tieTransit(ctx context.Context) error {
	q := reports.Query{Account: t.account, Basis: "operation", Period: facts.AllDays, AsOfRun: t.slips.ToRun}
	sums, err := t.store.sums.Sums(ctx, q, "slips-summary", ledger.Percent)
	if err != nil {
		return err
	}
	balance, err := t.sumBalances(ctx, bookkeeping.RoleSlipTransit)
	if err != nil {
		return err
	}
	t.list = append(t.list, Tie{"slip_transit", []TieLine{
		{"balance", balance},
		{lineSlipsOwed, t.owing},
		{"slips-summary not_credited and credit_overdue", ledger.Amount(sums.Columns["not_credited"] + sums.Columns["credit_overdue"])},
	}})
	return err
}

// sumSummaries sums the summary as of the last cut of cards: by credit what came in the period, and by operation the fees of the period, and
// of all days what was short and over, and received of cancelled rows.
func (t *tier) sumSummaries(ctx context.Context) (credit, operation map[string]ledger.Amount, err error) {
	q := reports.Query{Account: t.account, Basis: "operation", Period: facts.AllDays, AsOfRun: t.cards.ToRun}
	var fees []string
	for _, x := range feeColumns {
		fees = append(fees, x.column)
	}
	since := t.sinceFirst()
	operation, err = t.store.sums.SumSummaryColumns(ctx, q, []string{"cancelled_received", "short", "over"}, since, fees)
	if err != nil || since.From > since.To {
		return nil, operation, err
	}
	q.Basis, q.Period = "credit", since
	credit, err = t.store.sums.SumSummaryColumns(ctx, q, []string{"received", "anticipation_cost"}, since, nil)
	return credit, operation, err
}

// sumPayable sums the splits that were payable in the period.
func (t *tier) sumPayable(ctx context.Context) (ledger.Amount, error) {
	since := t.sinceFirst()
	if since.From > since.To {
		return 0, nil
	}
	q := reports.Query{Account: t.account, Basis: "credit", Period: since, AsOfRun: t.cards.ToRun}
	sums, err := t.store.sums.Sums(ctx, q, "splits-payable", ledger.Percent)
	return ledger.Amount(sums.Columns["value"]), err
}

// sumBalances adds up roles over all that was ever posted.
func (t *tier) sumBalances(ctx context.Context, roles ...bookkeeping.Role) (out ledger.Amount, err error) {
	sums, err := t.store.RoleSums(ctx, &JournalQuery{Account: t.account, Method: t.method, UpTo: t.upTo})
	for i := range sums {
		if slices.Contains(roles, sums[i].Role) {
			out += sums[i].Debit - sums[i].Credit
		}
	}
	return out, err
}

// sumFlows adds up the entries of receipts, fees and splits, by type.
func (t *tier) sumFlows(ctx context.Context) (map[bookkeeping.EntryType]*flowSums, error) {
	flows := map[bookkeeping.EntryType]*flowSums{}
	for _, kind := range []bookkeeping.EntryType{bookkeeping.EntrySettled, bookkeeping.EntryFees, bookkeeping.EntrySplit} {
		flows[kind] = &flowSums{map[bookkeeping.Role]ledger.Amount{}, map[bookkeeping.Role]ledger.Amount{}, map[bookkeeping.Role]ledger.Amount{}}
		q := JournalQuery{Account: t.account, Method: t.method, UpTo: t.upTo, Period: t.period}
		for _, other := range bookkeeping.EntryTypes() {
			if other != kind {
				q.Skip = append(q.Skip, other)
			}
		}
		sums, err := t.store.RoleSums(ctx, &q)
		if err != nil {
			return nil, err
		}
		for i := range sums {
			flows[kind].posted[sums[i].Role] += sums[i].Debit - sums[i].Credit
		}
	}
	err := errors.Join(t.sumOthers(ctx, flows), t.sumCancelled(ctx, flows))
	return flows, t.store.db.WrapError("tie the journal of account "+t.account.String(), err)
}

// sumOthers adds up the entries of those types that are posted in a period and occurred in another, less those the other way round.
func (t *tier) sumOthers(ctx context.Context, flows map[bookkeeping.EntryType]*flowSums) error {
	d, p := t.store.db.Dialect, t.period
	return t.eachEntry(ctx, func(e *bookkeeping.Entry) {
		if flows[e.Type] == nil || p.Contains(e.Posted) == p.Contains(e.Occurred) {
			return
		}
		sign := ledger.Amount(-1)
		if p.Contains(e.Posted) {
			sign = 1
		}
		for _, l := range e.Lines {
			flows[e.Type].other[l.Role] += sign * l.Amount
		}
	}, `
		FROM journal_entry AS x`+d.UseIndex("journal_entry_elsewhere")+`
		WHERE x.account = $1 AND x.method = $2 AND x.posted <> x.occurred`, int64(t.account), string(t.method))
}

// sumCancelled adds up the entries of those types that occurred in a period, of rows that are cancelled or charged back. The shares of such
// rows are reversed. Entries are found by the events of their rows; a cut whose events were taken back from the archive has some of none.
func (t *tier) sumCancelled(ctx context.Context, flows map[bookkeeping.EntryType]*flowSums) error {
	rows, err := t.store.sums.ReversedRows(ctx, t.account, t.cards.ToRun)
	if err != nil || len(rows) == 0 {
		return err
	}
	add := func(e *bookkeeping.Entry) {
		if flows[e.Type] == nil || e.Type == bookkeeping.EntrySplit || !t.period.Contains(e.Occurred) {
			return
		}
		for _, l := range e.Lines {
			flows[e.Type].cancelled[l.Role] += l.Amount
		}
	}
	d := t.store.db.Dialect
	for some := range slices.Chunk(rows, cutBatch) {
		list, err := sqldb.EncodeList(some)
		if err != nil {
			return err
		}
		err = t.eachEntry(ctx, add, `
		FROM `+fromPosted(d), int64(t.account), list, string(t.method))
		if err != nil {
			return err
		}
	}
	reversed := make(map[string]bool, len(rows))
	for _, r := range rows {
		reversed[r] = true
	}
	return t.eachEntry(ctx, func(e *bookkeeping.Entry) {
		if reversed[e.Title] {
			add(e)
		}
	}, `
		FROM event_cut AS c
		`+d.JoinOneByOne("journal_entry", "x", "journal_entry_made", `x.account = $1 AND x.method = $2 AND x.source = c.source AND x.cut = c.number AND x.position = 0`)+`
		WHERE c.account = $1`, int64(t.account), string(t.method))
}

// eachEntry calls fn for entries x of sets up to the tier's. from says which.
func (t *tier) eachEntry(ctx context.Context, fn func(*bookkeeping.Entry), from string, args ...any) error {
	r := &entryReader{}
	return sqldb.ReadRows(ctx, t.store.db.Read, func(f *sqldb.RowReader) error {
		e, err := r.read(f, false)
		if err == nil && (t.upTo == 0 || t.sets[entryCut{e.Source, e.Cut}] <= t.upTo) {
			fn(e)
		}
		return err
	}, `
		SELECT`+entryColumns+from, args...)
}
