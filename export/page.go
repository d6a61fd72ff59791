package export

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"

	"concilia/export/html"
	"concilia/export/table"
	"concilia/store/ledger"
)

// pageFile is the page in staging; published it is settlement_….html.
const pageFile = string(Settlement) + ".html"

// stagePage writes the page of the set, when the other files are written and none is read back.
func (r *rendering) stagePage(ctx context.Context) error {
	if !r.job.wants(HTML) {
		return nil
	}
	tables, err := r.pageTables()
	if err != nil {
		return err
	}
	staged := &stagedFile{
		local: r.path(pageFile), what: string(Settlement), ext: HTML.extension(),
		file: File{Kind: Settlement, Format: HTML, LayoutVersion: settlementLayout},
	}
	staged.read = func(path string) (func(Figure) ledger.Opt[int64], error) { return readPage(path, staged.figures) }
	for i := range tables {
		if tables[i].ID == byCauseID {
			sql, err := r.sums(ctx, restatementTable)
			if err != nil {
				return err
			}
			staged.figures = append(staged.figures, causeFigures(&tables[i], sql)...)
			continue
		}
		t := tableByID(tables[i].ID)
		sql, err := r.sums(ctx, t)
		if err != nil {
			return err
		}
		figs, err := figures(pageFigure(t.ID), t, sql, r.tables[t.ID].sums(), r.once(t))
		if err != nil {
			return err
		}
		staged.figures = append(staged.figures, tableFigures(&tables[i], figs)...)
	}
	missing := r.missing()
	if !missing.Unknown {
		if err := r.holdFigures(); err != nil {
			return err
		}
		sql, err := r.rootSums(ctx)
		if err != nil {
			return err
		}
		staged.figures = append(staged.figures, r.causes.pageFigures(pageFigure(causesID), sql)...)
	}
	written := make(html.Figures)
	for _, f := range staged.figures {
		written[pageKey(f)] = f.Writer
	}
	staged.file.Rows, staged.file.Sums = pageSums(written)
	r.staged = append(r.staged, staged)
	page := r.page()
	if page.Agenda, err = r.pageAgenda(); err != nil {
		return err
	}
	page.Missing = missing
	if r.causes != nil {
		page.WithoutAmount = r.causes.withoutAmount()
	}
	if page.Tables, page.Claims, err = r.claimsPage(tables); err != nil {
		return err
	}
	return writePage(staged.local, page)
}

func writePage(path string, p *html.Page) error {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(html.Write(out, *p), out.Close())
}

// page is what the page says besides its tables and what is missing.
func (r *rendering) page() *html.Page {
	j, p := r.job, r.proof()
	page := &html.Page{
		Language: string(j.Language), Name: setName(j.Account, j.Basis, j.Period, j.Filter.Canonical()),
		Heading: r.pageHeading(), Subtitle: r.pageSubtitle(), Digest: r.result.Digest,
		Level: levelOf(r.verdict), Verdict: verdictWords(r.words, r.verdict), Today: r.todayLine(), Accounts: r.pageAccounts(),
		Period: j.Basis != ByAsOf, Blind: p.blindLines(), Bridge: p.pageBridge(r.words), Control: p.pageControl(r),
	}
	for _, w := range j.Withheld {
		page.Withheld = append(page.Withheld, kindWords(w.Kind, j.Language)+" ("+w.Code+")")
	}
	if r.summary != nil {
		page.Steps = r.pageSteps()
		page.Days = append(page.Days, html.Days{
			Heading: r.words("Esperado e recebido por dia", "Expected and received by day"),
			First:   r.words("Esperado", "Expected"), Second: r.words("Recebido", "Received"), Days: r.cardDays(),
		})
	}
	if r.pageSlipDays() != nil {
		page.Days = append(page.Days, html.Days{
			Heading: r.words("Boletos pagos e creditados por dia", "Slips paid and credited by day"),
			First:   r.words("Pagos", "Paid"), Second: r.words("Creditados", "Credited"), Days: r.slipPageDays(),
		})
	}
	return page
}

func (r *rendering) pageHeading() string {
	j := r.job
	if j.Account == AllAccounts {
		return r.words("Todas as contas", "All accounts")
	}
	heading := r.words("Conta ", "Account ") + j.Account
	if j.Block.Name != "" {
		heading += " · " + j.Block.Name
	}
	return heading
}

// pageSubtitle says what the page is of and as of when: neither run nor clock.
func (r *rendering) pageSubtitle() string {
	j := r.job
	asOf := r.words("posição ", "as of ") + pageDate(j.AsOf, j.Language)
	s := asOf
	if j.Basis != ByAsOf {
		s = r.words("base ", "basis ") + j.basisLabel() + " · " + pageDate(j.Period.From, j.Language) + r.words(" a ", " to ") +
			pageDate(j.Period.To, j.Language) + " · " + asOf
	}
	if f := j.filterWords(); f != "" {
		s += " · " + f
	}
	return s
}

// kindWords is the name of a kind as its first sheet bears it.
func kindWords(k Kind, l table.Language) string {
	if s := specOf(k); s != nil && l != table.English {
		return s.tables[0].Sheet
	}
	return string(k)
}

// pageSteps are the steps from gross to net, as the waterfall of the workbook has them.
func (r *rendering) pageSteps() []html.Step {
	t := &r.summary.total
	steps := []html.Step{
		{Label: r.words("Valor bruto", "Gross"), Amount: t.gross.Printed, Total: true},
		{Label: "MDR", Amount: t.mdr.Printed},
		{Label: r.words("Tarifa de transação", "Transaction fee"), Amount: t.fee.Printed},
		{Label: r.words("Tarifa antifraude", "Antifraud fee"), Amount: t.antifraud.Printed},
		{Label: r.words("Custo de antecipação", "Anticipation cost"), Amount: t.anticipation.Printed},
	}
	if r.job.NetOfSplits {
		steps = append(steps, html.Step{Label: "Splits", Amount: t.splits.Printed})
	}
	return append(steps, html.Step{Label: r.words("Líquido esperado", "Expected net"), Amount: t.net.Printed, Total: true})
}

// cardDays are what was expected and received per day of the basis, over all lines of the summary.
func (r *rendering) cardDays() []html.Day {
	days := make(map[ledger.Date]html.Day)
	for k, line := range r.summary.lines {
		d := days[k.day]
		d.First += line.net.Printed
		d.Second += line.received.Printed
		days[k.day] = d
	}
	return r.inOrder(days)
}

func (r *rendering) slipPageDays() []html.Day {
	days := make(map[ledger.Date]html.Day)
	for k, line := range r.pageSlipDays().lines {
		d := days[k.day]
		d.First += line.paid.Printed
		d.Second += line.credited.Printed
		days[k.day] = d
	}
	return r.inOrder(days)
}

func (r *rendering) inOrder(days map[ledger.Date]html.Day) []html.Day {
	var out []html.Day
	for _, on := range slices.Sorted(maps.Keys(days)) {
		d := days[on]
		d.Label = r.dayLabel(on)
		out = append(out, d)
	}
	return out
}
