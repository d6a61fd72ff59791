package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"concilia/export/publish"
	"concilia/export/report"
	"concilia/store/ledger"
)

// Manifest lists the files of one revision of a set, or of an extract. It is written after them, and the done marker after it.
type Manifest struct {
	Set           string            `json:"set"` // of an extract with its digest: nothing else has the same files
	Account       string            `json:"account"`
	Basis         report.Basis      `json:"basis"`
	From          ledger.Date       `json:"from"`
	To            ledger.Date       `json:"to"`
	Filter        string            `json:"filter"`
	Extract       bool              `json:"extract,omitempty"`
	Revision      *int              `json:"revision"`   // null: an extract has none
	Supersedes    *int              `json:"supersedes"` // null: nothing
	Why           []string          `json:"why"`
	Run           string            `json:"run"`
	AsOf          ledger.Date       `json:"as_of"`
	ContentDigest string            `json:"content_digest"`
	Withheld      []string          `json:"withheld"`
	Documents     map[string]string `json:"documents"`
	// Chain is a set's place among those of the movement; nil: it is not one of them.
	Chain *Chain `json:"chain,omitempty"`
	Files []File `json:"files"`
}

// settlementLayout is the layout_version of workbooks and pages, as Table.Layout is that of a table's files.
const settlementLayout = 1

// File is one published file.
type File struct {
	Path          string            `json:"path"` // its name, in the directory of the manifest
	Kind          report.Kind       `json:"kind"`
	Format        report.Format     `json:"format"`
	LayoutVersion int               `json:"layout_version"`
	SHA256        string            `json:"sha256"`
	Bytes         int64             `json:"bytes"`
	Rows          int64             `json:"rows"`
	Sums          map[string]string `json:"sums"`
	NSA           *int              `json:"nsa"` // of EDI files only
}

// Period is the set's period.
func (m *Manifest) Period() ledger.Period { return ledger.Period{From: m.From, To: m.To} }

// formatEdition returns the part that the names of all files of the set share.
func (m *Manifest) formatEdition() string {
	if m.Revision == nil {
		return m.Set
	}
	return m.Set + "_r" + strconv.Itoa(*m.Revision)
}

// fileName is the name of one of its files: Name says what the parts are.
func (m *Manifest) fileName(what, ext string) string {
	return what + "_" + m.formatEdition() + "." + ext
}

// manifestName returns the file name of the manifest itself.
func (m *Manifest) manifestName() string { return m.fileName("set", "manifest.json") }

func (m *Manifest) doneName() string { return m.fileName("set", "done") }

// encodeJSON returns the bytes of the manifest file.
func (m *Manifest) encodeJSON() ([]byte, error) {
	b, err := json.MarshalIndent(m, "", " ")
	return append(b, '\n'), err
}

// DoneText returns the content of the done marker, the last file of a set: the manifest's SHA-256 and its name, so that Verify
// finds a manifest that was changed afterwards.
func DoneText(sha256 string, manifest string) string {
	return fmt.Sprintf("%s  %s\n", sha256, filepath.Base(manifest))
}

// maxManifest bounds what is read as a manifest.
const maxManifest = 16 << 20

// readManifest reads a manifest and its SHA-256.
func readManifest(ctx context.Context, path string) (*Manifest, string, error) {
	body, err := readSmallFile(ctx, path, maxManifest)
	if err != nil {
		return nil, "", err
	}
	return ParseManifest(path, body)
}

// readSmallFile reads a file of a share whole, if it is no larger than limit.
func readSmallFile(ctx context.Context, path string, limit int64) (body []byte, err error) {
	err = publish.ReadRegular(ctx, path, limit, func(in io.Reader) (err error) {
		body, err = io.ReadAll(in)
		return err
	})
	return body, err
}

// ParseManifest reads the bytes of a manifest, checks that its file name agrees with its content, and returns their SHA-256.
func ParseManifest(path string, body []byte) (*Manifest, string, error) {
	hash := sha256.Sum256(body)
	var m Manifest
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return nil, "", fmt.Errorf("not a manifest: %w", err)
	}
	want := setName(m.Account, m.Basis, m.Period(), m.Filter)
	switch {
	case m.Extract != (m.Revision == nil):
		return nil, "", errors.New("has to be a revision or an extract, and not both")
	case m.Extract && !strings.HasPrefix(m.Set, want+extractPrefix), !m.Extract && m.Set != want:
		return nil, "", fmt.Errorf("says it is of set %s, should be %s", m.Set, want)
	}
	if want := m.manifestName(); filepath.Base(path) != want {
		return nil, "", fmt.Errorf("says it is %s", want)
	}
	return &m, hex.EncodeToString(hash[:]), nil
}

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

// SetName returns the part that the names of a set's files share, without the revision; filter is its canonical text.
func SetName(account string, basis report.Basis, p ledger.Period, filter string) string {
	return setName(account, basis, p, filter)
}

// Name is the name of a file of a set. what is a table's id, settlement for the workbook, or the kind of an EDI
// file, with -2 and so on from the second file of the kind; filter is its canonical text.
func Name(what, account string, basis report.Basis, p ledger.Period, filter string, revision int, ext string) string {
	return fmt.Sprintf("%s_%s_r%d.%s", what, setName(account, basis, p, filter), revision, ext)
}

// extractPrefix begins what an extract's names have in place of a revision: _x and eight hex digits of the digest of its
// proof.
const extractPrefix = "_x"

// editionPattern returns what pages show in place of the revision, or of the digest of an extract, neither of which they contain.
func (j *Job) editionPattern() string {
	if j.Extract {
		return extractPrefix + "*"
	}
	return "_r*"
}

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

// fileName is the parts of a published name.
type fileName struct {
	stem     string // table, kind with its part, settlement or set
	edition  string // the set with its revision or the digest of an extract: what the names of all its files share
	revision int    // -1 for an extract
	ext      string
}

var namePattern = regexp.MustCompile(
	`^([a-z]+(?:-[a-z]+)*(?:-[2-9]|-[1-9]\d+)?)_((?:\d+|all)_[a-z]+_\d{8}_\d{8}(?:_f[0-9a-f]{8})?_(?:r(\d+)|x[0-9a-f]{8}))\.([a-z.]+)$`)

// parseFileName parses a name; ok is false if it is not the name of a file of a set.
func parseFileName(name string) (n fileName, ok bool) {
	m := namePattern.FindStringSubmatch(name)
	if m == nil {
		return fileName{}, false
	}
	n = fileName{stem: m[1], edition: m[2], revision: -1, ext: m[4]}
	var err error
	if m[3] != "" {
		n.revision, err = strconv.Atoi(m[3])
	}
	return n, err == nil
}
