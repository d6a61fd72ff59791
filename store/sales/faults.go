package sales

import (
	"context"
	"database/sql"
	"slices"

	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sqldb"
)

// writeFaults keeps which rows of the file are not taken in and which words are not declared, as far as they are reported.
func (m *merge) writeFaults(ctx context.Context) error {
	var all []ownsales.FileFault
	for _, f := range m.survey.faults {
		all = append(all, ownsales.FileFault{Where: f.Where, Said: f.Reason})
	}
	for _, u := range m.survey.unmapped {
		all = append(all, ownsales.FileFault{Member: u.Member, Said: u.Value})
	}
	return m.ExecBatch(ctx, `
		INSERT INTO own_fault (account, store, file, member, place, said)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT DO NOTHING`, len(all), func(i int) []any {
		return []any{int64(m.at.Home), m.at.ID, m.in.Hash[:], all[i].Member, all[i].Where, all[i].Said}
	})
}

// OwnFaults returns what of the files of a shop is not known, in the order the files were made. A file made later puts an end to what it
// replaces: it has the same name, or it has all days that the other one has.
func (s *SaleStore) OwnFaults(ctx context.Context, at Shop) (all []ownsales.FileFault, err error) {
	byFile := map[ledger.FileHash][]ownsales.FileFault{}
	err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var f ownsales.FileFault
		var hash []byte
		err := rows.Scan(&hash, &f.Member, &f.Where, &f.Said)
		file := ledger.FileHash(hash)
		byFile[file] = append(byFile[file], f)
		return err
	}, `
		SELECT
			file,
			member,
			place,
			said
		FROM own_fault
		WHERE account = $1 AND store = $2
		ORDER BY file, member, place, said`, int64(at.Home), at.ID)
	if err != nil || len(byFile) == 0 {
		return nil, s.db.WrapError("read the faults of store "+at.ID, err)
	}
	files, err := readFiles(ctx, s.db.Read, at)
	for i := range files {
		f := &files[i]
		if slices.ContainsFunc(files[i+1:], f.isToldAnewBy) {
			continue
		}
		for _, fault := range byFile[f.Hash] {
			fault.File = f.Name
			all = append(all, fault)
		}
	}
	return all, s.db.WrapError("read the faults of store "+at.ID, err)
}

// isToldAnewBy reports whether a file made later is the same export again, or has all its days.
func (f *File) isToldAnewBy(later File) bool {
	return later.Name == f.Name || f.Whole.From != 0 && later.Whole.Contains(f.Whole.From) && later.Whole.Contains(f.Whole.To)
}
