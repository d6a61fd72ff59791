package export

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"concilia/export/table"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// restatementTable has a row for every member of an item of a closed period that changed after the close, of the closed
// periods that lie in the set's, in order of account, period, basis, subject, field, first_seen (reports D.12). The
// amounts of a change stand on its first field alone: by operation net is value less MDR and the fees of the sale, for
// what an anticipation costs is known with the receipt, and a receipt restates no operation; the identity of net holds it
// against the summary's with that cost apart. What a changed document makes of an item that is the same moves its contract
// net alone; the field is the document, with its hashes.
var restatementTable = &table.Table{ID: "restatement", Sheet: "Reapresentação", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "period", Header: "Período", HeaderEN: "Period", Type: table.TypeText},
	{ID: "basis", Header: "Base", HeaderEN: "Basis", Type: table.TypeEnum, Labels: basisLabels},
	{ID: "revision", Header: "Revisão fechada", HeaderEN: "Closed revision", Type: table.TypeInt, NoTotal: true},
	{ID: "original_run", Header: "Execução original", HeaderEN: "Original run", Type: table.TypeText},
	{ID: "run", Header: "Execução", HeaderEN: "Run", Type: table.TypeText},
	{ID: "subject", Header: "Item", HeaderEN: "Subject", Type: table.TypeText},
	{ID: "field", Header: "Campo", HeaderEN: "Field", Type: table.TypeText, Labels: fieldLabels},
	{ID: "old", Header: "Antes", HeaderEN: "Before", Type: table.TypeValue, Labels: standingLabels, Null: "entered the period"},
	{ID: "new", Header: "Depois", HeaderEN: "After", Type: table.TypeValue, Labels: standingLabels, Null: "left the period"},
	{ID: "delta_gross", Header: "Δ bruto", HeaderEN: "Δ gross", Type: table.TypeMoney, Decimals: 2},
	{ID: "delta_net", Header: "Δ líquido", HeaderEN: "Δ net", Type: table.TypeMoney, Decimals: 2},
	{ID: "delta_received", Header: "Δ recebido", HeaderEN: "Δ received", Type: table.TypeMoney, Decimals: 2, HighlightNonZero: true},
	{ID: "cause", Header: "Causa", HeaderEN: "Cause", Type: table.TypeEnum, Labels: causeLabels},
	{ID: "first_seen", Header: "Vista em", HeaderEN: "First seen", Type: table.TypeDate},
	{ID: "delta_contract", Header: "Δ contratual", HeaderEN: "Δ contract", Type: table.TypeMoney, Decimals: 2, HighlightNonZero: true, Appended: true},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

var causeLabels = map[string]string{
	"restated": "reapresentada pelo serviço", "cancelled": "cancelada", "charged_back": "contestada", "reversed": "estornada",
	"vanished": "desaparecida", "reappeared": "reaparecida", "entered": "entrou no período", "left": "saiu do período",
	"reclassified": "reclassificada", "contract_changed": "contrato alterado", "calendar_changed": "calendário alterado",
	"mapping_changed": "mapeamento alterado", "profile_changed": "perfil de leitura alterado",
}

// RestatementFeed is what the ledger answers of closed periods.
type RestatementFeed interface {
	// Adjustments yields, by account in order of day, what the changes of cards of closed periods come to that were first
	// seen in the set's period, as printed and exactly. A set with a filter, or that shows the closed period itself, has none.
	Adjustments(ctx context.Context, yield func(account ledger.Account, day ledger.Date, printed, exact ledger.RestatedSums) error) error
	// Restatements yields the changes of the closed periods that lie in the set's, by account in order of period, subject
	// and run.
	Restatements(ctx context.Context, yield func(*ledger.Restatement) error) error
	// ClosedPeriods are those periods, each with what its figures were and are now, read from the rows themselves.
	ClosedPeriods(ctx context.Context) ([]ClosedPeriod, error)
}

// ClosedPeriod is a closed period with what its changes have to come to: of cards and slips.
type ClosedPeriod struct {
	ledger.PeriodClose
	Old, New ClosedFigures
	Agenda   ledger.Amount // by what receipts moved the contract net
}

// ClosedFigures are the figures of a closed period that a restatement moves, at four decimals: of cards those that the
// summary has by these names, of splits those that the net is less, and what was received; of slips their value and what
// was paid.
type ClosedFigures struct {
	Gross, NetExpected, NetContract, Anticipation, Splits, Received ledger.Amount
	SlipGross, SlipReceived                                         ledger.Amount
}

// restated gathers what the changes come to.
type restated struct {
	periods map[periodKey]*movedMoney // cards and slips apart
	causes  map[ledger.RestatementCause]*movedMoney
	idents  []Identity
}

type periodKey struct {
	account ledger.Account
	act     int64
	slips   bool
}

// movedMoney are the amounts of the table, and how many changes they are of.
type movedMoney struct {
	changes                        int64
	gross, net, received, contract table.Money
}

