package export

import (
	"context"
	"errors"
	"strings"

	"concilia/export/control"
	"concilia/export/html"
	"concilia/export/manifest"
	"concilia/export/readback"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// stagePage writes the page of the set, after the other files and before they are read back.
func (r *rendering) stagePage(ctx context.Context) error {
	if !r.job.hasFormat(report.HTML) {
		return nil
	}
	tables, err := r.pageTables()
	if err != nil {
		return err
	}
	staged := &stagedFile{
		local: r.stagingPath(control.PageFile), stem: string(report.Settlement), ext: report.HTML.Extension(),
		file: manifest.File{Kind: report.Settlement, Format: report.HTML, LayoutVersion: settlementLayout},
	}
	staged.read = func(path string) (func(control.Figure) ledger.Opt[int64], error) {
		return readback.ReadPage(path, staged.figures)
	}
	for i := range tables {
		if tables[i].ID == control.ByCauseID {
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
		figs, err := control.NewTableFigures(readback.PageItem(t.ID), t, sql, r.tables[t.ID].writtenCounter(), r.distinctTotals(t))
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
		staged.figures = append(staged.figures, r.causes.pageFigures(readback.PageItem(control.CausesID), sql)...)
	}
	written := make(html.Figures)
	for _, f := range staged.figures {
		written[readback.PageKey(f)] = f.Writer
	}
	staged.file.Rows, staged.file.Sums = readback.PageSums(written)
	r.staged = append(r.staged, staged)
	page := r.buildPage()
	if page.Agenda, err = r.pageAgenda(); err != nil {
		return err
	}
	page.Forecast, page.Missing = r.pageForecast(), missing
	if r.causes != nil {
		page.WithoutAmount = r.causes.withoutAmount()
	}
	if page.Tables, page.Claims, err = r.claimsPage(tables); err != nil {
		return err
	}
	return r.writePage(staged.local, page)
}

func (r *rendering) writePage(path string, p *html.Page) error {
	out, err := r.createFile(path)
	if err != nil {
		return err
	}
	return errors.Join(html.Write(out, *p), out.Close())
}

// buildPage returns the page without its tables and what is missing.
func (r *rendering) buildPage() *html.Page {
	j, p := r.job, r.collectProof()
	page := &html.Page{
		Language: string(j.Language), Name: manifest.SetName(j.Account, j.Basis, j.Period, j.Filter.Canonical()),
		Heading: r.pageHeading(), Subtitle: r.pageSubtitle(), Digest: r.result.Digest,
		Level: html.LevelOf(r.verdict), Verdict: verdictWords(r.lookUpText, r.verdict), Today: r.todayVerdictLine(), Accounts: r.pageAccounts(),
		Period: j.Basis != report.ByAsOf, Blind: p.notEvaluatedLines(), Bridge: p.pageBridge(r.lookUpText), Control: p.pageControl(r),
		Links: r.pageLinks(), Banks: r.pageBanks(),
	}
	for _, w := range j.Withheld {
		page.Withheld = append(page.Withheld, report.KindWords(w.Kind, j.Language)+" ("+w.Code+")")
	}
	if r.summary != nil {
		page.Steps = r.pageSteps()
		page.Days = append(page.Days, html.Days{
			Heading: r.lookUpText(r.dayChartTitle()),
			First:   r.lookUpText("page.expected"), Second: r.lookUpText("page.received"), Days: r.cardDays(),
		})
	}
	if r.pageSlipDays() != nil {
		page.Days = append(page.Days, html.Days{
			Heading: r.lookUpText("page.slips_paid_credited_day"),
			First:   r.lookUpText("page.paid"), Second: r.lookUpText("page.credited"), Days: r.slipPageDays(),
		})
	}
	return page
}

func (r *rendering) pageHeading() string {
	j := r.job
	if j.Account == manifest.AllAccounts {
		return r.lookUpText("page.all_accounts")
	}
	heading := r.lookUpText("page.account", "account", j.Account)
	if j.Block.Name != "" {
		heading += " · " + j.Block.Name
	}
	return heading
}

// pageSubtitle names the basis, period, as-of and filter; neither run nor clock.
func (r *rendering) pageSubtitle() string {
	j := r.job
	s := r.lookUpText("page.as_of", "date", table.DateText(j.AsOf, j.Language))
	if j.Basis != report.ByAsOf {
		s = r.lookUpText("page.basis_and_period", "basis", j.basisLabel(), "from", table.DateText(j.Period.From, j.Language), "to", table.DateText(j.Period.To, j.Language)) +
			" · " + s
	}
	if f := j.filterWords(); f != "" {
		s += " · " + f
	}
	return s
}

// pageSteps returns the steps from gross to net, those of the workbook's waterfall.
func (r *rendering) pageSteps() []html.Step {
	var steps []html.Step
	for _, s := range r.summary.GrossToNet() {
		steps = append(steps, html.Step{Label: r.stepLabel(s), Amount: s.Amount, Total: s.Total})
	}
	return steps
}

// stepLabel returns the header of the summary's column for a step.
func (r *rendering) stepLabel(s report.SummaryStep) string {
	t := report.SummaryTable
	return t.Columns[t.ColumnIndex(s.Column)].Heading(r.job.Language)
}

// cardDays returns what was expected and received per day of the basis, over all lines of the summary.
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

// dayChartTitle returns the id of the title of the chart by day: by sale date its days are of sales, whatever has been received of
// them since.
func (r *rendering) dayChartTitle() string {
	if r.job.Basis == report.ByOperation {
		return "page.net_received_of_sales"
	}
	return "page.expected_received_day"
}

// Notes that prevent misreading: units and signs of the tables, the rows that the bridge covers, and the filter in words.

// tableNote returns the note of a table in the job's language; empty if it has none.
func (r *rendering) tableNote(t *table.Table) string {
	if id := "notes." + t.ID; words.Has(id) {
		return r.lookUpText(id)
	}
	return ""
}

// bridgeDay describes the date that a side of the bridge counts by, and which of the set's basis and filter do not apply to it:
// the bridge covers the account by sale date and due date, whatever the set's basis and filter.
func (j *Job) bridgeDay(text textFunc, side string) string {
	day := text("page.by_due_date")
	if side == ledger.Cards.Side() {
		day = text("page.by_sale_date")
	}
	if j.Basis != bridgeBasis(side) && j.Basis != report.ByAsOf {
		day = text("page.day_not_basis", "day", day, "basis", j.basisLabel())
	}
	if j.Filter.Canonical() != "" {
		day = text("page.day_without_filter", "day", day)
	}
	return day
}

// bridgeBasis returns the basis of a side's bridge: the sale date for cards, the due date for slips.
func bridgeBasis(side string) report.Basis {
	if side == ledger.Cards.Side() {
		return report.ByOperation
	}
	return report.ByForecast
}

// filterWords returns the filter in words for the titles of a file; empty without one.
func (j *Job) filterWords() string {
	f := j.Filter.Canonical()
	if f == "" || j.Language == table.English {
		return f
	}
	var parts []string
	for _, part := range strings.Split(f, ";") {
		name, values, _ := strings.Cut(part, "=")
		ids := strings.Split(values, ",")
		if name == "status" {
			for i, id := range ids {
				if _, card := report.CardClassLabels(id); card {
					ids[i] = control.LabelOf(report.CardClassLabels, id)
				} else {
					ids[i] = control.LabelOf(report.SlipClassLabels, id)
				}
			}
		}
		parts = append(parts, control.LabelOf(words.Labels("filter"), name)+" "+strings.Join(ids, ", "))
	}
	return strings.Join(parts, " · ")
}
