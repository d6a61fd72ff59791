package publish

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/words"
	"concilia/store/books"
	"concilia/store/ledger"
	"concilia/store/published"
)

// errBehind is a ledger that knows fewer publications than its archive.
func (s *Session) errBehind(noted int64, why words.Message) error {
	return words.NewFault("publish_fault.behind", "", "noted", noted, "known", s.known.Publication, "why", why)
}

// takeBackLost puts back into a ledger that is older than its archive, because it was restored from a backup, what it published
// since: revisions, the numbers of EDI files and those of titles, by the archived manifests and tables. Nothing of it is delivered
// again: the files are on the target, or were moved away from there. It does nothing for a ledger that knows all its
// publications.
func (s *Session) takeBackLost(ctx context.Context) error {
	if s.noted <= s.known.Publication {
		return nil
	}
	find := &lostFinder{Session: s}
	if err := find.readManifests(ctx); err != nil {
		return err
	}
	if err := find.readFiles(ctx); err != nil {
		return err
	}
	lost := &find.lost
	if missing := s.noted - s.known.Publication - int64(len(lost.Sets)); missing > 0 {
		return s.newArchiveError(s.errBehind(s.noted, words.NewMessage("publish_fault.no_manifest", "missing", missing)))
	}
	if err := s.Ledger.TakeBackCuts(ctx, find.cuts); err != nil { // first: what is published has to have its events
		return err
	}
	if err := s.Ledger.TakeBack(ctx, lost, s.Place, s.Wall()); err != nil {
		return err
	}
	known, err := s.Ledger.ArchiveOf(ctx)
	if err != nil {
		return err
	}
	s.known = known
	s.Warning = []words.Message{words.NewMessage("steps.taken_back", "revisions", words.NewMessage("steps.revision_back", "n", len(lost.Sets)),
		"files", words.NewMessage("steps.edi_file", "n", len(lost.Files)), "titles", words.NewMessage("steps.title", "n", len(lost.Titles)))}
	lacking := 0
	for _, set := range lost.Sets {
		// Retention leaves the manifest where it was.
		if _, err := s.Target.Read(ctx, set.Manifest.Path); errors.Is(err, fs.ErrNotExist) && set.RetiredOn == 0 {
			lacking++
		}
	}
	if lacking > 0 {
		s.Warning = append(s.Warning, words.NewMessage("steps.target_lacks", "lacking", words.NewMessage("steps.one_of_them", "n", lacking)))
	}
	return nil
}

// lostFinder finds in the archive what the ledger published and does not know any more.
type lostFinder struct {
	*Session
	lost      published.Lost
	cuts      []books.LostCut                       // of sets of the movement
	movements map[*published.Set]*manifest.Manifest // of the sets of the movement
}

// readManifests reads the archived manifests that the ledger does not know, in the order of publication.
func (l *lostFinder) readManifests(ctx context.Context) error {
	known, err := l.Ledger.KnownManifests(ctx)
	if err != nil {
		return err
	}
	l.movements = map[*published.Set]*manifest.Manifest{}
	err = l.Archive.Manifests(ctx, func(name string, body []byte) error {
		m, hash, err := manifest.Parse(name, body)
		if had, ok := known[name]; ok {
			if err != nil || had != hash {
				return l.newArchiveError(l.errBehind(l.noted, words.NewMessage("publish_fault.other_manifest", "name", name)))
			}
			return nil
		}
		if err != nil || m.Extract {
			return l.newArchiveError(fmt.Errorf("%s: %w", name, errors.Join(err, errExtract(m))))
		}
		set := newLostSet(m, name, hash, int64(len(body)))
		l.lost.Sets = append(l.lost.Sets, set)
		if m.Basis == report.ByMovement {
			l.movements[set] = m
		}
		return l.addNumbers(set)
	})
	slices.SortFunc(l.lost.Sets, func(a, b *published.Set) int {
		return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(a.Manifest.Path, b.Manifest.Path))
	})
	return err
}

// readFiles reads what the files of the sets say: their sizes, the events of the movement, the numbers of titles.
func (l *lostFinder) readFiles(ctx context.Context) error {
	for _, set := range l.lost.Sets {
		if err := l.measureFiles(ctx, set); err != nil {
			return err
		}
		if m := l.movements[set]; m != nil {
			cuts, err := l.readMovement(ctx, set, m)
			if err != nil {
				return err
			}
			l.cuts = append(l.cuts, cuts...)
			for i := range cuts {
				l.lost.Titles = append(l.lost.Titles, titlesOf(&cuts[i])...)
			}
			continue
		}
		titles, err := l.readTitles(ctx, set)
		if err != nil {
			return err
		}
		l.lost.Titles = append(l.lost.Titles, titles...)
	}
	return nil
}

// errExtract is why the manifest of an extract can't be in an archive; nil for that of a revision.
func errExtract(m *manifest.Manifest) error {
	if m != nil && m.Extract {
		return words.NewFault("publish_fault.no_extract", "")
	}
	return nil
}

