package export

import (
	"errors"
	"io"
	"slices"

	"concilia/export/html"
	"concilia/export/manifest"
	"concilia/export/readback"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// Claims are sent to the service, so their page names the merchant and shows each row with the members that identify it at the
// service, grouped by fee in the order of the table.

// claimColumns are the columns that identify and explain a claim; a column without a value in any row is left out.
const claimColumns = "account sale_at brand product card nsu auth order_ref installment installments gross contract practised " +
	"due charged difference effective_date case"

// claimRows is the maximum of claims on a page, small enough for a browser.
const claimRows = 500

// claimsPage removes the claims from the page's tables and returns them as a separate part of the page; nil without the table.
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
	err := readback.WithFile(r.stagingPath(t.ID+".csv"), func(in io.Reader) error {
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

// claimHeaders returns the columns with a value in some row; without rows, all of them.
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

// keepFilled returns the values whose filled entry is true.
func keepFilled[T any](values []T, filled []bool) []T {
	var out []T
	for i, v := range values {
		if filled[i] {
			out = append(out, v)
		}
	}
	return out
}

// claimText returns a cell as the page shows it, without trailing zeros.
func (r *rendering) claimText(c *table.Column, v *table.Cell) string {
	if c.Decimals == 4 && v.OK {
		return html.FormatNumber(ledger.Amount(v.N).String(), string(r.job.Language))
	}
	return pageText(c, v, r.job.Language)
}

// claimFee returns the name of a fee and the unit of its rates; in a set over all accounts, with the account.
func (r *rendering) claimFee(row table.Row) (name, note string) {
	reais := r.lookUpText("claims.in_reais")
	switch row[1].S {
	case "mdr":
		name, note = "MDR", r.lookUpText("claims.in_percent")
	case "anticipation":
		name, note = r.lookUpText("claims.anticipation_cost"), r.lookUpText("claims.in_percent_a_month")
	case "transaction":
		name, note = r.lookUpText("claims.transaction_fee"), reais
	default:
		name, note = r.lookUpText("claims.antifraud_fee"), reais
	}
	if r.job.Account == manifest.AllAccounts {
		name = r.lookUpText("page.account", "account", row[0].S) + " · " + name
	}
	return name, note
}

// holderFacts returns the account block in words: the merchant and the bank account that the service pays to. It is empty for
// all accounts, and has only what is configured.
func (r *rendering) holderFacts() []html.Fact {
	j := r.job
	if j.Account == manifest.AllAccounts {
		return nil
	}
	var out []html.Fact
	add := func(label, value string) {
		if value != "" {
			out = append(out, html.Fact{Label: label, Value: value})
		}
	}
	b := &j.Block
	add(r.lookUpText("claims.merchant"), b.Name)
	add(holderKind(b.Document), formatDocument(b.Document))
	at := r.lookUpText("claims.account_at_the_service")
	if j.Service != "" {
		at = r.lookUpText("claims.account_at_named_service", "service", j.Service)
	}
	add(at, j.Account)
	add(r.lookUpText("claims.bank_account"), r.bankWords(&b.Bank))
	return out
}

// holderKind returns the name of the holder's document; a person may hold an account too.
func holderKind(d ledger.Document) string {
	if d.Kind() == ledger.CPF {
		return "CPF"
	}
	return "CNPJ"
}

// formatDocument punctuates the CNPJ or CPF of the account's holder, which is not masked.
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

// bankWords returns bank, branch and account as on a cheque; empty if no bank is configured.
func (r *rendering) bankWords(b *Bank) string {
	if b.Code == "" {
		return ""
	}
	s := r.lookUpText("claims.bank", "code", b.Code)
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
		s += ", " + r.lookUpText("claims.branch", "number", dashed(b.Branch, b.BranchDigit))
	}
	if b.Account != "" {
		s += ", " + r.lookUpText("claims.account", "number", dashed(b.Account, b.AccountDigit))
	}
	return s
}

// holderLine returns the account block on one line, for the sheet of the claims; empty if nothing is configured.
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
