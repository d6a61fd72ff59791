package asof

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// ExceptionsTable has a row per case that is not resolved, closed or aged out, or became so since the state set before,
// in order of account, severity, impact (greatest first), case (reports D.5).
var ExceptionsTable = &table.Table{ID: "exceptions", Sheet: "Exceções", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "case", Header: "Caso", HeaderEN: "Case", Type: table.TypeText},
	{ID: "code", Header: "Código", HeaderEN: "Code", Type: table.TypeText},
	{ID: "severity", Header: "Gravidade", HeaderEN: "Severity", Type: table.TypeEnum, Labels: words.Labels("severity")},
	{ID: "state", Header: "Estado", HeaderEN: "State", Type: table.TypeEnum, Labels: words.Labels("state")},
	{ID: "subject_kind", Header: "Tipo", HeaderEN: "Kind", Type: table.TypeEnum, Labels: words.Labels("subject")},
	{ID: "subject", Header: "Item", HeaderEN: "Subject", Type: table.TypeText},
	{ID: "brand", Header: "Bandeira", HeaderEN: "Brand", Type: table.TypeText, Null: "not a card, or not sent"},
	{ID: "product", Header: "Produto", HeaderEN: "Product", Type: table.TypeEnum, Null: "not a card, or not sent", Labels: report.ProductLabels},
	{ID: "sale_date", Header: "Data da venda", HeaderEN: "Sale date", Type: table.TypeDate, Null: "not a card"},
	{ID: "due_date", Header: "Previsto ou vencimento", HeaderEN: "Forecast or due", Type: table.TypeDate, Null: "none"},
	{ID: "first_seen", Header: "Vista em", HeaderEN: "First seen", Type: table.TypeDate},
	{ID: "opened", Header: "Aberto em", HeaderEN: "Opened", Type: table.TypeDate, Null: "still pending"},
	{ID: "break_on", Header: "Vira divergência em", HeaderEN: "Breaks on", Type: table.TypeDate, Null: "not pending"},
	{ID: "age_days", Header: "Idade em dias", HeaderEN: "Age, days", Type: table.TypeInt, Null: "still pending", NoTotal: true},
	{ID: "age_business_days", Header: "Idade em dias úteis", HeaderEN: "Age, business days", Type: table.TypeInt, Null: "still pending", NoTotal: true},
	{ID: "bucket", Header: "Faixa", HeaderEN: "Bucket", Type: table.TypeText, Null: "still pending", Labels: words.Labels("bucket")},
	{ID: "expected", Header: "Esperado", HeaderEN: "Expected", Type: table.TypeValue, Null: "rule has none"},
	{ID: "actual", Header: "Encontrado", HeaderEN: "Actual", Type: table.TypeValue, Null: "rule has none"},
	{ID: "difference", Header: "Diferença", HeaderEN: "Difference", Type: table.TypeMoney, Decimals: 2, Null: "expected or actual is no amount", HighlightNonZero: true, NoTotal: true},
	{ID: "impact", Header: "Impacto", HeaderEN: "Impact", Type: table.TypeMoney, Decimals: 2, Null: "rule has none", Signed: true},
	{ID: "direction", Header: "Sentido", HeaderEN: "Direction", Type: table.TypeEnum, Null: "no impact", Labels: words.Labels("direction")},
	{ID: "explained_by", Header: "Explicado por", HeaderEN: "Explained by", Type: table.TypeText, Null: "root"},
	{ID: "related", Header: "Relacionados", HeaderEN: "Related", Type: table.TypeList, Null: "none"},
	{ID: "rule_version", Header: "Versão da regra", HeaderEN: "Rule version", Type: table.TypeInt, NoTotal: true},
	{ID: "contract_line", Header: "Linha do contrato", HeaderEN: "Contract line", Type: table.TypeText, Null: "not used"},
	{ID: "calendar", Header: "Calendário", HeaderEN: "Calendar", Type: table.TypeText, Null: "not used"},
	{ID: "assignee", Header: "Responsável", HeaderEN: "Assignee", Type: table.TypeText, Null: "none"},
	{ID: "dispute_ref", Header: "Protocolo", HeaderEN: "Dispute reference", Type: table.TypeText, Null: "none"},
	{ID: "comment", Header: "Último comentário", HeaderEN: "Last comment", Type: table.TypeText, Null: "none"},
	{ID: "waived_until", Header: "Dispensado até", HeaderEN: "Waived until", Type: table.TypeDate, Null: "not waived"},
	{ID: "waiver_cap", Header: "Limite da dispensa", HeaderEN: "Waiver cap", Type: table.TypeMoney, Decimals: 2, Null: "not waived, or no cap", NoTotal: true},
	{ID: "explanation", Header: "Explicação", HeaderEN: "Explanation", Type: table.TypeText},
	{ID: "nsu", Header: "NSU", HeaderEN: "NSU", Type: table.TypeText, Digits: true, Null: "not a card, or not sent", Appended: true},
	{ID: "auth", Header: "Autorização", HeaderEN: "Authorization", Type: table.TypeText, Null: "not a card, or not sent", Appended: true},
	{ID: "our_number", Header: "Nosso número", HeaderEN: "Our number", Type: table.TypeText, Digits: true, Null: "not a slip, or not known yet", Appended: true},
	{ID: "reference_code", Header: "Referência", HeaderEN: "Reference", Type: table.TypeText, Null: "not a slip, or not known", Appended: true},
	{ID: "follow_up", Header: "Acompanhar em", HeaderEN: "Follow-up", Type: table.TypeDate, Null: "none", Appended: true},
	{ID: "claimed", Header: "Valor contestado", HeaderEN: "Claimed", Type: table.TypeMoney, Decimals: 2, Null: "never disputed", Appended: true},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

