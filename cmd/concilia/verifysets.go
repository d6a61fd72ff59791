package main

import (
	"context"
	"fmt"
	"path"
	"slices"

	"concilia/export"
	"concilia/store"
	"concilia/store/reports"
)

// compareSets holds the revisions that were found against what the ledger keeps of them: who changes a file can write its
// manifest, its mark and its control anew, and who hides one can put a tombstone, but not in the ledger too. A set is of this
// ledger when it knows a run that rendered one of its revisions, as with the ends of the logs.
func (o *actsVerified) compareSets(ctx context.Context, l *store.Ledger, found []export.Found) error {
	bySet, ours := map[string][]*export.Found{}, map[string]bool{}
	for i := range found {
		m := found[i].Manifest
		bySet[m.Set] = append(bySet[m.Set], &found[i])
		if !ours[m.Set] {
			var err error
			if ours[m.Set], err = l.HasRun(ctx, m.Run); err != nil {
				return err
			}
		}
	}
	for set, revisions := range bySet {
		if !ours[set] {
			continue
		}
		m := revisions[0].Manifest
		kept, err := l.Revisions(ctx, m.Account, string(m.Basis), m.Period(), m.Filter, "")
		if err != nil {
			return err
		}
		for _, f := range revisions {
			// One that is not kept was published by a run that was killed before it could tell: the next one adopts it.
			if i := slices.IndexFunc(kept, func(s *reports.Set) bool { return s.Revision == *f.Manifest.Revision }); i >= 0 {
				o.sets++
				o.compareSet(f, kept[i])
			}
		}
	}
	slices.Sort(o.setFaults)
	return nil
}

func (o *actsVerified) compareSet(f *export.Found, kept *reports.Set) {
	dir := path.Dir(f.File)
	listed := map[string]string{}
	for _, file := range f.Manifest.Files {
		listed[file.Path] = file.SHA256
	}
	for _, file := range kept.Files {
		name := path.Base(file.Path)
		switch sum := listed[name]; {
		case sum != file.SHA256:
			o.say("%s: lists %s with SHA-256 %q, the ledger published it with %s: manifest, mark or control were written anew",
				f.File, name, sum, file.SHA256)
		case file.RetiredOn == 0 && slices.Contains(f.Missing, name):
			o.say("%s: missing, and the ledger did not take it away: its tombstone is none of retention", path.Join(dir, name))
		}
		delete(listed, name)
	}
	for name := range listed {
		o.say("%s: lists %s, which the ledger did not publish with it", f.File, name)
	}
}

func (o *actsVerified) say(format string, args ...any) {
	o.setFaults = append(o.setFaults, fmt.Sprintf(format, args...))
}
