package export

import (
	"slices"
	"strconv"
	"strings"

	"concilia/store/ledger"
)

// slipsTable has a row per slip, in order of account, the basis' date, slip_id.
var slipsTable = &Table{ID: "slips", Kind: SlipsKind, Sheet: "Boletos", Layout: 1, Columns: []Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: TypeText},
	{ID: "slip_id", Header: "Id do boleto", HeaderEN: "Slip id", Type: TypeText},
	{ID: "our_number", Header: "Nosso número", HeaderEN: "Our number", Type: TypeText, Null: "not known yet"},
	{ID: "title_number", Header: "Número do título", HeaderEN: "Title number", Type: TypeText, Null: "never emitted in EDI", Undigested: true},
	{ID: "reference_code", Header: "Referência", HeaderEN: "Reference", Type: TypeText, Null: "not known"},
	{ID: "payer_document", Header: "Documento do pagador", HeaderEN: "Payer document", Type: TypeText, Null: "not sent"},
	{ID: "payer_name", Header: "Nome do pagador", HeaderEN: "Payer name", Type: TypeText, Null: "not sent, or not identified"},
	{ID: "issue_date", Header: "Emissão", HeaderEN: "Issued", Type: TypeDate, Null: "not sent"},
	{ID: "due_date", Header: "Vencimento", HeaderEN: "Due", Type: TypeDate, Null: "not sent"},
	{ID: "due_date_adjusted", Header: "Vencimento útil", HeaderEN: "Due, business day", Type: TypeDate, Null: "no due date"},
	{ID: "value", Header: "Valor", HeaderEN: "Value", Type: TypeMoney, Decimals: 2},
	{ID: "status", Header: "Status", HeaderEN: "Status", Type: TypeEnum, Null: "not seen in a list", Labels: slipStatusLabels},
	{ID: "integration_status", Header: "Status de registro", HeaderEN: "Registration status", Type: TypeEnum, Null: "not sent", Labels: slipStatusLabels},
	{ID: "class", Header: "Situação", HeaderEN: "Class", Type: TypeEnum, Labels: slipClassLabels},
	{ID: "payment_date", Header: "Pagamento", HeaderEN: "Paid on", Type: TypeDate, Null: "not paid"},
	{ID: "paid_value", Header: "Valor pago", HeaderEN: "Paid", Type: TypeMoney, Decimals: 2, Null: "not paid"},
	{ID: "penalty_due", Header: "Multa devida", HeaderEN: "Penalty due", Type: TypeMoney, Decimals: 2, Null: "not late, or terms not known"},
	{ID: "penalty_received", Header: "Multa recebida", HeaderEN: "Penalty received", Type: TypeMoney, Decimals: 2, Null: "not sent"},
	{ID: "interest_due", Header: "Juros devidos", HeaderEN: "Interest due", Type: TypeMoney, Decimals: 2, Null: "not late, or terms not known"},
	{ID: "interest_received", Header: "Juros recebidos", HeaderEN: "Interest received", Type: TypeMoney, Decimals: 2, Null: "not sent"},
	{ID: "days_late", Header: "Dias de atraso", HeaderEN: "Days late", Type: TypeInt, Null: "not paid", NoTotal: true},
	{ID: "credit_date", Header: "Crédito", HeaderEN: "Credited on", Type: TypeDate, Null: "not credited"},
	{ID: "float_days", Header: "Float em dias úteis", HeaderEN: "Float, business days", Type: TypeInt, Null: "not credited", NoTotal: true},
	{ID: "tariff", Header: "Tarifa", HeaderEN: "Tariff", Type: TypeMoney, Decimals: 2, Null: "no contract, or not paid"},
	{ID: "net_credited", Header: "Líquido creditado", HeaderEN: "Net credited", Type: TypeMoney, Decimals: 2, Null: "not credited"},
	{ID: "cancel_date", Header: "Cancelamento", HeaderEN: "Cancelled on", Type: TypeDate, Null: "not cancelled"},
	{ID: "cancel_reason", Header: "Motivo do cancelamento", HeaderEN: "Cancellation reason", Type: TypeText, Null: "not sent"},
	{ID: "seen_in", Header: "Listas", HeaderEN: "Lists", Type: TypeList},
	{ID: "verdict", Header: "Conferência", HeaderEN: "Verdict", Type: TypeEnum, Labels: verdictLabels},
	{ID: "codes", Header: "Códigos", HeaderEN: "Codes", Type: TypeList, Null: "none"},
	{ID: "impact", Header: "Impacto", HeaderEN: "Impact", Type: TypeMoney, Decimals: 2, Null: "no code"},
	{ID: "version", Header: "Versão", HeaderEN: "Version", Type: TypeInt, NoTotal: true},
	{ID: "first_seen", Header: "Visto em", HeaderEN: "First seen", Type: TypeDate},
	{ID: "last_changed", Header: "Alterado em", HeaderEN: "Last changed", Type: TypeDate},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: TypeHash},
}}

// titleNumberAt is the column of title_number, which is absent while the slip was never emitted in EDI.
const titleNumberAt = 3

// slipRow fills the row of a slip, but for its title number. clear shows the payer's document and name.
func slipRow(row Row, s *ledger.Slip, e *ledger.SlipExpectation, clear bool) {
	name := ""
	if clear {
		name = s.PayerName
	}
	copy(row, Row{
		Text(s.Account.String()), Text(s.ID), Text(s.OurNumber),
		{},
		Text(s.ReferenceCode),
		Text(payerDocument(s.PayerDocument, clear)), Text(name),
		Day(s.Issued), Day(s.Due), Day(e.DueAdjusted), Cents(s.Value),
		Text(billStatus(s.Status)), Text(integrationStatus(s.Integration)), Text(string(e.Class)),
		Day(s.PaidOn), optCents(s.PaidValue),
		optCents(e.PenaltyDue), optCents(s.PenaltyReceived), optCents(e.InterestDue), optCents(s.InterestReceived),
		optInt(e.DaysLate), Day(s.CreditedOn), optInt(e.FloatDays), optCents(e.Tariff), optCents(e.NetCredited),
		Day(s.CancelledOn), Text(s.CancelReason), Text(seenIn(s)),
		Text(string(e.Verdict)), Text(strings.Join(e.Codes, "|")), optCents(e.Impact),
		Int(int64(s.Version)), Day(s.FirstSeen), Day(s.LastChanged),
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

// seenIn lists the views that know the slip: credit, detail, due, payment.
func seenIn(s *ledger.Slip) string {
	var lists []string
	for i := range s.Views {
		lists = append(lists, strings.TrimPrefix(string(s.Views[i].List), "slips."))
	}
	slices.Sort(lists)
	return strings.Join(slices.Compact(lists), "|")
}
