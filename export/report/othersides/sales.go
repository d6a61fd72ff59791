package othersides

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
)

// SalesTable has a row per payment of a store, sale of the service or pair of a complete day: in order of account, store, day, sale_id,
// payment_no and service_subject.
var SalesTable = &table.Table{ID: "sales", Sheet: "Vendas do lojista", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "store", Header: "Loja", HeaderEN: "Store", Type: table.TypeText},
	{ID: "sale_id", Header: "Venda", HeaderEN: "Sale", Type: table.TypeText, Digits: true, Null: noPayment},
	{ID: "payment_no", Header: "Pagamento", HeaderEN: "Payment", Type: table.TypeInt, Null: noPayment, NoTotal: true},
	{ID: "terminal", Header: "Terminal", HeaderEN: "Terminal", Type: table.TypeText, Null: "not told"},
	{ID: "own_at", Header: "Data na loja", HeaderEN: "Sold at, store", Type: table.TypeDateTime, Null: noPayment},
	{ID: "own_amount", Header: "Valor na loja", HeaderEN: "Amount, store", Type: table.TypeMoney, Decimals: 4, Null: noPayment},
	{ID: "own_installments", Header: "Parcelas na loja", HeaderEN: "Installments, store", Type: table.TypeInt, Null: "not told", NoTotal: true},
	{ID: "own_brand", Header: "Bandeira na loja", HeaderEN: "Brand, store", Type: table.TypeText, Null: "not told"},
	{ID: "own_product", Header: "Meio na loja", HeaderEN: "Method, store", Type: table.TypeEnum, Null: "not told", Labels: words.Labels("own_method")},
	{ID: "own_status", Header: "Status na loja", HeaderEN: "Status, store", Type: table.TypeEnum, Null: "not told", Labels: words.Labels("own_status")},
	{ID: "level", Header: "Nível", HeaderEN: "Level", Type: table.TypeInt, Null: noPair, NoTotal: true},
	{ID: "weak", Header: "Fraca", HeaderEN: "Weak", Type: table.TypeEnum, Null: "no pair, or a sure one", Labels: words.Labels("own_weak")},
	{ID: "service_subject", Header: "Venda na operadora", HeaderEN: "Sale at the service", Type: table.TypeText, Null: noSale},
	{ID: "nsu", Header: "NSU", HeaderEN: "NSU", Type: table.TypeText, Digits: true, Null: "not told"},
	{ID: "auth", Header: "Autorização", HeaderEN: "Authorization", Type: table.TypeText, Null: "not told"},
	{ID: "sale_at", Header: "Data na operadora", HeaderEN: "Sold at, service", Type: table.TypeDateTime, Null: noSale},
	{ID: "sale_total", Header: "Valor na operadora", HeaderEN: "Amount, service", Type: table.TypeMoney, Decimals: 4, Null: noSale},
	{ID: "installments", Header: "Parcelas na operadora", HeaderEN: "Installments, service", Type: table.TypeInt, Null: noSale, NoTotal: true},
	{ID: "brand", Header: "Bandeira na operadora", HeaderEN: "Brand, service", Type: table.TypeText, Null: "not sent"},
	{ID: "product", Header: "Produto na operadora", HeaderEN: "Product, service", Type: table.TypeEnum, Null: "not sent", Labels: words.Labels("own_method")},
	{ID: "class", Header: "Situação na operadora", HeaderEN: "Class, service", Type: table.TypeEnum, Null: noSale, Labels: words.Labels("sale_class")},
	{ID: "bucket", Header: "Conferência", HeaderEN: "Bucket", Type: table.TypeEnum, Labels: words.Labels("own_bucket")},
	{ID: "difference", Header: "Diferença", HeaderEN: "Difference", Type: table.TypeMoney, Decimals: 4, HighlightNonZero: true},
	{ID: "codes", Header: "Códigos", HeaderEN: "Codes", Type: table.TypeList, Null: "none"},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

