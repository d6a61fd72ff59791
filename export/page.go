package export

import (
	"context"
	"errors"
	"os"

	"concilia/export/html"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// pageFile is the page in staging; published it is settlement_….html.
const pageFile = string(report.Settlement) + ".html"

// stagePage writes the page of the set, when the other files are written and none is read back.
func (r *rendering) stagePage(ctx context.Context) error {
	if !r.job.hasFormat(report.HTML) {
		return nil
	}
	tables, err := r.pageTables()
	if err != nil {
		return err
	}
	staged := &stagedFile{
		local: r.stagingPath(pageFile), stem: string(report.Settlement), ext: report.HTML.Extension(),
		file: File{Kind: report.Settlement, Format: report.HTML, LayoutVersion: settlementLayout},
	}
	staged.read = func(path string) (func(Figure) ledger.Opt[int64], error) { return readPage(path, staged.figures) }
	for i := range tables {
		if tables[i].ID == byCauseID {
			sql, err := r.ledgerSumsOf(ctx, report.RestatementTable)
			if err != nil {
				return err
			}
			staged.figures = append(staged.figures, causeFigures(&tables[i], sql)...)
			continue
		}
		t := report.TableByID(tables[i].ID)
		sql, err := r.ledgerSumsOf(ctx, t)
		if err != nil {
			return err
		}
		figs, err := newTableFigures(pageFigure(t.ID), t, sql, r.tables[t.ID].writtenCounter(), r.distinctTotals(t))
		if err != nil {
			return err
		}
		staged.figures = append(staged.figures, figuresOnPage(&tables[i], figs)...)
	}
	missing := r.buildMissing()
	if !missing.Unknown {
		if err := r.checkPageFigures(); err != nil {
			return err
		}
		sql, err := r.readRootSums(ctx)
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
	page := r.buildPage()
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

// buildPage is what the page says besides its tables and what is missing.
func (r *rendering) buildPage() *html.Page {
	j, p := r.job, r.collectProof()
	page := &html.Page{
		Language: string(j.Language), Name: setName(j.Account, j.Basis, j.Period, j.Filter.Canonical()),
		Heading: r.pageHeading(), Subtitle: r.pageSubtitle(), Digest: r.result.Digest,
		Level: levelOf(r.verdict), Verdict: verdictWords(r.text, r.verdict), Today: r.todayVerdictLine(), Accounts: r.pageAccounts(),
		Period: j.Basis != report.ByAsOf, Blind: p.notEvaluatedLines(), Bridge: p.pageBridge(r.text), Control: p.pageControl(r),
	}
	for _, w := range j.Withheld {
		page.Withheld = append(page.Withheld, kindWords(w.Kind, j.Language)+" ("+w.Code+")")
	}
	if r.summary != nil {
		page.Steps = r.pageSteps()
		page.Days = append(page.Days, html.Days{
			Heading: r.text("page.expected_received_day"),
			First:   r.text("page.expected"), Second: r.text("page.received"), Days: r.cardDays(),
		})
	}
	if r.pageSlipDays() != nil {
		page.Days = append(page.Days, html.Days{
			Heading: r.text("page.slips_paid_credited_day"),
			First:   r.text("page.paid"), Second: r.text("page.credited"), Days: r.slipPageDays(),
		})
	}
	return page
}

func (r *rendering) pageHeading() string {
	j := r.job
	if j.Account == AllAccounts {
		return r.text("page.all_accounts")
	}
	heading := r.text("page.account", "account", j.Account)
	if j.Block.Name != "" {
		heading += " · " + j.Block.Name
	}
	return heading
}

// pageSubtitle says what the page is of and as of when: neither run nor clock.
func (r *rendering) pageSubtitle() string {
	j := r.job
	s := r.text("page.as_of", "date", pageDate(j.AsOf, j.Language))
	if j.Basis != report.ByAsOf {
		s = r.text("page.basis_and_period", "basis", j.basisLabel(), "from", pageDate(j.Period.From, j.Language), "to", pageDate(j.Period.To, j.Language)) +
			" · " + s
	}
	if f := j.filterWords(); f != "" {
		s += " · " + f
	}
	return s
}

// kindWords is the name of a kind as its first sheet bears it.
func kindWords(k report.Kind, l table.Language) string {
	if t := k.Tables(); len(t) > 0 && l != table.English {
		return t[0].Sheet
	}
	return string(k)
}

// pageSteps are the steps from gross to net, as the waterfall of the workbook has them.
func (r *rendering) pageSteps() []html.Step {
	var steps []html.Step
	for _, s := range r.summary.GrossToNet() {
		steps = append(steps, html.Step{Label: r.stepLabel(s), Amount: s.Amount, Total: s.Total})
	}
	return steps
}

// stepLabel names a step by the column of the summary.
func (r *rendering) stepLabel(s report.SummaryStep) string {
	t := report.SummaryTable
	return t.Columns[t.ColumnIndex(s.Column)].Heading(r.job.Language)
}

// cardDays are what was expected and received per day of the basis, over all lines of the summary.
func (r *rendering) cardDays() []html.Day {
	var out []html.Day
	for _, d := range r.summary.ByDay() {
		out = append(out, html.Day{Label: r.dayLabel(d.Day), First: d.Expected, Second: d.Received})
	}
	return out
}

func (r *rendering) slipPageDays() []html.Day {
	var out []html.Day
	for _, d := range r.pageSlipDays().ByDay() {
		out = append(out, html.Day{Label: r.dayLabel(d.Day), First: d.Paid, Second: d.Credited})
	}
	return out
}
