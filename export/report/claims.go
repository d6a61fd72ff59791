package report

import (
	"context"
	"fmt"

	"concilia/export/table"
	"concilia/store/ledger"
)

// ClaimsTable has a row per installment and fee that was charged above or below the contract, as a claim against the operator:
// in order of account, fee, sale_at, nsu, auth, installment. A rule fired for each, and case is
// its case, of the installment or of the sale whose fee it is. A rate that is off and costs nothing has no row.
//
// contract and practised are percent for mdr and anticipation, reais for the two fees, of the sale where the contract
// says so. contract is 0 where the contract line has no such fee. The differences add up to those of fees.
var ClaimsTable = &table.Table{ID: "claims", Sheet: "Pedido de ressarcimento", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "fee", Header: "Taxa", HeaderEN: "Fee", Type: table.TypeEnum, Labels: feeLabels},
	{ID: "sale_at", Header: "Data da venda", HeaderEN: "Sale date and time", Type: table.TypeDateTime},
	{ID: "brand", Header: "Bandeira", HeaderEN: "Brand", Type: table.TypeText, Null: "not sent"},
	{ID: "product", Header: "Produto", HeaderEN: "Product", Type: table.TypeEnum, Null: "not sent", Labels: ProductLabels},
	{ID: "card", Header: "Cartão", HeaderEN: "Card", Type: table.TypeText, Null: "not sent"},
	{ID: "nsu", Header: "NSU", HeaderEN: "NSU", Type: table.TypeText, Digits: true, Null: "not sent"},
	{ID: "auth", Header: "Autorização", HeaderEN: "Authorization", Type: table.TypeText, Null: "not sent"},
	{ID: "order_ref", Header: "Pedido", HeaderEN: "Order reference", Type: table.TypeText, Null: "not sent"},
	{ID: "installment", Header: "Parcela", HeaderEN: "Installment", Type: table.TypeInt, NoTotal: true},
	{ID: "installments", Header: "Parcelas", HeaderEN: "Installments", Type: table.TypeInt, NoTotal: true},
	{ID: "gross", Header: "Valor bruto", HeaderEN: "Gross", Type: table.TypeMoney, Decimals: 4, NoTotal: true},
	{ID: "contract", Header: "Contratado", HeaderEN: "Contract", Type: table.TypeNumber, Decimals: 4, Ratio: true},
	{ID: "practised", Header: "Praticado", HeaderEN: "Practised", Type: table.TypeNumber, Decimals: 4, Null: "not sent", Ratio: true},
	{ID: "due", Header: "Devido", HeaderEN: "Due", Type: table.TypeMoney, Decimals: 2},
	{ID: "charged", Header: "Cobrado", HeaderEN: "Charged", Type: table.TypeMoney, Decimals: 2},
	{ID: "difference", Header: "Diferença", HeaderEN: "Difference", Type: table.TypeMoney, Decimals: 2, HighlightNonZero: true, Signed: true},
	{ID: "effective_date", Header: "Data de crédito", HeaderEN: "Credit date", Type: table.TypeDate, Null: "not received"},
	{ID: "contract_line", Header: "Linha do contrato", HeaderEN: "Contract line", Type: table.TypeText},
	{ID: "case", Header: "Caso", HeaderEN: "Case", Type: table.TypeText},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

// claimRow fills the row of a deviating charge.
func claimRow(row table.Row, v *ledger.InstallmentVersion, e *ledger.Expectation, c *charge, unit ledger.Unit) {
	practised := table.Cell{}
	if p := c.fee.stated(v, c.agreed.PerSale, unit); p.OK {
		practised = table.Number(p.V)
	}
	copy(row, table.Row{
		table.Text(v.Account.String()), table.Text(c.fee.id), table.Clock(v.SoldAt), table.Text(e.Brand), table.Text(string(e.Product)),
		table.Text(v.Card), table.Text(v.NSU), table.Text(v.Auth), table.Text(v.Reference),
		table.Int(int64(v.Key().Number)), table.Int(int64(v.InstallmentCount())), table.Exact(v.Gross),
		table.Number(c.fee.agreed(c.agreed)), practised,
		table.Total(c.dueCents(), c.charged.Or(0)-c.deviation), table.Total(c.chargedCents(), c.charged.Or(0)), table.Total(c.deviationCents(), c.deviation),
		table.Day(v.Effective), table.Text(e.ContractLine), table.Text(c.deviationCase),
	})
}

// ClaimsDefinition is the kind claims.
var ClaimsDefinition = &Definition{
	Kind: ClaimsKind, OnDemand: true, Side: CardSide, Tables: []*table.Table{ClaimsTable}, Bases: cardBases, Formats: ExceptEDI,
	Needs: []Kind{SummaryKind, FeesKind},
	View:  map[string]View{"claims": {PageColumns: "fee sale_at nsu installment due charged difference case"}},
	Begin: beginClaims,
}

// claims writes the deviating charges that the fees counted.
type claims struct {
	ColumnTotals
	set   *Set
	audit *feeAudit
	out   Rows
	row   table.Row
}

func beginClaims(_ context.Context, set *Set) (Content, error) {
	out, err := set.Open(ClaimsTable)
	return &claims{set: set, audit: ContentOf[*feeAudit](set, FeesKind), out: out, row: ClaimsTable.NewRow()}, err
}

// Intake takes nothing: the claims are known only after the fees are added up.
func (c *claims) Intake() Intake { return Intake{} }

// Finish reads the installments again, once for every account and fee with a claim: so the claims are written in report order
// and none is kept in memory.
func (c *claims) Finish(ctx context.Context) error {
	type part struct {
		account ledger.Account
		fee     string
	}
	var before part
	for _, k := range c.audit.sortedKeys() {
		now := part{k.account, k.fee}
		if c.audit.lines[k].deviating == 0 || now == before {
			continue
		}
		before = now
		if err := c.writeClaims(ctx, now.account, now.fee); err != nil {
			return err
		}
	}
	return nil
}

// writeClaims writes the claims of one account and fee.
func (c *claims) writeClaims(ctx context.Context, account ledger.Account, fee string) error {
	return c.set.Source.Installments(ctx, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		if v.Account != account || e == nil {
			return nil
		}
		return c.audit.forEachCharge(v, e, func(k feeKey, ch *charge) error {
			if k.fee != fee || ch.deviationCase == "" {
				return nil
			}
			if l := c.audit.lines[k]; l != nil {
				l.claimed.AddRounded(ch.deviationCents(), ch.deviation)
			}
			claimRow(c.row, v, e, ch, c.set.Unit)
			if err := c.out.Write(c.row); err != nil {
				return fmt.Errorf("%s: %w", v.Key().Subject(), err)
			}
			return nil
		})
	})
}

// Identities are what the claims leave of the differences of fees, line by line: the rows are read once for each.
func (c *claims) Identities() []Identity {
	id := Identity{Name: "claims", Formula: "claims.difference = fees.difference"}
	for _, l := range c.audit.lines {
		id.Printed += (l.claimed.Printed - l.deviation.Printed).Abs()
		id.Exact += (l.claimed.Exact - l.deviation.Exact).Abs()
	}
	return []Identity{id}
}