// newLostSet is the ledger's row of a revision, by its manifest. What its content rests on is not in the manifest, so verify
// holds the files of such a revision against their hashes alone.
func newLostSet(m *manifest.Manifest, name, hash string, size int64) *published.Set {
	dir := manifest.SetDir(m.Account, m.Basis, m.Period())
	set := &published.Set{
		Account: m.Account, Basis: string(m.Basis), Period: m.Period(), Filter: m.Filter, Revision: *m.Revision, Run: m.Run, AsOf: m.AsOf,
		Digest: m.ContentDigest,
		Manifest: published.File{
			Path: path.Join(dir, name), Kind: "manifest", Format: "json", SHA256: hash, Bytes: size, Revision: *m.Revision,
		},
	}
	for i := range m.Files {
		set.Files = append(set.Files, NewStoredFile(dir, *m.Revision, &m.Files[i]))
	}
	return set
}

// NewStoredFile returns the ledger's row of a file that a manifest lists.
func NewStoredFile(dir string, revision int, f *manifest.File) published.File {
	file := published.File{
		Path: path.Join(dir, f.Path), Kind: string(f.Kind), Format: string(f.Format), SHA256: f.SHA256,
		Bytes: f.Bytes, Rows: f.Rows, Revision: revision, LayoutVersion: f.LayoutVersion,
	}
	if f.NSA != nil {
		file.NSA = *f.NSA
	}
	return file
}

// addNumbers adds the numbers of the set's EDI files.
func (l *lostFinder) addNumbers(set *published.Set) error {
	for _, f := range set.Files {
		if f.NSA == 0 {
			continue
		}
		number, err := strconv.ParseInt(set.Account, 10, 64)
		agreement, ok := l.Agreements[ledger.Account(number)]
		if err != nil || !ok {
			return l.newArchiveError(l.errBehind(l.noted, words.NewMessage("publish_fault.no_agreement", "account", set.Account, "file", path.Base(f.Path))))
		}
		l.lost.Files = append(l.lost.Files, published.FileNumber{
			Account: ledger.Account(number), Agreement: agreement, File: path.Base(f.Path), Number: f.NSA,
		})
	}
	return nil
}

// measureFiles notes what the files of a set take in the archive. If they were removed for their age, the set is marked so; of a
// file that is missing otherwise ledger check says so.
func (l *lostFinder) measureFiles(ctx context.Context, set *published.Set) error {
	missing := 0
	for _, f := range set.All() {
		size, err := l.Archive.Size(ctx, f.SHA256)
		if errors.Is(err, fs.ErrNotExist) {
			missing++
			continue
		}
		if err != nil {
			return err
		}
		f.Archived = size
	}
	if missing == 0 {
		return nil
	}
	removed, err := l.Archive.WasRemoved(ctx, path.Base(set.Manifest.Path))
	if err == nil && removed {
		today := ledger.DateOf(l.Wall(), time.UTC)
		set.RemovedOn, set.RetiredOn = today, today
	}
	return err
}

// readTitles reads the numbers of the set's slips from its table. The numbers of other titles are derived from their subjects.
func (l *lostFinder) readTitles(ctx context.Context, set *published.Set) (titles []published.TitleNumber, err error) {
	i := slices.IndexFunc(set.Files, func(f published.File) bool {
		return f.Kind == string(report.SlipsKind) && f.Format == string(report.CSV) && strings.HasPrefix(path.Base(f.Path), report.SlipsTable.ID+"_")
	})
	if i < 0 || set.RemovedOn != 0 {
		return nil, nil
	}
	local := filepath.Join(l.Staging, "lost-"+path.Base(set.Files[i].Path))
	err = l.Archive.Fetch(ctx, set.Files[i].SHA256, local)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // ledger check says so
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(local) }() // what stays goes with the staging folder
	in, err := os.Open(local)
	if err != nil {
		return nil, l.StagingFailed(err)
	}
	defer in.Close()
	if titles, err = parseTitles(in); err != nil {
		return nil, l.newArchiveError(fmt.Errorf("%s: %w", path.Base(set.Files[i].Path), err))
	}
	return titles, nil
}

// parseTitles reads the numbers of slips from a table of slips.
func parseTitles(in io.Reader) (titles []published.TitleNumber, err error) {
	rows := csv.NewReader(in)
	rows.ReuseRecord = true
	head, err := rows.Read()
	if err != nil {
		return nil, err
	}
	at := map[string]int{"account": -1, "slip_id": -1, "title_number": -1}
	for i, id := range head {
		if id = strings.TrimPrefix(id, "\ufeff"); at[id] < 0 {
			at[id] = i
		}
	}
	for id, i := range at {
		if i < 0 {
			return nil, words.NewFault("publish_fault.no_column", "", "column", id)
		}
	}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return titles, nil
		}
		if err != nil {
			return nil, err
		}
		number := strings.Clone(row[at["title_number"]])
		if number == "" {
			continue
		}
		account, err := strconv.ParseInt(row[at["account"]], 10, 64)
		if err != nil {
			return nil, err
		}
		a := ledger.Account(account)
		titles = append(titles, published.TitleNumber{Account: a, Subject: ledger.SlipSubject(a, row[at["slip_id"]]), Number: number})
	}
}
