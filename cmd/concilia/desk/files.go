package desk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/handbook"
	"concilia/cmd/concilia/view/caseview"
	"concilia/cmd/concilia/wire"
	"concilia/export/publish"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/store/published"
)

// fileAnswers answer about published files.
type fileAnswers struct{ *access }

// Sets are the published sets of an account, latest first.
func (s fileAnswers) Sets(ctx context.Context, account string, old bool) (out []caseview.PublishedSet, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		sets, err := w.Ledger.SetsOf(ctx, account)
		if err != nil {
			return err
		}
		delivered, err := w.Ledger.DeliveredAt(ctx, account)
		for _, set := range sets {
			set.Delivered = delivered[set.Number]
		}
		out = listSets(sets, old)
		return err
	})
}

// listSets is the sets for people: without old only the standing revision of each, which comes first. A set of the movement follows
// no other: it is shown with those of its day.
func listSets(sets []*published.Set, old bool) (out []caseview.PublishedSet) {
	follows := func(at int) bool { // the set at a place is an earlier revision of the one before it
		if at < 1 || at >= len(sets) || sets[at].Basis == string(report.ByMovement) {
			return false
		}
		a, b := sets[at-1], sets[at]
		return a.Basis == b.Basis && a.Filter == b.Filter && a.Period == b.Period
	}
	for i, set := range sets {
		if !old && follows(i) {
			continue
		}
		var before *published.Set
		if follows(i + 1) {
			before = sets[i+1]
		}
		out = append(out, caseview.PublishedSetOf(set, before))
	}
	return out
}

// CopyFile writes the proven bytes of a published file to a new local file.
func (s fileAnswers) CopyFile(ctx context.Context, sum, local string) error {
	s.mu.Lock()
	if s.archive == nil {
		a, err := wire.OpenArchive(s.config, s.proc.Wall)
		if err != nil {
			s.mu.Unlock()
			return err
		}
		s.archive = a
	}
	archive := s.archive
	s.mu.Unlock()
	err := archive.Fetch(ctx, sum, local)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, publish.ErrDamaged):
		return fmt.Errorf("%w: SHA-256 %s", console.ErrGone, sum)
	case errors.Is(err, publish.ErrArchive):
		return &console.UnavailableError{Text: "desk.archive_away", Err: err}
	}
	return err
}

// handbookAnswers are the pages of the handbook.
type handbookAnswers struct{}

// Handbook is a page of the handbook.
func (handbookAnswers) Handbook(topic, lang string) (string, error) {
	return handbook.Page(lang, topic)
}

// HandbookTopics are the topics of the handbook in their order.
func (handbookAnswers) HandbookTopics() []string { return handbook.Topics }
