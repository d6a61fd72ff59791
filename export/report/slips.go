package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"concilia/export/table"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// PayerDocumentID is the column of documents, masked unless the kind identifies payers.
const PayerDocumentID = "payer_document"

// SlipsTable has a row per slip, in order of account, the basis' date, slip_id.
var SlipsTable = &table.Table{ID: "slips", Sheet: "Boletos", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "slip_id", Header: "Id do boleto", HeaderEN: "Slip id", Type: table.TypeText},
	{ID: "our_number", Header: "Nosso número", HeaderEN: "Our number", Type: table.TypeText, Digits: true, Null: "not known yet"},
	{ID: "title_number", Header: "Número do título", HeaderEN: "Title number", Type: table.TypeText, Digits: true, Null: "never emitted in EDI", Undigested: true},
	{ID: "reference_code", Header: "Referência", HeaderEN: "Reference", Type: table.TypeText, Null: "not known"},
	{ID: PayerDocumentID, Header: "Documento do pagador", HeaderEN: "Payer document", Type: table.TypeText, Digits: true, Null: "not sent"},
	{ID: "payer_name", Header: "Nome do pagador", HeaderEN: "Payer name", Type: table.TypeText, Null: "not sent, or not identified"},
	{ID: "issue_date", Header: "Emissão", HeaderEN: "Issued", Type: table.TypeDate, Null: "not sent"},
	{ID: "due_date", Header: "Vencimento", HeaderEN: "Due", Type: table.TypeDate, Null: "not sent"},
	{ID: "due_date_adjusted", Header: "Vencimento útil", HeaderEN: "Due, business day", Type: table.TypeDate, Null: "no due date"},
	{ID: "value", Header: "Valor", HeaderEN: "Value", Type: table.TypeMoney, Decimals: 2},
	{ID: "status", Header: "Status", HeaderEN: "Status", Type: table.TypeEnum, Null: "not seen in a list", Labels: slipStatusLabels},
	{ID: "integration_status", Header: "Status de registro", HeaderEN: "Registration status", Type: table.TypeEnum, Null: "not sent", Labels: slipStatusLabels},
	{ID: "class", Header: "Situação", HeaderEN: "Class", Type: table.TypeEnum, Labels: SlipClassLabels},
	{ID: "payment_date", Header: "Pagamento", HeaderEN: "Paid on", Type: table.TypeDate, Null: "not paid"},
	{ID: "paid_value", Header: "Valor pago", HeaderEN: "Paid", Type: table.TypeMoney, Decimals: 2, Null: "not paid"},
	{ID: "penalty_due", Header: "Multa devida", HeaderEN: "Penalty due", Type: table.TypeMoney, Decimals: 2, Null: "not late, or terms not known"},
	{ID: "penalty_received", Header: "Multa recebida", HeaderEN: "Penalty received", Type: table.TypeMoney, Decimals: 2, Null: "not sent"},
	{ID: "interest_due", Header: "Juros devidos", HeaderEN: "Interest due", Type: table.TypeMoney, Decimals: 2, Null: "not late, or terms not known"},
	{ID: "interest_received", Header: "Juros recebidos", HeaderEN: "Interest received", Type: table.TypeMoney, Decimals: 2, Null: "not sent"},
	{ID: "days_late", Header: "Dias de atraso", HeaderEN: "Days late", Type: table.TypeInt, Null: "not paid", NoTotal: true},
	{ID: "credit_date", Header: "Crédito", HeaderEN: "Credited on", Type: table.TypeDate, Null: "not credited"},
	{ID: "float_days", Header: "Prazo até o crédito (d.u.)", HeaderEN: "Float, business days", Type: table.TypeInt, Null: "not credited", NoTotal: true},
	{ID: "tariff", Header: "Tarifa", HeaderEN: "Tariff", Type: table.TypeMoney, Decimals: 2, Null: "no contract, or not paid"},
	{ID: "net_credited", Header: "Líquido creditado", HeaderEN: "Net credited", Type: table.TypeMoney, Decimals: 2, Null: "not credited"},
	{ID: "cancel_date", Header: "Cancelamento", HeaderEN: "Cancelled on", Type: table.TypeDate, Null: "not cancelled"},
	{ID: "cancel_reason", Header: "Motivo do cancelamento", HeaderEN: "Cancellation reason", Type: table.TypeText, Null: "not sent"},
	{ID: "seen_in", Header: "Listas", HeaderEN: "Lists", Type: table.TypeList, Labels: listLabels},
	{ID: "verdict", Header: "Conferência", HeaderEN: "Verdict", Type: table.TypeEnum, Labels: verdictLabels},
	{ID: "codes", Header: "Códigos", HeaderEN: "Codes", Type: table.TypeList, Null: "none"},
	{ID: "impact", Header: "Impacto", HeaderEN: "Impact", Type: table.TypeMoney, Decimals: 2, Null: "no code", Signed: true},
	{ID: "version", Header: "Versão", HeaderEN: "Version", Type: table.TypeInt, Ratio: true, NoTotal: true},
	{ID: "first_seen", Header: "Visto em", HeaderEN: "First seen", Type: table.TypeDate},
	{ID: "last_changed", Header: "Alterado em", HeaderEN: "Last changed", Type: table.TypeDate},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

