// Package letter writes what a merchant claims from the payment service: one document an account, as a page that prints as a letter,
// as csv for a spreadsheet in Brazil, and as a workbook. It says what happened, never what the merchant thinks of it: no severity,
// state or internal note. The same items give the same bytes.
package letter

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"concilia/export/html"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// Letter is the document of an account.
type Letter struct {
	Language string // pt-BR or en
	Account  ledger.Account
	Name     string   // of the holder
	Document string   // CPF or CNPJ
	Bank     string   // account that receives
	Service  string   // what people call it; empty: it is not named
	To       []string // address lines of its claims desk
	AsOf     ledger.Date
	Protocol string // where every item has the same one
	Causes   []Cause
}

// Cause is the items of one rule.
type Cause struct {
	Title string
	Items []Item
}

// HasRates says whether an item has a rate.
func (c *Cause) HasRates() bool {
	return slices.ContainsFunc(c.Items, func(i Item) bool { return i.Contracted.OK || i.Effective.OK })
}

// Sum is what the items of a cause come to.
func (c *Cause) Sum() (sum ledger.Amount) {
	for i := range c.Items {
		sum += c.Items[i].Difference
	}
	return sum
}

// Item is a sale's installment, a slip, or a credit that was to come to the bank. What it does not have is empty.
type Item struct {
	Case, Code, Sentence string

	SoldOn          ledger.Date
	NSU, Auth       string
	Brand, Card     string
	Installment     string // 2/3
	Gross           ledger.Opt[ledger.Amount]
	Contracted      ledger.Opt[ledger.Rate] // percent
	Effective       ledger.Opt[ledger.Rate]
	Basis           Basis
	OurNumber       string
	Reference       string
	SlipDue, PaidOn ledger.Date
	DueOn           ledger.Date // when the money was to come
	Due, Charged    ledger.Opt[ledger.Amount]
	Difference      ledger.Amount // of whole cents
}

// Basis is what an item rests on, so that the person who answers the letter can look it up.
type Basis struct {
	Contract           string // line of the contract; empty: none applies
	ValidFrom, ValidTo ledger.Date
	Closed             []ClosedDay // days between those of the item on which banks do not settle, by day
	Answers            []Answer    // of the service, by day
}

// ClosedDay is a day that is no business day, with the name of the holiday; empty: a Saturday or Sunday.
type ClosedDay struct {
	Day  ledger.Date
	Name string
}

// Answer is what the service answered on a day, by the SHA-256 of its bytes.
type Answer struct {
	On     ledger.Date
	SHA256 string
}

// Basis is what the items of a cause rest on, each thing once.
func (c *Cause) Basis() (contracts []Basis, closed []ClosedDay, answers []Answer) {
	for i := range c.Items {
		b := &c.Items[i].Basis
		if b.Contract != "" && !slices.ContainsFunc(contracts, func(k Basis) bool { return k.Contract == b.Contract }) {
			contracts = append(contracts, Basis{Contract: b.Contract, ValidFrom: b.ValidFrom, ValidTo: b.ValidTo})
		}
		closed, answers = append(closed, b.Closed...), append(answers, b.Answers...)
	}
	slices.SortFunc(contracts, func(a, b Basis) int { return strings.Compare(a.Contract, b.Contract) })
	slices.SortFunc(closed, func(a, b ClosedDay) int { return cmp.Compare(a.Day, b.Day) })
	slices.SortFunc(answers, func(a, b Answer) int { return cmp.Or(cmp.Compare(a.On, b.On), cmp.Compare(a.SHA256, b.SHA256)) })
	return contracts, slices.Compact(closed), slices.Compact(answers)
}

// IsCredit reports whether the item is no sale and no slip, but what was to come to the bank on a day.
func (i *Item) IsCredit() bool { return i.NSU+i.OurNumber+i.Reference == "" && i.DueOn != 0 }

// Count is the number of items.
func (l *Letter) Count() (n int) {
	for i := range l.Causes {
		n += len(l.Causes[i].Items)
	}
	return n
}

