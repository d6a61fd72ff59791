package results

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"concilia/store/sqldb"
	"concilia/store/totals"
)

// digest identifies what one reconcile did to a table: the rows that it made and the keys whose current row it ended. It is a sum
// of hashes, so that the order in which they came does not matter, and one can be taken back.
type digest [2]uint64

const (
	rowMade  = '+'
	rowEnded = '-'
)

// add adds a row that was made, with its key and what it says, or the key of one that ended.
func (d *digest) add(what byte, row encodedRow) {
	n := hashOfRow(what, row)
	d[0] += n[0]
	d[1] += n[1]
}

// subtract takes back what was added.
func (d *digest) subtract(what byte, row encodedRow) {
	n := hashOfRow(what, row)
	d[0] -= n[0]
	d[1] -= n[1]
}

func hashOfRow(what byte, row encodedRow) digest {
	var room [256]byte // most rows fit
	sum := sha256.Sum256(append(append(room[:0], what), row...))
	return digest{binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:])}
}

// text is the digest in hex; empty when nothing was added.
func (d digest) text() string {
	if d == (digest{}) {
		return ""
	}
	return hex.EncodeToString(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, d[0]), d[1]))
}

// digests are those of the tables that a reconcile wrote to, by name.
type digests map[string]*digest

func (all digests) of(table string) *digest {
	if all[table] == nil {
		all[table] = &digest{}
	}
	return all[table]
}

// encode is a JSON object of the tables that anything happened to.
func (all digests) encode() (string, error) {
	texts := make(map[string]string, len(all))
	for table, d := range all {
		if text := d.text(); text != "" {
			texts[table] = text
		}
	}
	return sqldb.MarshalText(texts)
}

// addKey adds the parts of a key, each int64 or string.
func (r *encodedRow) addKey(key []any) {
	for _, part := range key {
		switch part := part.(type) {
		case int64:
			r.Int(part)
		case string:
			r.Text(part)
		}
	}
}

// encodedKey is a key alone.
func encodedKey(key []any) (row encodedRow) {
	row.addKey(key)
	return row
}

// encodedAggregate is the key and the sums of a row.
func encodedAggregate(r *totals.Row) encodedRow {
	row := encodedKey(r.Key)
	for _, v := range r.Values {
		row.Int(v)
	}
	return row
}
