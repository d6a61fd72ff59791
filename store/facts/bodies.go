package facts

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// storeBody keeps the body of an answer in the transaction of its pull, once for every pull that brought the same. One
// whose bytes were deleted for their age is kept again; one that a payer was forgotten in is not, or it would bring the
// payer back.
func storeBody(ctx context.Context, t *sqldb.Tx, p *ledger.Pull) error {
	b := p.Body
	if b == nil {
		return nil
	}
	if b.SHA256 != p.SHA256 || b.Packed == nil {
		return fmt.Errorf("the body of pull %s is not of its answer", p.ID)
	}
	return KeepBody(ctx, t, b, p.On)
}

// KeepBody keeps bytes that were brought on a business day, as storeBody does.
func KeepBody(ctx context.Context, t *sqldb.Tx, b *ledger.Body, day ledger.Date) error {
	needed, err := noteBody(ctx, t, b.SHA256, day)
	if err != nil || !needed {
		return err
	}
	return writeBody(ctx, t, b, 0, day)
}

// KeepFile keeps the bytes of a file that was brought on a day, as KeepBody does: what write writes, which is called where they are not
// kept yet. sha256 is that of the file, hex.
func KeepFile(ctx context.Context, t *sqldb.Tx, sha256 string, day ledger.Date, write func(io.Writer) error) error {
	needed, err := noteBody(ctx, t, sha256, day)
	if err != nil || !needed {
		return err
	}
	w := &bodyWriter{BodyPacker: ledger.NewBodyPacker(), sha256: sha256, writePart: func(part int64, packed []byte) error {
		return writePart(ctx, t, sha256, part, packed)
	}}
	if err := write(w); err != nil {
		return err
	}
	b, err := w.Pack(sha256)
	if err != nil {
		return err
	}
	return writeBody(ctx, t, b, w.parts, day)
}

// bodyWriter compresses what is written to it, and writes part by part to the ledger: little of a large file is in memory.
type bodyWriter struct {
	*ledger.BodyPacker
	sha256    string
	parts     int64 // that are written
	writePart func(part int64, packed []byte) error
}

// partSize is how many compressed bytes are written together at least.
const partSize = 1 << 20

// Write adds bytes as they are to be kept.
func (w *bodyWriter) Write(b []byte) (int, error) {
	n, err := w.BodyPacker.Write(b)
	if err != nil {
		return n, err
	}
	if packed := w.TakePacked(partSize); packed != nil {
		err = w.writePart(w.parts, packed)
		w.parts++
	}
	return n, err
}

// noteBody notes that a body was brought on a day, and reports whether its bytes are still to be kept.
func noteBody(ctx context.Context, t *sqldb.Tx, sha256 string, day ledger.Date) (needed bool, err error) {
	lastOn, needed, err := readBodyState(ctx, t, sha256)
	if err != nil || lastOn == 0 || lastOn >= day {
		return needed, err
	}
	// A day is noted once, so that windows with one body, all those with no rows, do not wait for each other. Until then its bytes may expire.
	if _, err := t.ExecContext(ctx, `
		UPDATE body
		SET last_on = $2
		WHERE sha256 = $1 AND last_on < $2`, sha256, int64(day)); err != nil {
		return false, err
	}
	_, needed, err = readBodyState(ctx, t, sha256)
	return needed, err
}

// readBodyState returns the last day that brought a body, 0 if none did, and whether its bytes are still to be kept.
func readBodyState(ctx context.Context, t *sqldb.Tx, sha256 string) (lastOn ledger.Date, needed bool, err error) {
	var there, forgotten bool
	err = t.QueryRowContext(ctx, `
		SELECT
			last_on,
			CASE WHEN EXISTS (SELECT 1 FROM body_bytes WHERE body_bytes.sha256 = body.sha256) THEN 1 ELSE 0 END,
			CASE WHEN forgotten IS NULL THEN 0 ELSE 1 END
		FROM body
		WHERE sha256 = $1`, sha256).Scan(&lastOn, sqldb.IntoBool(&there), sqldb.IntoBool(&forgotten))
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, false, err
	}
	return lastOn, !there && !forgotten, nil
}

