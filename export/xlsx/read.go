package xlsx

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"strings"
)

// Book is a workbook being read, written by this package or by another program. Only its shared strings are held in
// memory.
type Book struct {
	file   *os.File // when the book opened it itself
	parts  map[string]*zip.File
	sheets []SheetInfo
	shared []string
}

// SheetInfo is a sheet of a book. Header and Last are the rows of its filter: the table's header and its last data row; both
// are 0 for a sheet without.
type SheetInfo struct {
	Name         string
	Header, Last int
	part         string
}

const (
	// maxShared is the most bytes of shared strings, which are held in memory.
	maxShared   = 256 << 20
	mainRel     = "/officeDocument"
	sharedRel   = "/sharedStrings"
	filterRange = "_xlnm._FilterDatabase"
)

// OpenFile opens a workbook; Close closes the file.
func OpenFile(name string) (*Book, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("workbook: %w", err)
	}
	info, err := f.Stat()
	if err == nil {
		var b *Book
		if b, err = Open(f, info.Size()); err == nil {
			b.file = f
			return b, nil
		}
	}
	f.Close()
	return nil, fmt.Errorf("%s: %w", name, err)
}

// Open reads the list of parts and sheets of the workbook in r, of size bytes. The book reads from r as long as it is
// used.
func Open(r io.ReaderAt, size int64) (*Book, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("workbook: not a package: %w", err)
	}
	b := &Book{parts: make(map[string]*zip.File, len(z.File))}
	for _, f := range z.File {
		b.parts[f.Name] = f
	}
	if err := b.readParts(); err != nil {
		return nil, fmt.Errorf("workbook: %w", err)
	}
	return b, nil
}

// Close closes the file when the book opened it.
func (b *Book) Close() error {
	if b.file == nil {
		return nil
	}
	return b.file.Close()
}

// Sheets are the sheets in their order.
func (b *Book) Sheets() []SheetInfo { return append([]SheetInfo(nil), b.sheets...) }

func (b *Book) readParts() error {
	roots, err := b.readRelations("")
	if err != nil {
		return err
	}
	main := ""
	for _, r := range roots {
		if strings.HasSuffix(r.kind, mainRel) {
			main = r.target
		}
	}
	if main == "" {
		return errors.New("a package without a workbook")
	}
	relations, err := b.readRelations(main)
	if err != nil {
		return err
	}
	for _, r := range relations {
		if strings.HasSuffix(r.kind, sharedRel) {
			if err := b.readShared(r.target); err != nil {
				return err
			}
		}
	}
	return b.readWorkbook(main, relations)
}

type relation struct{ kind, target string }

// readRelations returns the relationships of a part by id; "" is the package itself.
func (b *Book) readRelations(part string) (map[string]relation, error) {
	dir, base := path.Split(part)
	name := dir + "_rels/" + base + ".rels"
	found := map[string]relation{}
	err := b.scanPart(name, func(s *xmlScanner, event xmlEvent) error {
		if event != xmlStart || string(s.name) != "Relationship" {
			return nil
		}
		id, err1 := s.attribute("Id")
		kind, err2 := s.attribute("Type")
		target, err3 := s.attribute("Target")
		where, absolute := strings.CutPrefix(string(target), "/")
		if !absolute {
			where = path.Join(dir, where)
		}
		found[string(id)] = relation{string(kind), where}
		return errors.Join(err1, err2, err3)
	})
	return found, err
}

// readWorkbook reads the names of the sheets and the extents of their filters.
func (b *Book) readWorkbook(part string, relations map[string]relation) error {
	filterOf := ""
	return b.scanPart(part, func(s *xmlScanner, event xmlEvent) error {
		switch {
		case event == xmlStart && string(s.name) == "sheet":
			name, err := s.attribute("name")
			if err != nil {
				return err
			}
			id, err := s.attribute("id")
			if err != nil {
				return err
			}
			b.sheets = append(b.sheets, SheetInfo{Name: string(name), part: relations[string(id)].target})
		case event == xmlStart && string(s.name) == "definedName":
			filterOf = ""
			if name, err := s.attribute("name"); err != nil || string(name) != filterRange {
				return err
			}
			sheet, err := s.attribute("localSheetId")
			filterOf = string(sheet)
			return err
		case event == xmlText && filterOf != "":
			i, err := strconv.Atoi(filterOf)
			if err != nil || i < 0 || i >= len(b.sheets) {
				return fmt.Errorf("the filter of a sheet that does not exist: %.20q", filterOf)
			}
			filterOf = ""
			b.sheets[i].Header, b.sheets[i].Last = filterRows(string(s.text))
		}
		return nil
	})
}

