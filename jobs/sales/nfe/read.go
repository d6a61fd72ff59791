package nfe

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"concilia/store/ledger/ownsales"
)

// Reader reads notes of a store.
type Reader struct {
	// Emitters are the CNPJs whose notes are the store's.
	Emitters []string
	// Zone is the zone to which times are brought.
	Zone *time.Location
}

// Read calls take for what the documents of a file, a folder or a ZIP say, those of a folder in order of name. An error is a *words.Refusal,
// of reading, or take's.
func (r *Reader) Read(name string, take func(*ownsales.Record) error) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return r.readFolder(name, take)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	var mark [4]byte
	if n, err := io.ReadFull(f, mark[:]); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return err
	} else if n == 4 && string(mark[:]) == "PK\x03\x04" {
		return r.readZIP(f, info.Size(), take)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return r.readXML(filepath.Base(name), f, take)
}

// Files are the XML files of a folder, by name.
func Files(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.EqualFold(filepath.Ext(e.Name()), ".xml") {
			all = append(all, filepath.Join(folder, e.Name()))
		}
	}
	return all, nil
}

func (r *Reader) readFolder(folder string, take func(*ownsales.Record) error) error {
	files, err := Files(folder)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return newRefusal("empty", "refused.no_xml_in_folder")
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		err = r.readXML(filepath.Base(name), f, take)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}
