package export

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Again is a revision that was proven before and is wanted once more, byte for byte (reports D.0, Sets). What differs
// from it is refused before anything is published.
type Again struct {
	Revision   int
	Supersedes *int
	Why        []string
	Digest     string            // of its content
	Files      map[string]string // SHA-256 of its files, by their names
}

// AgainError says that a revision does not come out as it was. Kept is the SHA-256 of what was published: whoever has a
// file with it has the original.
type AgainError struct {
	File, Kept, Now string
	Why             string // in place of Now, when nothing could be rendered
}

func (e *AgainError) Error() string {
	if e.Why != "" {
		return fmt.Sprintf("%s cannot be rendered again: %s; the file that was published has SHA-256 %s", e.File, e.Why, e.Kept)
	}
	return fmt.Sprintf("%s would come out with SHA-256 %s: this program renders otherwise, or the ledger was changed; "+
		"the file that was published has SHA-256 %s", e.File, e.Now, e.Kept)
}

// settle says whether nothing is to be written: all that is asked for stands, or is found on the target.
func (r *rendering) settle(ctx context.Context) (bool, error) {
	again := r.job.Again
	if r.job.Extract {
		r.job.Standing = nil
		r.decide()
		r.result.Why = nil
		return false, nil
	}
	if again == nil {
		if r.decide() {
			return true, nil
		}
		return r.adopt(ctx)
	}
	r.job.Standing = nil
	r.decide()
	res := &r.result
	res.Revision, res.Supersedes, res.Why = again.Revision, again.Supersedes, again.Why
	if res.Digest != again.Digest {
		return false, again.refuse(fmt.Sprintf("the content of the set is %.16s now and was %.16s", res.Digest, again.Digest))
	}
	return false, nil
}

// refuse says why a revision cannot be rendered again, by the name and the hash of its first file.
func (a *Again) refuse(why string) error {
	e := &AgainError{File: fmt.Sprintf("revision %d", a.Revision), Kept: "nowhere", Why: why}
	for _, name := range slices.Sorted(maps.Keys(a.Files)) {
		e.File, e.Kept = name, a.Files[name]
		break
	}
	return e
}

// same holds every file of a revision that is wanted again against the one that was published.
func (r *rendering) same(context.Context) error {
	again := r.job.Again
	if again == nil {
		return nil
	}
	rest := maps.Clone(again.Files)
	for _, f := range r.staged {
		if kept := rest[f.file.Path]; kept != f.file.SHA256 {
			return &AgainError{File: f.file.Path, Kept: kept, Now: f.file.SHA256}
		}
		delete(rest, f.file.Path)
	}
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		return &AgainError{File: name, Kept: rest[name], Why: "nothing makes it any more"}
	}
	return nil
}

// Recipe is what a revision was rendered from, besides the rows, sums and lines that the ledger answers as of its run
// for ever: what was asked for, the account block and the language of then, and the facts of control.
type Recipe struct {
	Job        Job
	Supersedes *int
	Why        []string
	Titles     int64 // how far titles were numbered; whoever hands out numbers knows what it counts
}

// RecipeOf is the recipe of a revision that was rendered. The contract's lines, the lines of the bridge and the
// tallies of the rules are not in it: the ledger keeps them by run and by hash.
func RecipeOf(job Job, res Result, titles int64) ([]byte, error) {
	job.Agreed, job.Standing, job.Again = nil, nil, nil
	job.Facts.Bridge, job.Facts.Tallies = nil, nil
	return json.Marshal(Recipe{
		Job: job, Supersedes: res.Supersedes, Why: res.Why, Titles: titles,
	})
}

// ReadRecipe reads what RecipeOf made. A member that this program does not know is refused: it would be left out.
func ReadRecipe(text []byte) (*Recipe, error) {
	var r Recipe
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return nil, fmt.Errorf("recipe: %w", err)
	}
	return &r, nil
}
