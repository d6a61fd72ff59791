package export

import (
	"context"
	"fmt"

	"concilia/store/ledger"
)

// claimsTable has a row per installment and fee that was charged off the contract, above it or below, as what to hold
// against the operator: in order of account, fee, sale_at, nsu, auth, installment. A rule fired for each, and case is
// its case, of the installment or of the sale whose fee it is. A rate that is off and costs nothing has no row.
//
// contract and practised are percent for mdr and anticipation, reais for the two fees, of the sale where the contract
// says so. contract is 0 where the contract line has no such fee. The differences add up to those of fees.
var claimsTable = &Table{ID: "claims", Kind: ClaimsKind, Sheet: "Contestação", Layout: 1, Columns: []Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: TypeText},
	{ID: "fee", Header: "Taxa", HeaderEN: "Fee", Type: TypeEnum, Labels: feeLabels},
	{ID: "sale_at", Header: "Data da venda", HeaderEN: "Sale date and time", Type: TypeDateTime},
	{ID: "brand", Header: "Bandeira", HeaderEN: "Brand", Type: TypeText, Null: "not sent"},
	{ID: "product", Header: "Produto", HeaderEN: "Product", Type: TypeEnum, Null: "not sent", Labels: productLabels},
	{ID: "card", Header: "Cartão", HeaderEN: "Card", Type: TypeText, Null: "not sent"},
	{ID: "nsu", Header: "NSU", HeaderEN: "NSU", Type: TypeText, Null: "not sent"},
	{ID: "auth", Header: "Autorização", HeaderEN: "Authorization", Type: TypeText, Null: "not sent"},
	{ID: "order_ref", Header: "Pedido", HeaderEN: "Order reference", Type: TypeText, Null: "not sent"},
	{ID: "installment", Header: "Parcela", HeaderEN: "Installment", Type: TypeInt, NoTotal: true},
	{ID: "installments", Header: "Parcelas", HeaderEN: "Installments", Type: TypeInt, NoTotal: true},
	{ID: "gross", Header: "Valor bruto", HeaderEN: "Gross", Type: TypeMoney, Decimals: 4, NoTotal: true},
	{ID: "contract", Header: "Contratado", HeaderEN: "Contract", Type: TypeNumber, Decimals: 4, Ratio: true},
	{ID: "practised", Header: "Praticado", HeaderEN: "Practised", Type: TypeNumber, Decimals: 4, Null: "not sent", Ratio: true},
	{ID: "due", Header: "Devido", HeaderEN: "Due", Type: TypeMoney, Decimals: 2},
	{ID: "charged", Header: "Cobrado", HeaderEN: "Charged", Type: TypeMoney, Decimals: 2},
	{ID: "difference", Header: "Diferença", HeaderEN: "Difference", Type: TypeMoney, Decimals: 2, Mark: true},
	{ID: "effective_date", Header: "Data de crédito", HeaderEN: "Credit date", Type: TypeDate, Null: "not received"},
	{ID: "contract_line", Header: "Linha do contrato", HeaderEN: "Contract line", Type: TypeText},
	{ID: "case", Header: "Caso", HeaderEN: "Case", Type: TypeText},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: TypeHash},
}}

// claimRow fills the row of a charge that deviates.
func claimRow(row Row, v *ledger.InstallmentVersion, e *ledger.Expectation, c *charge, unit ledger.Unit) {
	practised := Cell{}
	if p := c.fee.stated(v, c.agreed.PerSale, unit); p.OK {
		practised = Number(p.V)
	}
	copy(row, Row{
		Text(v.Account.String()), Text(c.fee.id), Clock(v.SoldAt), Text(e.Brand), Text(string(e.Product)), Text(v.Card),
		Text(v.NSU), Text(v.Auth), Text(v.Reference), Int(int64(v.Key().Number)), Int(int64(v.Of())), Exact(v.Gross),
		Number(c.fee.agreed(c.agreed)), practised,
		Total(c.dueCents(), c.charged.Or(0)-c.off), Total(c.chargedCents(), c.charged.Or(0)), Total(c.offCents(), c.off),
		Day(v.Effective), Text(e.ContractLine), Text(c.root),
	})
}

// chargesAsked says whether the set has fees or claims, which rest on the same sums.
func (r *rendering) chargesAsked() bool { return r.job.has(FeesKind) || r.job.has(ClaimsKind) }

// fees writes the lines of the audit.
func (r *rendering) fees() error {
	if r.audit == nil {
		return nil
	}
	if err := r.open(feesTable); err != nil {
		return err
	}
	return r.audit.rows(r.tables[feesTable.ID].add)
}

// claims passes over the installments again, once for every account and fee with anything to claim: they come in the
// order of the report then, and however many there are, none is held.
func (r *rendering) claims(ctx context.Context) error {
	if r.audit == nil || !r.job.has(ClaimsKind) {
		return nil
	}
	if err := r.open(claimsTable); err != nil {
		return err
	}
	type part struct {
		account ledger.Account
		fee     string
	}
	var before part
	for _, k := range r.audit.keys() {
		now := part{k.account, k.fee}
		if r.audit.lines[k].deviating == 0 || now == before {
			continue
		}
		before = now
		if err := r.claimsOf(ctx, now.account, now.fee); err != nil {
			return err
		}
	}
	r.idents = append(r.idents, r.audit.claimsIdentity())
	return nil
}

func (r *rendering) claimsOf(ctx context.Context, account ledger.Account, fee string) error {
	t := r.tables[claimsTable.ID]
	return r.feed.Installments(ctx, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		if v.Account != account || e == nil {
			return nil
		}
		return r.audit.each(v, e, func(k auditKey, c *charge) error {
			if k.fee != fee || c.root == "" {
				return nil
			}
			if l := r.audit.lines[k]; l != nil {
				l.claimed.addBoth(c.offCents(), c.off)
			}
			claimRow(t.row, v, e, c, r.job.Unit)
			if err := t.add(t.row); err != nil {
				return fmt.Errorf("%s: %w", v.Key().Subject(), err)
			}
			return nil
		})
	})
}

// claimsIdentity is what the claims leave of the differences of fees, line by line: the rows are read once for each.
func (a *audit) claimsIdentity() Identity {
	id := Identity{Name: "claims", Formula: "claims.difference = fees.difference"}
	for _, l := range a.lines {
		id.Printed += (l.claimed.printed - l.off.printed).Abs()
		id.Exact += (l.claimed.exact - l.off.exact).Abs()
	}
	return id
}
