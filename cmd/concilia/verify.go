package main

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"concilia/export/words"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/export/manifest"
	"concilia/export/publish"
	"concilia/export/verify"
	"concilia/jobs"
	jobspublish "concilia/jobs/publish"
	"concilia/store"
	"concilia/store/reports"
	"concilia/store/sqldb"
)

func newVerify(g *globals) *cobra.Command {
	var keyFile string
	cmd := &cobra.Command{
		Use:   "verify PATH",
		Short: "check published files again, offline: hashes, totals, identities",
		Long: `verify checks every file published below a folder: its hash against the manifest, its sums against the manifest
and control, its identities, CNAB files against the columns of the standard, the chain of revisions. It needs no ledger
and no network. A missing file is a fault, and so is a folder in which nothing is published.

If the configured ledger is available, verify also checks its log of acts: a changed, missing or moved act is a fault.
Every control records the last act of the log when it was published; a log without that act was truncated or rewritten
since, which is a fault. Every file must have the hash with which the ledger published it, and a file that a tombstone
declares deleted must be deleted according to the ledger. A revision that the ledger does not know is a fault, unless its run
has not ended. The content digest of each set is computed again from the rows that
the ledger has as of its run; sets in another layout than today's are held by hash alone, and counted. Every manifest says where the
records of runs, and what was concluded of its accounts, ended when it was made: a ledger that no longer has those ends was changed
behind the program, its own digests included. In the folder of reports.out every set that was delivered there
must be; what waits for delivery is counted, and is no fault. Sets of other ledgers are counted and not compared with
this one.

With --key every manifest must have been signed with that key (reports.signing_key_file): whoever can write to the folder can
make files that agree with each other, but no signature. Without a key, and without the ledger, verify cannot know who made
what it read. Extracts are not signed.

Of an archive, which reports.archive names, verify hashes every file and looks for those that its manifests list.

Exit status: 0 clean; 20 faults found, each named; 50 unreadable; 2 usage; 130 interrupted.`,
		Args: exactArgs(1, "a folder or a manifest"),
		RunE: func(cmd *cobra.Command, args []string) error { return g.verifyFiles(cmd.Context(), args[0], keyFile) },
	}
	cmd.Flags().StringVar(&keyFile, "key", "", "`FILE` with the public key that every manifest must be signed with")
	return cmd
}

func (g *globals) verifyFiles(ctx context.Context, path, keyFile string) error {
	if strings.Contains(path, "://") || publish.IsArchiveFolder(path) {
		if keyFile != "" {
			return exit.Usagef("verify --key takes the folder that is published", "an archive has no signatures: its files are named by their hashes")
		}
		return g.verifyArchive(ctx, path)
	}
	var key ed25519.PublicKey
	if keyFile != "" {
		var err error
		if key, err = manifest.ReadVerifyKey(keyFile); err != nil {
			return exit.Usagef("name the .pub file that concilia keygen wrote", "--key: %v", err)
		}
	}
	report, err := verify.CheckTree(ctx, path, key)
	if err != nil {
		return exit.ExplainUnreadable(err)
	}
	acts, err := g.verifyActs(ctx, path, &report)
	if err != nil {
		return err
	}
	page := &view.Verification{
		Path: path, Sets: report.Sets, Signed: report.Signed, Files: report.Files, Faults: []string{}, More: report.OmittedFaults,
		ActsChecked: acts.unread == "", EndsCompared: acts.ends, SetsCompared: acts.sets, DigestsComputed: acts.digests, ChainsCompared: acts.chained, HashesOnly: acts.hashesOnly, Forgotten: acts.forgotten, Waiting: acts.waiting,
		Foreign: acts.foreign, Unfinished: acts.unfinished, ActFaults: len(acts.faults),
	}
	for _, f := range report.Faults {
		page.Faults = append(page.Faults, f.String())
	}
	page.Faults = append(append(page.Faults, acts.faults...), acts.setFaults...)
	if acts.unread != "" && !g.Quiet {
		fmt.Fprintln(g.Stderr, words.Text(g.Language, "verify.acts_unread", "why", acts.unread))
	}
	if key == nil && acts.unread != "" && !g.Quiet {
		fmt.Fprintln(g.Stderr, words.Text(g.Language, "verify.unsigned"))
	}
	if err := g.writePage(page); err != nil {
		return err
	}
	if len(page.Faults) > 0 {
		return exit.Status(exit.Breaks)
	}
	return nil
}

// ledgerComparison is what came of holding what was published against the ledger: its logs of acts, and its revisions.
type ledgerComparison struct {
	faults []string
	ends   int    // that control reports name and the logs were held against
	unread string // why nothing was looked through; empty when it was

	waiting int // revisions that are published and that reports.out does not have yet
	sets    int // revisions of the ledger that were compared with its records
	foreign int // revisions of other ledgers, which were not compared
	// unfinished are revisions that the ledger does not know and that a run of it which has not ended names.
	unfinished int
	// digests are the revisions whose content digest was computed from the ledger's rows; hashesOnly those in other layouts than
	// today's, which were held against the hashes of the ledger alone, and forgotten those that show payers of whom one was
	// forgotten since.
	digests, hashesOnly, forgotten int
	// chained are the revisions whose manifests say where the ledger's chains ended, as they still do.
	chained   int
	setFaults []string
}