// asOfBasis is the one basis of the kinds here.
var asOfBasis = []report.Basis{report.ByAsOf}

// ExceptionsDefinition is the kind exceptions.
var ExceptionsDefinition = &report.Definition{
	Kind: report.ExceptionsKind, Tables: []*table.Table{ExceptionsTable}, Bases: asOfBasis, Formats: report.ExceptEDI,
	FollowsFromRows: true,
	Needs:           []report.Kind{report.AgingKind},
	View: map[string]report.View{"exceptions": {
		PageColumns: "explanation subject impact due_date age_days state assignee account code", FrozenColumns: 3,
		Anchor: func(row table.Row) string { return row[1].S },
	}},
	Begin:     beginExceptions,
	NewReader: func(asOf ledger.Date) report.RowReader { return &exceptionsReader{newCaseSums(asOf)} },
}

// Exceptions writes a row per case as it is read, and adds cases up by figure, cause and age.
type Exceptions struct {
	report.ColumnTotals
	*caseSums
	out  report.Rows
	row  table.Row
	ages CaseAges
}

func beginExceptions(_ context.Context, set *report.Set) (report.Content, error) {
	out, err := set.Open(ExceptionsTable)
	return &Exceptions{caseSums: newCaseSums(set.AsOf), out: out, row: ExceptionsTable.NewRow(), ages: make(CaseAges)}, err
}

// Intake takes every case of a state.
func (x *Exceptions) Intake() report.Intake {
	return report.Intake{Case: func(c *report.Case) error {
		exceptionRow(x.row, c)
		if err := x.out.Write(x.row); err != nil {
			return fmt.Errorf("case %s: %w", c.Case, err)
		}
		x.addRow(x.row)
		x.ages.addCase(c, x.asOf)
		return nil
	}}
}

// Ages are the cases by cause and age.
func (x *Exceptions) Ages() CaseAges { return x.ages }

// FigureSum returns the printed sum of the impacts of a figure's cases, without its sign.
func (x *Exceptions) FigureSum(f ledger.Figure) ledger.Amount {
	return x.sumOf(string(f)).sum.Printed.Abs()
}

