package render_test

import (
	"archive/zip"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/report"
	"concilia/export/table"
)

// claimsJob is a set of claims alone, with its page and workbook.
func claimsJob(l table.Language) export.Job {
	j := charges()
	j.Kinds = []report.Kind{report.ClaimsKind, report.ControlKind}
	j.Formats, j.Language = []report.Format{report.CSV, report.HTML, report.XLSX}, l
	return j
}

// The page of claims is a document for the service: who claims, and every row with what finds it, fee by fee.
func TestPageOfClaims(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		language table.Language
		want     []string // in this order
	}{
		{table.Portuguese, []string{
			`<section id="claims">`, "<dt>Estabelecimento</dt><dd>LOJA EXEMPLO LTDA</dd>", "<dt>CNPJ</dt><dd>11.222.333/0001-81</dd>",
			"<dt>Conta na operadora</dt><dd>1001</dd>", "agência 1234-5, conta 67890-1", "5</data> cobranças fora do contrato",
			"<dt>MDR</dt><dd>R$ 0,65 <small>a menos −0,01</small></dd>", "<dt>Cobrado a mais, ao todo</dt><dd>R$ 1,30</dd>",
			"<dt>Cobrado a menos, não abatido</dt><dd>R$ −0,31</dd>",
			"Custo de antecipação <small>", "000109", "Subtotal, 1", "MDR <small>", "411111******1111", "000102", "A000102", "2,34", "2,99", "Subtotal, 2",
			"Tarifa de transação <small>", `data-f="claims.due">4,45`, `data-f="claims.charged">5,44`, `data-f="claims.difference_lost">1,30`, `data-f="claims.difference_excess">−0,31`,
		}},
		{table.English, []string{
			"<dt>Merchant</dt>", "<dt>CNPJ</dt><dd>11.222.333/0001-81</dd>", "branch 1234-5, account 67890-1", "5</data> charges off the contract",
			"<dt>Charged above, in all</dt><dd>R$ 1.30</dd>", "<dt>Charged below, not subtracted</dt><dd>R$ −0.31</dd>", "MDR <small>contract and practised in %", "Subtotal, 2",
		}},
	} {
		tg, out := target(t)
		r := renderJob(t, claimsJob(row.language), everyClass(), tg)
		_, body := readPage(t, out, r)
		rest := string(body)
		for _, want := range row.want {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Fatalf("%s: no %q after what should stand before it", row.language, want)
			}
			rest = after
		}
		if strings.Contains(string(body), `id="tables"`) {
			t.Error("a heading over no other table")
		}
		if v := verifyTree(t, out.root); len(v.Faults) > 0 {
			t.Error(v.Faults)
		}
		named := claimsJob(row.language)
		named.Service = "Pag & X"
		at := map[table.Language]string{table.Portuguese: "<dt>Conta em Pag &amp; X</dt>", table.English: "<dt>Account at Pag &amp; X</dt>"}[row.language]
		namedTarget, namedOut := target(t)
		if _, body := readPage(t, namedOut, renderJob(t, named, everyClass(), namedTarget)); !strings.Contains(string(body), at) {
			t.Errorf("%s: no %q", row.language, at)
		}
		if sheet := claimsSheet(t, out, r); !strings.Contains(sheet, "CNPJ: 11.222.333/0001-81") {
			t.Errorf("%s: the sheet names no merchant: %.2000s", row.language, sheet)
		} else if row.language == table.English && !strings.Contains(sheet, "2026-11-01 to 2026-11-30 · as of 2026-11-18") {
			t.Errorf("an English title has other dates: %.2000s", sheet)
		}
	}
}

// claimsSheet is the text of the sheet before the last, which is that of the claims: control comes last.
func claimsSheet(t *testing.T, out *folder, r export.Result) string {
	t.Helper()
	for _, f := range r.Files {
		if f.Format != report.XLSX {
			continue
		}
		z, err := zip.OpenReader(filepath.Join(out.root, r.Dir, f.Path))
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		var sheets []string
		for _, part := range z.File {
			if !strings.HasPrefix(part.Name, "xl/worksheets/sheet") {
				continue
			}
			in, err := part.Open()
			if err != nil {
				t.Fatal(err)
			}
			all, err := io.ReadAll(in)
			if err != nil {
				t.Fatal(err)
			}
			sheets = append(sheets, string(all))
		}
		return sheets[len(sheets)-3] // before the data of charts and control
	}
	return ""
}

// A page holds five hundred claims, says so, and its sums are those of all of them.
func TestPageOfManyClaims(t *testing.T) {
	t.Parallel()
	f := everyClass()
	one := f.cards[3]
	for n := range 600 { // between its NSU, 000102, and the next one
		c := one
		c.v.NSU = fmt.Sprintf("0001020%03d", n)
		c.e.Key = c.v.Key()
		f.cards = slices.Insert(f.cards, 4+n, c)
	}
	tg, out := target(t)
	r := renderJob(t, claimsJob(table.Portuguese), f, tg)
	_, body := readPage(t, out, r)
	text := string(body)
	for _, want := range []string{"as primeiras 500 abaixo", `data-f="claims.count">1.205<`, "Subtotal, 602"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if n := strings.Count(text, "<tr><td>0"); n != 500 {
		t.Errorf("%d rows", n)
	}
}
