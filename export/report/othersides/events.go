package othersides

import (
	"context"
	"fmt"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// CardEventsTable and SlipEventsTable have a row per event of a set of the movement, in order of title and, of one title, as things
// happen to it.
var (
	CardEventsTable = newEventsTable("card-events", "Eventos de cartões", "Card events",
		table.Column{ID: "sale_at", Header: "Data da venda", HeaderEN: "Sale date and time", Type: table.TypeDateTime},
		table.Column{ID: "brand", Header: "Bandeira", HeaderEN: "Brand", Type: table.TypeText, Null: "not sent"},
		table.Column{ID: "product", Header: "Produto", HeaderEN: "Product", Type: table.TypeEnum, Null: "not sent", Labels: report.ProductLabels},
		table.Column{ID: "nsu", Header: "NSU", HeaderEN: "NSU", Type: table.TypeText, Digits: true, Null: "not sent"},
		table.Column{ID: "auth", Header: "Autorização", HeaderEN: "Authorization", Type: table.TypeText, Null: "not sent"},
		table.Column{ID: "installment", Header: "Parcela", HeaderEN: "Installment", Type: table.TypeText},
		table.Column{ID: "installments", Header: "Parcelas", HeaderEN: "Installments", Type: table.TypeText},
		table.Column{ID: "order_ref", Header: "Pedido", HeaderEN: "Order reference", Type: table.TypeText, Null: "not sent"},
		table.Column{ID: "beneficiary", Header: "Beneficiário", HeaderEN: "Beneficiary", Type: table.TypeText, Digits: true, Null: "not an event of a split"},
	)
	SlipEventsTable = newEventsTable("slip-events", "Eventos de boletos", "Slip events",
		table.Column{ID: "slip_id", Header: "Id do boleto", HeaderEN: "Slip id", Type: table.TypeText},
		table.Column{ID: "our_number", Header: "Nosso número", HeaderEN: "Our number", Type: table.TypeText, Digits: true, Null: "not sent"},
		table.Column{ID: "reference_code", Header: "Código de referência", HeaderEN: "Reference code", Type: table.TypeText, Null: "not sent"},
		table.Column{ID: "paid_on", Header: "Data de pagamento", HeaderEN: "Payment date", Type: table.TypeDate, Null: "not paid"},
	)
)

func newEventsTable(id, sheet, sheetEN string, own ...table.Column) *table.Table {
	money := func(id, header, headerEN string) table.Column {
		return table.Column{ID: id, Header: header, HeaderEN: headerEN, Type: table.TypeMoney, Decimals: 2}
	}
	number := func(id, header, headerEN, null string) table.Column {
		return table.Column{ID: id, Header: header, HeaderEN: headerEN, Type: table.TypeInt, NoTotal: true, Null: null}
	}
	value := money("value", "Valor do evento", "Value")
	value.Null = "not money taken back, nor a split"
	columns := []table.Column{
		{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
		number("set", "Conjunto", "Set", ""),
		{ID: "event", Header: "Evento", HeaderEN: "Event", Type: table.TypeText},
		{ID: "type", Header: "Tipo", HeaderEN: "Type", Type: table.TypeEnum, Labels: words.Labels("event_type")},
		{ID: "subject", Header: "Objeto", HeaderEN: "Subject", Type: table.TypeText},
		{ID: "occurred_on", Header: "Ocorrido em", HeaderEN: "Occurred on", Type: table.TypeDate},
		{ID: "sent_on", Header: "Enviado em", HeaderEN: "Sent on", Type: table.TypeDate},
		{ID: "title_number", Header: "Número do título", HeaderEN: "Title number", Type: table.TypeText, Digits: true},
		{ID: "document_number", Header: "Número do documento", HeaderEN: "Document number", Type: table.TypeText, Digits: true, Null: "not sent"},
		{ID: "company_use", Header: "Uso da empresa", HeaderEN: "Company use", Type: table.TypeText},
		{ID: "due", Header: "Vencimento", HeaderEN: "Due date", Type: table.TypeDate, Null: "not sent"},
		{ID: "credit_date", Header: "Data de crédito", HeaderEN: "Credit date", Type: table.TypeDate, Null: "not credited"},
		money("face", "Valor do título", "Face"),
		money("closed", "Fechado", "Closed"),
		money("received", "Recebido", "Received"),
		money("fees", "Tarifas", "Fees"),
		money("anticipation", "Antecipação", "Anticipation"),
		money("splits", "Splits", "Splits"),
		value,
		{ID: "movement", Header: "Movimento", HeaderEN: "Movement", Type: table.TypeText, Null: "not in the EDI file"},
		{ID: "reason", Header: "Motivo", HeaderEN: "Reason", Type: table.TypeEnum, Null: "in the EDI file", Labels: words.Labels("event_reason")},
		number("nsa", "NSA", "NSA", "in no EDI file"),
		number("lote", "Lote", "Lote", "in no EDI file"),
		number("record", "Registro", "Record", "in no EDI file"),
		number("version", "Versão", "Version", ""),
	}
	columns = append(columns, own...)
	columns = append(columns, table.Column{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash})
	return &table.Table{ID: id, Sheet: sheet, SheetEN: sheetEN, Layout: 1, Columns: columns}
}

var (
	eventFormats         = []report.Format{report.CSV, report.CSVBR, report.JSONL, report.EDI}
	CardEventsDefinition = newEventsDefinition(report.CardEventsKind, report.CardSide, CardEventsTable)
	SlipEventsDefinition = newEventsDefinition(report.SlipEventsKind, report.SlipSide, SlipEventsTable)
)

func newEventsDefinition(k report.Kind, side string, t *table.Table) *report.Definition {
	return &report.Definition{
		Kind: k, Side: side, Tables: []*table.Table{t}, Bases: []report.Basis{report.ByMovement}, Formats: eventFormats, Unfiltered: true,
		Begin: func(_ context.Context, set *report.Set) (report.Content, error) {
			out, err := set.Open(t)
			return &events{set: set, source: bookkeeping.EventSource(side), out: out, row: t.NewRow()}, err
		},
		NewReader: func(ledger.Date) report.RowReader { return &EventsReader{} },
	}
}

// EventsKind is the kind of report of a source's events.
func EventsKind(source bookkeeping.EventSource) report.Kind {
	if source == bookkeeping.SlipEvents {
		return report.SlipEventsKind
	}
	return report.CardEventsKind
}

// events writes a row per event of its source.
type events struct {
	report.ColumnTotals
	set    *report.Set
	source bookkeeping.EventSource
	out    report.Rows
	row    table.Row
}

func (c *events) Intake() report.Intake {
	return report.Intake{Event: func(e *bookkeeping.Event) error {
		if e.Source != c.source {
			return nil
		}
		title := c.set.EventTitle(e)
		eventRow(c.row, e, &title)
		if err := c.out.Write(c.row); err != nil {
			return fmt.Errorf("%s, event %s: %w", e.Title, e.ID, err)
		}
		return nil
	}}
}

// eventRow fills the row of an event.
func eventRow(row table.Row, e *bookkeeping.Event, t *report.EventTitle) {
	state := e.After
	if state == nil {
		state = e.Before
	}
	clear(row)
	copy(row, table.Row{
		table.Text(e.Account.String()), table.Int(int64(e.Set)), table.Text(e.ID), table.Text(string(e.Type)), table.Text(e.Subject),
		table.Day(e.Occurred), table.Day(e.Sent), table.Text(e.TitleNumber), table.Text(t.DocumentNumber), table.Text(t.CompanyUse),
		table.Day(state.Due), table.Day(t.CreditDate),
	})
	at := 12
	for _, m := range e.Sums.All() {
		row[at] = table.Cents(*m)
		at++
	}
	copy(row[at:], table.Row{
		table.OptCents(e.Value), table.Text(e.Movement), table.Text(e.Reason), ordinal(e.NSA), ordinal(e.Lote), ordinal(e.Record),
		table.Int(int64(e.Version)),
	})
	own := row[at+7:]
	if c := state.Card; c != nil {
		copy(own, table.Row{
			table.Clock(c.SoldAt), table.Text(c.Brand), table.Text(string(c.Product)), table.Text(c.NSU), table.Text(c.Auth),
			table.Text(fmt.Sprint(c.Number)), table.Text(fmt.Sprint(c.Count)), table.Text(c.Reference), table.Text(t.Beneficiary),
		})
		return
	}
	s := state.Slip
	copy(own, table.Row{table.Text(s.ID), table.Text(s.OurNumber), table.Text(s.Reference), table.Day(s.PaidOn)})
}

func ordinal(n int) table.Cell {
	if n == 0 {
		return table.Cell{}
	}
	return table.Int(int64(n))
}

// EventsReader reads the events of a set back: which there are, and how many are in its EDI file.
type EventsReader struct {
	IDs    []string
	Titles int64 // events that are titles of the EDI file, and Shares that are records of a share
	Shares int64
	Sets   map[int64]bool
}

// ReadRow takes a row. An event in no EDI file has a reason, and one in it has none.
func (r *EventsReader) ReadRow(t *table.Table, row table.Row) error {
	cell := func(id string) *table.Cell { return &row[t.ColumnIndex(id)] }
	id, movement := cell("event").S, cell("movement").S
	if (movement == "") != (cell("reason").S != "") {
		return fmt.Errorf("event %s: movement %q and reason %q: it has one of them", id, movement, cell("reason").S)
	}
	if r.Sets == nil {
		r.Sets = make(map[int64]bool)
	}
	r.Sets[cell("set").N] = true
	r.IDs = append(r.IDs, id)
	switch {
	case !cell("nsa").OK:
	case movement == ShareMovement:
		r.Shares++
	default:
		r.Titles++
	}
	return nil
}

// ShareMovement is the movement of a share, a record under its title.
const ShareMovement = "Y50"

// Terms has none: an events' table is in no formula.
func (r *EventsReader) Terms() map[string]ledger.Amount { return nil }
