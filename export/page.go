package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"concilia/export/html"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// pageFile is the name of the page in staging; it is published as settlement_….html.
const pageFile = string(report.Settlement) + ".html"

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
		Language: string(j.Language), Name: setName(j.Account, j.Basis, j.Period, j.Filter.Canonical()),
		Heading: r.pageHeading(), Subtitle: r.pageSubtitle(), Digest: r.result.Digest,
		Level: levelOf(r.verdict), Verdict: verdictWords(r.lookUpText, r.verdict), Today: r.todayVerdictLine(), Accounts: r.pageAccounts(),
		Period: j.Basis != report.ByAsOf, Blind: p.notEvaluatedLines(), Bridge: p.pageBridge(r.lookUpText), Control: p.pageControl(r),
		Links: r.pageLinks(),
	}
	for _, w := range j.Withheld {
		page.Withheld = append(page.Withheld, kindWords(w.Kind, j.Language)+" ("+w.Code+")")
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
	if j.Account == AllAccounts {
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
	s := r.lookUpText("page.as_of", "date", pageDate(j.AsOf, j.Language))
	if j.Basis != report.ByAsOf {
		s = r.lookUpText("page.basis_and_period", "basis", j.basisLabel(), "from", pageDate(j.Period.From, j.Language), "to", pageDate(j.Period.To, j.Language)) +
			" · " + s
	}
	if f := j.filterWords(); f != "" {
		s += " · " + f
	}
	return s
}

// kindWords returns the name of a kind, which is that of its first sheet.
func kindWords(k report.Kind, l table.Language) string {
	if t := k.Tables(); len(t) > 0 && l != table.English {
		return t[0].Sheet
	}
	return string(k)
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

// causesID is the id of the causes among the tables of a page.
const causesID = "causes"

// pageFigure returns the item of control for a table of the page.
func pageFigure(id string) string { return pageFile + " " + id }

// pageKey returns the key of a figure on the page itself.
func pageKey(f Figure) string { return strings.TrimPrefix(f.File, pageFile+" ") + "." + f.Measure }

// readPage reads the figures of a page. It fails if the page lacks one of those in should, which could not be compared.
func readPage(path string, should []Figure) (func(Figure) ledger.Opt[int64], error) {
	figures, err := readPageFigures(path)
	for _, f := range should {
		if _, ok := figures[pageKey(f)]; !ok && err == nil {
			err = fmt.Errorf("page: figure %s is not there", pageKey(f))
		}
	}
	return func(f Figure) ledger.Opt[int64] {
		n, ok := figures[pageKey(f)]
		return ledger.Opt[int64]{V: n, OK: ok}
	}, err
}

func readPageFigures(path string) (html.Figures, error) {
	var figures html.Figures
	err := withFile(path, func(in io.Reader) (err error) {
		figures, err = html.Read(in)
		return err
	})
	return figures, err
}

// pageSums returns the rows and sums of a page for its manifest: those of its tables and causes.
func pageSums(figures html.Figures) (rows int64, sums map[string]string) {
	sums = make(map[string]string)
	for key, n := range figures {
		id, measure, _ := strings.Cut(key, ".")
		t := report.TableByID(id)
		switch {
		case t != nil && measure == "count":
			rows += n / 10_000
		case t != nil && t.ColumnIndex(measure) >= 0:
			c := &t.Columns[t.ColumnIndex(measure)]
			sums[key] = string(c.AppendSum(nil, sumOf(c, n)))
		case id == causesID && strings.HasSuffix(measure, "count"):
			sums[key] = ledger.Amount(n).Fixed(0)
		case id == causesID:
			sums[key] = ledger.Amount(n).Fixed(2)
		}
	}
	return rows, sums
}

// readPageFile reads a published page.
func (c *setContents) readPageFile(path string) (int64, map[string]string, error) {
	figures, err := readPageFigures(path)
	if err != nil {
		return 0, nil, err
	}
	for key := range figures {
		id, _, _ := strings.Cut(key, ".")
		if report.TableByID(id) == nil && id != causesID && id != byCauseID {
			continue // a single cause: html.Read checks it against the total
		}
		c.figures[pageFigure(id)] = func(f Figure) ledger.Opt[int64] {
			n, ok := figures[pageKey(f)]
			return ledger.Opt[int64]{V: n, OK: ok}
		}
	}
	rows, sums := pageSums(figures)
	return rows, sums, nil
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
				if _, card := report.CardClassLabels[id]; card {
					ids[i] = labelOf(report.CardClassLabels, id)
				} else {
					ids[i] = labelOf(report.SlipClassLabels, id)
				}
			}
		}
		parts = append(parts, labelOf(words.Labels("filter"), name)+" "+strings.Join(ids, ", "))
	}
	return strings.Join(parts, " · ")
}
