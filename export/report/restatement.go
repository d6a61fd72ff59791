package report

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"concilia/export/table"
	"concilia/store/ledger"
)

// RestatementTable has a row for every member of an item of a closed period that changed after the close, of the closed
// periods that lie in the set's, in order of account, period, basis, subject, field, first_seen (reports D.12). The
// amounts of a change are on its first field only: by operation net is value less MDR and the fees of the sale, for
// what an anticipation costs is known with the receipt, and a receipt restates no operation; the identity of net holds it
// against the summary's with that cost apart. What a changed document makes of an item that is the same moves its contract
// net alone; the field is the document, with its hashes. A calendar moves the days, too.
var RestatementTable = &table.Table{ID: "restatement", Sheet: "Reapresentação", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "period", Header: "Período", HeaderEN: "Period", Type: table.TypeText},
	{ID: "basis", Header: "Base", HeaderEN: "Basis", Type: table.TypeEnum, Labels: basisLabels},
	{ID: "revision", Header: "Revisão fechada", HeaderEN: "Closed revision", Type: table.TypeInt, NoTotal: true},
	{ID: "original_run", Header: "Execução original", HeaderEN: "Original run", Type: table.TypeText},
	{ID: "run", Header: "Execução", HeaderEN: "Run", Type: table.TypeText},
	{ID: "subject", Header: "Item", HeaderEN: "Subject", Type: table.TypeText},
	{ID: "field", Header: "Campo", HeaderEN: "Field", Type: table.TypeText, Labels: memberLabels},
	{ID: "old", Header: "Antes", HeaderEN: "Before", Type: table.TypeValue, Labels: itemStatusLabels, Null: "entered the period"},
	{ID: "new", Header: "Depois", HeaderEN: "After", Type: table.TypeValue, Labels: itemStatusLabels, Null: "left the period"},
	{ID: "delta_gross", Header: "Δ bruto", HeaderEN: "Δ gross", Type: table.TypeMoney, Decimals: 2},
	{ID: "delta_net", Header: "Δ líquido", HeaderEN: "Δ net", Type: table.TypeMoney, Decimals: 2},
	{ID: "delta_received", Header: "Δ recebido", HeaderEN: "Δ received", Type: table.TypeMoney, Decimals: 2, HighlightNonZero: true},
	{ID: "cause", Header: "Causa", HeaderEN: "Cause", Type: table.TypeEnum, Labels: CauseLabels},
	{ID: "first_seen", Header: "Vista em", HeaderEN: "First seen", Type: table.TypeDate},
	{ID: "delta_contract", Header: "Δ contratual", HeaderEN: "Δ contract", Type: table.TypeMoney, Decimals: 2, HighlightNonZero: true, Appended: true},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

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

// RestatementDefinition is the kind restatement.
var RestatementDefinition = &Definition{
	Kind: RestatementKind, OnDemand: true, Tables: []*table.Table{RestatementTable}, Bases: []Basis{ByOperation, ByCredit}, Formats: ExceptEDI,
	View: map[string]View{"restatement": {
		PageColumns: "account period subject field old new delta_gross delta_net delta_received delta_contract cause first_seen",
	}},
	Begin: beginRestatement,
}

// Restatement writes the changes of closed periods, item by item, and holds what they come to against the periods as they
// were closed and as they are.
type Restatement struct {
	ColumnTotals
	set        *Set
	out        Rows
	row        table.Row
	item       []ledger.Restatement         // the changes of one item, which come one after the other
	byPeriod   map[periodKey]*restatedMoney // cards and slips apart
	byCause    map[ledger.RestatementCause]*restatedMoney
	identities []Identity
}

func beginRestatement(_ context.Context, set *Set) (Content, error) {
	out, err := set.Open(RestatementTable)
	return &Restatement{
		set: set, out: out, row: RestatementTable.NewRow(),
		byPeriod: map[periodKey]*restatedMoney{}, byCause: map[ledger.RestatementCause]*restatedMoney{},
	}, err
}

// Intake takes the changes by account, in order of period, subject and run.
func (x *Restatement) Intake() Intake {
	return Intake{Restatement: func(c *ledger.Restatement) error {
		x.addRestatement(c)
		if len(x.item) > 0 && (x.item[0].Close.Act != c.Close.Act || x.item[0].Subject != c.Subject) {
			if err := x.writeItem(); err != nil {
				return err
			}
		}
		x.item = append(x.item, *c)
		return nil
	}}
}

// Finish writes the last item and asks what the closed periods were and are.
func (x *Restatement) Finish(ctx context.Context) error {
	if err := x.writeItem(); err != nil {
		return err
	}
	closed, err := x.set.Source.ClosedPeriods(ctx)
	if err != nil {
		return err
	}
	for i := range closed {
		x.identities = append(x.identities, PlaceUnderTable(RestatementTable, x.periodIdentities(&closed[i]))...)
	}
	return nil
}

