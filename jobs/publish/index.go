package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"concilia/export"
	"concilia/export/index"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/published"
)

// Indexer replaces the pages that lead to the files of a target, of all accounts and of each, where they have changed.
type Indexer struct {
	*Publisher
	Language table.Language
	Names    map[string]string // of all configured accounts, by number
	Lacked   bool              // the target has less than was delivered: each set is looked for

	present map[string][]byte // the indexes that the target has, by account
}

// WriteIndexes makes the pages from what the ledger knows was delivered to the target.
func (x *Indexer) WriteIndexes(ctx context.Context) error {
	x.present = map[string][]byte{}
	indexes, err := x.collectPages(ctx)
	if err != nil || len(indexes) == 0 {
		return err
	}
	writer := x.NewWriter()
	staging, release, err := writer.Stage(ctx)
	if err != nil {
		return err
	}
	defer release()
	for i := range indexes {
		var page bytes.Buffer
		if err := index.WritePage(&page, &indexes[i]); err != nil {
			return err
		}
		account := indexes[i].Account
		there, err := x.readStanding(ctx, account)
		if err != nil {
			return err
		}
		if bytes.Equal(there, page.Bytes()) {
			continue
		}
		local := filepath.Join(staging, "index.html")
		if err := os.WriteFile(local, page.Bytes(), 0o600); err != nil {
			return err
		}
		if err := writer.Replace(ctx, index.FileName(account), local); err != nil {
			return err
		}
	}
	return nil
}

// readStanding is the index that the target has of an account; nothing if it has none.
func (x *Indexer) readStanding(ctx context.Context, account string) ([]byte, error) {
	if there, read := x.present[account]; read {
		return there, nil
	}
	there, err := x.NewWriter().Read(ctx, index.FileName(account))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	x.present[account] = there
	return there, nil
}

// collectPages returns the index of all accounts and that of each which has files at the place; none where there are none.
func (x *Indexer) collectPages(ctx context.Context) ([]index.Page, error) {
	delivered, err := x.Ledger.DeliveredSets(ctx, x.Place)
	if err != nil || len(delivered) == 0 {
		return nil, err
	}
	closes, err := x.Ledger.PeriodCloses(ctx, caselog.PeriodFilter{InForce: true})
	if err != nil {
		return nil, err
	}
	all := index.Page{Language: x.Language, Names: x.Names}
	states := map[string]*published.Set{} // the latest of each account
	for _, revisions := range groupRevisions(delivered) {
		last := revisions[0]
		set := index.Set{
			Account: last.Account, Basis: report.Basis(last.Basis), Period: last.Period, Filter: last.Filter, Closed: ClosedAt(closes, last),
			Manifest: last.Manifest.Path, Revision: last.Revision,
		}
		index, err := x.readStanding(ctx, last.Account)
		if err != nil {
			return nil, err
		}
		// An emptied target, or one that was not mounted, has less than was delivered.
		if (x.Lacked || !set.Stands(index)) && !x.Has(ctx, last) {
			continue
		}
		for _, f := range CurrentFiles(revisions) {
			if f.RetiredOn == 0 {
				set.Files = append(set.Files, f.Path)
			}
		}
		all.Sets = append(all.Sets, set)
		if was := states[last.Account]; last.Basis == string(report.ByAsOf) && (was == nil || was.Period.To < last.Period.To) {
			states[last.Account] = last
		}
	}
	if len(all.Sets) == 0 {
		return nil, nil
	}
	return x.addFigures(ctx, all, states)
}

// groupRevisions puts the revisions of each set together, the last one first; sets are in order of publication, as are those given.
func groupRevisions(all []*published.Set) (groups [][]*published.Set) {
	type key struct {
		account, basis, filter string
		period                 ledger.Period
		revision               int // of the movement, where none replaces another
	}
	at := map[key]int{}
	for _, s := range all {
		k := key{account: s.Account, basis: s.Basis, filter: s.Filter, period: s.Period}
		if s.Basis == string(report.ByMovement) {
			k.revision = s.Revision
		}
		i, known := at[k]
		if !known {
			i, groups = len(groups), append(groups, nil)
			at[k] = i
		}
		groups[i] = append([]*published.Set{s}, groups[i]...)
	}
	return groups
}

// addFigures makes the indexes of the accounts from that of all, each with the figures of its latest state.
func (x *Indexer) addFigures(ctx context.Context, all index.Page, states map[string]*published.Set) ([]index.Page, error) {
	all.Verdicts = make(map[string]ledger.Verdict)
	out := []index.Page{all}
	seen := map[string]bool{}
	for i := range all.Sets {
		name := all.Sets[i].Account
		if seen[name] {
			continue
		}
		seen[name] = true
		one := all
		one.Account = name
		if state := states[name]; state != nil && name != manifest.AllAccounts {
			number, err := strconv.ParseInt(name, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("account %q: %w", name, err)
			}
			verdict := ledger.Verdict(state.Tables[export.FingerprintVerdict])
			all.Verdicts[name], all.Verdicts[manifest.AllAccounts] = verdict, all.Verdicts[manifest.AllAccounts].Worse(verdict)
			one.AsOf = state.AsOf
			if one.Figures, err = x.Ledger.Figures(ctx, []ledger.Account{ledger.Account(number)}, state.Run); err != nil {
				return nil, err
			}
			out[0].AsOf = max(out[0].AsOf, one.AsOf)
			if err := out[0].Figures.AddAll(one.Figures); err != nil {
				return nil, err
			}
		}
		out = append(out, one)
	}
	for i := range out {
		if out[i].Account == manifest.AllAccounts {
			out[i].AsOf, out[i].Figures = out[0].AsOf, out[0].Figures
		}
	}
	return out, nil
}