// verifyActs walks the logs of acts of the configured ledger and holds them against the ends that were published, and
// the published revisions against those that it keeps.
// Nothing is written, and no ledger made where there is none.
func (g *globals) verifyActs(ctx context.Context, path string, report *verify.Result) (ledgerComparison, error) {
	l, c, unread, err := g.ledgerAtHand(ctx)
	if err != nil || l == nil {
		return ledgerComparison{unread: unread}, err
	}
	defer func() { _ = l.Close() }() // only read: a failed close loses nothing
	var out ledgerComparison
	found, err := l.VerifyActs(ctx)
	for _, f := range found {
		out.faults = append(out.faults, f.String())
	}
	if err != nil {
		return out, err
	}
	recompute, done, err := digestsOf(c, l)
	if err != nil {
		return out, err
	}
	defer done()
	if err := out.compareSets(ctx, l, isDelivered(path, c.Reports.Target()), report.Revisions, recompute); err != nil {
		return out, err
	}
	if err := out.findMissing(ctx, l, path, c.Reports.Target(), report.Revisions); err != nil {
		return out, err
	}
	slices.Sort(out.setFaults)
	return out, out.compareEnds(ctx, l, report.ActLogEnds)
}

// digestsOf returns what computes the content digest of a revision from the ledger. done removes what that needed.
func digestsOf(c *config.Config, l *store.Ledger) (recompute func(context.Context, *reports.Set) (string, error), done func(), err error) {
	w := &jobs.Worker{Ledger: l, Reports: wire.ReportSettings(c)}
	if err := wire.LoadAgreements(c, w); err != nil {
		return nil, nil, err
	}
	dir, err := publish.MakeTemporary("verify")
	if err != nil {
		return nil, nil, err
	}
	recompute = func(ctx context.Context, kept *reports.Set) (string, error) { return w.RecomputeDigest(ctx, kept, dir) }
	return recompute, func() { _ = os.RemoveAll(dir) }, nil
}

// ledgerAtHand opens the configured ledger, or returns why there is none.
func (g *globals) ledgerAtHand(ctx context.Context) (l *store.Ledger, c *config.Config, unread string, err error) {
	if _, err := os.Stat(g.ConfigPath); err != nil {
		return nil, nil, "no configuration file " + g.ConfigPath, nil //nolint:nilerr // offline, as it may be
	}
	if c, err = config.LoadOffline(g.ConfigPath, g.Lookup); err != nil {
		return nil, nil, g.ConfigPath + " has faults of its own; concilia config check names them", nil //nolint:nilerr // as above
	}
	dsn := g.LedgerAddress(c)
	if wire.CheckLedgerFile(dsn) != nil {
		return nil, nil, "the ledger is not here", nil
	}
	l, err = store.Open(ctx, dsn)
	if exit.IsUnavailable(err) {
		return nil, nil, err.Error(), nil
	}
	return l, c, "", err
}

// compareEnds compares the logs with the ends that control reports name. Several ledgers may publish below one folder: a set is
// of this one when this one has a run that rendered a set of the same account. A single run may be unknown: the ledger was put
// back to a copy from before it, and the acts since then are lost with it.
func (o *ledgerComparison) compareEnds(ctx context.Context, l *store.Ledger, ends []verify.RecordedActLogEnd) error {
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
		o.ends++
		if !has {
			o.faults = append(o.faults, fmt.Sprintf("%s: the log of acts of account %s ended with act %d, %.16s…, and has no such act now: it was cut or rewritten",
				e.File, e.Account, e.Number, e.Hash))
		}
	}
	return nil
}

// compareSets compares the revisions that were found with those of the ledger: a forger who changes a file can rewrite its
// manifest, done marker and control, and hide a file behind a tombstone, but not in the ledger too. inTarget
// reports whether a file lies where this ledger publishes to. Sets of other ledgers are counted and not compared.
func (o *ledgerComparison) compareSets(
	ctx context.Context, l *store.Ledger, inTarget func(file string) bool, found []verify.FoundRevision, recompute func(context.Context, *reports.Set) (string, error),
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
			o.foreign++
			continue
		}
		kept, err := l.Revisions(ctx, m.Account, string(m.Basis), m.Period(), m.Filter, "")
		if err != nil {
			return err
		}
		i := slices.IndexFunc(kept, func(s *reports.Set) bool { return s.Revision == *m.Revision })
		if i < 0 {
			if err := o.checkUnknown(ctx, l, f); err != nil {
				return err
			}
			continue
		}
		o.sets++
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
func (o *ledgerComparison) compareChains(ctx context.Context, l *store.Ledger, chains *store.Chains, f *verify.FoundRevision) error {
	known, err := l.HasRun(ctx, f.Manifest.Run)
	if err != nil || !known || len(f.Manifest.Ledger) == 0 {
		return err
	}
	faults, err := jobspublish.CompareChains(ctx, chains, f.File, f.Manifest)
	o.setFaults = append(o.setFaults, faults...)
	if len(faults) == 0 {
		o.chained++
	}
	return err
}

