package report

import (
	"context"
	"fmt"
	"strings"

	"concilia/export/table"
	"concilia/store/ledger"
)

// InstallmentsTable has a row per installment, in order of account, sale_at, nsu, auth, installment, occurrence.
var InstallmentsTable = &table.Table{ID: "installments", Sheet: "Parcelas", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "sale_at", Header: "Data da venda", HeaderEN: "Sale date and time", Type: table.TypeDateTime},
	{ID: "terminal", Header: "Terminal", HeaderEN: "Terminal", Type: table.TypeText, Null: "not sent"},
	{ID: "brand", Header: "Bandeira", HeaderEN: "Brand", Type: table.TypeText, Null: "not sent"},
	{ID: "product", Header: "Produto", HeaderEN: "Product", Type: table.TypeEnum, Null: "not sent", Labels: ProductLabels},
	{ID: "card", Header: "Cartão", HeaderEN: "Card", Type: table.TypeText, Null: "not sent"},
	{ID: "nsu", Header: "NSU", HeaderEN: "NSU", Type: table.TypeText, Digits: true, Null: "not sent"},
	{ID: "auth", Header: "Autorização", HeaderEN: "Authorization", Type: table.TypeText, Null: "not sent"},
	{ID: "order_ref", Header: "Pedido", HeaderEN: "Order reference", Type: table.TypeText, Null: "not sent"},
	{ID: "web_payment_id", Header: "Id do pagamento web", HeaderEN: "Web payment id", Type: table.TypeText, Digits: true, Null: "not sent"},
	{ID: "installment", Header: "Parcela", HeaderEN: "Installment", Type: table.TypeInt, NoTotal: true},
	{ID: "installments", Header: "Parcelas", HeaderEN: "Installments", Type: table.TypeInt, NoTotal: true},
	{ID: "sale_total", Header: "Valor da venda", HeaderEN: "Sale total", Type: table.TypeMoney, Decimals: 4, Null: "not sent", NoTotal: true},
	{ID: "gross", Header: "Valor bruto", HeaderEN: "Gross", Type: table.TypeMoney, Decimals: 4},
	{ID: "mdr", Header: "MDR", HeaderEN: "MDR", Type: table.TypeMoney, Decimals: 2, Null: "not sent"},
	{ID: "mdr_rate", Header: "Taxa MDR %", HeaderEN: "MDR rate %", Type: table.TypeRate, Decimals: 4, Null: "not sent"},
	{ID: "contract_mdr_rate", Header: "Taxa MDR contratada %", HeaderEN: "Contract MDR rate %", Type: table.TypeRate, Decimals: 4, Null: "no contract line"},
	{ID: "transaction_fee", Header: "Tarifa de transação", HeaderEN: "Transaction fee", Type: table.TypeMoney, Decimals: 2, Null: "not sent"},
	{ID: "transaction_fee_sale", Header: "Tarifa de transação da venda", HeaderEN: "Transaction fee of the sale", Type: table.TypeMoney, Decimals: 2, Null: "not sent", NoTotal: true},
	{ID: "antifraud_fee", Header: "Tarifa antifraude", HeaderEN: "Antifraud fee", Type: table.TypeMoney, Decimals: 2, Null: "not sent"},
	{ID: "antifraud_fee_sale", Header: "Tarifa antifraude da venda", HeaderEN: "Antifraud fee of the sale", Type: table.TypeMoney, Decimals: 2, Null: "not sent", NoTotal: true},
	{ID: "anticipation", Header: "Antecipação", HeaderEN: "Anticipation", Type: table.TypeMoney, Decimals: 2, Null: "not sent"},
	{ID: "anticipation_rate", Header: "Taxa de antecipação % a.m.", HeaderEN: "Anticipation rate % a month", Type: table.TypeRate, Decimals: 4, Null: "not sent"},
	{ID: "anticipation_days", Header: "Dias antecipados", HeaderEN: "Days anticipated", Type: table.TypeInt, Null: "anticipation 0, or not received", NoTotal: true},
	{ID: "splits", Header: "Splits", HeaderEN: "Splits", Type: table.TypeMoney, Decimals: 2, Null: "no splits"},
	{ID: "net_expected", Header: "Líquido esperado", HeaderEN: "Expected net", Type: table.TypeMoney, Decimals: 2},
	{ID: "net_contract", Header: "Líquido contratual", HeaderEN: "Contract net", Type: table.TypeMoney, Decimals: 2},
	{ID: "received", Header: "Recebido", HeaderEN: "Received", Type: table.TypeMoney, Decimals: 2, Null: "not sent"},
	{ID: "forecast_date", Header: "Data prevista", HeaderEN: "Forecast date", Type: table.TypeDate, Null: "not sent"},
	{ID: "expected_date", Header: "Data esperada", HeaderEN: "Expected date", Type: table.TypeDate, Null: "no settlement term known"},
	{ID: "effective_date", Header: "Data de crédito", HeaderEN: "Credit date", Type: table.TypeDate, Null: "not received"},
	{ID: "days_late", Header: "Dias de atraso", HeaderEN: "Days late", Type: table.TypeInt, Null: "not received", NoTotal: true},
	{ID: "received_type", Header: "Tipo de recebimento", HeaderEN: "Received type", Type: table.TypeText, Null: "not sent"},
	{ID: "received_status", Header: "Status do recebimento", HeaderEN: "Received status", Type: table.TypeText, Null: "not sent"},
	{ID: "installment_status", Header: "Status da parcela", HeaderEN: "Installment status", Type: table.TypeText, Null: "not sent"},
	{ID: "class", Header: "Situação", HeaderEN: "Class", Type: table.TypeEnum, Labels: CardClassLabels},
	{ID: "verdict", Header: "Conferência", HeaderEN: "Verdict", Type: table.TypeEnum, Labels: verdictLabels},
	{ID: "codes", Header: "Códigos", HeaderEN: "Codes", Type: table.TypeList, Null: "none"},
	{ID: "impact", Header: "Impacto", HeaderEN: "Impact", Type: table.TypeMoney, Decimals: 2, Null: "no code", Signed: true},
	{ID: "version", Header: "Versão", HeaderEN: "Version", Type: table.TypeInt, NoTotal: true},
	{ID: "first_seen", Header: "Vista em", HeaderEN: "First seen", Type: table.TypeDate},
	{ID: "last_changed", Header: "Alterada em", HeaderEN: "Last changed", Type: table.TypeDate},
	{ID: "gross_cents", Header: "Bruto em centavos", HeaderEN: "Gross in cents", Type: table.TypeInt},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

