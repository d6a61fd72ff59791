package jobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"

	"concilia/export"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// numbersThen gives the numbers that a revision was given, and no other.
type numbersThen struct {
	ledger  *store.Ledger
	account ledger.Account
	titles  int64 // how far they were numbered
	files   []reports.File
}

// ReserveEDI and TitleNumbers make it an export.Numbers that reserves nothing.
func (n *numbersThen) ReserveEDI(
	ctx context.Context, file string, subjects []string, _ map[string]string,
) (int, map[string]string, error) {
	i := slices.IndexFunc(n.files, func(f reports.File) bool { return path.Base(f.Path) == file })
	if i < 0 {
		return 0, nil, &export.AgainError{File: file, Kept: "nowhere", Why: "it was not published"}
	}
	numbers, err := n.TitleNumbers(ctx, subjects)
	return n.files[i].NSA, numbers, err
}

func (n *numbersThen) TitleNumbers(ctx context.Context, subjects []string) (map[string]string, error) {
	return n.ledger.TitleNumbersUpTo(ctx, n.account, subjects, n.titles)
}

// keepRecipe keeps what a revision was rendered from, and returns its hash.
func (w *Worker) keepRecipe(ctx context.Context, job export.Job, r export.Result, set setRequest) (string, error) {
	var titles int64
	if !set.together() {
		var err error
		if titles, err = w.Ledger.TitlesNumbered(ctx, set.accounts[0].Number); err != nil {
			return "", err
		}
	}
	text, err := export.RecipeOf(job, r, titles)
	if err != nil {
		return "", fmt.Errorf("recipe of %s: %w", r.Set, err)
	}
	sum := sha256.Sum256(text)
	hash := hex.EncodeToString(sum[:])
	return hash, w.Ledger.StoreDocument(ctx, "recipe", hash, text)
}
