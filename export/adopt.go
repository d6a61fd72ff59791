package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"concilia/export/report"
)

// adopt looks for the revision on the target. A rendering that was killed after its last file and before its caller
// remembered it left a whole set there: with the same content it is taken as it is, with another one it is superseded.
// What is there without its mark was never finished: it is withdrawn and written again.
func (r *rendering) adopt(ctx context.Context) (bool, error) {
	res := &r.result
	for {
		m, err := r.published(ctx)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return false, r.withdraw(ctx)
		case err != nil:
			return false, fmt.Errorf("revision %d of %s on the target: %w", res.Revision, res.Set, err)
		case m.ContentDigest == res.Digest && r.holdsAll(m):
			res.Adopted, res.Files, res.Manifest = true, m.Files, m.name()
			res.Supersedes, res.Why = m.Supersedes, m.Why
			return true, nil
		}
		found := res.Revision
		res.Supersedes, res.Revision = &found, found+1
		res.Why = append(res.Why, fmt.Sprintf("revision %d stands on the target, and the ledger does not know it", found))
	}
}

// withdraw takes back whatever file an unfinished writing of this revision may have left, also of a format that is not
// asked for now.
func (r *rendering) withdraw(ctx context.Context) error {
	j := r.job
	names := []string{"set.manifest.json", string(report.Settlement) + ".xlsx", pageFile}
	for _, s := range report.Definitions() {
		if s.Kind.HasFormat(report.EDI) {
			for part := range r.mostParts() {
				names = append(names, ediItem(partName(s.Kind, part+1)))
			}
		}
		for _, t := range s.Tables {
			for _, f := range report.Formats() {
				if f.IsPerTable() {
					names = append(names, t.ID+"."+f.Extension())
				}
			}
		}
	}
	for _, name := range names {
		what, ext, _ := strings.Cut(name, ".")
		name = Name(what, j.Account, j.Basis, j.Period, j.Filter.Canonical(), r.result.Revision, ext)
		if err := r.target.Publisher.Withdraw(ctx, path.Join(r.result.Dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// published reads the manifest of the revision that would be written, if its set is done.
func (r *rendering) published(ctx context.Context) (*Manifest, error) {
	j := r.job
	m := &Manifest{
		Set: r.result.Set, Account: j.Account, Basis: j.Basis, From: j.Period.From, To: j.Period.To, Filter: j.Filter.Canonical(),
		Revision: &r.result.Revision,
	}
	done, err := r.target.Publisher.Read(ctx, path.Join(r.result.Dir, m.doneName()))
	if err != nil {
		return nil, err
	}
	body, err := r.target.Publisher.Read(ctx, path.Join(r.result.Dir, m.name()))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	if string(done) != doneText(hex.EncodeToString(sum[:]), m.name()) {
		return nil, errors.New("its manifest was changed after it was done")
	}
	return m, json.Unmarshal(body, m)
}

// holdsAll says whether every file that is asked for is in the manifest.
func (r *rendering) holdsAll(m *Manifest) bool {
	have := make(map[string]bool)
	for _, f := range m.Files {
		if n, ok := parseFileName(f.Path); ok {
			have["file:"+n.what+"."+n.ext] = true
		}
	}
	for name := range r.askedFiles() {
		if !have["file:"+name] {
			return false
		}
	}
	return true
}