// InstallmentsDefinition is the kind installments.
var InstallmentsDefinition = &Definition{
	Kind: InstallmentsKind, Side: CardSide, Tables: []*table.Table{InstallmentsTable}, Bases: cardBases, Formats: everyFormat,
	FollowsFromRows: true,
	Needs:           []Kind{SummaryKind, SplitsKind},
	View: map[string]View{"installments": {
		PageColumns: "sale_at nsu auth brand installment gross net_expected received forecast_date effective_date class verdict codes impact",
		Anchor:      saleAnchor,
	}},
	Begin: beginInstallments,
}

// installments writes a row per installment as it is read.
type installments struct {
	ColumnTotals
	set *Set
	out Rows
	row table.Row
}

func beginInstallments(_ context.Context, set *Set) (Content, error) {
	out, err := set.Open(InstallmentsTable)
	return &installments{set: set, out: out, row: InstallmentsTable.NewRow()}, err
}

func (c *installments) Intake() Intake {
	return Intake{Card: func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		installmentRow(c.row, v, e, c.set.Unit)
		if err := c.out.Write(c.row); err != nil {
			return fmt.Errorf("%s: %w", v.Key().Subject(), err)
		}
		return nil
	}}
}

// Identities are that the installments add up to the summary.
func (c *installments) Identities() []Identity {
	total := &ContentOf[*Summary](c.set, SummaryKind).total
	rest := ledger.FromCents(c.out.Counter().Sum("gross_cents")) - total.gross.Printed - total.cancelledGross.Printed
	return []Identity{{
		Name: "detail", Formula: "installments.gross_cents = gross + cancelled_gross", Printed: rest, Exact: rest,
	}}
}

// The columns of the key of a sale.
var (
	soldAtColumn = InstallmentsTable.ColumnIndex("sale_at")
	nsuColumn    = InstallmentsTable.ColumnIndex("nsu")
	authColumn   = InstallmentsTable.ColumnIndex("auth")
)

// saleAnchor is the subject of the row's sale, but for its occurrence, which no row shows.
func saleAnchor(row table.Row) string {
	return strings.Join([]string{"sale", row[0].S, ledger.LocalTime(row[soldAtColumn].N).Date().String(), row[nsuColumn].S, row[authColumn].S}, ":")
}

// installmentRow fills the row of an installment. Members of the service are shown as stored; brand, product and
// the other members of e are how the run interpreted them. The unit is that of the service's rates.
func installmentRow(row table.Row, v *ledger.InstallmentVersion, e *ledger.Expectation, unit ledger.Unit) {
	splits := table.Cell{}
	if len(v.Splits) > 0 {
		splits = table.Total(SplitCents(v), v.SplitTotal())
	}
	copy(row, table.Row{
		table.Text(v.Account.String()), table.Clock(v.SoldAt), table.Text(v.Terminal), table.Text(e.Brand), table.Text(string(e.Product)),
		table.Text(v.Card), table.Text(v.NSU), table.Text(v.Auth), table.Text(v.Reference), table.Text(v.WebPaymentID),
		table.Int(int64(v.Key().Number)), table.Int(int64(v.InstallmentCount())),
		table.OptExact(v.SaleTotal), table.Exact(v.Gross),
		table.OptCents(v.MDR), table.OptPct(v.MDRRate, unit), table.OptPct(e.ContractMDRRate, ledger.Percent),
		table.OptCents(v.Fee), table.OptCents(v.SaleFee), table.OptCents(v.Antifraud), table.OptCents(v.SaleAntifraud),
		table.OptCents(v.Anticipation), table.OptPct(v.AnticipationRate, unit), table.OptInt(e.DaysAnticipated),
		splits, table.Cents(e.Net), table.Cents(e.NetContract), table.OptCents(v.Received),
		table.Day(v.Forecast), table.Day(e.ExpectedDate), table.Day(v.Effective), table.OptInt(e.DaysLate),
		table.Text(v.ReceivedType), table.Text(v.ReceivedStatus), table.Text(v.Status),
		table.Text(string(e.Class)), table.Text(string(e.Verdict)), table.Text(strings.Join(e.Codes, "|")), table.OptCents(e.Impact),
		table.Int(int64(v.Version)), table.Day(v.FirstSeen), table.Day(v.LastChanged), table.Int(e.GrossCents),
	})
}
