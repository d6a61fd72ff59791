package page

import (
	"errors"
	"io"
	"slices"

	"concilia/export"
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

// separateClaims removes the claims from the page's tables and returns them as a separate part of the page; nil without the table.
func (r *renderer) separateClaims(tables []html.Table) ([]html.Table, *html.Claims, error) {
	at := slices.IndexFunc(tables, func(t html.Table) bool { return t.ID == report.ClaimsTable.ID })
	if at < 0 {
		return tables, nil, nil
	}
	c := &html.Claims{Holder: r.Job.Captions().HolderFacts(), Table: tables[at]}
	t := report.ClaimsTable
	chosen := findColumns(t, claimColumns, r.Job.Account)
	groups, filled := map[string]*html.Group{}, make([]bool, len(chosen))
	var order []string
	err := readback.WithFile(r.Path(t.ID+".csv"), func(in io.Reader) error {
		_, err := table.ReadCSV(in, t, func(row table.Row) error {
			key := row[0].S + " " + row[1].S
			g := groups[key]
			if g == nil {
				g = &html.Group{}
				g.Name, g.Note = describeClaimFee(r.Job, row)
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
				cells = append(cells, formatClaimCell(&t.Columns[i], &row[i], r.Job.Language))
			}
			g.Rows = append(g.Rows, cells)
			return nil
		})
		return err
	})
	if err != nil {
		return nil, nil, errors.Join(errors.New("page: claims"), err)
	}
	c.Columns = listClaimHeaders(t, chosen, filled, r.Job.Language)
	for _, key := range order {
		g := groups[key]
		for n := range g.Rows {
			g.Rows[n] = keepFilled(g.Rows[n], filled)
		}
		c.Groups = append(c.Groups, *g)
	}
	return slices.Delete(slices.Clone(tables), at, at+1), c, nil
}

// listClaimHeaders returns the columns with a value in some row; without rows, all of them.
func listClaimHeaders(t *table.Table, chosen []int, filled []bool, l table.Language) []html.Column {
	if !slices.Contains(filled, true) {
		for n := range filled {
			filled[n] = true
		}
	}
	var all []html.Column
	for _, i := range chosen {
		c := &t.Columns[i]
		all = append(all, html.Column{Header: c.Heading(l), Number: c.Type.Numeric(), Measure: c.ID})
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

// formatClaimCell returns a cell as the page shows it, without trailing zeros.
func formatClaimCell(c *table.Column, v *table.Cell, l table.Language) string {
	if c.Decimals == 4 && v.OK {
		return html.FormatNumber(ledger.Amount(v.N).String(), string(l))
	}
	return CellText(c, v, l)
}

// describeClaimFee returns the name of a fee and the unit of its rates; in a set over all accounts, with the account.
func describeClaimFee(j *export.Job, row table.Row) (name, note string) {
	reais := j.Text("claims.in_reais")
	switch row[1].S {
	case "mdr":
		name, note = "MDR", j.Text("claims.in_percent")
	case "anticipation":
		name, note = j.Text("claims.anticipation_cost"), j.Text("claims.in_percent_a_month")
	case "transaction":
		name, note = j.Text("claims.transaction_fee"), reais
	default:
		name, note = j.Text("claims.antifraud_fee"), reais
	}
	if j.Account == manifest.AllAccounts {
		name = j.Text("page.account", "account", row[0].S) + " · " + name
	}
	return name, note
}
