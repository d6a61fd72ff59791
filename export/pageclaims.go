package export

import (
	"errors"
	"io"
	"slices"

	"concilia/export/html"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// Claims are what one sends to the service, so their page names the merchant and shows every row with what the service
// needs to find it: fee by fee, in the order of the table.

// claimColumns are what a claim is found and judged by; a column that no row fills is left out.
const claimColumns = "account sale_at brand product card nsu auth order_ref installment installments gross contract practised " +
	"due charged difference effective_date case"

// claimRows is how many claims a page shows: more than a person goes through, and little enough for a browser.
const claimRows = 500

// claimsPage takes the claims out of the page's tables and makes their own part of the page; nil without any.
func (r *rendering) claimsPage(tables []html.Table) ([]html.Table, *html.Claims, error) {
	at := slices.IndexFunc(tables, func(t html.Table) bool { return t.ID == report.ClaimsTable.ID })
	if at < 0 {
		return tables, nil, nil
	}
	c := &html.Claims{Holder: r.holderFacts(), Table: tables[at]}
	t := report.ClaimsTable
	chosen := columnsOf(t, claimColumns, r.job.Account)
	groups, filled := map[string]*html.Group{}, make([]bool, len(chosen))
	var order []string
	err := withFile(r.stagingPath(t.ID+".csv"), func(in io.Reader) error {
		_, err := table.ReadCSV(in, t, func(row table.Row) error {
			key := row[0].S + " " + row[1].S
			g := groups[key]
			if g == nil {
				g = &html.Group{}
				g.Name, g.Note = r.claimFee(row)
				groups[key], order = g, append(order, key)
			}
			g.Count++
			g.Due += ledger.Amount(row[t.ColumnIndex("due")].N)
			g.Charged += ledger.Amount(row[t.ColumnIndex("charged")].N)
			difference := ledger.Amount(row[t.ColumnIndex("difference")].N)
			g.Above, g.Below = g.Above+max(difference, 0), g.Below+min(difference, 0)
			if c.Shown == claimRows {
				return nil
			}
			c.Shown++
			cells := make([]string, 0, len(chosen))
			for n, i := range chosen {
				filled[n] = filled[n] || row[i].OK && row[i] != table.Text("")
				cells = append(cells, r.claimText(&t.Columns[i], &row[i]))
			}
			g.Rows = append(g.Rows, cells)
			return nil
		})
		return err
	})
	if err != nil {
		return nil, nil, errors.Join(errors.New("page: claims"), err)
	}
	c.Columns = r.claimHeaders(t, chosen, filled)
	for _, key := range order {
		g := groups[key]
		for n := range g.Rows {
			g.Rows[n] = keepFilled(g.Rows[n], filled)
		}
		c.Groups = append(c.Groups, *g)
	}
	return slices.Delete(slices.Clone(tables), at, at+1), c, nil
}

// claimHeaders are the columns that some row fills; without a row, all of them.
func (r *rendering) claimHeaders(t *table.Table, chosen []int, filled []bool) []html.Column {
	if !slices.Contains(filled, true) {
		for n := range filled {
			filled[n] = true
		}
	}
	var all []html.Column
	for _, i := range chosen {
		c := &t.Columns[i]
		all = append(all, html.Column{Header: c.Heading(r.job.Language), Number: c.Type.Numeric(), Measure: c.ID})
	}
	return keepFilled(all, filled)
}

// keepFilled are the values at the places that are filled.
func keepFilled[T any](values []T, filled []bool) []T {
	var out []T
	for i, v := range values {
		if filled[i] {
			out = append(out, v)
		}
	}
	return out
}

// claimText is a cell as the page shows it: without the decimals that say nothing.
func (r *rendering) claimText(c *table.Column, v *table.Cell) string {
	if c.Decimals == 4 && v.OK {
		return html.FormatNumber(ledger.Amount(v.N).String(), string(r.job.Language))
	}
	return pageText(c, v, r.job.Language)
}

// claimFee names a fee, and in what its contract and practice are told; of all accounts, the account too.
func (r *rendering) claimFee(row table.Row) (name, note string) {
	reais := r.text("claims.in_reais")
	switch row[1].S {
	case "mdr":
		name, note = "MDR", r.text("claims.in_percent")
	case "anticipation":
		name, note = r.text("claims.anticipation_cost"), r.text("claims.in_percent_a_month")
	case "transaction":
		name, note = r.text("claims.transaction_fee"), reais
	default:
		name, note = r.text("claims.antifraud_fee"), reais
	}
	if r.job.Account == AllAccounts {
		name = r.text("page.account", "account", row[0].S) + " · " + name
	}
	return name, note
}

// holderFacts is the account block in words: who claims, and where the service pays. It is empty for all accounts, and holds
// what the configuration says of one.
func (r *rendering) holderFacts() []html.Fact {
	j := r.job
	if j.Account == AllAccounts {
		return nil
	}
	var out []html.Fact
	add := func(label, value string) {
		if value != "" {
			out = append(out, html.Fact{Label: label, Value: value})
		}
	}
	b := &j.Block
	add(r.text("claims.merchant"), b.Name)
	add(holderKind(b.Document), formatDocument(b.Document))
	add(r.text("claims.account_at_the_service"), j.Account)
	add(r.text("claims.bank_account"), r.bankWords(&b.Bank))
	return out
}

// holderKind is what the holder's document is called; a person may hold an account too.
func holderKind(d ledger.Document) string {
	if d.Kind() == ledger.CPF {
		return "CPF"
	}
	return "CNPJ"
}

// formatDocument puts the marks into a CNPJ or CPF of the account's holder, who is no payer and is shown whole.
func formatDocument(d ledger.Document) string {
	s := string(d)
	switch {
	case d.Kind() == ledger.CNPJ && len(s) == 14:
		return s[:2] + "." + s[2:5] + "." + s[5:8] + "/" + s[8:12] + "-" + s[12:]
	case d.Kind() == ledger.CPF && len(s) == 11:
		return s[:3] + "." + s[3:6] + "." + s[6:9] + "-" + s[9:]
	}
	return s
}

// bankWords are bank, branch and account as a cheque has them; nothing of a bank that is not configured.
func (r *rendering) bankWords(b *Bank) string {
	if b.Code == "" {
		return ""
	}
	s := r.text("claims.bank", "code", b.Code)
	if b.Name != "" {
		s += " " + b.Name
	}
	dashed := func(number, digit string) string {
		if digit != "" {
			return number + "-" + digit
		}
		return number
	}
	if b.Branch != "" {
		s += ", " + r.text("claims.branch", "number", dashed(b.Branch, b.BranchDigit))
	}
	if b.Account != "" {
		s += ", " + r.text("claims.account", "number", dashed(b.Account, b.AccountDigit))
	}
	return s
}

// holderLine is the account block on one line, for the sheet of the claims; empty where nothing is known.
func (r *rendering) holderLine() string {
	line := ""
	for _, f := range r.holderFacts() {
		if line != "" {
			line += " · "
		}
		line += f.Label + ": " + f.Value
	}
	return line
}