// Why cells are absent.
const (
	noPayment = "no store has it"
	noSale    = "the service has none"
	noPair    = "no pair"
)

// SalesDaysTable has a row per store, day and method, and one for each day without rows: in order of account, store, day and method.
// Amounts are what the store counts; of only_at_service what the service counts; of waiting the store less the service.
var SalesDaysTable = &table.Table{ID: "sales-summary", Sheet: "Vendas do lojista, resumo", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "store", Header: "Loja", HeaderEN: "Store", Type: table.TypeText},
	{ID: "day", Header: "Dia", HeaderEN: "Day", Type: table.TypeDate},
	{ID: "method", Header: "Meio", HeaderEN: "Method", Type: table.TypeEnum, Null: "no row, or not told", Labels: words.Labels("own_method")},
	{ID: "coverage", Header: "Cobertura", HeaderEN: "Coverage", Type: table.TypeEnum, Labels: words.Labels("own_day")},
	{ID: "matched_qty", Header: "Qtd conferem", HeaderEN: "Matched, number", Type: table.TypeInt},
	{ID: "matched", Header: "Conferem", HeaderEN: "Matched", Type: table.TypeMoney, Decimals: 4},
	{ID: "divergent_qty", Header: "Qtd divergem", HeaderEN: "Divergent, number", Type: table.TypeInt},
	{ID: "divergent", Header: "Divergem", HeaderEN: "Divergent", Type: table.TypeMoney, Decimals: 4},
	{ID: "not_at_service_qty", Header: "Qtd vendidas aqui, não na operadora", HeaderEN: "Sold here, not at the service, number", Type: table.TypeInt},
	{ID: "not_at_service", Header: "Vendido aqui, não na operadora", HeaderEN: "Sold here, not at the service", Type: table.TypeMoney, Decimals: 4, HighlightNonZero: true},
	{ID: "duplicated_qty", Header: "Qtd em dobro", HeaderEN: "Duplicated, number", Type: table.TypeInt},
	{ID: "duplicated", Header: "Em dobro", HeaderEN: "Duplicated", Type: table.TypeMoney, Decimals: 4, HighlightNonZero: true},
	{ID: "only_at_service_qty", Header: "Qtd só na operadora", HeaderEN: "Only at the service, number", Type: table.TypeInt},
	{ID: "only_at_service", Header: "Só na operadora", HeaderEN: "Only at the service", Type: table.TypeMoney, Decimals: 4, HighlightNonZero: true},
	{ID: "waiting_qty", Header: "Qtd aguardando", HeaderEN: "Waiting, number", Type: table.TypeInt},
	{ID: "waiting", Header: "Aguardando (loja − operadora)", HeaderEN: "Waiting, store less service", Type: table.TypeMoney, Decimals: 4},
	{ID: "own_total", Header: "Total da loja", HeaderEN: "Store total", Type: table.TypeMoney, Decimals: 4},
	{ID: "service_total", Header: "Total da operadora", HeaderEN: "Service total", Type: table.TypeMoney, Decimals: 4},
	{ID: "difference", Header: "Diferença", HeaderEN: "Difference", Type: table.TypeMoney, Decimals: 4, HighlightNonZero: true},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

var operationBasis = []report.Basis{report.ByOperation}

// SalesDefinition is the kind sales.
var SalesDefinition = &report.Definition{
	Kind: report.SalesKind, OnDemand: true, Tables: []*table.Table{SalesTable, SalesDaysTable}, Bases: operationBasis, Formats: report.ExceptEDI, Unfiltered: true,
	FollowsFromRows: true,
	View: map[string]report.View{
		"sales":         {PageColumns: "store sale_id own_at own_amount sale_total bucket difference codes", FrozenColumns: 4},
		"sales-summary": {PageColumns: "store day method coverage not_at_service_qty not_at_service only_at_service own_total service_total difference", FrozenColumns: 4},
	},
	Begin:     beginSales,
	NewReader: func(ledger.Date) report.RowReader { return salesReader{} },
}

