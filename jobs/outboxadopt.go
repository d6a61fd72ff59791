package jobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"concilia/export"
	"concilia/store/reports"
)

// otherSetError says that a finished set stands under the number of one that waits, with other content.
type otherSetError struct {
	manifest string // where it is listed, as people see it
	what     string // it is
}

func (e *otherSetError) Error() string {
	return fmt.Sprintf("%s is of a finished set that the ledger does not know: %s; move that manifest, its .done file and the "+
		"files it lists away, and the next run publishes the set that waits", e.manifest, e.what)
}

// adoptDone takes the finished set that stands under the number of one that waits for that one, when both have the same
// content: a night was killed before its ledger knew what it had published, and the night after could not see it. Only
// control and manifest, which name their run, may differ; what the ledger remembers of the files is then what stands. A
// set of other content stays, and is an otherSetError.
func (w *Worker) adoptDone(ctx context.Context, d *delivery, kept *reports.Set, done []byte) error {
	name := ownFile(kept, "manifest.json")
	other := func(format string, args ...any) error {
		return &otherSetError{under(w.Reports.Out, name), fmt.Sprintf(format, args...)}
	}
	var body []byte
	err := d.try(ctx, func() (err error) {
		body, err = w.Target.Read(ctx, name)
		return err
	})
	if err != nil {
		return fmt.Errorf("a set of this number stands at the target: %w", err)
	}
	sum := sha256.Sum256(body)
	if !strings.HasPrefix(string(done), hex.EncodeToString(sum[:])+" ") {
		return other("it was changed after it was done")
	}
	var m export.Manifest
	if err := json.Unmarshal(body, &m); err != nil {
		return other("it is no manifest: %v", err)
	}
	if m.ContentDigest != kept.Digest {
		return other("run %s published it as of %s with content %.16s, and what waits has %.16s", m.Run, m.AsOf, m.ContentDigest, kept.Digest)
	}
	there := map[string]reports.File{}
	adopted := *kept
	adopted.Files = nil
	for _, f := range m.Files {
		file := fileOf(path.Dir(name), kept.Revision, f)
		there[file.Path] = file
		adopted.Files = append(adopted.Files, file)
	}
	for _, f := range kept.Files {
		if _, ok := there[f.Path]; !ok {
			return other("run %s published it as of %s without %s as it waits", m.Run, m.AsOf, path.Base(f.Path))
		}
	}
	*kept = adopted
	return nil
}

// finished reads the mark of the set that stands under the number of one that waits; fs.ErrNotExist says that there is
// none.
func (w *Worker) finished(ctx context.Context, d *delivery, kept *reports.Set) (done []byte, err error) {
	err = d.try(ctx, func() error {
		done, err = w.Target.Read(ctx, markOf(kept))
		return err
	})
	return done, err
}