// exceptionsReader adds up cases and impacts by the words of formulas.
type exceptionsReader struct{ *caseSums }

func (r *exceptionsReader) ReadRow(_ *table.Table, row table.Row) error {
	r.addRow(row)
	return nil
}

func (r *exceptionsReader) Terms() map[string]ledger.Amount {
	out := make(map[string]ledger.Amount)
	for name, cell := range r.byName {
		out["exceptions."+name+".cases"] = ledger.FromCents(cell.count * 100)
		out["exceptions."+name+".impact"] = cell.sum.Printed
	}
	return out
}

// exceptionRow fills the row of a case.
func exceptionRow(row table.Row, c *report.Case) {
	subject, _, _ := strings.Cut(c.Subject, ":")
	brand, product, sold, bucket := c.Brand, c.Product, c.Day, ""
	if !slices.Contains([]string{"card", "sale", "split"}, subject) {
		brand, product, sold = "", "", 0
	}
	if c.BusinessDays.OK {
		bucket = buckets[bucketOf(c.BusinessDays.V)].id
	}
	sale, _ := ledger.SaleOfSubject(c.Subject)
	var until ledger.Date
	var limit ledger.Opt[ledger.Amount]
	if c.State == ledger.Waived {
		until, limit = c.WaivedUntil, c.WaivedCap
	}
	related := slices.Compact(slices.Sorted(slices.Values(c.Related)))
	copy(row, table.Row{
		table.Text(c.Account.String()), table.Text(c.Case), table.Text(c.Code), table.Text(string(c.Severity)), table.Text(string(c.State)),
		table.Text(subject), table.Text(c.Subject), table.Text(brand), table.Text(string(product)), table.Day(sold), table.Day(c.DueOn),
		table.Day(c.FirstSeen), table.Day(c.OpenedOn), table.Day(openingDay(c)), table.OptInt(c.Days), table.OptInt(c.BusinessDays), table.Text(bucket),
		valueCell(c.Expected), valueCell(c.Actual), table.OptCents(c.Difference()), table.OptCents(c.Impact), table.Text(impactDirection(c)),
		table.Text(c.ExplainedBy), table.Text(strings.Join(related, "|")), table.Int(int64(c.RuleVersion)), table.Text(c.ContractLine),
		table.Text(c.Calendar), table.Text(c.Assignee), table.Text(c.Reference), table.Text(c.Comment), table.Day(until), table.OptCents(limit),
		table.Text(c.Explanation), table.Text(sale.NSU), table.Text(sale.Auth), table.Text(c.OurNumber), table.Text(c.ReferenceCode),
		table.Day(c.FollowUp), table.OptCents(c.Claimed),
	})
}

// openingDay returns the day that a pending case opens by itself; 0 for other cases.
func openingDay(c *report.Case) ledger.Date {
	if c.State != ledger.Pending {
		return 0
	}
	return c.BreakOn
}

// directionExposure marks an impact that is late, blocked or uncertain rather than lost.
const directionExposure = "exposure"

// directionApart marks what stores' own sales differ in: it is in no figure.
const directionApart = "apart"

// impactDirection returns the direction of the impact; empty if there is no impact.
func impactDirection(c *report.Case) string {
	switch {
	case c.Impact.V == 0:
		return ""
	case strings.HasPrefix(c.Code, ledger.OwnSaleCodes):
		return directionApart
	case c.Exposure:
		return directionExposure
	case c.Impact.V > 0:
		return "lost"
	}
	return "gained"
}

// valueCell is what a rule expected or found, in the type it has.
func valueCell(v ledger.Value) table.Cell {
	switch v.Kind {
	case ledger.AmountValue:
		return table.Cell{N: int64(v.Amount), X: int64(v.Amount), Type: table.TypeMoney, OK: true}
	case ledger.DateValue:
		return table.Day(v.Date)
	case ledger.TextValue:
		return table.Text(v.Text)
	}
	return table.Cell{}
}