func (m *movedMoney) add(r *ledger.Restatement) {
	m.changes++
	m.gross.Add(r.Changes.Gross)
	m.net.Add(r.Changes.Net)
	m.received.Add(r.Changes.Received)
	m.contract.Add(r.Changes.Contract)
}

// restatement makes the table and holds what it comes to against the periods as they were closed and as they are.
func (r *rendering) restatement(ctx context.Context) error {
	if !r.job.has(RestatementKind) {
		return nil
	}
	if err := r.open(restatementTable); err != nil {
		return err
	}
	r.restated = &restated{periods: map[periodKey]*movedMoney{}, causes: map[ledger.RestatementCause]*movedMoney{}}
	var item []ledger.Restatement // the changes of one, which come one after the other
	err := r.feed.Restatements(ctx, func(c *ledger.Restatement) error {
		r.restated.add(c)
		if len(item) > 0 && (item[0].Close.Act != c.Close.Act || item[0].Subject != c.Subject) {
			if err := r.restatementOf(item); err != nil {
				return err
			}
			item = item[:0]
		}
		item = append(item, *c)
		return nil
	})
	if err == nil {
		err = r.restatementOf(item)
	}
	if err != nil {
		return err
	}
	closed, err := r.feed.ClosedPeriods(ctx)
	if err != nil {
		return err
	}
	for i := range closed {
		r.restated.idents = append(r.restated.idents, r.restated.identities(&closed[i])...)
	}
	r.idents = append(r.idents, r.restated.idents...)
	return r.closeTables()
}

// restatementOf writes the changes of one item, member by member.
func (r *rendering) restatementOf(item []ledger.Restatement) error {
	type place struct{ change, field int }
	var order []place
	for c := range item {
		for f := range item[c].Fields {
			order = append(order, place{c, f})
		}
	}
	name := func(p place) string { return item[p.change].Fields[p.field].Name }
	slices.SortStableFunc(order, func(a, b place) int { return strings.Compare(name(a), name(b)) })
	t := r.tables[restatementTable.ID]
	for _, p := range order {
		restatementRow(t.row, &item[p.change], p.field)
		if err := t.add(t.row); err != nil {
			return fmt.Errorf("%s: %w", item[p.change].Subject, err)
		}
	}
	return nil
}

func (x *restated) add(c *ledger.Restatement) {
	k := periodKey{c.Close.Account, c.Close.Act, strings.HasPrefix(c.Subject, "slip:")}
	if x.periods[k] == nil {
		x.periods[k] = &movedMoney{}
	}
	if x.causes[c.Cause] == nil {
		x.causes[c.Cause] = &movedMoney{}
	}
	x.periods[k].add(c)
	x.causes[c.Cause].add(c)
}

// identities are, of one closed period, that the changes add up to what its figures are less what they were when it was
// closed. What a basis does not restate has none: by operation the receipts, by credit the value of the sale. Nor does it
// restate what comes with a receipt, which the expected net is less: the cost of an anticipation, and the splits of a
// service that keeps them; the contract net moves by the agreed ones.
func (x *restated) identities(p *ClosedPeriod) []Identity {
	month := ledger.MonthText(p.Period.To)
	type term struct {
		column  string
		was, is ledger.Amount
	}
	one := func(slips bool, what string, of func(*movedMoney) table.Money, terms ...term) Identity {
		side := "cards"
		if slips {
			side = "slips"
		}
		i := Identity{
			Name:    fmt.Sprintf("restated %s %s %s %s", p.Account, month, side, what),
			Formula: fmt.Sprintf("Σ Δ %s, %s %s, r%d =", what, side, month, p.Revision),
		}
		var moved ledger.Amount
		for n, t := range terms {
			if n > 0 {
				i.Formula += " +"
			}
			i.Formula += fmt.Sprintf(" %s ( %s − %s )", t.column, t.is, t.was)
			moved += t.is - t.was
		}
		var sum table.Money
		if m := x.periods[periodKey{p.Account, p.Act, slips}]; m != nil {
			sum = of(m)
		}
		i.Printed, i.Exact = sum.Printed-moved.Rounded(ledger.HalfAwayFromZero), sum.Exact-moved
		return i
	}
	was, is := &p.Old, &p.New
	gross := func(m *movedMoney) table.Money { return m.gross }
	received := func(m *movedMoney) table.Money { return m.received }
	if p.Basis == string(ByCredit) {
		return []Identity{
			one(false, "received", received, term{"received", was.Received, is.Received}),
			one(true, "received", received, term{"paid_value", was.SlipReceived, is.SlipReceived}),
		}
	}
	net := []term{
		{"net_expected", was.NetExpected, is.NetExpected}, {"anticipation_cost", was.Anticipation, is.Anticipation},
	}
	if was.Splits != 0 || is.Splits != 0 {
		net = append(net, term{"splits", was.Splits, is.Splits})
	}
	contract := one(false, "contract", func(m *movedMoney) table.Money { return m.contract },
		term{"net_contract", was.NetContract, is.NetContract})
	if p.Agenda != 0 {
		contract.Formula += " − agenda " + p.Agenda.String()
		contract.Printed, contract.Exact = contract.Printed+p.Agenda.Rounded(ledger.HalfAwayFromZero), contract.Exact+p.Agenda
	}
	return []Identity{
		one(false, "gross", gross, term{"gross", was.Gross, is.Gross}),
		one(false, "net", func(m *movedMoney) table.Money { return m.net }, net...),
		contract,
		one(true, "gross", gross, term{"value", was.SlipGross, is.SlipGross}),
	}
}

