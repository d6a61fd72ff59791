package export

import (
	"slices"
	"strings"

	"concilia/store/ledger"
)

// exceptionsTable has a row per case that is not resolved, closed or aged out, or became so since the state set before,
// in order of account, severity, impact (greatest first), case (reports D.5).
var exceptionsTable = &Table{ID: "exceptions", Kind: ExceptionsKind, Sheet: "Exceções", Layout: 2, Columns: []Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: TypeText},
	{ID: "case", Header: "Caso", HeaderEN: "Case", Type: TypeText},
	{ID: "code", Header: "Código", HeaderEN: "Code", Type: TypeText},
	{ID: "severity", Header: "Gravidade", HeaderEN: "Severity", Type: TypeEnum, Labels: severityLabels},
	{ID: "state", Header: "Estado", HeaderEN: "State", Type: TypeEnum, Labels: stateLabels},
	{ID: "subject_kind", Header: "Tipo", HeaderEN: "Kind", Type: TypeEnum, Labels: subjectLabels},
	{ID: "subject", Header: "Item", HeaderEN: "Subject", Type: TypeText},
	{ID: "brand", Header: "Bandeira", HeaderEN: "Brand", Type: TypeText, Null: "not a card, or not sent"},
	{ID: "product", Header: "Produto", HeaderEN: "Product", Type: TypeEnum, Null: "not a card, or not sent", Labels: productLabels},
	{ID: "sale_date", Header: "Data da venda", HeaderEN: "Sale date", Type: TypeDate, Null: "not a card"},
	{ID: "due_date", Header: "Previsto ou vencimento", HeaderEN: "Forecast or due", Type: TypeDate, Null: "none"},
	{ID: "first_seen", Header: "Vista em", HeaderEN: "First seen", Type: TypeDate},
	{ID: "opened", Header: "Aberto em", HeaderEN: "Opened", Type: TypeDate, Null: "still pending"},
	{ID: "break_on", Header: "Vira divergência em", HeaderEN: "Breaks on", Type: TypeDate, Null: "not pending"},
	{ID: "age_days", Header: "Idade em dias", HeaderEN: "Age, days", Type: TypeInt, Null: "still pending", NoTotal: true},
	{ID: "age_business_days", Header: "Idade em dias úteis", HeaderEN: "Age, business days", Type: TypeInt, Null: "still pending", NoTotal: true},
	{ID: "bucket", Header: "Faixa", HeaderEN: "Bucket", Type: TypeText, Null: "still pending", Labels: bucketLabels},
	{ID: "expected", Header: "Esperado", HeaderEN: "Expected", Type: TypeValue, WordsSince: 2, Null: "rule has none"},
	{ID: "actual", Header: "Encontrado", HeaderEN: "Actual", Type: TypeValue, WordsSince: 2, Null: "rule has none"},
	{ID: "difference", Header: "Diferença", HeaderEN: "Difference", Type: TypeMoney, Decimals: 2, Null: "expected or actual is no amount", Mark: true, NoTotalSince: 2},
	{ID: "impact", Header: "Impacto", HeaderEN: "Impact", Type: TypeMoney, Decimals: 2, Null: "rule has none"},
	{ID: "direction", Header: "Sentido", HeaderEN: "Direction", Type: TypeEnum, Null: "no impact", Labels: directionLabels},
	{ID: "explained_by", Header: "Explicado por", HeaderEN: "Explained by", Type: TypeText, Null: "root"},
	{ID: "related", Header: "Relacionados", HeaderEN: "Related", Type: TypeList, Null: "none"},
	{ID: "rule_version", Header: "Versão da regra", HeaderEN: "Rule version", Type: TypeInt, NoTotal: true},
	{ID: "contract_line", Header: "Linha do contrato", HeaderEN: "Contract line", Type: TypeText, Null: "not used"},
	{ID: "calendar", Header: "Calendário", HeaderEN: "Calendar", Type: TypeText, Null: "not used"},
	{ID: "assignee", Header: "Responsável", HeaderEN: "Assignee", Type: TypeText, Null: "none"},
	{ID: "dispute_ref", Header: "Protocolo", HeaderEN: "Dispute reference", Type: TypeText, Null: "none"},
	{ID: "comment", Header: "Último comentário", HeaderEN: "Last comment", Type: TypeText, Null: "none"},
	{ID: "waived_until", Header: "Dispensado até", HeaderEN: "Waived until", Type: TypeDate, Null: "not waived"},
	{ID: "waiver_cap", Header: "Limite da dispensa", HeaderEN: "Waiver cap", Type: TypeMoney, Decimals: 2, Null: "not waived, or no cap", NoTotal: true},
	{ID: "explanation", Header: "Explicação", HeaderEN: "Explanation", Type: TypeText},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: TypeHash},
}}