// TitleNumberColumn is the place of title_number, which is absent while the slip was never emitted in EDI. Numbers are
// reserved only when something is written, so the renderer sets it.
const TitleNumberColumn = 3

// SlipsDefinition is the kind slips.
var SlipsDefinition = &Definition{
	Kind: SlipsKind, Side: SlipSide, Tables: []*table.Table{SlipsTable, SlipDaysTable}, BankTables: []*table.Table{SlipDaysBankTable}, Bases: slipBases, Formats: everyFormat,
	FollowsFromRows: true,
	View: map[string]View{
		"slips": {
			PageColumns: "slip_id issue_date due_date value class payment_date paid_value credit_date net_credited verdict codes impact",
			Anchor:      func(row table.Row) string { return "slip:" + row[0].S + ":" + strings.ToLower(row[1].S) },
		},
		"slips-summary": {
			PageColumns: "account base_date issued_qty issued paid_qty paid credited not_credited credit_overdue short over charges_to_confirm bank_credited bank_difference",
		},
	},
	Begin:     beginSlips,
	NewReader: func(ledger.Date) RowReader { return &paidFaceReader{} },
}

// Slips writes a row per slip as it passes, and the days at the end.
type Slips struct {
	ColumnTotals
	SlipDays
	set       *Set
	out, days Rows
	row       table.Row
	bank      *bankLines[slipDay] // nil: the set says nothing about a bank
	bankTotal bankFigures
}

func beginSlips(_ context.Context, set *Set) (Content, error) {
	out, err := set.Open(SlipsTable)
	if err != nil {
		return nil, err
	}
	t := SlipDaysTable
	if set.BankColumns {
		t = SlipDaysBankTable
	}
	days, err := set.Open(t)
	return &Slips{SlipDays: NewSlipDays(set.Basis, set.AsOf), set: set, out: out, days: days, row: SlipsTable.NewRow()}, err
}

// Intake takes slips in report order.
func (c *Slips) Intake() Intake {
	return Intake{Slip: func(s *ledger.Slip, e *ledger.SlipExpectation) error {
		c.Add(s, e)
		FillSlipRow(c.row, s, e, c.set.ShowsPersons(SlipsKind))
		if err := c.out.Write(c.row); err != nil {
			return fmt.Errorf("%s: %w", s.Subject(), err)
		}
		return nil
	}}
}

// Finish writes the days.
func (c *Slips) Finish(ctx context.Context) (err error) {
	c.bank, err = readBankLines(ctx, c.set, banking.CreditedSlips, func(x *banking.Credit) slipDay { return slipDay{x.Account, x.Day} })
	if err != nil {
		return err
	}
	return cmp.Or(c.writeRows(c.days, c.bank, &c.bankTotal), c.bankTotal.err())
}

// LedgerSums leaves out what came to the bank of days that have no slips.
func (c *Slips) LedgerSums(t *table.Table, sums Sums) Sums {
	if t.ID != SlipDaysTable.ID {
		return sums
	}
	return c.bank.lessUnplaced(sums)
}

