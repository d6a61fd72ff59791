package caseview

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"concilia/cmd/concilia/view"
	"concilia/export/letter"
	"concilia/export/words"
	"concilia/store/ledger"
)

// Letter is a letter that claims cases from the service.
type Letter struct {
	Account ledger.Account `json:"account"`
	Items   int            `json:"items"`
	Total   view.Amount    `json:"total"`
	Cases   []string       `json:"cases"`
	Files   []string       `json:"files"` // where it was written to

	letter *letter.Letter
}

// LettersOf are letters before they are written.
func LettersOf(all []*letter.Letter) (out []Letter) {
	for _, l := range all {
		out = append(out, Letter{l.Account, l.Count(), view.Amount(l.Sum()), l.Cases(), []string{}, l})
	}
	return out
}

// LetterFormats are the formats of a letter.
func LetterFormats() []string { return letter.Formats() }

// FileName is the name of the letter in a format.
func (v *Letter) FileName(format string) (string, error) { return v.letter.FileName(format) }

// Write writes the letter in a format.
func (v *Letter) Write(w io.Writer, format string) error { return v.letter.Write(w, format) }

// SHA256 is the hash of its page, by which a dispute names the letter.
func (v *Letter) SHA256() (string, error) {
	h := sha256.New()
	err := v.letter.Write(h, "html")
	return hex.EncodeToString(h.Sum(nil)), err
}

// Letters are letters that were written, as text: JSON has a line each.
type Letters []Letter

// WriteText writes a line for each letter and for each of its files.
func (v Letters) WriteText(w io.Writer, l view.Language) error {
	for i := range v {
		x := &v[i]
		if _, err := fmt.Fprintf(w, "%s: %s, R$ %s\n", words.Text(l, "command.account", "account", x.Account), l.Count(int64(x.Items), "item"), l.FormatReais(ledger.Amount(x.Total))); err != nil {
			return err
		}
		for _, path := range x.Files {
			if _, err := fmt.Fprintf(w, "  %s\n", path); err != nil {
				return err
			}
		}
	}
	return nil
}