// writeBody keeps a body, of whose bytes the part with this number is in it and those before are kept.
func writeBody(ctx context.Context, t *sqldb.Tx, b *ledger.Body, part int64, day ledger.Date) error {
	if _, err := t.ExecContext(ctx, `
		INSERT INTO body (
			sha256,
			kept_sha256,
			size,
			first_on,
			last_on)
		VALUES ($1, $2, $3, $4, $4)
		ON CONFLICT (sha256) DO UPDATE
		SET
			kept_sha256 = excluded.kept_sha256,
			expired_on = NULL`, b.SHA256, b.Kept, b.Size, int64(day)); err != nil {
		return err
	}
	return writePart(ctx, t, b.SHA256, part, b.Packed)
}

func writePart(ctx context.Context, t *sqldb.Tx, sha256 string, part int64, packed []byte) error {
	_, err := t.ExecContext(ctx, `
		INSERT INTO body_bytes (
			sha256,
			part,
			packed)
		VALUES ($1, $2, $3)
		ON CONFLICT (sha256, part) DO NOTHING`, sha256, part, packed)
	return err
}

// Body returns what is kept of the body that arrived with this SHA-256, or ErrNotFound. Packed is nil if the bytes were
// deleted.
func (l *PullStore) Body(ctx context.Context, sha256 string) (*ledger.Body, error) {
	b, err := ReadBody(ctx, l.db.Read, sha256)
	return b, l.db.WrapError("read body "+sha256, err)
}

// ReadBody reads what is kept of a body by the SHA-256 that it came with. Without it the error is sql.ErrNoRows.
func ReadBody(ctx context.Context, q sqldb.Querier, sha256 string) (*ledger.Body, error) {
	b := &ledger.Body{SHA256: sha256}
	err := q.QueryRowContext(ctx, `
		SELECT
			kept_sha256,
			size,
			first_on,
			last_on,
			expired_on,
			forgotten
		FROM body
		WHERE sha256 = $1`, sha256).Scan(&b.Kept, &b.Size, &b.FirstOn, &b.LastOn, sqldb.IntoDate(&b.ExpiredOn), sqldb.IntoTime(&b.Forgotten))
	if err != nil {
		return b, err
	}
	err = sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var packed []byte
		err := rows.Scan(&packed)
		b.Packed = append(b.Packed, packed...)
		return err
	}, `
		SELECT packed
		FROM body_bytes
		WHERE sha256 = $1
		ORDER BY part`, sha256)
	return b, err
}

// FindPulls returns the pull with that id, of any account, or none.
func (l *PullStore) FindPulls(ctx context.Context, id string) ([]ledger.Pull, error) {
	var out []ledger.Pull
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		p, err := ScanPull(rows)
		out = append(out, p)
		return err
	}, SelectPull+`
		WHERE id = $1
		ORDER BY account`, id)
	return out, l.db.WrapError("read pull "+id, err)
}

// ExpireBodies deletes the bytes of bodies that no pull has brought since a business day and returns their number. Their
// hashes stay. on is the date of the deletion.
func (l *PullStore) ExpireBodies(ctx context.Context, since, on ledger.Date) (n int64, err error) {
	err = l.db.Transact(ctx, "delete bodies past their time", func(t *sqldb.Tx) error {
		// A merge that brings one of them again is before this, and keeps it, or behind it, and keeps it again.
		if _, err := t.ExecContext(ctx, `
			UPDATE body
			SET expired_on = $2
			WHERE last_on < $1 AND expired_on IS NULL`, int64(since), int64(on)); err != nil {
			return err
		}
		if _, err := t.ExecContext(ctx, `
			DELETE FROM body_bytes
			WHERE part > 0 AND sha256 IN (SELECT sha256 FROM body WHERE expired_on IS NOT NULL)`); err != nil {
			return err
		}
		gone, err := t.ExecContext(ctx, `
			DELETE FROM body_bytes
			WHERE sha256 IN (SELECT sha256 FROM body WHERE expired_on IS NOT NULL)`)
		if err != nil {
			return err
		}
		n, err = gone.RowsAffected()
		return err
	})
	return n, err
}

// SlipBodies returns, in order, the SHA-256 as received of every body of slips whose bytes are kept.
func (l *PullStore) SlipBodies(ctx context.Context) ([]string, error) {
	var out []string
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var sum string
		err := rows.Scan(&sum)
		out = append(out, sum)
		return err
	}, `
		SELECT sha256
		FROM body_bytes
		WHERE part = 0 AND sha256 IN (SELECT sha256 FROM pull WHERE source <> $1)
		ORDER BY sha256`, string(ledger.Cards))
	return out, l.db.WrapError("list the bodies of slips", err)
}