// filterRows returns the first and last row of a range such as 'Parcelas'!$A$4:$P$124; 0, 0 when it is not one.
func filterRows(ref string) (header, last int) {
	_, area, _ := strings.Cut(ref, "!")
	parts := strings.Split(area, "$")
	if len(parts) != 5 {
		return 0, 0
	}
	header, err1 := strconv.Atoi(strings.TrimSuffix(parts[2], ":"))
	last, err2 := strconv.Atoi(parts[4])
	if err1 != nil || err2 != nil {
		return 0, 0
	}
	return header, last
}

// readShared reads the texts that cells name by number.
func (b *Book) readShared(part string) error {
	var text stringItem
	size := 0
	return b.scanPart(part, func(s *xmlScanner, event xmlEvent) error {
		if event == xmlStart && string(s.name) == "si" {
			text.reset()
		}
		text.handleEvent(s, event)
		if event == xmlEnd && string(s.name) == "si" {
			one := unescapeText(string(text.text))
			if size += len(one); size > maxShared {
				return fmt.Errorf("more than %d bytes of shared strings", maxShared)
			}
			b.shared = append(b.shared, one)
		}
		return nil
	})
}

// scanPart calls fn with every XML event of a part.
func (b *Book) scanPart(part string, fn func(*xmlScanner, xmlEvent) error) error {
	f := b.parts[part]
	if f == nil {
		return fmt.Errorf("part %.80q is missing", part)
	}
	r, err := f.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", part, err)
	}
	defer r.Close()
	s := newXMLScanner(r)
	for {
		event, err := s.nextEvent()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = fn(s, event)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", part, err)
		}
	}
}

// ValueKind is the type of a cell that was read. Dates and times are numbers too: only their number format shows it.
type ValueKind uint8

const (
	Absent ValueKind = iota
	Number
	String
	Bool
	Error
)

// Value is a cell as it was read. Raw is the text of a String, and the characters of the file for any other kind, so that
// a number is never converted to floating point.
type Value struct {
	Kind    ValueKind
	Raw     string
	Formula string // of a calculated cell; Raw is then its cached value
}

// maxNumber is the most characters of a number: no spreadsheet writes more than 24.
const maxNumber = 64

// Scaled is a number times 10^places, exactly. A number with more places, or past int64, is an error, and so is a value that
// is no number.
func (v Value) Scaled(places int) (int64, error) {
	if v.Kind != Number || len(v.Raw) > maxNumber {
		return 0, fmt.Errorf("%.40q: not a number", v.Raw)
	}
	mantissa, exponent := v.Raw, 0
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(mantissa[i+1:]); err != nil || exponent < -400 || exponent > 400 {
			return 0, fmt.Errorf("%.40q: not a number", v.Raw)
		}
		mantissa = mantissa[:i]
	}
	negative := strings.HasPrefix(mantissa, "-")
	mantissa = strings.TrimPrefix(mantissa, "-")
	whole, frac, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+frac, "0")
	if whole+frac == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, fmt.Errorf("%.40q: not a number", v.Raw)
	}
	// The decimal point moves right by shift digits: zeros are appended, or, to the left, must be there to be removed.
	shift := places + exponent - len(frac)
	if digits == "" {
		return 0, nil
	}
	for ; shift < 0; shift++ {
		if !strings.HasSuffix(digits, "0") {
			return 0, fmt.Errorf("%.40q: more than %d decimals", v.Raw, places)
		}
		digits = digits[:len(digits)-1]
	}
	if shift > 19 {
		return 0, fmt.Errorf("%.40q: out of range", v.Raw)
	}
	digits += strings.Repeat("0", shift)
	if negative {
		digits = "-" + digits
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%.40q: out of range", v.Raw)
	}
	return n, nil
}