// findOwnSets returns the sets that the ledger has to know: those with a run of it, and in its own target all sets of accounts
// that it published. A forger can name a run that nobody made.
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
func (o *ledgerComparison) checkUnknown(ctx context.Context, l *store.Ledger, f *verify.FoundRevision) error {
	run, err := l.RunByID(ctx, f.Manifest.Run)
	switch {
	case errors.Is(err, sqldb.ErrNotFound):
		o.addFaultf("%s: the ledger knows neither this revision nor its run %q: it was made by somebody else, or lost with an older copy of the ledger",
			f.File, f.Manifest.Run)
	case err != nil:
		return err
	case run.Finished():
		o.addFaultf("%s: the ledger knows no such revision, and its run %s has ended", f.File, f.Manifest.Run)
	default:
		o.unfinished++
	}
	return nil
}

// compareDigest holds the content digest of a manifest against the one that the ledger's rows have as of the run.
func (o *ledgerComparison) compareDigest(
	ctx context.Context, l *store.Ledger, f *verify.FoundRevision, kept *reports.Set,
	recompute func(context.Context, *reports.Set) (string, error),
) error {
	digest, err := recompute(ctx, kept)
	switch {
	case errors.Is(err, jobs.ErrOtherLayout):
		o.hashesOnly++
		return nil
	case err != nil:
		return fmt.Errorf("%s: content digest: %w", f.File, err)
	}
	if digest != f.Manifest.ContentDigest {
		since, err := jobs.PayerForgottenSince(ctx, l, kept)
		if err != nil {
			return err
		}
		if since {
			o.forgotten++
			return nil
		}
	}
	o.digests++
	if digest != f.Manifest.ContentDigest {
		o.addFaultf("%s: has content digest %s, the rows of the ledger as of run %s have %s", f.File, f.Manifest.ContentDigest, kept.Run, digest)
	}
	return nil
}

// findMissing names the revisions that the ledger delivered to the target and that are not there any more, when the target is the
// folder that was verified, and counts those that wait for it.
func (o *ledgerComparison) findMissing(ctx context.Context, l *store.Ledger, path, target string, found []verify.FoundRevision) error {
	if !wire.SamePlace(path, target) {
		return nil
	}
	there := map[string]bool{}
	for i := range found {
		there[filepath.Base(found[i].File)] = true
	}
	waiting, err := l.WaitingSets(ctx)
	if err != nil {
		return err
	}
	o.waiting = len(waiting)
	delivered, err := l.DeliveredSets(ctx, jobspublish.PlaceName(target))
	for _, s := range delivered {
		if !there[filepath.Base(s.Manifest.Path)] {
			o.addFaultf("%s: missing, with all of its set, and the ledger did not take it away: report of its period, or --as-of-run %s, copies it back",
				s.Manifest.Path, s.Run)
		}
	}
	return err
}

func (o *ledgerComparison) compareSet(f *verify.FoundRevision, kept *reports.Set) {
	dir := path.Dir(f.File)
	listed := map[string]string{}
	for _, file := range f.Manifest.Files {
		listed[file.Path] = file.SHA256
	}
	for _, file := range kept.Files {
		name := path.Base(file.Path)
		switch sum := listed[name]; {
		case sum != file.SHA256:
			o.addFaultf("%s: lists %s with SHA-256 %q, the ledger published it with %s: manifest, mark or control were written anew",
				f.File, name, sum, file.SHA256)
		case file.RetiredOn == 0 && slices.Contains(f.Missing, name):
			o.addFaultf("%s: missing, and the ledger did not take it away: its tombstone is none of retention", path.Join(dir, name))
		}
		delete(listed, name)
	}
	for name := range listed {
		o.addFaultf("%s: lists %s, which the ledger did not publish with it", f.File, name)
	}
}

func (o *ledgerComparison) addFaultf(format string, args ...any) {
	o.setFaults = append(o.setFaults, fmt.Sprintf(format, args...))
}

// verifyArchive hashes every file of the archive at a place: a folder, or a URL as reports.archive names it.
func (g *globals) verifyArchive(ctx context.Context, place string) error {
	var o publish.Options
	if strings.Contains(place, "://") {
		c, err := config.LoadPublishing(g.ConfigPath, g.Lookup)
		if err != nil {
			return err
		}
		o = wire.TargetOptions(c, g.Wall)
	}
	a, err := publish.OpenArchive(place, o)
	if err != nil {
		return err
	}
	report, err := a.Verify(ctx)
	if err != nil {
		return exit.ExplainUnreadable(err)
	}
	err = g.writePage(&view.ArchiveVerification{
		Path: place, Sets: report.Manifests, Files: report.Files, Faults: append([]string{}, report.Faults...), More: report.More,
	})
	if err == nil && len(report.Faults) > 0 {
		err = exit.Status(exit.Breaks)
	}
	return err
}
