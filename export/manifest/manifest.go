package manifest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"concilia/export/publish"
	"concilia/export/report"
	"concilia/export/words"
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
	// BankColumns is set where summary, slips-summary and agenda have the columns of sets whose accounts are paid into a bank account.
	BankColumns bool `json:"bank_columns,omitempty"`
	// Chain is a set's place among those of the movement; nil: it is not one of them.
	Chain *Chain `json:"chain,omitempty"`
	// Ledger is where the ledger's chains ended when the set was made, by which a ledger that was changed since is found; of an
	// extract nothing. It enters no digest of the content: what a night concludes makes no revision by itself.
	Ledger []ChainEnd `json:"ledger,omitempty"`
	Files  []File     `json:"files"`
}

// ChainEnd is a ledger.ChainEnd. An empty account is the chain of the records of runs.
type ChainEnd struct {
	Account string `json:"account"`
	Number  int64  `json:"number"`
	SHA256  string `json:"sha256"`
}

// ListChainEnds returns the ends as a manifest lists them.
func ListChainEnds(ends []ledger.ChainEnd) []ChainEnd {
	var out []ChainEnd
	for _, end := range ends {
		listed := ChainEnd{Number: end.Number, SHA256: end.Digest}
		if end.Account != 0 {
			listed.Account = end.Account.String()
		}
		out = append(out, listed)
	}
	return out
}

// End returns what it lists, as the ledger has it. An account that is none is one that no ledger has.
func (c *ChainEnd) End() ledger.ChainEnd {
	end := ledger.ChainEnd{Number: c.Number, Digest: c.SHA256}
	if c.Account != "" {
		n, err := strconv.ParseInt(c.Account, 10, 64)
		if err != nil {
			n = -1
		}
		end.Account = ledger.Account(n)
	}
	return end
}

// What names the chain.
func (c *ChainEnd) What() words.Message {
	if c.Account == "" {
		return words.NewMessage("verify_fault.run_records")
	}
	return words.NewMessage("verify_fault.conclusions", "account", c.Account)
}

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
	// Columns are the ids of what the columns of an office's own CSV of the journal show; nil: it is another file.
	Columns []string `json:"columns,omitempty"`
}

// Period is the set's period.
func (m *Manifest) Period() ledger.Period { return ledger.Period{From: m.From, To: m.To} }

// FormatEdition returns the part that the names of all files of the set share.
func (m *Manifest) FormatEdition() string {
	if m.Revision == nil {
		return m.Set
	}
	return m.Set + "_r" + strconv.Itoa(*m.Revision)
}

// FileName is the name of one of its files: Name says what the parts are.
func (m *Manifest) FileName(what, ext string) string {
	return what + "_" + m.FormatEdition() + "." + ext
}

// ManifestName returns the file name of the manifest itself.
func (m *Manifest) ManifestName() string { return m.FileName("set", "manifest.json") }

// DoneName returns the file name of the done marker, which is written last.
func (m *Manifest) DoneName() string { return m.FileName("set", "done") }

// EncodeJSON returns the bytes of the manifest file.
func (m *Manifest) EncodeJSON() ([]byte, error) {
	b, err := json.MarshalIndent(m, "", " ")
	return append(b, '\n'), err
}

// DoneText returns the content of the done marker, the last file of a set: the manifest's SHA-256 and its name, so that verify.CheckTree
// finds a manifest that was changed afterwards.
func DoneText(sha256 string, manifest string) string {
	return fmt.Sprintf("%s  %s\n", sha256, filepath.Base(manifest))
}

// SizeLimit bounds what is read as a manifest.
const SizeLimit = 16 << 20

// Read reads a manifest and its SHA-256.
func Read(ctx context.Context, path string) (*Manifest, string, error) {
	body, err := ReadSmallFile(ctx, path, SizeLimit)
	if err != nil {
		return nil, "", err
	}
	return Parse(path, body)
}

// ReadSmallFile reads a file of a share whole, if it is no larger than limit.
func ReadSmallFile(ctx context.Context, path string, limit int64) (body []byte, err error) {
	err = publish.ReadRegular(ctx, path, limit, func(in io.Reader) (err error) {
		body, err = io.ReadAll(in)
		return err
	})
	return body, err
}

// Parse reads the bytes of a manifest, checks that its file name agrees with its content, and returns their SHA-256.
func Parse(path string, body []byte) (*Manifest, string, error) {
	hash := sha256.Sum256(body)
	var m Manifest
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return nil, "", fmt.Errorf("not a manifest: %w", err)
	}
	want := SetName(m.Account, m.Basis, m.Period(), m.Filter)
	switch {
	case m.Extract != (m.Revision == nil):
		return nil, "", errors.New("has to be a revision or an extract, and not both")
	case m.Extract && !strings.HasPrefix(m.Set, want+ExtractPrefix), !m.Extract && m.Set != want:
		return nil, "", fmt.Errorf("says it is of set %s, should be %s", m.Set, want)
	}
	if want := m.ManifestName(); filepath.Base(path) != want {
		return nil, "", fmt.Errorf("says it is %s", want)
	}
	return &m, hex.EncodeToString(hash[:]), nil
}

// PreviousSet is the set before, by the hash of its manifest.
type PreviousSet struct {
	Set            int    `json:"set"`
	ManifestSHA256 string `json:"manifest_sha256"`
}

// Chain is a set's place among those of the movement, in its manifest.
type Chain struct {
	Set      int               `json:"set"`
	Previous *PreviousSet      `json:"previous"` // null: the first
	NSA      []int             `json:"nsa"`
	Events   map[string]int    `json:"events"`
	Sums     map[string]string `json:"sums"` // those that are not zero
}
