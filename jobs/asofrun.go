package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"concilia/export"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/jobs/agreements"
	"concilia/jobs/calendar"
	"concilia/jobs/casework"
	"concilia/jobs/publish"
	"concilia/jobs/reconcile"
	"concilia/jobs/reportset"
	"concilia/jobs/rules/catalogue"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/sqldb"
)

// asOfSet is a set that is requested as of a past run: the revisions that were current then or, if it was not
// published, an extract.
type asOfSet struct {
	request   reportset.Request
	revisions []*reports.Set // oldest first
	fault     error          // why the set cannot be answered
}

// reportAsOf answers a request for what was published as of a past run. What was published is copied from the archive,
// to the place that was given or back to reports.out. What was not published, or is no longer in the archive as it was, is
// rendered as of the run with today's layout as a private extract, for which a place is required. It makes no revision
// and reserves no number.
func (w *Worker) reportAsOf(ctx context.Context, req ReportRequest) (*Summary, error) {
	then, err := w.Ledger.RunByID(ctx, req.AsOfRun)
	if errors.Is(err, sqldb.ErrNotFound) {
		return &Summary{Verdict: ledger.Incomplete, Unpublished: []error{
			fmt.Errorf("there is no run %s in this ledger: manifest and control name the run of a file", req.AsOfRun),
		}}, nil
	}
	if err != nil {
		return nil, err
	}
	verdicts, err := w.readVerdictsAsOf(ctx, then)
	if err != nil {
		return nil, err
	}
	sets, err := w.collectAsOf(ctx, &req, then, verdicts)
	if err != nil {
		return nil, err
	}
	run, release, err := w.beginRun(ctx, ledger.ReportRun, then.AsOf)
	if err != nil {
		return nil, err
	}
	defer release()
	s := &Summary{Run: run.ID, AsOf: then.AsOf, Files: []FileSummary{}}
	if err := w.copyAsOf(ctx, s, then, sets, req.Out != ""); err != nil {
		return nil, err
	}
	if err := w.renderAsOf(ctx, s, then, verdicts, sets); err != nil {
		return nil, err
	}
	s.showWritten()
	if err := findWorstSeverity(ctx, w.Ledger, s, run.Accounts, then.ID); err != nil {
		return nil, err
	}
	if s.Verdict = then.Verdict; len(s.Unpublished) > 0 {
		s.Verdict = ledger.Incomplete
	}
	return s, w.newRunRecorder().end(ctx, run, s, nil)
}