// Identities are those of the days' total.
func (c *Slips) Identities() []Identity { return c.total.totalIdentities() }

// AddTotals sets the totals of slips.
func (c *Slips) AddTotals(t *Totals) { t.Slips = c.total.slipTotals() }

// FillTotals sets the total row of the days, whose averages are no sums.
func (c *Slips) FillTotals(t *table.Table, row table.Row) bool {
	if t.ID != SlipDaysTable.ID {
		return false
	}
	c.total.fillRow(row[2:])
	if c.bank != nil {
		copy(row[len(row)-len(bankColumns):], c.bankTotal.cells())
	}
	return true
}

// paidFaceReader adds up the face value of the paid slips, which the identity of issued needs.
type paidFaceReader struct{ sum ledger.Amount }

// PaidFace is the one term of a formula that is no column: the face value of the slips that were paid.
const PaidFace = "paid_face"

func (r *paidFaceReader) ReadRow(t *table.Table, row table.Row) error {
	if t == SlipsTable && row[t.ColumnIndex("class")].S == string(ledger.Paid) {
		r.sum += ledger.Amount(row[t.ColumnIndex("value")].N)
	}
	return nil
}

func (r *paidFaceReader) Terms() map[string]ledger.Amount {
	return map[string]ledger.Amount{PaidFace: r.sum}
}

// FillSlipRow fills the row of a slip, but for its title number. clear shows the payer's document and name.
func FillSlipRow(row table.Row, s *ledger.Slip, e *ledger.SlipExpectation, clear bool) {
	name := ""
	if clear {
		name = s.PayerName
	}
	copy(row, table.Row{
		table.Text(s.Account.String()), table.Text(s.ID), table.Text(s.OurNumber),
		{},
		table.Text(s.ReferenceCode),
		table.Text(maskPayerDocument(s.PayerDocument, clear)), table.Text(name),
		table.Day(s.Issued), table.Day(s.Due), table.Day(e.DueAdjusted), table.Cents(s.Value),
		table.Text(billStatus(s.Status)), table.Text(integrationStatus(s.Integration)), table.Text(string(e.Class)),
		table.Day(s.PaidOn), table.OptCents(s.PaidValue),
		table.OptCents(e.PenaltyDue), table.OptCents(s.PenaltyReceived), table.OptCents(e.InterestDue), table.OptCents(s.InterestReceived),
		table.OptInt(e.DaysLate), table.Day(s.CreditedOn), table.OptInt(e.FloatDays), table.OptCents(e.Tariff), table.OptCents(e.NetCredited),
		table.Day(s.CancelledOn), table.Text(s.CancelReason), table.Text(seenIn(s)),
		table.Text(string(e.Verdict)), table.Text(strings.Join(e.Codes, "|")), table.OptCents(e.Impact),
		table.Int(int64(s.Version)), table.Day(s.FirstSeen), table.Day(s.LastChanged),
	})
}

// billStatus is the word for statusBill; a number outside the interface document's list stays a number.
func billStatus(o ledger.Opt[int64]) string {
	return statusWord(o, map[int64]string{
		ledger.BillProcessing: "processing", ledger.BillIssued: "issued", ledger.BillPaid: "paid",
		ledger.BillOverdue: "overdue", ledger.BillFailed: "failed",
	})
}

// integrationStatus is the word for statusIntegration.
func integrationStatus(o ledger.Opt[int64]) string {
	return statusWord(o, map[int64]string{
		ledger.IntegrationProcessing: "processing", ledger.IntegrationIssued: "issued",
		ledger.IntegrationRejected: "rejected", ledger.IntegrationFailed: "failed",
	})
}

func statusWord(o ledger.Opt[int64], words map[int64]string) string {
	if !o.OK {
		return ""
	}
	if w, ok := words[o.V]; ok {
		return w
	}
	return strconv.FormatInt(o.V, 10)
}

// seenIn lists the views that the slip was seen in: credit, detail, due, payment.
func seenIn(s *ledger.Slip) string {
	var lists []string
	for _, list := range s.SeenIn() {
		lists = append(lists, strings.TrimPrefix(string(list), "slips."))
	}
	slices.Sort(lists)
	return strings.Join(slices.Compact(lists), "|")
}