// sales writes how the payments of stores were matched, and adds them up by day and method.
type sales struct {
	report.ColumnTotals
	rows, days report.Rows
	row        table.Row
	lines      map[salesLine]*salesSums
	states     map[salesLine]ownsales.DayState // by day, without method

	difference, own, service table.Money
	parts                    map[ownsales.Bucket]*table.Money // differences, by bucket
	left                     map[salesLine]ledger.Amount      // both sides less what the run said that they differ in
}

type salesLine struct {
	account ledger.Account
	store   string
	day     ledger.Date
	method  string
}

// salesSums are the rows of a line.
type salesSums struct {
	count        map[ownsales.Bucket]int64
	amount       map[ownsales.Bucket]ledger.Amount
	own, service ledger.Amount
}

func beginSales(_ context.Context, set *report.Set) (report.Content, error) {
	rows, err := set.Open(SalesTable)
	if err != nil {
		return nil, err
	}
	days, err := set.Open(SalesDaysTable)
	c := &sales{rows: rows, days: days, row: SalesTable.NewRow(), lines: map[salesLine]*salesSums{}, states: map[salesLine]ownsales.DayState{}, parts: map[ownsales.Bucket]*table.Money{}, left: map[salesLine]ledger.Amount{}}
	for _, b := range ownsales.Buckets() {
		c.parts[b] = &table.Money{}
	}
	return c, err
}

// Intake takes the rows, and the days that were evaluated.
func (c *sales) Intake() report.Intake { return report.Intake{OwnMatch: c.addMatch, OwnDay: c.addDay} }

func (c *sales) addDay(d *ownsales.SeenDay) error {
	c.states[salesLine{d.Account, d.Store, d.Day, ""}] = d.State
	return nil
}

func (c *sales) addMatch(m *ownsales.Match) error {
	own, service := m.OwnTotal(), m.ServiceTotal()
	c.difference.AddRounded(m.Difference, m.Difference)
	c.own.AddRounded(own, own)
	c.service.AddRounded(service, service)
	c.parts[m.Bucket].AddRounded(own-service, own-service)
	said := m.Difference
	if m.Bucket == ownsales.Matched {
		said = 0
	}
	key := salesLine{m.Account, m.Store, m.Day, m.Method()}
	c.left[key] += own - service - said
	l := c.lines[key]
	if l == nil {
		l = &salesSums{count: map[ownsales.Bucket]int64{}, amount: map[ownsales.Bucket]ledger.Amount{}}
		c.lines[key] = l
	}
	l.count[m.Bucket]++
	l.own, l.service = l.own+own, l.service+service
	switch m.Bucket {
	case ownsales.OnlyAtService:
		l.amount[m.Bucket] += service
	case ownsales.Waiting:
		l.amount[m.Bucket] += own - service
	default:
		l.amount[m.Bucket] += own
	}
	weak, class := "", ""
	if m.Level == weakLevel {
		weak = "weak"
	}
	if m.Service != "" {
		class = "cancelled"
		if m.Live {
			class = "live"
		}
	}
	copy(c.row, table.Row{
		table.Text(m.Account.String()), table.Text(m.Store), table.Text(m.Sale), countCell(m.Number), table.Text(m.Terminal), table.Clock(m.OwnAt),
		table.OptExact(m.OwnAmount), countCell(m.OwnInstallments), table.Text(m.OwnBrand), table.Text(m.OwnMethod), table.Text(m.OwnStatus),
		countCell(m.Level), table.Text(weak), table.Text(m.Service), table.Text(m.NSU), table.Text(m.Auth), table.Clock(m.SaleAt),
		table.OptExact(m.SaleTotal), countCell(m.Installments), table.Text(m.Brand), table.Text(m.Product), table.Text(class),
		table.Text(string(m.Bucket)), table.Exact(m.Difference), table.Text(m.Codes),
	})
	if err := c.rows.Write(c.row); err != nil {
		return fmt.Errorf("store %s, %s, sale %s: %w", m.Store, m.Day, cmp.Or(m.Sale, m.Service), err)
	}
	return nil
}