// restatementRow fills the row of one member.
func restatementRow(row table.Row, c *ledger.Restatement, i int) {
	f := &c.Fields[i]
	var moved ledger.RestatedSums
	if i == 0 {
		moved = c.Changes
	}
	copy(row, table.Row{
		table.Text(c.Close.Account.String()), table.Text(ledger.MonthText(c.Close.Period.To)), table.Text(c.Close.Basis),
		table.Int(int64(c.Close.Revision)), table.Text(c.Close.Run), table.Text(c.Run), table.Text(c.Subject), table.Text(f.Name),
		memberCell(f.Name, f.Old), memberCell(f.Name, f.New),
		table.Cents(moved.Gross), table.Cents(moved.Net), table.Cents(moved.Received), table.Text(string(c.Cause)), table.Day(c.SeenOn),
		table.Cents(moved.Contract),
	})
}

// memberCell is the value of a member as it was kept: a day, a count, a standing or an amount; of a document its hash.
func memberCell(name, value string) table.Cell {
	switch {
	case value == "":
		return table.Cell{}
	case slices.Contains(restatingDocuments, name):
		return table.Text(value)
	}
	if d, err := ledger.ParseDate(value); err == nil {
		return table.Day(d)
	}
	if a, err := ledger.ParseAmount(value); err == nil && name != "installmentsCount" {
		return table.Exact(a)
	}
	return table.Text(value)
}

// restatingDocuments are those that the contract net of a row follows from, besides the row itself.
var restatingDocuments = []string{"contract", "calendar", "mapping", "profile"}

// adjust puts the adjustments of earlier periods among the lines of the summary, a line a day.
func (r *rendering) adjust(ctx context.Context) error {
	return r.feed.Adjustments(ctx, func(a ledger.Account, day ledger.Date, printed, exact ledger.RestatedSums) error {
		line := &summaryLine{}
		for _, l := range []*summaryLine{line, &r.summary.total} {
			l.adjust(&printed, &exact)
		}
		r.summary.lines[summaryKey{account: a, day: day, product: ledger.Adjustment}] = line
		return nil
	})
}

// adjust adds what changes of closed periods come to, and all that follows from it; their gross is in those periods.
func (l *summaryLine) adjust(p, x *ledger.RestatedSums) {
	l.adjusted.AddRounded(-p.Net, -x.Net)
	l.net.AddRounded(p.Net, x.Net)
	l.contract.AddRounded(p.Contract, x.Contract)
	l.received.AddRounded(p.Came, x.Came)
	l.notDue.AddRounded(p.NotDue, x.NotDue)
	l.overdue.AddRounded(p.Overdue, x.Overdue)
	l.blocked.AddRounded(p.Blocked, x.Blocked)
	l.short.AddRounded(p.ShortBy, x.ShortBy)
	l.over.AddRounded(p.OverBy, x.OverBy)
	l.overcharge.AddRounded(p.Contract-p.Net, x.Contract-x.Net)
	l.difference.AddRounded(p.Contract-p.Net+p.ShortBy-p.OverBy, x.Contract-x.Net+x.ShortBy-x.OverBy)
}

// causeNotes are the totals by cause, under the table of the workbook.
func (r *rendering) causeNotes() [][]xlsx.Cell {
	lines := [][]xlsx.Cell{{
		{},
		xlsx.Text(r.words("Δ bruto", "Δ gross")).WithStyle(xlsx.Muted), xlsx.Text(r.words("Δ líquido", "Δ net")).WithStyle(xlsx.Muted),
		xlsx.Text(r.words("Δ recebido", "Δ received")).WithStyle(xlsx.Muted), xlsx.Text(r.words("Δ contratual", "Δ contract")).WithStyle(xlsx.Muted),
		xlsx.Text(r.words("por causa", "by cause")).WithStyle(xlsx.Muted),
	}}
	for _, cause := range ledger.RestatementCauses() {
		m := r.restated.causes[cause]
		if m == nil {
			continue
		}
		lines = append(lines, []xlsx.Cell{
			{},
			xlsx.Money2(int64(m.gross.Printed)), xlsx.Money2(int64(m.net.Printed)), xlsx.Money2(int64(m.received.Printed)),
			xlsx.Money2(int64(m.contract.Printed)),
			xlsx.Text(r.causeName(cause, m.changes)),
		})
	}
	return lines
}
