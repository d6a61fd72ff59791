package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"concilia/cmd/concilia/wire"
	"concilia/export/verify"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/jobs/publish"
	"concilia/store"
	"concilia/store/published"
	"concilia/store/sqldb"
)

// Comparison is what came of comparing what was published with the ledger: its logs of acts, and its revisions.
type Comparison struct {
	ActFaults []words.Message // of the logs of acts
	SetFaults []words.Message // of revisions, in order
	Ends      int             // that control reports name and the logs were compared with

	Waiting int // revisions that are published and that reports.out does not have yet
	Sets    int // revisions of the ledger that were compared with its records
	Foreign int // revisions of other ledgers, which were not compared
	// Unfinished are revisions that the ledger does not know and that a run of it which has not ended names.
	Unfinished int
	// Digests are the revisions whose content digest was computed from the ledger's rows; HashesOnly those in other layouts than
	// today's, which were compared with the hashes of the ledger alone, and Forgotten those that show payers of whom one was
	// forgotten since.
	Digests, HashesOnly, Forgotten int
	// Chained are the revisions whose manifests say where the ledger's chains ended, as they still do.
	Chained int
}

// Published is a folder that was verified by its own files, and what is known of the target of the ledger.
type Published struct {
	Path   string // of the folder, or of a file
	Target string // reports.out
	Result *verify.Result
	// Recompute computes the content digest of a revision from the ledger's rows; jobs.ErrOtherLayout: its layout is another one.
	Recompute func(context.Context, *published.Set) (string, error)
}

// Compare walks the logs of acts of a ledger and compares them with the ends that were published, and the published revisions with
// those that it keeps. It writes nothing.
func Compare(ctx context.Context, l *store.Ledger, p *Published) (*Comparison, error) {
	out := &Comparison{}
	found, err := l.VerifyActs(ctx)
	for _, f := range found {
		out.ActFaults = append(out.ActFaults, f.Message())
	}
	if err != nil {
		return nil, err
	}
	if err := out.compareSets(ctx, l, isDelivered(p.Path, p.Target), p.Result.Revisions, p.Recompute); err != nil {
		return nil, err
	}
	if err := out.findMissing(ctx, l, p); err != nil {
		return nil, err
	}
	slices.SortFunc(out.SetFaults, func(a, b words.Message) int { return strings.Compare(a.String(), b.String()) })
	return out, out.compareEnds(ctx, l, p.Result.ActLogEnds)
}

// compareEnds compares the logs with the ends that control reports name. Several ledgers may publish below one folder: a set is
// of this one when this one has a run that rendered a set of the same account. A single run may be unknown: the ledger was put
// back to a copy from before it, and the acts since then are lost with it.
func (o *Comparison) compareEnds(ctx context.Context, l *store.Ledger, ends []verify.RecordedActLogEnd) error {
	runs, ours := make(map[string]bool), make(map[string]bool)
	for _, e := range ends {
		known, asked := runs[e.Run]
		if !asked {
			var err error
			if known, err = l.HasRun(ctx, e.Run); err != nil {
				return err
			}
			runs[e.Run] = known
		}
		ours[e.Set] = ours[e.Set] || known
	}
	for _, e := range ends {
		if !ours[e.Set] {
			continue
		}
		has, err := l.HasAct(ctx, e.ActLogEnd)
		if err != nil {
			return err
		}
		o.Ends++
		if !has {
			o.ActFaults = append(o.ActFaults, words.NewMessage("verify_fault.no_such_act", "file", e.File, "account", e.Account, "act", e.Number,
				"hash", fmt.Sprintf("%.16s", e.Hash)))
		}
	}
	return nil
}

// compareSets compares the revisions that were found with those of the ledger: a forger who changes a file can rewrite its
// manifest, done marker and control, and hide a file behind a tombstone, but not in the ledger too. inTarget
// reports whether a file lies where this ledger publishes to. Sets of other ledgers are counted and not compared.
func (o *Comparison) compareSets(
	ctx context.Context, l *store.Ledger, inTarget func(file string) bool, found []verify.FoundRevision, recompute func(context.Context, *published.Set) (string, error),
) error {
	ours, err := findOwnSets(ctx, l, inTarget, found)
	if err != nil {
		return err
	}
	chains := l.NewChains()
	for i := range found {
		f := &found[i]
		m := f.Manifest
		if !ours[m.Set] {
			o.Foreign++
			continue
		}
		kept, err := l.Revisions(ctx, m.Account, string(m.Basis), m.Period(), m.Filter, "")
		if err != nil {
			return err
		}
		i := slices.IndexFunc(kept, func(s *published.Set) bool { return s.Revision == *m.Revision })
		if i < 0 {
			if err := o.checkUnknown(ctx, l, f); err != nil {
				return err
			}
			continue
		}
		o.Sets++
		o.compareSet(f, kept[i])
		if err := o.compareDigest(ctx, l, f, kept[i], recompute); err != nil {
			return err
		}
		if err := o.compareChains(ctx, l, chains, f); err != nil {
			return err
		}
	}
	return nil
}

// compareChains looks for the ends of chains that a manifest names. What a run published that the ledger lost, with all that it
// concluded, was taken back from the archive, and its ends with it.
func (o *Comparison) compareChains(ctx context.Context, l *store.Ledger, chains *store.Chains, f *verify.FoundRevision) error {
	known, err := l.HasRun(ctx, f.Manifest.Run)
	if err != nil || !known || len(f.Manifest.Ledger) == 0 {
		return err
	}
	faults, err := publish.CompareChains(ctx, chains, f.File, f.Manifest)
	o.SetFaults = append(o.SetFaults, faults...)
	if len(faults) == 0 {
		o.Chained++
	}
	return err
}

