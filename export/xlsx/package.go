package xlsx

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
	"strings"
)

// dosDate is 1980-01-01, the earliest date of the ZIP format.
const dosDate = 0x21

const contentTypes = "[Content_Types].xml"

// writePackage writes the parts in a fixed order, each sheet with its rows between the halves of its skeleton.
func (w *Workbook) writePackage(parts map[string][]byte) error {
	types, err := sortContentTypes(parts[contentTypes])
	if err != nil {
		return fmt.Errorf("%s: %w", contentTypes, err)
	}
	parts[contentTypes] = types
	sheets := map[string]*sheetEntry{}
	n := 0
	for _, s := range w.sheets {
		for _, p := range s.parts {
			n++
			sheets["xl/worksheets/sheet"+strconv.Itoa(n)+".xml"] = &sheetEntry{s, p}
		}
	}
	z := zip.NewWriter(w.out)
	for _, name := range partOrder(parts) {
		sp, ok := sheets[name]
		if !ok {
			err = w.writePart(z, name, parts[name])
		} else {
			err = w.writeSheet(z, name, parts[name], sp)
			delete(sheets, name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if len(sheets) > 0 {
		return fmt.Errorf("%d sheets have no part in the skeleton", len(sheets))
	}
	return z.Close()
}

type sheetEntry struct {
	sheet *Sheet
	part  *sheetPart
}

// partOrder puts the content types first, where readers look, and the rest by name.
func partOrder(parts map[string][]byte) []string {
	names := make([]string, 0, len(parts))
	for name := range parts {
		if name != contentTypes {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return append([]string{contentTypes}, names...)
}

// sortContentTypes sorts the list of parts and their types, which excelize writes in the random order of a map.
func sortContentTypes(body []byte) ([]byte, error) {
	type entry struct {
		Extension   string `xml:"Extension,attr,omitempty"`
		PartName    string `xml:"PartName,attr,omitempty"`
		ContentType string `xml:"ContentType,attr"`
	}
	var list struct {
		XMLName  xml.Name `xml:"http://schemas.openxmlformats.org/package/2006/content-types Types"`
		Default  []entry
		Override []entry
	}
	if err := xml.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	slices.SortFunc(list.Default, func(a, b entry) int { return strings.Compare(a.Extension, b.Extension) })
	slices.SortFunc(list.Override, func(a, b entry) int { return strings.Compare(a.PartName, b.PartName) })
	sorted, err := xml.Marshal(list)
	return append([]byte(xml.Header), sorted...), err
}

func (w *Workbook) writePart(z *zip.Writer, name string, body []byte) error {
	var packed bytes.Buffer
	p, err := w.compressPiece(&packed, body, true)
	if err != nil {
		return err
	}
	out, err := createRaw(z, name, p)
	if err != nil {
		return err
	}
	_, err = out.Write(packed.Bytes())
	return err
}

// writeSheet puts a sheet together from three pieces.
func (w *Workbook) writeSheet(z *zip.Writer, name string, skeleton []byte, sp *sheetEntry) error {
	head, tail, err := w.splitSkeleton(skeleton, sp)
	if err != nil {
		return err
	}
	var before, after bytes.Buffer
	first, err := w.compressPiece(&before, head, false)
	if err != nil {
		return err
	}
	last, err := w.compressPiece(&after, tail, true)
	if err != nil {
		return err
	}
	rows := sp.part.rows
	out, err := createRaw(z, name, first.append(rows.deflatePiece).append(last))
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.MultiReader(&before, rows.file, &after))
	if want := first.packed + rows.packed + last.packed; err == nil && n != want {
		err = fmt.Errorf("%d bytes where %d were packed: the temporary file was cut", n, want)
	}
	return err
}

// compressPiece compresses a piece; the last one of a part closes the stream.
func (w *Workbook) compressPiece(to *bytes.Buffer, body []byte, last bool) (deflatePiece, error) {
	f, err := w.takeCompressor(to)
	if err != nil {
		return deflatePiece{}, err
	}
	if _, err := f.Write(body); err != nil {
		return deflatePiece{}, err
	}
	end := f.Flush
	if last {
		end = f.Close
	}
	if err := end(); err != nil {
		return deflatePiece{}, err
	}
	w.idleCompressors = append(w.idleCompressors, f)
	return deflatePiece{raw: int64(len(body)), packed: int64(to.Len()), crc: crc32.ChecksumIEEE(body)}, nil
}

func createRaw(z *zip.Writer, name string, p deflatePiece) (io.Writer, error) {
	h := &zip.FileHeader{
		Name: name, Method: zip.Deflate, CRC32: p.crc, CompressedSize64: uint64(p.packed), UncompressedSize64: uint64(p.raw),
		//lint:ignore SA1019 Modified would add a field of its own, and is not used for parts written as they are.
		ModifiedDate: dosDate,
	}
	return z.CreateRaw(h)
}

// splitSkeleton returns the XML before and after the rows of a sheet, with the sheet's real dimension.
func (w *Workbook) splitSkeleton(skeleton []byte, sp *sheetEntry) (head, tail []byte, err error) {
	head, tail, ok := bytes.Cut(skeleton, []byte("<sheetData>"))
	if ok {
		_, tail, ok = bytes.Cut(tail, []byte("</sheetData>"))
	} else {
		head, tail, ok = bytes.Cut(skeleton, []byte("<sheetData/>"))
	}
	if !ok {
		return nil, nil, fmt.Errorf("the skeleton has no sheetData element")
	}
	// excelize marks every filter as active, although it hides no row.
	head = bytes.Replace(head, []byte(` filterMode="true"`), nil, 1)
	head = bytes.Replace(head, []byte(` filterMode="1"`), nil, 1)
	before, after, ok := bytes.Cut(head, []byte("<dimension ref="))
	if !ok {
		return nil, nil, fmt.Errorf("the skeleton has no dimension element")
	}
	_, after, ok = bytes.Cut(after, []byte(">"))
	if bytes.HasPrefix(after, []byte("</dimension>")) {
		after = after[len("</dimension>"):]
	}
	if !ok {
		return nil, nil, fmt.Errorf("the skeleton's dimension element has no end")
	}
	s, p := sp.sheet, sp.part
	out := append([]byte{}, before...)
	out = fmt.Appendf(out, `<dimension ref="A1:%s%d"/>`, s.letters[len(s.letters)-1], max(1, p.row))
	out = append(append(out, after...), "<sheetData>"...)
	if out, err = w.appendHeading(out, s, p); err != nil {
		return nil, nil, err
	}
	return out, append([]byte("</sheetData>"), tail...), nil
}

// appendHeading appends title lines, preamble and header row.
func (w *Workbook) appendHeading(b []byte, s *Sheet, p *sheetPart) ([]byte, error) {
	var err error
	for i, line := range s.spec.Title {
		look := Muted
		if i == 0 {
			look = Title
		}
		if b, err = w.appendRow(b, i+1, s.letters, []Cell{Text(line).WithStyle(look)}, dataArea, nil, 1); err != nil {
			return nil, err
		}
	}
	if p.header == 0 {
		return b, nil
	}
	if p == s.parts[0] {
		if s.headed {
			b = w.appendHeader(b, s, p.header-2-len(s.preamble))
		}
		for i, cells := range s.preamble {
			if len(cells) == 0 {
				continue
			}
			if b, err = w.appendRow(b, p.header-1-len(s.preamble)+i, s.letters, cells, dataArea, nil, 1); err != nil {
				return nil, err
			}
		}
	}
	return w.appendHeader(b, s, p.header), nil
}

// appendHeader appends the header row of a table.
func (w *Workbook) appendHeader(b []byte, s *Sheet, row int) []byte {
	b = fmt.Appendf(b, `<row r="%d" ht="%d" customHeight="1">`, row, headerLine*s.headerLines()+4)
	for i, c := range s.spec.Columns {
		b = fmt.Appendf(b, `<c r="%s%d" s="%d" t="inlineStr"><is><t>`, s.letters[i], row, w.styles.header[c.Kind])
		b = appendText(b, c.Header)
		b = append(b, `</t></is></c>`...)
	}
	return append(b, `</row>`...)
}

// crcCombine returns the CRC-32 of a||b from those of a and b and the length of b. It advances a's CRC over as many zero
// bytes as b has, by squaring the matrix that advances it over one zero bit, as zlib does.
func crcCombine(a, b uint32, lenB int64) uint32 {
	if lenB == 0 {
		return a
	}
	var m [32]uint32 // one zero bit
	m[0] = crc32.IEEE
	for i := 1; i < 32; i++ {
		m[i] = 1 << (i - 1)
	}
	for range 3 { // one zero byte
		m = gfSquare(m)
	}
	for n := lenB; n > 0; n >>= 1 {
		if n&1 == 1 {
			a = gfTimes(&m, a)
		}
		m = gfSquare(m)
	}
	return a ^ b
}

func gfTimes(m *[32]uint32, v uint32) (sum uint32) {
	for i := 0; v != 0; i, v = i+1, v>>1 {
		if v&1 == 1 {
			sum ^= m[i]
		}
	}
	return sum
}

func gfSquare(m [32]uint32) (sq [32]uint32) {
	for i := range m {
		sq[i] = gfTimes(&m, m[i])
	}
	return sq
}