// Sum is what all items come to.
func (l *Letter) Sum() (sum ledger.Amount) {
	for i := range l.Causes {
		sum += l.Causes[i].Sum()
	}
	return sum
}

// Cases are the cases of the items.
func (l *Letter) Cases() (cases []string) {
	for i := range l.Causes {
		for k := range l.Causes[i].Items {
			cases = append(cases, l.Causes[i].Items[k].Case)
		}
	}
	return cases
}

// Formats are the formats of a letter.
func Formats() []string { return []string{"html", "csv-br", "xlsx"} }

// FileName is the name of the letter in a format: it ends in eight digits of what the letter says.
func (l *Letter) FileName(format string) (string, error) {
	var b bytes.Buffer
	if err := l.writeCSV(&b); err != nil {
		return "", err
	}
	sum := sha256.Sum256(b.Bytes())
	ext := map[string]string{"csv-br": "br.csv"}[format]
	if ext == "" {
		ext = format
	}
	day := strings.ReplaceAll(l.AsOf.String(), "-", "")
	return fmt.Sprintf("letter_%s_asof_%s_%s_x%s.%s", l.Account, day, day, hex.EncodeToString(sum[:4]), ext), nil
}

// Write writes the letter in a format.
func (l *Letter) Write(w io.Writer, format string) error {
	switch format {
	case "html":
		return l.writeHTML(w)
	case "csv-br":
		return l.writeCSV(w)
	case "xlsx":
		return l.writeWorkbook(w)
	}
	return fmt.Errorf("a letter has no format %q: it has %s", format, strings.Join(Formats(), ", "))
}

// items is the table of all items. Codes and cases come last.
var items = &table.Table{ID: "letter", Sheet: "Pedido de ressarcimento", Layout: 1, Columns: []table.Column{
	{ID: "cause", Header: "Motivo", HeaderEN: "Cause", Type: table.TypeText},
	{ID: "sentence", Header: "Explicação", HeaderEN: "Explanation", Type: table.TypeText},
	{ID: "sold_on", Header: "Data da venda", HeaderEN: "Sale date", Type: table.TypeDate},
	{ID: "nsu", Header: "NSU", HeaderEN: "NSU", Type: table.TypeText, Digits: true},
	{ID: "auth", Header: "Autorização", HeaderEN: "Authorization", Type: table.TypeText},
	{ID: "brand", Header: "Bandeira", HeaderEN: "Brand", Type: table.TypeText},
	{ID: "card", Header: "Cartão", HeaderEN: "Card", Type: table.TypeText},
	{ID: "installment", Header: "Parcela", HeaderEN: "Installment", Type: table.TypeText, Digits: true},
	{ID: "our_number", Header: "Nosso número", HeaderEN: "Nosso número", Type: table.TypeText, Digits: true},
	{ID: "reference", Header: "Referência", HeaderEN: "Reference", Type: table.TypeText, Digits: true},
	{ID: "slip_due", Header: "Vencimento", HeaderEN: "Slip due", Type: table.TypeDate},
	{ID: "paid_on", Header: "Pago em", HeaderEN: "Paid on", Type: table.TypeDate},
	{ID: "due_on", Header: "Crédito previsto", HeaderEN: "Credit due", Type: table.TypeDate},
	{ID: "gross", Header: "Valor bruto", HeaderEN: "Gross", Type: table.TypeMoney, Decimals: 2},
	{ID: "contracted", Header: "Taxa contratada, %", HeaderEN: "Rate agreed, %", Type: table.TypeRate},
	{ID: "effective", Header: "Taxa efetiva, %", HeaderEN: "Rate charged, %", Type: table.TypeRate},
	{ID: "due", Header: "Devido", HeaderEN: "Due", Type: table.TypeMoney, Decimals: 2},
	{ID: "charged", Header: "Cobrado ou pago", HeaderEN: "Charged or paid", Type: table.TypeMoney, Decimals: 2},
	{ID: "difference", Header: "Diferença", HeaderEN: "Difference", Type: table.TypeMoney, Decimals: 2},
	{ID: "contract_line", Header: "Linha do contrato", HeaderEN: "Contract line", Type: table.TypeText},
	{ID: "valid_from", Header: "Vigente desde", HeaderEN: "Valid from", Type: table.TypeDate},
	{ID: "valid_to", Header: "Vigente até", HeaderEN: "Valid to", Type: table.TypeDate},
	{ID: "closed_days", Header: "Dias não úteis no prazo", HeaderEN: "Days without settlement", Type: table.TypeText},
	{ID: "answered_on", Header: "Última resposta em", HeaderEN: "Last answer on", Type: table.TypeDate},
	{ID: "answers", Header: "SHA-256 das respostas", HeaderEN: "SHA-256 of the answers", Type: table.TypeText},
	{ID: "code", Header: "Código", HeaderEN: "Code", Type: table.TypeText},
	{ID: "case", Header: "Caso", HeaderEN: "Case", Type: table.TypeText},
	{ID: "row_hash", Header: "", HeaderEN: "", Type: table.TypeHash},
}}