// weakLevel is the level of pairs that rest on amount and day alone.
const weakLevel = 7

// countCell is a number that is absent where it is 0.
func countCell(n int) table.Cell {
	if n == 0 {
		return table.Cell{}
	}
	return table.Int(int64(n))
}

// Finish writes the lines by day and method.
func (c *sales) Finish(context.Context) error {
	hasRows := map[salesLine]bool{}
	keys := make([]salesLine, 0, len(c.lines))
	for key := range c.lines {
		keys = append(keys, key)
		key.method = ""
		hasRows[key] = true
	}
	for day := range c.states {
		if !hasRows[day] {
			c.lines[day] = &salesSums{}
			keys = append(keys, day)
		}
	}
	slices.SortFunc(keys, compareSalesLines)
	row := SalesDaysTable.NewRow()
	for _, key := range keys {
		l := c.lines[key]
		state := cmp.Or(c.states[salesLine{key.account, key.store, key.day, ""}], ownsales.DayComplete)
		row = append(row[:0], table.Text(key.account.String()), table.Text(key.store), table.Day(key.day), table.Text(key.method), table.Text(string(state)))
		for _, b := range ownsales.Buckets() {
			row = append(row, table.Int(l.count[b]), table.Exact(l.amount[b]))
		}
		row = append(row, table.Exact(l.own), table.Exact(l.service), table.Exact(l.own-l.service))
		if err := c.days.Write(row); err != nil {
			return fmt.Errorf("store %s, %s: %w", key.store, key.day, err)
		}
	}
	return nil
}

// Identities are that what is left between both sides is what the rows differ in: bucket by bucket, and of each store by day and method, where what the
// run said of a row is held against its sides.
func (c *sales) Identities() []report.Identity {
	terms := []table.Money{c.own, report.NegateMoney(c.service)}
	for _, b := range ownsales.Buckets() {
		if b != ownsales.Matched {
			terms = append(terms, report.NegateMoney(*c.parts[b]))
		}
	}
	all := report.PlaceUnderTable(SalesDaysTable, []report.Identity{
		report.NewIdentity("sales_difference", "own_total - service_total = (divergent - theirs) + not_at_service + duplicated - only_at_service + waiting", terms...),
		report.NewIdentity("sales_rows", "sales.difference = sales-summary.own_total - sales-summary.service_total", c.difference, report.NegateMoney(c.own), c.service),
	})
	for _, line := range slices.SortedFunc(maps.Keys(c.left), compareSalesLines) {
		name := fmt.Sprintf("sales_day:%s:%s:%s", line.store, line.day, cmp.Or(line.method, "not_told"))
		left := c.left[line]
		all = append(all, report.NewIdentity(name, "own_total - service_total = what the rows of the line that do not match differ in", table.Money{Printed: left, Exact: left}))
	}
	return all
}

func compareSalesLines(a, b salesLine) int {
	return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.store, b.store), cmp.Compare(a.day, b.day), cmp.Compare(a.method, b.method))
}

// salesReader checks that each row says what its sides come to.
type salesReader struct{}

func (salesReader) ReadRow(t *table.Table, row table.Row) error {
	amount := func(id string) ledger.Amount { return ledger.Amount(row[t.ColumnIndex(id)].N) }
	is, own, service := amount("difference"), ledger.Amount(0), ledger.Amount(0)
	if t == SalesDaysTable {
		own, service = amount("own_total"), amount("service_total")
	} else {
		if status := row[t.ColumnIndex("own_status")].S; status != string(ownsales.StatusCancelled) && status != string(ownsales.StatusRefunded) {
			own = amount("own_amount")
		}
		if row[t.ColumnIndex("class")].S == "live" {
			service = amount("sale_total")
		}
	}
	if is != own-service {
		return fmt.Errorf("difference says %s, the sides come to %s", is, own-service)
	}
	return nil
}

func (salesReader) Terms() map[string]ledger.Amount { return nil }
