package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"path"
	"strings"

	"concilia/export/words"
)

// ArchiveReport is what Verify found in an archive.
type ArchiveReport struct {
	Files     int // read and hashed
	Manifests int // whose files were looked for
	Faults    []words.Message
	More      int // faults beyond those that are named
}

// archiveFaultLimit is how many faults are named.
const archiveFaultLimit = 200

func (r *ArchiveReport) addFault(text string, values ...any) {
	if len(r.Faults) == archiveFaultLimit {
		r.More++
		return
	}
	r.Faults = append(r.Faults, words.NewMessage(text, values...))
}

// Verify reads the whole archive again: every file has to have the bytes that its name says, and every manifest has to be
// kept by its hash, with all files that it lists but those that were removed for their age. The error is for an archive that
// can't be read, or has no identity.
func (a *Archive) Verify(ctx context.Context) (*ArchiveReport, error) {
	if _, err := a.Identity(ctx); err != nil {
		return nil, a.wrapFailure(err)
	}
	r := &ArchiveReport{}
	kept := map[string]bool{}
	err := a.target.List(ctx, "", func(e Entry) error {
		m := packedPattern.FindStringSubmatch(e.Name)
		switch {
		case e.Name == identityName, path.Dir(e.Name) == manifestFolder:
		case m == nil || !strings.HasPrefix(m[2], m[1]):
			r.addFault("verify_fault.no_file_of_an_archive", "name", e.Name)
		default:
			kept[m[2]] = true
		}
		return nil
	})
	if err != nil {
		return nil, a.wrapFailure(err)
	}
	for sum := range kept {
		r.Files++
		err := a.compareWithHash(ctx, sum)
		if errors.Is(err, ErrDamaged) {
			r.addFault("verify_fault.its_bytes_are_not_those", "name", packedName(sum))
		} else if err != nil {
			return nil, err
		}
	}
	removed, err := a.loadRemovedFiles(ctx)
	if err != nil {
		return nil, err
	}
	return r, a.Manifests(ctx, func(name string, body []byte) error {
		r.Manifests++
		sum := sha256.Sum256(body)
		gone := removed[name]
		if hash := hex.EncodeToString(sum[:]); !kept[hash] && !gone[hash] {
			r.addFault("verify_fault.it_is_not_kept_by", "name", name, "hash", hash)
		}
		files, err := listedFiles(body)
		if err != nil {
			r.addFault("verify_fault.no_manifest", "name", name, "cause", err)
		}
		for _, f := range files {
			if !kept[f.SHA256] && !gone[f.SHA256] {
				r.addFault("verify_fault.lists_and_the_file_with", "name", name, "path", f.Path, "sum", f.SHA256)
			}
		}
		return nil
	})
}

// listedFiles are the files that a manifest lists.
func listedFiles(manifest []byte) ([]struct{ Path, SHA256 string }, error) {
	var m struct {
		Files []struct{ Path, SHA256 string }
	}
	err := json.Unmarshal(manifest, &m)
	return m.Files, err
}

// removedExt ends the name of the list of a manifest's files that were removed for their age.
const removedExt = ".removed"

// loadRemovedFiles reads which files of which manifest were removed, by the manifest's name and the hash.
func (a *Archive) loadRemovedFiles(ctx context.Context) (map[string]map[string]bool, error) {
	out := map[string]map[string]bool{}
	err := a.eachOfSets(ctx, removedExt, func(name string, body []byte) error {
		of := strings.TrimSuffix(name, removedExt)
		out[of] = map[string]bool{}
		for line := range strings.Lines(string(body)) {
			out[of][strings.TrimSpace(line)] = true
		}
		return nil
	})
	return out, err
}
