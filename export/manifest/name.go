package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"concilia/export/report"
	"concilia/store/ledger"
)

// PartName names the files of a kind: its own name, then name-2, name-3.
func PartName(k report.Kind, part int) string {
	if part == 1 {
		return string(k)
	}
	return string(k) + "-" + strconv.Itoa(part)
}

// StemWithoutPart returns the stem without the number of a part: one file of a later revision replaces all parts.
func (n FileName) StemWithoutPart() string {
	if at := strings.LastIndexByte(n.Stem, '-'); at > 0 && n.Ext == report.EDI.Extension() {
		if _, err := strconv.Atoi(n.Stem[at+1:]); err == nil {
			return n.Stem[:at]
		}
	}
	return n.Stem
}

// WithoutPart returns a published name without the number of its part. Another name is returned unchanged.
func WithoutPart(name string) string {
	n, ok := ParseFileName(name)
	if !ok {
		return name
	}
	return n.StemWithoutPart() + name[len(n.Stem):]
}

// AllAccounts is the account of the sets over every account of a run.
const AllAccounts = "all"

// SetName is account_basis_from_to and, when there is a filter, _f and the first eight hex digits of its SHA-256.
func SetName(account string, basis report.Basis, p ledger.Period, filter string) string {
	name := fmt.Sprintf("%s_%s_%s_%s", account, basis, p.From.Compact(), p.To.Compact())
	if filter != "" {
		sum := sha256.Sum256([]byte(filter))
		name += "_f" + hex.EncodeToString(sum[:4])
	}
	return name
}

// Name is the name of a file of a set. what is a table's id, settlement for the workbook, or the kind of an EDI
// file, with -2 and so on from the second file of the kind; filter is its canonical text.
func Name(what, account string, basis report.Basis, p ledger.Period, filter string, revision int, ext string) string {
	return fmt.Sprintf("%s_%s_r%d.%s", what, SetName(account, basis, p, filter), revision, ext)
}

// ExtractPrefix begins what an extract's names have in place of a revision: _x and eight hex digits of the digest of its
// proof.
const ExtractPrefix = "_x"

// Dir returns the directory of a set's files below the target: account, year and month of the period's last day.
func Dir(account string, p ledger.Period) string {
	return path.Join(account, fmt.Sprintf("%04d", p.To.Year()), fmt.Sprintf("%02d", int(p.To.Month())))
}

// SetDir is Dir of a basis: sets of the movement have a directory of their own.
func SetDir(account string, basis report.Basis, p ledger.Period) string {
	if basis == report.ByMovement {
		return path.Join(account, Dir("movement", p))
	}
	return Dir(account, p)
}

// FileName is the parts of a published name.
type FileName struct {
	Stem     string // table, kind with its part, settlement or set
	Edition  string // the set with its revision or the digest of an extract: what the names of all its files share
	Revision int    // -1 for an extract
	Ext      string
}

var namePattern = regexp.MustCompile(
	`^([a-z]+(?:-[a-z]+)*(?:-[2-9]|-[1-9]\d+)?)_((?:\d+|all)_[a-z]+_\d{8}_\d{8}(?:_f[0-9a-f]{8})?_(?:r(\d+)|x[0-9a-f]{8}))\.([a-z.]+)$`)

// ParseFileName parses a name; ok is false if it is not the name of a file of a set.
func ParseFileName(name string) (n FileName, ok bool) {
	m := namePattern.FindStringSubmatch(name)
	if m == nil {
		return FileName{}, false
	}
	n = FileName{Stem: m[1], Edition: m[2], Revision: -1, Ext: m[4]}
	var err error
	if m[3] != "" {
		n.Revision, err = strconv.Atoi(m[3])
	}
	return n, err == nil
}
