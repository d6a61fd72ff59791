package cnab

import (
	"errors"
	"fmt"
	"io"

	"concilia/export/words"
)

// Read reads a whole cobrança retorno or extrato. The error is Faults when the file has faults; the File then holds what
// could be read. Any other error comes from the underlying reader or from a callback and ended the reading.
func Read(r io.Reader, o ReadOptions) (File, error) {
	rd := newReader(o)
	if err := rd.readFile(newLineReader(r)); err != nil {
		return rd.file, err
	}
	if rd.faults.Count() > 0 {
		return rd.file, rd.faults
	}
	return rd.file, nil
}

// reader is the state between two lines.
type reader struct {
	faultLog
	options ReadOptions
	file    File
	bank    string // of the file header; every record repeats it

	headerRead, trailerRead bool // file header and file trailer have been read
	empty                   bool // the file has no byte
	warnedLF                bool
	loteCount               int // records of type 1
	statementLotes          int // of them, those of statements
	lote                    *openLote

	damaged   bool                 // the current line has another length, so its columns are not read
	onSkipped func(line int) error // called for such lines, by Inspect
}

func newReader(o ReadOptions) *reader {
	if o.Limit <= 0 {
		o.Limit = defaultFaultLimit
	}
	r := &reader{options: o, faultLog: faultLog{limit: o.Limit}}
	r.warnings = &r.file.Warnings
	return r
}

// openLote is the lote being read.
type openLote struct {
	service   string
	lote      Lote
	records   int // of types 1 to 5
	details   int
	sequence  recordSequence
	sums      loteSums
	entries   Totals
	pendingT  *Record // a T that waits for its U
	title     *Title  // a title whose Ys may follow
	titleLine int     // of the T of either
	damaged   bool    // a line of that title is damaged, so its amounts are in no sum
}

func (r *reader) readFile(lines *lineReader) error {
	is, stranger, err := r.detectForeign(lines.in)
	if err != nil {
		return words.NewFault("inspect.unreadable", "", "line", 1, "cause", err)
	}
	if stranger {
		r.reportForeign(is)
		return nil
	}
	for {
		l, err := lines.nextLine()
		if errors.Is(err, io.EOF) {
			return r.finishFile()
		}
		if err != nil {
			return words.NewFault("inspect.unreadable", "", "line", r.line+1, "cause", err)
		}
		r.line++
		if l.end == "" && string(l.bytes) == "\x1a" {
			r.addWarning(nil, CodeEndOfFile, "cnab_fault.eof")
			continue
		}
		if r.trailerRead {
			r.addFault(nil, CodeTrailing, describeTrailing(l))
			return r.finishFile()
		}
		r.checkLineEnd(l)
		if err := r.readRecord(l); err != nil {
			return err
		}
	}
}

// describeTrailing is the id of a text that describes what follows the file trailer.
func describeTrailing(l line) string {
	if l.size == Width && l.bytes[7] == '0' {
		return "cnab_fault.another_file"
	}
	return "cnab_fault.trailing"
}

func (r *reader) checkLineEnd(l line) {
	switch {
	case l.end == "":
		r.addWarning(nil, CodeLastLine, "cnab_fault.last_line")
	case l.end == "\n" && !r.warnedLF:
		r.warnedLF = true // once: a file has one kind of line end
		r.addWarning(nil, CodeLineEnd, "cnab_fault.line_end")
	}
}

// readRecord checks the columns of one line, then processes it as the next record of the file. A line of another length
// is cut or filled with blanks so that lotes and titles around it can still be read; its columns are not checked.
func (r *reader) readRecord(l line) error {
	rec := &Record{}
	n := copy(rec.raw[:], l.bytes)
	for i := n; i < Width; i++ {
		rec.raw[i] = ' '
	}
	r.damaged = l.size != Width
	if r.damaged {
		r.addFault(nil, CodeLength, "cnab_fault.length", "n", l.size, "want", Width)
	}
	if l.size < 14 {
		return nil // too short to have a record type and segment
	}
	r.file.Totals.Records++
	rec.layout = chooseLayout(rec, r.lote)
	r.beginLine()
	if rec.layout == nil {
		r.addFault(nil, CodeRecord, "cnab_fault.record_type", "type", fmt.Sprintf("%q", rec.raw[7:8]))
		return nil
	}
	if !r.damaged {
		r.checkColumns(rec)
	}
	if err := r.processRecord(rec); err != nil {
		return err
	}
	switch {
	case r.damaged && r.onSkipped != nil:
		return r.onSkipped(r.line)
	case !r.damaged && r.options.OnRecord != nil:
		return r.options.OnRecord(r.line, rec)
	}
	return nil
}

// checkColumns checks every field of a record by its layout.
func (r *reader) checkColumns(rec *Record) {
	text := string(rec.raw[:])
	for i := range rec.layout.fields {
		f := &rec.layout.fields[i]
		raw := text[f.From-1 : f.To]
		if n := checkField(f, raw); n.code != "" {
			r.keepFault(r.newFieldFault(rec, f, n.code, n.text), n.warning)
		}
		if f.ID == "banco" && r.headerRead && raw != r.bank {
			r.keepFault(r.newFieldFault(rec, f, CodeFixed, words.NewMessage("cnab_fault.as_file_header", "want", r.bank)), false)
		}
		if f.meaning != taxID && f.meaning != payerID {
			continue
		}
		kind := "tipo_inscricao"
		if f.meaning == payerID {
			kind = "tipo_inscricao_pagador"
		}
		if why := checkDocument(rec, kind, f.ID); why.ID != "" {
			r.keepFault(r.newFieldFault(rec, f, CodeDocument, why), true)
		}
	}
}

// finishFile closes an open lote and reports a file that is empty or has no trailer.
func (r *reader) finishFile() error {
	r.empty = r.line == 0
	r.line = max(r.line, 1)
	if err := r.closeLote(nil); err != nil {
		return err
	}
	switch {
	case r.empty && r.faults.Count() == 0:
		r.addFault(nil, CodeOrder, "cnab_fault.empty")
	case !r.headerRead && !r.trailerRead && r.file.Totals.Records == 0:
		r.addFault(nil, CodeOrder, "cnab_fault.no_record")
	case !r.trailerRead:
		r.addFault(nil, CodeOrder, "cnab_fault.no_trailer")
	}
	return nil
}

// chooseLayout chooses the layout by record type, segment and the service of the lote, nil outside one; nil for an unknown record type.
func chooseLayout(rec *Record, lote *openLote) *Layout {
	service := ""
	if lote != nil {
		service = lote.service
	}
	switch rec.raw[7] {
	case '0':
		return FileHeader
	case '1':
		if string(rec.raw[8:11]) == "E04" {
			return ExtratoHeader
		}
		return CobrancaHeader
	case '3':
		switch segment := rec.raw[13]; {
		case service == extratoService && segment == 'E':
			return SegmentE
		case service == cobrancaService && segment == 'T':
			return SegmentT
		case service == cobrancaService && segment == 'U':
			return SegmentU
		case service == cobrancaService && segment == 'Y' && string(rec.raw[17:19]) == "50":
			return SegmentY50
		}
		return OtherDetail
	case '5':
		if service == extratoService {
			return ExtratoTrailer
		}
		return CobrancaTrailer
	case '9':
		return FileTrailer
	}
	return nil
}