// Identities are, of each closed period, that its changes are all that differs.
func (x *Restatement) Identities() []Identity { return x.identities }

type periodKey struct {
	account ledger.Account
	act     int64
	slips   bool
}

// restatedMoney are the amounts of the table, and how many changes they are of.
type restatedMoney struct {
	changes                        int64
	gross, net, received, contract table.Money
}

func (m *restatedMoney) addRestatement(r *ledger.Restatement) {
	m.changes++
	m.gross.Add(r.Changes.Gross)
	m.net.Add(r.Changes.Net)
	m.received.Add(r.Changes.Received)
	m.contract.Add(r.Changes.Contract)
}

// writeItem writes the changes of one item, member by member.
func (x *Restatement) writeItem() error {
	item := x.item
	type place struct{ change, field int }
	var order []place
	for c := range item {
		for f := range item[c].Fields {
			order = append(order, place{c, f})
		}
	}
	name := func(p place) string { return item[p.change].Fields[p.field].Name }
	slices.SortStableFunc(order, func(a, b place) int { return strings.Compare(name(a), name(b)) })
	for _, p := range order {
		restatementRow(x.row, &item[p.change], p.field)
		if err := x.out.Write(x.row); err != nil {
			return fmt.Errorf("%s: %w", item[p.change].Subject, err)
		}
	}
	x.item = item[:0]
	return nil
}

func (x *Restatement) addRestatement(c *ledger.Restatement) {
	k := periodKey{c.Close.Account, c.Close.Act, strings.HasPrefix(c.Subject, "slip:")}
	if x.byPeriod[k] == nil {
		x.byPeriod[k] = &restatedMoney{}
	}
	if x.byCause[c.Cause] == nil {
		x.byCause[c.Cause] = &restatedMoney{}
	}
	x.byPeriod[k].addRestatement(c)
	x.byCause[c.Cause].addRestatement(c)
}

// periodIdentities are, of one closed period, that the changes add up to what its figures are less what they were when it was
// closed. What a basis does not restate has none: by operation the receipts, by credit the value of the sale. Nor does it
// restate what comes with a receipt, which the expected net is less: the cost of an anticipation, and the splits of a
// service that keeps them; the contract net moves by the agreed ones.
func (x *Restatement) periodIdentities(p *ClosedPeriod) []Identity {
	month := ledger.MonthText(p.Period.To)
	type term struct {
		column  string
		was, is ledger.Amount
	}
	one := func(slips bool, what string, of func(*restatedMoney) table.Money, terms ...term) Identity {
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
		if m := x.byPeriod[periodKey{p.Account, p.Act, slips}]; m != nil {
			sum = of(m)
		}
		i.Printed, i.Exact = sum.Printed-moved.Rounded(ledger.HalfAwayFromZero), sum.Exact-moved
		return i
	}
	was, is := &p.Old, &p.New
	gross := func(m *restatedMoney) table.Money { return m.gross }
	received := func(m *restatedMoney) table.Money { return m.received }
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
	contract := one(false, "contract", func(m *restatedMoney) table.Money { return m.contract },
		term{"net_contract", was.NetContract, is.NetContract})
	if p.Agenda != 0 {
		contract.Formula += " − agenda " + p.Agenda.String()
		contract.Printed, contract.Exact = contract.Printed+p.Agenda.Rounded(ledger.HalfAwayFromZero), contract.Exact+p.Agenda
	}
	return []Identity{
		one(false, "gross", gross, term{"gross", was.Gross, is.Gross}),
		one(false, "net", func(m *restatedMoney) table.Money { return m.net }, net...),
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

// memberCell converts the stored value of a member: a day, a count, a status or an amount; of a document its hash.
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

// addAdjustment adds what changes of closed periods come to, and all that follows from it; their gross is in those periods.
func (l *summaryLine) addAdjustment(p, x *ledger.RestatedSums) {
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

// CauseTotals are the amounts of one cause, by the columns of the table, and how many changes they are of.
type CauseTotals struct {
	Cause   ledger.RestatementCause
	Changes int64
	Amounts [4]ledger.Amount // printed, in the order of CauseColumns
}

// CauseColumns are the columns of the table that are added up by cause.
var CauseColumns = [4]string{"delta_gross", "delta_net", "delta_received", "delta_contract"}

// ByCause are the totals of the causes that there are, in the order of the ledger's list.
func (x *Restatement) ByCause() []CauseTotals {
	var out []CauseTotals
	for _, cause := range ledger.RestatementCauses() {
		if m := x.byCause[cause]; m != nil {
			out = append(out, CauseTotals{
				cause, m.changes, [4]ledger.Amount{m.gross.Printed, m.net.Printed, m.received.Printed, m.contract.Printed},
			})
		}
	}
	return out
}
