package nfe

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"concilia/store/ledger"
)

// Limits of an archive.
const (
	maxRatio   = 200
	maxTotal   = 10 << 30
	maxEntries = 1_000_000
	smallEntry = 1 << 20 // under it a high ratio says nothing
)

// Reader reads notes of a store.
type Reader struct {
	// Emitters are the CNPJs whose notes are the store's.
	Emitters []string
	// Zone is the zone to which times are brought.
	Zone *time.Location
}

// Read calls take for what the documents of a file, a folder or a ZIP tell, in order of name. An error is a *ledger.OwnRefusal,
// of reading, or take's.
func (r *Reader) Read(name string, take func(*ledger.OwnRecord) error) error {
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

func (r *Reader) readFolder(folder string, take func(*ledger.OwnRecord) error) error {
	files, err := Files(folder)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return newRefusal("empty", "no XML in the folder")
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

func (r *Reader) readZIP(from io.ReaderAt, size int64, take func(*ledger.OwnRecord) error) error {
	z, err := zip.NewReader(from, size)
	if err != nil {
		return newRefusal("cut", "no whole ZIP")
	}
	if err := checkArchive(z); err != nil {
		return err
	}
	entries := slices.DeleteFunc(slices.Clone(z.File), func(f *zip.File) bool { return !strings.EqualFold(path.Ext(f.Name), ".xml") })
	slices.SortFunc(entries, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	if len(entries) == 0 {
		return newRefusal("empty", "no XML in the ZIP")
	}
	for _, f := range entries {
		in, err := f.Open()
		if err != nil {
			return newRefusal("cut", "entry %.80q: cannot be unpacked", f.Name)
		}
		err = r.readXML(path.Base(f.Name), &entryReader{from: in, left: int64(f.UncompressedSize64)}, take)
		_ = in.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// checkArchive refuses an archive that is not what a system exports.
func checkArchive(z *zip.Reader) error {
	if len(z.File) > maxEntries {
		return newRefusal("limit", "%d entries, at most %d", len(z.File), maxEntries)
	}
	var total uint64
	for _, f := range z.File {
		name := strings.ReplaceAll(f.Name, `\`, "/")
		switch {
		case path.IsAbs(name) || slices.Contains(strings.Split(name, "/"), "..") || len(name) > 1 && name[1] == ':':
			return newRefusal("limit", "entry %.80q leads out of the archive", f.Name)
		case slices.Contains([]string{".zip", ".gz", ".7z", ".rar", ".tar"}, strings.ToLower(path.Ext(name))):
			return newRefusal("limit", "entry %.80q is an archive itself", f.Name)
		case f.UncompressedSize64 > smallEntry && f.UncompressedSize64/max(1, f.CompressedSize64) > maxRatio:
			return newRefusal("limit", "entry %.80q unpacks to more than %d times its size", f.Name, maxRatio)
		}
		if total += f.UncompressedSize64; total > maxTotal || f.UncompressedSize64 > maxTotal {
			return newRefusal("limit", "more than %d GiB unpacked", maxTotal>>30)
		}
	}
	return nil
}

// entryReader reads what the directory of an archive says an entry has. One that has more is no entry of it.
type entryReader struct {
	from io.Reader
	left int64
}

func (e *entryReader) Read(p []byte) (int, error) {
	n, err := e.from.Read(p)
	if e.left -= int64(n); e.left < 0 {
		return 0, fmt.Errorf("%w: longer than the directory says", io.ErrUnexpectedEOF)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return n, fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err) // damaged, not unreadable
	}
	return n, err
}