// Case is a case of a state set as the run believed it, with what only a calendar or the rules can say of it.
type Case struct {
	ledger.Finding
	// Days and BusinessDays are its age at the as-of, since the day it opened; nothing while it has not opened.
	Days, BusinessDays ledger.Opt[int64]
	Explanation        string // one sentence in the set's language, with the numbers in it
	Waits              []Wait // the rows of aging it stands in
}

// exceptionRow fills the row of a case.
func exceptionRow(row Row, c *Case) {
	subject, _, _ := strings.Cut(c.Subject, ":")
	brand, product, sold, bucket := c.Brand, c.Product, c.Day, ""
	if !slices.Contains([]string{"card", "sale", "split"}, subject) {
		brand, product, sold = "", "", 0
	}
	if c.BusinessDays.OK {
		bucket = buckets[bucketOf(c.BusinessDays.V)].id
	}
	var until ledger.Date
	var limit ledger.Opt[ledger.Amount]
	if c.State == ledger.Waived {
		until, limit = c.WaivedUntil, c.WaivedCap
	}
	related := slices.Compact(slices.Sorted(slices.Values(c.Related)))
	copy(row, Row{
		Text(c.Account.String()), Text(c.Case), Text(c.Code), Text(string(c.Severity)), Text(string(c.State)),
		Text(subject), Text(c.Subject), Text(brand), Text(string(product)), Day(sold), Day(c.DueOn),
		Day(c.FirstSeen), Day(c.OpenedOn), Day(c.pendsUntil()), optInt(c.Days), optInt(c.BusinessDays), Text(bucket),
		valueCell(c.Expected), valueCell(c.Actual), optCents(c.Difference()), optCents(c.Impact), Text(c.direction()),
		Text(c.ExplainedBy), Text(strings.Join(related, "|")), Int(int64(c.RuleVersion)), Text(c.ContractLine),
		Text(c.Calendar), Text(c.Assignee), Text(c.Reference), Text(c.Comment), Day(until), optCents(limit),
		Text(c.Explanation),
	})
}

// pendsUntil is the day a pending case opens by itself; none of any other.
func (c *Case) pendsUntil() ledger.Date {
	if c.State != ledger.Pending {
		return 0
	}
	return c.BreakOn
}

// direction says what the impact is; a case without one, or with 0, has none.
func (c *Case) direction() string {
	switch {
	case c.Impact.V == 0:
		return ""
	case c.Exposure:
		return "exposure"
	case c.Impact.V > 0:
		return "lost"
	}
	return "gained"
}

// valueCell is what a rule expected or found, in the type it has.
func valueCell(v ledger.Value) Cell {
	switch v.Kind {
	case ledger.AmountValue:
		return Cell{N: int64(v.Amount), X: int64(v.Amount), Type: TypeMoney, OK: true}
	case ledger.DateValue:
		return Day(v.Date)
	case ledger.TextValue:
		return Text(v.Text)
	}
	return Cell{}
}
