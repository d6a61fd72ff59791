package books

import (
	"context"
	"errors"
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
func (s *JournalReader) TieJournal(ctx context.Context, a ledger.Account, m ledger.Method, p ledger.Period, upTo int) ([]Tie, error) {
	cuts, err := s.events.Cuts(ctx, a)
	if err != nil {
		return nil, err
	}
	t := &tier{store: s, account: a, method: m, upTo: upTo, sets: setsOf(cuts)}
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
	store        *JournalReader
	account      ledger.Account
	method       ledger.Method
	upTo         int
	sets         map[entryCut]int
	period       ledger.Period // since the first day
	cards, slips *Cut          // the last ones; nil: none
	list         []Tie
}

// flowSums are what entries of a type add up to by role: posted in the period, and of them those that occurred elsewhere less those that
// are posted elsewhere; and of rows that are cancelled.
type flowSums struct{ posted, other, cancelled map[ledger.Role]ledger.Amount }

// feeColumns are the roles of the fees of an installment, with their columns of the summary.
var feeColumns = []struct {
	role   ledger.Role
	column string
}{{ledger.RoleMDR, "mdr"}, {ledger.RoleTransactionFee, "transaction_fee"}, {ledger.RoleAntifraudFee, "antifraud_fee"}}

func (t *tier) tieCards(ctx context.Context, p ledger.Period) error {
	apart, err := t.store.reports.SetApart(ctx, t.account, t.cards.ToRun, t.period, t.cards.NetOfSplits)
	if err != nil {
		return err
	}
	credit, operation, err := t.sumSummaries(ctx)
	if err != nil {
		return err
	}
	flows, err := t.sumFlows(ctx, p)
	if err != nil {
		return err
	}
	settled := flows[ledger.EntrySettled]
	t.addFlow("settled service", settled, ledger.RoleService, -apart.Received, "summary received", credit["received"])
	t.addFlow("settled anticipation", settled, ledger.RoleAnticipation, -apart.Anticipation, "summary anticipation_cost", credit["anticipation_cost"])
	if t.method == ledger.Accrual {
		t.addFees(flows[ledger.EntryFees], operation)
	}
	if !t.cards.NetOfSplits {
		payable, err := t.sumPayable(ctx)
		if err != nil {
			return err
		}
		t.addFlow("split", flows[ledger.EntrySplit], ledger.RoleSplitCost, -apart.Splits, "splits-payable value", payable)
	}
	return t.tieClaims(ctx, &apart, operation)
}

// addFlow adds the tie of a role of the entries of a type.
func (t *tier) addFlow(item string, f *flowSums, r ledger.Role, counted ledger.Amount, report string, of ledger.Amount) {
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
func (t *tier) tieClaims(ctx context.Context, apart *reports.Apart, summary map[string]ledger.Amount) error {
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

// sumSummaries sums the summary as of the last cut of cards: by credit what came in the period, and by operation the fees of the period, and
// of all days what was short and over, and received of cancelled rows.
func (t *tier) sumSummaries(ctx context.Context) (credit, operation map[string]ledger.Amount, err error) {
	q := reports.Query{Account: t.account, Basis: "operation", Period: facts.AllDays, AsOfRun: t.cards.ToRun}
	var fees []string
	for _, x := range feeColumns {
		fees = append(fees, x.column)
	}
	operation, err = t.store.reports.SumSummaryColumns(ctx, q, []string{"cancelled_received", "short", "over"}, t.period, fees)
	if err != nil || t.period.From > t.period.To {
		return nil, operation, err
	}
	q.Basis, q.Period = "credit", t.period
	credit, err = t.store.reports.SumSummaryColumns(ctx, q, []string{"received", "anticipation_cost"}, t.period, nil)
	return credit, operation, err
}

// sumPayable sums the splits that were payable in the period.
func (t *tier) sumPayable(ctx context.Context) (ledger.Amount, error) {
	if t.period.From > t.period.To {
		return 0, nil
	}
	q := reports.Query{Account: t.account, Basis: "credit", Period: t.period, AsOfRun: t.cards.ToRun}
	sums, err := t.store.reports.Sums(ctx, q, "splits-payable", ledger.Percent)
	return ledger.Amount(sums.Columns["value"]), err
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

// sumFlows adds up the entries of receipts, fees and splits, by type.
func (t *tier) sumFlows(ctx context.Context, p ledger.Period) (map[ledger.EntryType]*flowSums, error) {
	flows := map[ledger.EntryType]*flowSums{}
	for _, kind := range []ledger.EntryType{ledger.EntrySettled, ledger.EntryFees, ledger.EntrySplit} {
		flows[kind] = &flowSums{map[ledger.Role]ledger.Amount{}, map[ledger.Role]ledger.Amount{}, map[ledger.Role]ledger.Amount{}}
		q := JournalQuery{Account: t.account, Method: t.method, UpTo: t.upTo, Period: p}
		for _, other := range ledger.EntryTypes() {
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
	err := errors.Join(t.sumOthers(ctx, p, flows), t.sumCancelled(ctx, p, flows))
	return flows, t.store.db.WrapError("tie the journal of account "+t.account.String(), err)
}

// sumOthers adds up the entries of those types that are posted in a period and occurred in another, less those the other way round.
func (t *tier) sumOthers(ctx context.Context, p ledger.Period, flows map[ledger.EntryType]*flowSums) error {
	d := t.store.db.Dialect
	return t.eachEntry(ctx, func(e *ledger.Entry) {
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
func (t *tier) sumCancelled(ctx context.Context, p ledger.Period, flows map[ledger.EntryType]*flowSums) error {
	rows, err := t.store.reports.ReversedRows(ctx, t.account, t.cards.ToRun)
	if err != nil || len(rows) == 0 {
		return err
	}
	add := func(e *ledger.Entry) {
		if flows[e.Type] == nil || e.Type == ledger.EntrySplit || !p.Contains(e.Occurred) {
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
		FROM `+fromPosted(d, "x.method = $3"), int64(t.account), list, string(t.method))
		if err != nil {
			return err
		}
	}
	reversed := make(map[string]bool, len(rows))
	for _, r := range rows {
		reversed[r] = true
	}
	return t.eachEntry(ctx, func(e *ledger.Entry) {
		if reversed[e.Title] {
			add(e)
		}
	}, `
		FROM event_cut AS c
		`+d.JoinOneByOne("journal_entry", "x", `x.account = $1 AND x.method = $2 AND x.source = c.source AND x.cut = c.number AND x.position = 0`)+`
		WHERE c.account = $1`, int64(t.account), string(t.method))
}

// eachEntry calls fn for entries x of sets up to the tier's. from says which.
func (t *tier) eachEntry(ctx context.Context, fn func(*ledger.Entry), from string, args ...any) error {
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