// rowOf is the row of an item.
func (l *Letter) rowOf(cause string, i *Item) table.Row {
	var answered ledger.Date
	var hashes, closed []string
	for _, a := range i.Basis.Answers {
		answered, hashes = max(answered, a.On), append(hashes, a.SHA256)
	}
	for _, d := range i.Basis.Closed {
		closed = append(closed, l.spellClosed(d))
	}
	rate := func(o ledger.Opt[ledger.Rate]) table.Cell {
		if !o.OK {
			return table.Cell{}
		}
		return table.Pct(o.V)
	}
	return table.Row{
		table.Text(cause), table.Text(i.Sentence), table.Day(i.SoldOn), table.Text(i.NSU), table.Text(i.Auth), table.Text(i.Brand), table.Text(i.Card),
		table.Text(i.Installment), table.Text(i.OurNumber), table.Text(i.Reference), table.Day(i.SlipDue), table.Day(i.PaidOn), table.Day(i.DueOn),
		table.OptCents(i.Gross), rate(i.Contracted), rate(i.Effective), table.OptCents(i.Due), table.OptCents(i.Charged), table.Cents(i.Difference),
		table.Text(i.Basis.Contract), table.Day(i.Basis.ValidFrom), table.Day(i.Basis.ValidTo), table.Text(strings.Join(closed, "; ")), table.Day(answered),
		table.Text(strings.Join(hashes, " ")), table.Text(i.Code), table.Text(i.Case),
	}
}

