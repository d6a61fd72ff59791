package published

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"path"
	"time"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Lost is what a ledger that was restored from a backup lacks of what it published after it.
type Lost struct {
	Sets   []*Set // in the order of their publication, with the manifest's hash
	Files  []FileNumber
	Titles []TitleNumber
}

// FileNumber is the number (NSA) that a published EDI file has.
type FileNumber struct {
	Account   ledger.Account
	Agreement string
	File      string // its name
	Number    int
}

// TitleNumber is the number that a title has in the EDI files of its account.
type TitleNumber struct {
	Account ledger.Account
	Subject string
	Number  string
}

// KnownManifests returns the SHA-256 of the manifest of every revision, by its file name.
func (l *SetReader) KnownManifests(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var text string
		var manifest File
		err := rows.Scan(&text)
		if err == nil {
			err = json.Unmarshal([]byte(text), &manifest)
		}
		out[path.Base(manifest.Path)] = manifest.SHA256
		return err
	}, `
		SELECT manifest
		FROM report`)
	return out, l.db.WrapError("read which manifests are known", err)
}

// TakeBack records what was lost, in one transaction: revisions as delivered to the place, numbers of files and of titles. What is
// there already stays as it is, so that it may be called again, and by two processes at once. Afterwards no number of a
// publication, a file or a title that was given before is given again.
func (l *Store) TakeBack(ctx context.Context, lost *Lost, place string, at time.Time) error {
	return l.db.Transact(ctx, "take back what the archive has and the ledger lost", func(t *sqldb.Tx) error {
		if err := t.DB.Dialect.Lock(ctx, t.Tx, "archive"); err != nil {
			return err
		}
		for _, s := range lost.Sets {
			if err := takeBackSet(ctx, t, s, place, at); err != nil {
				return err
			}
		}
		for _, f := range lost.Files {
			_, err := t.ExecContext(ctx, `
				INSERT INTO nsa (
					account,
					agreement,
					number,
					file)
				VALUES ($1, $2, $3, $4)
				ON CONFLICT DO NOTHING`, int64(f.Account), f.Agreement, f.Number, f.File)
			if err != nil {
				return err
			}
		}
		for _, n := range lost.Titles {
			if err := takeBackTitle(ctx, t, &n); err != nil {
				return err
			}
		}
		return nil
	})
}

func takeBackSet(ctx context.Context, t *sqldb.Tx, s *Set, place string, at time.Time) error {
	var there int
	err := t.QueryRowContext(ctx, `
		SELECT COUNT(*)
		FROM report
		WHERE account = $1 AND basis = $2 AND from_day = $3 AND to_day = $4 AND filter = $5 AND revision = $6`,
		s.Account, s.Basis, int64(s.Period.From), int64(s.Period.To), s.Filter, int64(s.Revision)).Scan(&there)
	if err != nil || there > 0 {
		return err
	}
	number, err := insertSet(ctx, t, s, at)
	if err != nil {
		return err
	}
	return addDelivery(ctx, t, s, place, number, at.UnixMicro())
}

func takeBackTitle(ctx context.Context, t *sqldb.Tx, n *TitleNumber) error {
	tail, ok := tailOf(n.Number)
	if !ok {
		return errors.New("the number of title " + n.Subject + " is none: " + n.Number)
	}
	// Its tail may have been given to another title since: then the two can't be distinguished, and this one gets another.
	_, err := t.ExecContext(ctx, `
		INSERT INTO title_number (
			account,
			subject,
			number,
			tail,
			sequence)
		SELECT
			CAST($1 AS BIGINT),
			$2,
			$3,
			CAST($4 AS BIGINT),
			COALESCE(MAX(sequence), 0) + 1
		FROM title_number
		WHERE account = $1
		ON CONFLICT DO NOTHING`, int64(n.Account), n.Subject, n.Number, tail)
	return err
}
