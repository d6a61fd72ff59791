package export

import (
	"strings"

	"concilia/store/ledger"
)

// installmentsTable has a row per installment, in order of account, sale_at, nsu, auth, installment, occurrence.
var installmentsTable = &Table{ID: "installments", Kind: InstallmentsKind, Sheet: "Parcelas", Layout: 1, Columns: []Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: TypeText},
	{ID: "sale_at", Header: "Data da venda", HeaderEN: "Sale date and time", Type: TypeDateTime},
	{ID: "terminal", Header: "Terminal", HeaderEN: "Terminal", Type: TypeText, Null: "not sent"},
	{ID: "brand", Header: "Bandeira", HeaderEN: "Brand", Type: TypeText, Null: "not sent"},
	{ID: "product", Header: "Produto", HeaderEN: "Product", Type: TypeEnum, Null: "not sent", Labels: productLabels},
	{ID: "card", Header: "Cartão", HeaderEN: "Card", Type: TypeText, Null: "not sent"},
	{ID: "nsu", Header: "NSU", HeaderEN: "NSU", Type: TypeText, Null: "not sent"},
	{ID: "auth", Header: "Autorização", HeaderEN: "Authorization", Type: TypeText, Null: "not sent"},
	{ID: "order_ref", Header: "Pedido", HeaderEN: "Order reference", Type: TypeText, Null: "not sent"},
	{ID: "web_payment_id", Header: "Id do pagamento web", HeaderEN: "Web payment id", Type: TypeText, Null: "not sent"},
	{ID: "installment", Header: "Parcela", HeaderEN: "Installment", Type: TypeInt, NoTotal: true},
	{ID: "installments", Header: "Parcelas", HeaderEN: "Installments", Type: TypeInt, NoTotal: true},
	{ID: "sale_total", Header: "Valor da venda", HeaderEN: "Sale total", Type: TypeMoney, Decimals: 4, Null: "not sent", NoTotal: true},
	{ID: "gross", Header: "Valor bruto", HeaderEN: "Gross", Type: TypeMoney, Decimals: 4},
	{ID: "mdr", Header: "MDR", HeaderEN: "MDR", Type: TypeMoney, Decimals: 2, Null: "not sent"},
	{ID: "mdr_rate", Header: "Taxa MDR %", HeaderEN: "MDR rate %", Type: TypeRate, Decimals: 4, Null: "not sent"},
	{ID: "contract_mdr_rate", Header: "Taxa MDR contratada %", HeaderEN: "Contract MDR rate %", Type: TypeRate, Decimals: 4, Null: "no contract line"},
	{ID: "transaction_fee", Header: "Tarifa de transação", HeaderEN: "Transaction fee", Type: TypeMoney, Decimals: 2, Null: "not sent"},
	{ID: "transaction_fee_sale", Header: "Tarifa de transação da venda", HeaderEN: "Transaction fee of the sale", Type: TypeMoney, Decimals: 2, Null: "not sent", NoTotal: true},
	{ID: "antifraud_fee", Header: "Tarifa antifraude", HeaderEN: "Antifraud fee", Type: TypeMoney, Decimals: 2, Null: "not sent"},
	{ID: "antifraud_fee_sale", Header: "Tarifa antifraude da venda", HeaderEN: "Antifraud fee of the sale", Type: TypeMoney, Decimals: 2, Null: "not sent", NoTotal: true},
	{ID: "anticipation", Header: "Antecipação", HeaderEN: "Anticipation", Type: TypeMoney, Decimals: 2, Null: "not sent"},
	{ID: "anticipation_rate", Header: "Taxa de antecipação % a.m.", HeaderEN: "Anticipation rate % a month", Type: TypeRate, Decimals: 4, Null: "not sent"},
	{ID: "anticipation_days", Header: "Dias antecipados", HeaderEN: "Days anticipated", Type: TypeInt, Null: "anticipation 0, or not received", NoTotal: true},
	{ID: "splits", Header: "Splits", HeaderEN: "Splits", Type: TypeMoney, Decimals: 2, Null: "no splits"},
	{ID: "net_expected", Header: "Líquido esperado", HeaderEN: "Expected net", Type: TypeMoney, Decimals: 2},
	{ID: "net_contract", Header: "Líquido contratual", HeaderEN: "Contract net", Type: TypeMoney, Decimals: 2},
	{ID: "received", Header: "Recebido", HeaderEN: "Received", Type: TypeMoney, Decimals: 2, Null: "not sent"},
	{ID: "forecast_date", Header: "Data prevista", HeaderEN: "Forecast date", Type: TypeDate, Null: "not sent"},
	{ID: "expected_date", Header: "Data esperada", HeaderEN: "Expected date", Type: TypeDate, Null: "no settlement term known"},
	{ID: "effective_date", Header: "Data de crédito", HeaderEN: "Credit date", Type: TypeDate, Null: "not received"},
	{ID: "days_late", Header: "Dias de atraso", HeaderEN: "Days late", Type: TypeInt, Null: "not received", NoTotal: true},
	{ID: "received_type", Header: "Tipo de recebimento", HeaderEN: "Received type", Type: TypeText, Null: "not sent"},
	{ID: "received_status", Header: "Status do recebimento", HeaderEN: "Received status", Type: TypeText, Null: "not sent"},
	{ID: "installment_status", Header: "Status da parcela", HeaderEN: "Installment status", Type: TypeText, Null: "not sent"},
	{ID: "class", Header: "Situação", HeaderEN: "Class", Type: TypeEnum, Labels: cardClassLabels},
	{ID: "verdict", Header: "Conferência", HeaderEN: "Verdict", Type: TypeEnum, Labels: verdictLabels},
	{ID: "codes", Header: "Códigos", HeaderEN: "Codes", Type: TypeList, Null: "none"},
	{ID: "impact", Header: "Impacto", HeaderEN: "Impact", Type: TypeMoney, Decimals: 2, Null: "no code"},
	{ID: "version", Header: "Versão", HeaderEN: "Version", Type: TypeInt, NoTotal: true},
	{ID: "first_seen", Header: "Vista em", HeaderEN: "First seen", Type: TypeDate},
	{ID: "last_changed", Header: "Alterada em", HeaderEN: "Last changed", Type: TypeDate},
	{ID: "gross_cents", Header: "Bruto em centavos", HeaderEN: "Gross in cents", Type: TypeInt},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: TypeHash},
}}