// readVerdictsAsOf reads the verdicts of a past run on the accounts that it reconciled.
func (w *Worker) readVerdictsAsOf(ctx context.Context, then *ledger.Run) (*reportset.Verdicts, error) {
	out := &reportset.Verdicts{ByAccount: map[ledger.Account]reconcile.Result{}}
	for _, a := range w.Accounts {
		if _, ok := then.Verdicts[a.Number]; !ok {
			continue
		}
		var err error
		if out.ByAccount[a.Number], err = readVerdict(ctx, w.Ledger, then, a.Number, then.ID); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// collectAsOf finds what was published of each requested set, and refuses what cannot be answered.
func (w *Worker) collectAsOf(ctx context.Context, req *ReportRequest, then *ledger.Run, verdicts *reportset.Verdicts) ([]asOfSet, error) {
	requests, err := w.parseRequest(*req)
	if err != nil {
		return nil, err
	}
	terms, err := w.readInputsOfRun(ctx, then)
	if err != nil {
		return nil, err
	}
	if !req.AccountsNamed {
		first := &requests[0]
		if all, ok := w.newSetPlanner().newSetOfAll(verdicts, first.Basis, first.Period, first.Kinds, first.Formats); ok {
			all.Filter = first.Filter
			requests = append(requests, all)
		}
	}
	out := make([]asOfSet, 0, len(requests))
	for _, request := range requests {
		request.Inputs = &terms
		set := asOfSet{request: request}
		if keep, err := w.findAsOf(ctx, req, then, &set); err != nil {
			return nil, err
		} else if keep {
			out = append(out, set)
		}
	}
	return out, nil
}

// findAsOf finds the revisions that were current as of the run. keep is false for a set over all accounts that was not
// published and cannot be an extract.
func (w *Worker) findAsOf(ctx context.Context, req *ReportRequest, then *ledger.Run, set *asOfSet) (keep bool, err error) {
	r := &set.request
	if _, ok := then.Verdicts[r.Accounts[0].Number]; !ok && !r.IsOfAllAccounts() {
		set.fault = errors.New("that run reconciled nothing of the account: name a run that did, as manifest and control of a file say it")
		return true, nil
	}
	if err := setStateDay(r, then.AsOf); err != nil {
		return false, err
	}
	all, err := w.Ledger.Revisions(ctx, r.Name, string(r.Basis), r.Period, r.Filter.Canonical(), then.ID)
	if err != nil {
		return false, err
	}
	set.revisions = publish.CurrentRevisions(all)
	slices.Reverse(set.revisions)
	if len(set.revisions) > 0 && !slices.ContainsFunc(set.revisions, func(k *reports.Set) bool { return k.RemovedOn != 0 }) && req.isAnsweredBy(r, set.revisions) {
		return true, nil
	}
	set.revisions = nil
	switch {
	case req.Out == "" && r.IsOfAllAccounts():
		return false, nil
	case req.Out == "":
		return false, &casework.RequestError{
			Text: fmt.Sprintf("set %s %s %s was not published as asked for when run %s had reconciled, or is in the archive no longer: as of that run it can only be a private extract",
				r.Name, r.Basis, r.Period, then.ID),
			Hint: "--out PLACE writes one; without --as-of-run the set is published as of the last reconcile",
		}
	case len(req.Formats) > 0 && slices.Contains(r.Formats, report.EDI):
		return false, &casework.RequestError{
			Text: fmt.Sprintf("format edi: set %s %s %s was not published with one when run %s had reconciled, and an extract has none, since nothing numbers it",
				r.Name, r.Basis, r.Period, then.ID),
			Hint: "leave edi out",
		}
	}
	r.Extract, r.Formats = true, reportset.WithoutEDI(r.Formats)
	return len(r.Formats) > 0, nil
}

// isAnsweredBy reports whether revisions of a set have every kind and format that a request names.
func (req *ReportRequest) isAnsweredBy(s *reportset.Request, revisions []*reports.Set) bool {
	has := func(is func(reports.File) bool) bool {
		return slices.ContainsFunc(revisions, func(k *reports.Set) bool { return slices.ContainsFunc(k.Files, is) })
	}
	for _, k := range s.Kinds {
		if len(req.Kinds) > 0 && !has(func(f reports.File) bool { return f.Kind == string(k) }) {
			return false
		}
	}
	for _, f := range s.Formats {
		if len(req.Formats) > 0 && !has(func(g reports.File) bool { return g.Format == string(f) }) {
			return false
		}
	}
	return true
}

// copyAsOf copies what was published. private copies go to another place than reports.out.
func (w *Worker) copyAsOf(ctx context.Context, s *Summary, then *ledger.Run, sets []asOfSet, private bool) error {
	if !slices.ContainsFunc(sets, func(set asOfSet) bool { return len(set.revisions) > 0 || set.fault != nil }) {
		return nil
	}
	w.Progress.Step("copy", len(sets))
	session, err := w.newPublisher().Open(ctx, true)
	if s.noteArchiveError(err) {
		w.Progress.Done("the archive can't be used")
		return nil
	}
	if err != nil {
		return err
	}
	defer session.Close()
	copied := 0
	for i := range sets {
		set := &sets[i]
		if set.request.Extract {
			continue
		}
		err := set.fault
		if err == nil {
			err = w.copySet(ctx, s, session, set, private)
		}
		switch {
		case err == nil:
			copied++
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case private && publish.IsLostInArchive(err) && len(reportset.WithoutEDI(set.request.Formats)) > 0:
			// Copies of its other files stay beside what is rendered of it.
			set.request.Extract, set.request.Formats = true, reportset.WithoutEDI(set.request.Formats)
		case s.noteArchiveError(err):
			w.Progress.Done("the archive can't be used")
			return nil
		case s.noteUnreachable(w.newPublisher(), err):
			w.Progress.Done("the target is gone")
			return nil
		default:
			s.Unpublished = append(s.Unpublished, fmt.Errorf("as of run %s: set %s %s %s: %w", then.ID, set.request.Name, set.request.Basis, set.request.Period, err))
		}
		w.Progress.Advance(1)
	}
	w.Progress.Done(fmt.Sprintf("%s as of run %s%s", ledger.CountText(copied, "set", "sets"), then.ID, unpublishedText(len(s.Unpublished))))
	if private {
		return nil
	}
	return w.newSetPublisher().updateIndexes(ctx, false) // what was brought back is there again
}

// copySet copies the revisions of a set, the oldest first.
func (w *Worker) copySet(ctx context.Context, s *Summary, session *publish.Session, set *asOfSet, private bool) error {
	for _, kept := range set.revisions {
		fresh := !session.Has(ctx, kept)
		if err := session.Copy(ctx, kept); err != nil {
			return err
		}
		if !private {
			if err := publish.UndoRetirement(ctx, w.Ledger, w.Target, kept); err != nil {
				return err
			}
			if err := session.NoteDelivered(ctx, kept); err != nil {
				return err
			}
		}
		s.noteSet(kept, false)
		for _, f := range kept.Files {
			s.Files = append(s.Files, newFileSummary(w.Reports.Out, f, fresh))
		}
	}
	if set.request.IsOfAllAccounts() || set.request.Basis == report.ByAsOf {
		return nil // all accounts have the same rows again; a state has no totals
	}
	newest := slices.Clone(set.revisions)
	slices.Reverse(newest)
	return w.addClosedTotals(ctx, s, &set.request, newest)
}

// renderAsOf renders extracts of what was not published as of the run.
func (w *Worker) renderAsOf(ctx context.Context, s *Summary, then *ledger.Run, verdicts *reportset.Verdicts, sets []asOfSet) error {
	var requests []reportset.Request
	for i := range sets {
		if sets[i].request.Extract {
			requests = append(requests, sets[i].request)
		}
	}
	if len(requests) == 0 || s.Gone {
		return nil
	}
	return w.newSetPublisher().writeExtracts(ctx, then, s, verdicts, requests)
}

// noteUnreachable notes that the place that files were to be copied to takes nothing.
func (s *Summary) noteUnreachable(to *publish.Publisher, err error) bool {
	if err == nil || to.Unreachable == nil || !to.Unreachable(err) {
		return false
	}
	s.Unpublished, s.Gone = append(s.Unpublished, err), true
	return true
}

// ErrOtherLayout is the error of a published revision whose content digest cannot be computed, because its layout is another
// program's.
var ErrOtherLayout = errors.New("the report set is in a layout of another program")

// RecomputeDigest computes the content digest of a published revision from the ledger as of its run, with the documents of that
// run and the stored inputs of the rendering. It fails with ErrOtherLayout if that is not possible. Temporary files are below
// staging until it returns.
func (w *Worker) RecomputeDigest(ctx context.Context, kept *reports.Set, staging string) (string, error) {
	in, err := export.ReadInputs(kept.Inputs)
	if err != nil || !in.HasCurrentLayout() {
		return "", errors.Join(ErrOtherLayout, err)
	}
	if kept.Basis == string(report.ByMovement) {
		return w.recomputeMovement(ctx, kept, in, staging)
	}
	if kept.Basis == string(report.ByPosting) {
		return w.recomputeJournal(ctx, kept, in, staging)
	}
	run, err := w.Ledger.RunByID(ctx, kept.Run)
	if err != nil {
		return "", err
	}
	filter, err := export.ParseFilter(kept.Filter)
	if err != nil {
		return "", err
	}
	terms, err := w.readInputsOfRun(ctx, run)
	if err != nil {
		return "", err
	}
	set := reportset.Request{
		Name: kept.Account, Basis: report.Basis(kept.Basis), Period: kept.Period, Kinds: in.Kinds, Formats: in.Formats, Filter: filter,
		Inputs: &terms, Voice: &catalogue.Voice{Language: string(in.Language), Service: in.Service},
	}
	for _, a := range in.AccountsOf(kept.Account) {
		set.Accounts = append(set.Accounts, Account{Number: a})
	}
	job := in.Job(kept.Account, set.Basis, kept.Period, filter, kept.AsOf)
	job.Words = reportset.CollectCauseWords(*set.Voice)
	builder := w.newJobBuilder(run, nil, set)
	if job.Agreed, err = builder.ReadAgreedLines(ctx, in.Kinds); err != nil {
		return "", err
	}
	answers, err := builder.NewReportSource(ctx)
	if err != nil {
		return "", err
	}
	answers.Unit, answers.MonthSides = in.Unit, in.Months
	if answers.State != nil {
		answers.State.ForecastDays = in.ForecastDays
	}
	return render.Recompute(ctx, job, answers, staging)
}

// PayerForgottenSince reports whether a published set shows payers of whom one may have been forgotten since its run: the ledger's rows no
// longer give its content digest then.
func PayerForgottenSince(ctx context.Context, l *store.Ledger, kept *reports.Set) (bool, error) {
	in, err := export.ReadInputs(kept.Inputs)
	if err != nil || !in.IdentifiesPayers() {
		return false, err
	}
	acts, err := l.Acts(ctx, caselog.ActFilter{Verbs: []ledger.Verb{casework.ForgetVerb}, Since: kept.Published})
	return len(acts) > 0, err
}

// readInputsOfRun returns the inputs with the mapping, the profile and the calendars of a past run, which the ledger
// stores. What is computed for its rows, such as ages in business days, uses them and not the files of today.
func (w *Worker) readInputsOfRun(ctx context.Context, run *ledger.Run) (reconcile.Inputs, error) {
	then := w.Inputs
	text := func(name string) ([]byte, error) {
		_, text, err := w.Ledger.Document(ctx, run.Documents[name])
		if err != nil {
			err = fmt.Errorf("%s of run %s: %w", name, run.ID, err)
		}
		return text, err
	}
	if hash := run.Documents["mapping"]; hash != "" && hash != then.Mapping.Hash() {
		kept, err := text("mapping")
		if err != nil {
			return then, err
		}
		if then.Mapping, err = agreements.ParseMapping("mapping of run "+run.ID, kept); err != nil {
			return then, err
		}
	}
	if hash := run.Documents["profile"]; hash != "" && hash != then.Profile.Hash() {
		kept, err := text("profile")
		if err != nil {
			return then, err
		}
		if then.Profile, err = agreements.ParseProfile("profile of run "+run.ID, kept); err != nil {
			return then, err
		}
	}
	calendars := map[ledger.Account]*calendar.Calendar{}
	for name, hash := range run.Documents {
		number, found := strings.CutPrefix(name, "calendar ")
		a, err := strconv.ParseInt(number, 10, 64)
		if !found || err != nil {
			continue
		}
		account := ledger.Account(a)
		if calendars[account] = w.Inputs.Calendar(account); calendars[account].Hash() == hash {
			continue
		}
		kept, err := text(name)
		if err != nil {
			return then, err
		}
		if calendars[account], err = calendar.Parse(kept); err != nil {
			return then, fmt.Errorf("%s of run %s: %w", name, run.ID, err)
		}
	}
	then.Calendar = func(a ledger.Account) *calendar.Calendar {
		if c := calendars[a]; c != nil {
			return c
		}
		return w.Inputs.Calendar(a)
	}
	return then, nil
}