// findOwnSets returns the sets that the ledger has to know: those with a run of it, and in its own target all sets of accounts
// that it published. A forger can name a run that never was.
func findOwnSets(ctx context.Context, l *store.Ledger, inTarget func(file string) bool, found []verify.FoundRevision) (map[string]bool, error) {
	ours, published := map[string]bool{}, map[string]bool{}
	for i := range found {
		m := found[i].Manifest
		if ours[m.Set] {
			continue
		}
		known, err := l.HasRun(ctx, m.Run)
		if err != nil {
			return nil, err
		}
		if !known && inTarget(found[i].File) {
			if _, asked := published[m.Account]; !asked {
				if published[m.Account], err = l.HasPublished(ctx, m.Account); err != nil {
					return nil, err
				}
			}
			known = published[m.Account]
		}
		ours[m.Set] = known
	}
	return ours, nil
}

// isDelivered returns what reports whether a file of the folder that is verified lies below the target.
func isDelivered(verified, target string) func(file string) bool {
	root, err := filepath.Abs(strings.TrimPrefix(target, "file://"))
	if info, statErr := os.Stat(verified); statErr == nil && !info.IsDir() {
		verified = filepath.Dir(verified)
	}
	from, err2 := filepath.Abs(verified)
	if err != nil || err2 != nil {
		return func(string) bool { return false }
	}
	return func(file string) bool {
		below, err := filepath.Rel(root, filepath.Join(from, file))
		return err == nil && filepath.IsLocal(below)
	}
}

// checkUnknown finds a fault in a revision that the ledger does not know, unless a run of the ledger that has not ended may have
// just made it.
func (o *Comparison) checkUnknown(ctx context.Context, l *store.Ledger, f *verify.FoundRevision) error {
	run, err := l.RunByID(ctx, f.Manifest.Run)
	switch {
	case errors.Is(err, sqldb.ErrNotFound):
		o.addFault("verify_fault.the_ledger_knows_neither_this", "file", f.File, "run", fmt.Sprintf("%q", f.Manifest.Run))
	case err != nil:
		return err
	case run.Finished():
		o.addFault("verify_fault.the_ledger_knows_no_such", "file", f.File, "run", f.Manifest.Run)
	default:
		o.Unfinished++
	}
	return nil
}

// compareDigest compares the content digest of a manifest with the one that the ledger's rows have as of the run.
func (o *Comparison) compareDigest(
	ctx context.Context, l *store.Ledger, f *verify.FoundRevision, kept *published.Set,
	recompute func(context.Context, *published.Set) (string, error),
) error {
	digest, err := recompute(ctx, kept)
	switch {
	case errors.Is(err, jobs.ErrOtherLayout):
		o.HashesOnly++
		return nil
	case err != nil:
		return words.NewFault("verify_fault.digest_failed", "", "file", f.File, "cause", err)
	}
	if digest != f.Manifest.ContentDigest {
		since, err := jobs.PayerForgottenSince(ctx, l, kept)
		if err != nil {
			return err
		}
		if since {
			o.Forgotten++
			return nil
		}
	}
	o.Digests++
	if digest != f.Manifest.ContentDigest {
		o.addFault("verify_fault.has_content_digest_the_rows", "file", f.File, "digest", f.Manifest.ContentDigest, "run", kept.Run, "want", digest)
	}
	return nil
}

// findMissing names the revisions that the ledger delivered to the target and that are not there any more, when the target is the
// folder that was verified, and counts those that wait for it.
func (o *Comparison) findMissing(ctx context.Context, l *store.Ledger, p *Published) error {
	if !wire.SamePlace(p.Path, p.Target) {
		return nil
	}
	there := map[string]bool{}
	for i := range p.Result.Revisions {
		there[filepath.Base(p.Result.Revisions[i].File)] = true
	}
	waiting, err := l.WaitingSets(ctx)
	if err != nil {
		return err
	}
	o.Waiting = len(waiting)
	delivered, err := l.DeliveredSets(ctx, publish.PlaceName(p.Target))
	for _, s := range delivered {
		if !there[filepath.Base(s.Manifest.Path)] {
			o.addFault("verify_fault.missing_with_all_of_its", "file", s.Manifest.Path, "run", s.Run)
		}
	}
	return err
}

func (o *Comparison) compareSet(f *verify.FoundRevision, kept *published.Set) {
	dir := path.Dir(f.File)
	listed := map[string]string{}
	for _, file := range f.Manifest.Files {
		listed[file.Path] = file.SHA256
	}
	for _, file := range kept.Files {
		name := path.Base(file.Path)
		switch sum := listed[name]; {
		case sum != file.SHA256:
			o.addFault("verify_fault.lists_with_sha_256_the", "file", f.File, "name", name, "sum", fmt.Sprintf("%q", sum), "want", file.SHA256)
		case file.RetiredOn == 0 && slices.Contains(f.Missing, name):
			o.addFault("verify_fault.missing_and_the_ledger_did", "file", path.Join(dir, name))
		}
		delete(listed, name)
	}
	for name := range listed {
		o.addFault("verify_fault.lists_which_the_ledger_did", "file", f.File, "name", name)
	}
}

func (o *Comparison) addFault(text string, values ...any) {
	o.SetFaults = append(o.SetFaults, words.NewMessage(text, values...))
}
