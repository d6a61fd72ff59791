package page

import (
	"context"
	"errors"

	"concilia/export"
	"concilia/export/causes"
	"concilia/export/control"
	"concilia/export/html"
	"concilia/export/manifest"
	"concilia/export/proof"
	"concilia/export/readback"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/export/staging"
	"concilia/export/table"
	"concilia/store/ledger"
)

// renderer makes the page of one set.
type renderer struct {
	*staging.Set
	causes *causes.Totals
	slips  *Slips // nil: the set has a table of them, or the page counts none
}

// Write writes the page of the set, after the other files and before they are read back. c is nil for a set without causes, slips
// is what ReadSlips returned.
func Write(ctx context.Context, set *staging.Set, c *causes.Totals, slips *Slips) error {
	if !set.Job.HasFormat(report.HTML) {
		return nil
	}
	r := &renderer{Set: set, causes: c, slips: slips}
	tables, err := r.buildTables()
	if err != nil {
		return err
	}
	staged := &staging.File{
		Local: r.Path(control.PageFile), Stem: string(report.Settlement), Ext: report.HTML.Extension(),
		File: manifest.File{Kind: report.Settlement, Format: report.HTML, LayoutVersion: export.SettlementLayout},
	}
	staged.Read = func(path string) (func(control.Figure) ledger.Opt[int64], error) {
		return readback.ReadPage(path, staged.Figures)
	}
	for i := range tables {
		if tables[i].ID == control.ByCauseID {
			sql, err := r.LedgerSumsOf(ctx, report.RestatementTable)
			if err != nil {
				return err
			}
			staged.Figures = append(staged.Figures, listCauseFigures(&tables[i], sql)...)
			continue
		}
		t := kindlist.TableInSet(tables[i].ID, r.Job.BankColumns)
		sql, err := r.LedgerSumsOf(ctx, t)
		if err != nil {
			return err
		}
		figs, err := control.NewTableFigures(readback.PageItem(t.ID), t, sql, r.Tables[t.ID].Counter(), r.DistinctTotals(t))
		if err != nil {
			return err
		}
		staged.Figures = append(staged.Figures, selectFigures(&tables[i], figs)...)
	}
	missing := r.buildMissing()
	if !missing.Unknown {
		if err := r.checkFigures(); err != nil {
			return err
		}
		sql, err := r.causes.ReadRootSums(ctx, r.Source)
		if err != nil {
			return err
		}
		staged.Figures = append(staged.Figures, r.causes.PageFigures(readback.PageItem(control.CausesID), sql)...)
	}
	written := make(html.Figures)
	for _, f := range staged.Figures {
		written[readback.PageKey(f)] = f.Writer
	}
	staged.File.Rows, staged.File.Sums = readback.PageSums(written)
	r.Files = append(r.Files, staged)
	page := r.buildPage()
	if page.Agenda, err = r.buildAgenda(); err != nil {
		return err
	}
	page.Forecast, page.Missing = buildForecast(r.Job, r.Forecast), missing
	if r.causes != nil {
		page.WithoutAmount = r.causes.WithoutAmount()
	}
	if page.Tables, page.Claims, err = r.separateClaims(tables); err != nil {
		return err
	}
	return r.writePage(staged.Local, page)
}

func (r *renderer) writePage(path string, p *html.Page) error {
	out, err := r.CreateFile(path)
	if err != nil {
		return err
	}
	return errors.Join(html.Write(out, *p), out.Close())
}

// buildPage returns the page without its tables and what is missing.
func (r *renderer) buildPage() *html.Page {
	j := r.Job
	page := &html.Page{
		Language: string(j.Language), Name: manifest.SetName(j.Account, j.Basis, j.Period, j.Filter.Canonical()),
		Heading: buildHeading(j), Subtitle: buildSubtitle(j), Digest: r.Result.Digest,
		Level: html.LevelOf(r.Verdict), Verdict: j.Captions().VerdictWords(r.Verdict), Today: describeVerdictToday(j), Accounts: listAccounts(j, r.Accounts),
		Period: j.Basis != report.ByAsOf, Blind: listNotEvaluated(j), Bridge: buildBridges(j), Control: buildControl(j, proof.Of(r.Set)),
		Links: listLinks(j), Banks: listBanks(j),
	}
	for _, w := range j.Withheld {
		page.Withheld = append(page.Withheld, kindlist.Words(w.Kind, j.Language)+" ("+w.Code+")")
	}
	if r.Summary != nil {
		page.Steps = r.listSteps()
		page.Days = append(page.Days, html.Days{
			Heading: j.Text(j.Captions().DayChartTitle()),
			First:   j.Text("page.expected"), Second: j.Text("page.received"), Days: r.listCardDays(),
		})
	}
	if r.findSlipDays() != nil {
		page.Days = append(page.Days, html.Days{
			Heading: j.Text("page.slips_paid_credited_day"),
			First:   j.Text("page.paid"), Second: j.Text("page.credited"), Days: r.listSlipDays(),
		})
	}
	return page
}

func buildHeading(j *export.Job) string {
	if j.Account == manifest.AllAccounts {
		return j.Text("page.all_accounts")
	}
	heading := j.Text("page.account", "account", j.Account)
	if j.Block.Name != "" {
		heading += " · " + j.Block.Name
	}
	return heading
}

// buildSubtitle names the basis, period, as-of and filter; neither run nor clock.
func buildSubtitle(j *export.Job) string {
	s := j.Text("page.as_of", "date", table.DateText(j.AsOf, j.Language))
	if j.Basis != report.ByAsOf {
		s = j.Text("page.basis_and_period", "basis", j.Captions().BasisLabel(), "from", table.DateText(j.Period.From, j.Language), "to", table.DateText(j.Period.To, j.Language)) +
			" · " + s
	}
	if f := j.Captions().FilterWords(); f != "" {
		s += " · " + f
	}
	return s
}

// listSteps returns the steps from gross to net, those of the workbook's waterfall.
func (r *renderer) listSteps() []html.Step {
	var steps []html.Step
	for _, s := range r.Summary.GrossToNet() {
		steps = append(steps, html.Step{Label: r.Job.Captions().StepLabel(s), Amount: s.Amount, Total: s.Total})
	}
	return steps
}

// listCardDays returns what was expected and received per day of the basis, over all lines of the summary.
func (r *renderer) listCardDays() []html.Day {
	var out []html.Day
	for _, d := range r.Summary.ByDay() {
		out = append(out, html.Day{Label: r.Job.Captions().DayLabel(d.Day), First: d.Expected, Second: d.Received})
	}
	return out
}

func (r *renderer) listSlipDays() []html.Day {
	var out []html.Day
	for _, d := range r.findSlipDays().ByDay() {
		out = append(out, html.Day{Label: r.Job.Captions().DayLabel(d.Day), First: d.Paid, Second: d.Credited})
	}
	return out
}