// installmentRow fills the row of an installment. What the service says is shown as kept; brand, product and the
// other members of e are what the run believed of it. The unit is that of the service's rates.
func installmentRow(row Row, v *ledger.InstallmentVersion, e *ledger.Expectation, unit ledger.Unit) {
	splits := Cell{}
	if len(v.Splits) > 0 {
		splits = Total(splitCents(v), v.SplitTotal())
	}
	copy(row, Row{
		Text(v.Account.String()), Clock(v.SoldAt), Text(v.Terminal), Text(e.Brand), Text(string(e.Product)),
		Text(v.Card), Text(v.NSU), Text(v.Auth), Text(v.Reference), Text(v.WebPaymentID),
		Int(int64(v.Key().Number)), Int(int64(v.Of())),
		optExact(v.SaleTotal), Exact(v.Gross),
		optCents(v.MDR), optPct(v.MDRRate, unit), optPct(e.ContractMDRRate, ledger.Percent),
		optCents(v.Fee), optCents(v.SaleFee), optCents(v.Antifraud), optCents(v.SaleAntifrd),
		optCents(v.Anticipation), optPct(v.AnticipRate, unit), optInt(e.DaysAnticipated),
		splits, Cents(e.Net), Cents(e.NetContract), optCents(v.Received),
		Day(v.Forecast), Day(e.ExpectedDate), Day(v.Effective), optInt(e.DaysLate),
		Text(v.ReceivedType), Text(v.ReceivedStat), Text(v.Status),
		Text(string(e.Class)), Text(string(e.Verdict)), Text(strings.Join(e.Codes, "|")), optCents(e.Impact),
		Int(int64(v.Version)), Day(v.FirstSeen), Day(v.LastChanged), Int(e.GrossCents),
	})
}