// eachRow calls fn with the row of every item.
func (l *Letter) eachRow(fn func(table.Row) error) error {
	for i := range l.Causes {
		c := &l.Causes[i]
		for k := range c.Items {
			if err := fn(l.rowOf(c.Title, &c.Items[k])); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *Letter) writeCSV(w io.Writer) error {
	f, lang := table.BrazilianCSV(), table.Language(l.Language)
	b := f.AppendHeader(nil, items, lang)
	err := l.eachRow(func(row table.Row) error {
		b = f.AppendRow(b, items, row, nil, lang)
		return nil
	})
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}

func (l *Letter) writeWorkbook(w io.Writer) error {
	book, err := xlsx.Create(w, xlsx.Options{Title: l.text("letter.title"), Creator: "concilia"})
	if err != nil {
		return err
	}
	defer book.Abort()
	spec := xlsx.SheetSpec{Name: items.SheetName(table.Language(l.Language)), Title: append([]string{l.text("letter.title")}, l.headLines()...), Frozen: 2}
	for i := range items.Columns[:items.Width()] {
		c := &items.Columns[i]
		kind := map[table.Type]xlsx.Kind{table.TypeText: xlsx.KindText, table.TypeDate: xlsx.KindDate, table.TypeMoney: xlsx.KindMoney2, table.TypeRate: xlsx.KindRate4}[c.Type]
		spec.Columns = append(spec.Columns, xlsx.Column{Header: c.Heading(table.Language(l.Language)), Kind: kind, Subtotal: c.ID == "difference"})
	}
	sheet, err := book.AddSheet(spec)
	if err != nil {
		return err
	}
	err = l.eachRow(func(row table.Row) error {
		cells := make([]xlsx.Cell, len(row))
		for i := range row {
			if cell := &row[i]; cell.OK {
				switch cell.Type {
				case table.TypeDate:
					cells[i] = xlsx.Date(cell.N)
				case table.TypeMoney:
					cells[i] = xlsx.Money2(cell.N)
				case table.TypeRate:
					cells[i] = xlsx.Rate4(cell.N)
				default:
					cells[i] = xlsx.Text(cell.S)
				}
			}
		}
		return sheet.AppendRow(cells)
	})
	if err != nil {
		return err
	}
	return book.Close()
}

func (l *Letter) text(id string, values ...any) string { return words.Text(l.Language, id, values...) }

// headLines are the lines that say who claims what from whom.
func (l *Letter) headLines() (lines []string) {
	add := func(id, value string) {
		if value != "" {
			lines = append(lines, l.text("letter."+id)+": "+value)
		}
	}
	to := l.To
	if l.Service != "" {
		to = append([]string{l.Service}, to...)
	}
	for i, line := range to {
		if i == 0 {
			add("to", line)
		} else {
			lines = append(lines, line)
		}
	}
	add("holder", l.Name)
	add("document", l.Document)
	add("account", l.Account.String())
	add("bank", l.Bank)
	add("as_of", l.spellDay(l.AsOf))
	add("protocol", l.Protocol)
	return lines
}

// spellDay is a date as people write it.
func (l *Letter) spellDay(d ledger.Date) string {
	text := d.String()
	if l.Language == "en" || len(text) != len("2026-11-18") {
		return text
	}
	return text[8:] + "/" + text[5:7] + "/" + text[:4]
}

// spellClosed is a day that is no business day, with why.
func (l *Letter) spellClosed(d ClosedDay) string {
	return l.spellDay(d.Day) + " " + cmp.Or(d.Name, l.text("case.weekend"))
}

// basisLines say what the items of a cause rest on.
func (l *Letter) basisLines(c *Cause) (lines []string) {
	contracts, closed, answers := c.Basis()
	for _, k := range contracts {
		if k.ValidTo != 0 {
			lines = append(lines, l.text("letter.contract_until", "line", k.Contract, "from", l.spellDay(k.ValidFrom), "to", l.spellDay(k.ValidTo)))
			continue
		}
		lines = append(lines, l.text("letter.contract_line", "line", k.Contract, "from", l.spellDay(k.ValidFrom)))
	}
	if len(closed) > 0 {
		days := make([]string, len(closed))
		for i := range closed {
			days[i] = l.spellClosed(closed[i])
		}
		lines = append(lines, l.text("letter.closed_days", "days", strings.Join(days, "; ")))
	}
	for _, a := range answers {
		lines = append(lines, l.text("letter.answered", "day", l.spellDay(a.On), "hash", a.SHA256))
	}
	return lines
}

//go:embed letter.tmpl
var pageText string

// page is what the template shows.
type page struct {
	*Letter
	Head []string
}

func (l *Letter) writeHTML(w io.Writer) error {
	amount := func(a ledger.Amount) string {
		return html.FormatNumber(a.Rounded(ledger.HalfAwayFromZero).Fixed(2), l.Language)
	}
	t, err := template.New("letter").Funcs(template.FuncMap{
		"w": l.text, "day": l.spellDay, "money": amount, "basis": l.basisLines,
		"amount": func(o ledger.Opt[ledger.Amount]) string {
			if !o.OK {
				return ""
			}
			return amount(o.V)
		},
		"rate": func(o ledger.Opt[ledger.Rate]) string {
			if !o.OK {
				return ""
			}
			const hundredth = 10_000
			return html.FormatNumber(((o.V+hundredth/2)/hundredth*hundredth).Fixed(2), l.Language) + "%"
		},
		"short": func(s string) string { return s[:min(8, len(s))] },
	}).Parse(pageText)
	if err != nil {
		return err
	}
	return t.Execute(w, page{l, l.headLines()})
}
