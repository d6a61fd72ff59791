package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"concilia/export/manifest"
	archive "concilia/export/publish"
	"concilia/export/words"
	"concilia/store"
	"concilia/store/published"
)

// checkChains holds the ledger against what was published of it last.
func (p *Publisher) checkChains(ctx context.Context, r *CheckReport) error {
	last, err := p.Ledger.LastArchivedSets(ctx)
	if err != nil || len(last) == 0 {
		return err
	}
	found, err := p.readManifests(ctx, last, r)
	if err != nil {
		return err
	}
	chains := p.Ledger.NewChains() // read after the manifests, so that the ledger is ahead of them
	for _, m := range found {
		known, err := p.Ledger.HasRun(ctx, m.Run)
		if err != nil {
			return err
		}
		if !known {
			continue // the ledger was put back to before it, and took the set back from the archive
		}
		faults, err := CompareChains(ctx, chains, m.ManifestName(), m)
		if err != nil {
			return err
		}
		for _, f := range faults {
			r.addFault(f)
		}
	}
	return nil
}

// readManifests reads the manifests of the sets from the archive. One that is damaged is a fault, and one that is missing was named with
// the files.
func (p *Publisher) readManifests(ctx context.Context, sets []*published.Set, r *CheckReport) (found []*manifest.Manifest, err error) {
	dir, err := archive.MakeTemporary("check")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for _, kept := range sets {
		local := filepath.Join(dir, path.Base(kept.Manifest.Path))
		err := p.Archive.Fetch(ctx, kept.Manifest.SHA256, local)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case errors.Is(err, archive.ErrDamaged):
			r.addFault(words.NewMessage("check_fault.manifest_unreadable", "file", kept.Manifest.Path, "cause", err))
			continue
		case err != nil:
			return nil, err
		}
		m, _, err := manifest.Read(ctx, local)
		if err != nil {
			r.addFault(words.NewMessage("check_fault.manifest_unreadable", "file", kept.Manifest.Path, "cause", err))
			continue
		}
		found = append(found, m)
	}
	return found, nil
}

// CompareChains names the ends of chains that a manifest lists and the ledger does not have.
func CompareChains(ctx context.Context, chains *store.Chains, file string, m *manifest.Manifest) (faults []words.Message, err error) {
	for i := range m.Ledger {
		end := &m.Ledger[i]
		has, err := chains.Has(ctx, end.End())
		if err != nil {
			return nil, err
		}
		if !has {
			faults = append(faults, words.NewMessage("verify_fault.no_such_end", "file", file, "what", end.What(), "number", end.Number,
				"hash", fmt.Sprintf("%.16s", end.SHA256)))
		}
	}
	return faults, nil
}
