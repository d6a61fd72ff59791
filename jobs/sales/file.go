package sales

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"concilia/export/words"
	"concilia/jobs/sales/nfe"
	"concilia/jobs/sales/table"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
)

// FormatNFe is the format of notes; all others are maps.
const FormatNFe = "nfe"

// Store is a store of the configuration.
type Store struct {
	ID string
	// Accounts are those in which its sales are looked for; the first owns what is found.
	Accounts []ledger.Account
	// Format is nfe, the name of a preset, or the path of a map.
	Format string
	// Map reads its tables; nil: they are notes.
	Map *table.Map
	// Documents are the CNPJs whose notes are its own.
	Documents []string
	// From is the first day evaluated; 0: the first that its files have whole.
	From ledger.Date
	// Inbox is a folder whose files a run takes in; empty: none.
	Inbox string
	// BusinessDays: a file is due for business days alone.
	BusinessDays bool
	// ServiceAccounts are those of its accounts whose sales count against its payments in the EFD: each account counts with one store.
	ServiceAccounts []ledger.Account
	// Institutions are those that payments may go through, the service first; none: nothing is declared.
	Institutions []Institution
	// Brand is the canonical name of a brand.
	Brand func(written string) (string, bool)
	// BrandHash identifies what Brand knows.
	BrandHash string
	Zone      *time.Location
}

// Institution is who settles payments, with its participant code in the EFD.
type Institution struct{ CNPJ, Participant string }

// IsNotes reports whether the store's files are notes.
func (s *Store) IsNotes() bool { return s.Map == nil }

// MapHash identifies what the files of a store were read by: its map, and the brands that were known. Notes need neither.
func (s *Store) MapHash() string {
	if s.Map == nil {
		return ""
	}
	return strings.TrimSpace(s.Map.Hash() + " " + s.BrandHash)
}

// File is a file of a store that can be read more than once.
type File struct {
	Name  string // without folder
	Hash  ledger.FileHash
	store *Store
	path  string
}

// OpenFile looks at a file, or a folder of notes. An error may be a *words.Refusal.
func OpenFile(path string, s *Store) (*File, error) {
	f := &File{Name: filepath.Base(path), store: s, path: path}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	paths := []string{path}
	if info.IsDir() {
		if !s.IsNotes() {
			return nil, words.NewRefusal("foreign", "refused.folder", "remedy.name_files")
		}
		if paths, err = nfe.Files(path); err != nil {
			return nil, err
		}
	}
	if f.Hash, err = hashFiles(paths); err != nil {
		return nil, err
	}
	if info.IsDir() {
		return f, nil
	}
	return f, f.checkKind()
}

// hashFiles is the SHA-256 of a file, and of several that of theirs.
func hashFiles(paths []string) (sum ledger.FileHash, err error) {
	all := sha256.New()
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return sum, err
		}
		one := sha256.New()
		_, err = io.Copy(one, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return sum, err
		}
		if len(paths) == 1 {
			return ledger.FileHash(one.Sum(nil)), nil
		}
		all.Write(one.Sum(nil))
	}
	return ledger.FileHash(all.Sum(nil)), nil
}

// Format is the word for the file's format.
func (f *File) Format() string {
	switch {
	case f.store.IsNotes():
		return FormatNFe
	case slices.Contains(table.PresetNames(), f.store.Format):
		return f.store.Format
	}
	return "map"
}

// Read calls take for the records of the file, one after another. It may be called again. An error may be a
// *words.Refusal.
func (f *File) Read(take func(*ownsales.Record) error) error {
	if f.store.IsNotes() {
		r := nfe.Reader{Emitters: f.store.Documents, Zone: f.store.Zone}
		return r.Read(f.path, take)
	}
	in, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	r := table.Reader{Map: f.store.Map, Brand: f.store.Brand, Zone: f.store.Zone}
	return r.Read(in, take)
}

// checkKind refuses what is no format of sales at all.
func (f *File) checkKind() error {
	in, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	head := make([]byte, 1<<10)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return err
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head[:n], []byte("\ufeff")), " \t\r\n")
	if len(head) == 0 {
		return words.NewRefusal("empty", "refused.nothing", "remedy.export")
	}
	for _, kind := range foreignKinds {
		if kind.is(head) && (kind.notes || !f.store.IsNotes()) {
			return words.NewRefusal("foreign", "refused.foreign_sales", "remedy.export_format", "kind", words.NewMessage(kind.name), "format", f.Format())
		}
	}
	if f.store.IsNotes() && head[0] != '<' && !bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return words.NewRefusal("foreign", "refused.neither_xml", "remedy.notes_as_returned")
	}
	return nil
}

// foreignKinds are files that people export in place of a table; notes marks those that are no notes either.
var foreignKinds = []struct {
	name  string // its id
	notes bool
	is    func(head []byte) bool
}{
	{"refused.kind_pdf", true, func(h []byte) bool { return bytes.HasPrefix(h, []byte("%PDF")) }},
	{"refused.kind_xlsx", false, func(h []byte) bool { return bytes.HasPrefix(h, []byte("PK\x03\x04")) }},
	{"refused.kind_xls", true, func(h []byte) bool { return bytes.HasPrefix(h, []byte("\xd0\xcf\x11\xe0")) }},
	{"refused.kind_html", true, func(h []byte) bool {
		h = bytes.ToLower(h)
		return bytes.Contains(h, []byte("<html")) || bytes.Contains(h, []byte("<!doctype html"))
	}},
	{"refused.kind_xml", false, func(h []byte) bool { return bytes.HasPrefix(h, []byte("<?xml")) }},
}
