package export

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"strconv"

	"concilia/export/report"
	"concilia/store/ledger"
)

// AllAccounts is the account of the sets over every account of a run.
const AllAccounts = "all"

// setName is account_basis_from_to and, when there is a filter, _f and the first eight hex digits of its SHA-256.
func setName(account string, basis report.Basis, p ledger.Period, filter string) string {
	name := fmt.Sprintf("%s_%s_%s_%s", account, basis, p.From.Compact(), p.To.Compact())
	if filter != "" {
		sum := sha256.Sum256([]byte(filter))
		name += "_f" + hex.EncodeToString(sum[:4])
	}
	return name
}

// SetName is what the names of a set's files have in common; filter is the canonical spelling.
func SetName(account string, basis report.Basis, p ledger.Period, filter string) string {
	return setName(account, basis, p, filter)
}

// Name is the name of a file of a set. what is a table's id, settlement for the workbook, or the kind of an EDI
// file, -2 and so on behind it from the second file of the kind; filter is the canonical spelling.
func Name(what, account string, basis report.Basis, p ledger.Period, filter string, revision int, ext string) string {
	return fmt.Sprintf("%s_%s_r%d.%s", what, setName(account, basis, p, filter), revision, ext)
}

// extractPrefix begins what an extract's names have in place of a revision: _x and eight hex digits of the digest of its
// proof.
const extractPrefix = "_x"

// editionPattern stands in a page for the revision, or the digest of an extract, that enters no page.
func (j *Job) editionPattern() string {
	if j.Extract {
		return extractPrefix + "*"
	}
	return "_r*"
}

// Dir is where the files of a set stand below the target: account, year and month of the period's last day.
func Dir(account string, p ledger.Period) string {
	return path.Join(account, fmt.Sprintf("%04d", p.To.Year()), fmt.Sprintf("%02d", int(p.To.Month())))
}

// fileName is a published name taken apart.
type fileName struct {
	stem     string // table, kind with its part, settlement or set
	edition  string // the set with its revision or the digest of an extract: what the names of all its files share
	revision int    // -1 for an extract
	ext      string
}

var namePattern = regexp.MustCompile(
	`^([a-z]+(?:-[a-z]+)*(?:-[2-9]|-[1-9]\d+)?)_((?:\d+|all)_[a-z]+_\d{8}_\d{8}(?:_f[0-9a-f]{8})?_(?:r(\d+)|x[0-9a-f]{8}))\.([a-z.]+)$`)

// parseFileName says whether a name is one that a set gives its files.
func parseFileName(name string) (fileName, bool) {
	m := namePattern.FindStringSubmatch(name)
	if m == nil {
		return fileName{}, false
	}
	n := fileName{stem: m[1], edition: m[2], revision: -1, ext: m[4]}
	var err error
	if m[3] != "" {
		n.revision, err = strconv.Atoi(m[3])
	}
	return n, err == nil
}
