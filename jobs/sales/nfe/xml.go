package nfe

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"concilia/export/words"
	"concilia/store/ledger/ownsales"
)

// Limits of a document.
const (
	maxDepth = 64
	maxText  = 1 << 20
)

// newRefusal refuses notes by the stable name of the reason and the id of its message.
func newRefusal(id, message string, values ...any) error {
	return words.NewRefusal(id, message, "remedy.as_returned", values...)
}

// newRefusalIn is newRefusal for what is wrong in a file or an entry.
func newRefusalIn(where, id, message string, values ...any) error {
	return newRefusal(id, "refused.in_note", "where", where, "fault", words.NewMessage(message, values...))
}

// errLong means that a text or a tag goes on and on.
var errLong = errors.New("a long text")

// errEncoding is the encoding of a document that is written as no note is.
type errEncoding string

func (e errEncoding) Error() string {
	return "encoding " + string(e)
}

// boundedText is a source in which no text and no tag may be longer than maxText, so that the parser's memory is bounded.
type boundedText struct {
	from io.Reader
	run  int // bytes since the last tag began
}

func (b *boundedText) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	for _, c := range p[:n] {
		if b.run++; c == '<' {
			b.run = 0
		}
		if b.run > maxText {
			return 0, errLong
		}
	}
	return n, err
}

// documents walks the XML of one or many documents.
type documents struct {
	*Reader
	where string // name of the file or entry
	take  func(*ownsales.Record) error
	path  []string
	text  strings.Builder
	found int // documents

	note  *note
	event *event
	void  *unused
}

// readXML reads the documents of one XML.
func (r *Reader) readXML(where string, from io.Reader, take func(*ownsales.Record) error) error {
	x := &documents{Reader: r, where: where, take: take}
	d := xml.NewDecoder(&boundedText{from: from})
	d.CharsetReader = func(charset string, in io.Reader) (io.Reader, error) {
		switch strings.ToLower(charset) {
		case "iso-8859-1", "windows-1252":
			return charmap.Windows1252.NewDecoder().Reader(in), nil
		}
		return nil, errEncoding(charset)
	}
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && x.found == 0:
			return newRefusalIn(where, "foreign", "refused.no_note")
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			line, _ := d.InputPos()
			return refuseBroken(where, line, err)
		}
		if err := x.readToken(token); err != nil {
			return err
		}
	}
}

// refuseBroken says what is wrong with a document that the parser does not read. An error of its source stays one.
func refuseBroken(where string, line int, err error) error {
	var syntax *xml.SyntaxError
	var encoding errEncoding
	switch {
	case errors.Is(err, errLong):
		return newRefusalIn(where, "limit", "refused.long_text")
	case errors.As(err, &encoding):
		return newRefusalIn(where, "encoding", "refused.encoding", "encoding", words.Quote(string(encoding), 20))
	case errors.As(err, &syntax) && strings.HasPrefix(syntax.Msg, "invalid character entity"):
		return newRefusalIn(where, "doctype", "refused.doctype")
	case errors.As(err, &syntax) && syntax.Msg == "invalid UTF-8":
		return newRefusalIn(where, "encoding", "refused.other_encoding", "line", line)
	case !isSyntax(err):
		return fmt.Errorf("read %s: %w", where, err)
	}
	return newRefusalIn(where, "cut", "refused.cut_xml", "line", line)
}

// isSyntax reports whether an error of the parser is about the text and not about reading it.
func isSyntax(err error) bool {
	var syntax *xml.SyntaxError
	return errors.As(err, &syntax) || errors.Is(err, io.ErrUnexpectedEOF) || strings.HasPrefix(err.Error(), "xml: ")
}

func (x *documents) readToken(token xml.Token) error {
	switch t := token.(type) {
	case xml.Directive:
		return newRefusalIn(x.where, "doctype", "refused.doctype")
	case xml.StartElement:
		if x.path = append(x.path, t.Name.Local); len(x.path) > maxDepth {
			return newRefusalIn(x.where, "limit", "refused.deep", "depth", maxDepth)
		}
		x.text.Reset()
		x.beginElement(&t)
	case xml.CharData:
		if x.text.Len()+len(t) > maxText {
			return newRefusalIn(x.where, "limit", "refused.long_text")
		}
		x.text.Write(t)
	case xml.EndElement:
		name := t.Name.Local
		x.path = x.path[:len(x.path)-1]
		x.keepText(name, strings.TrimSpace(x.text.String()))
		x.text.Reset()
		return x.endElement(name)
	}
	return nil
}

func (x *documents) parentElement() string {
	if len(x.path) == 0 {
		return ""
	}
	return x.path[len(x.path)-1]
}

// beginElement begins the part of a document that an element contains.
func (x *documents) beginElement(t *xml.StartElement) {
	switch t.Name.Local {
	case "nfeProc":
		x.note = &note{}
	case "NFe":
		if x.note == nil {
			x.note = &note{bare: true}
		}
	case "infNFe":
		if x.note == nil {
			x.note = &note{bare: true}
		}
		for _, a := range t.Attr {
			if a.Name.Local == "Id" {
				x.note.key = keyOf(a.Value)
			}
		}
	case "detPag":
		if x.note != nil {
			x.note.payments = append(x.note.payments, payment{})
		}
	case "procEventoNFe", "evento":
		if x.event == nil {
			x.event = &event{bare: t.Name.Local == "evento"}
		}
	case "procInutNFe", "ProcInutNFe", "inutNFe":
		if x.void == nil {
			x.void = &unused{bare: t.Name.Local == "inutNFe"}
		}
	}
}

// keepText keeps the text of an element that a payment needs.
func (x *documents) keepText(name, text string) {
	parent := x.parentElement()
	switch {
	case x.note != nil:
		x.note.keepElement(parent, name, text)
	case x.event != nil && parent == "infEvento":
		x.event.keepElement(name, text)
	case x.void != nil && parent == "infInut":
		x.void.keepElement(name, text)
	}
}

// endElement ends a document, and hands over what it says.
func (x *documents) endElement(name string) error {
	switch {
	case x.note != nil && (name == "nfeProc" || name == "NFe" && x.note.bare):
		n := x.note
		x.note = nil
		x.found++
		return x.emitNote(n)
	case x.event != nil && (name == "procEventoNFe" || name == "evento" && x.event.bare):
		e := x.event
		x.event = nil
		x.found++
		return x.emitEvent(e)
	case x.void != nil && (name == "procInutNFe" || name == "ProcInutNFe" || name == "inutNFe" && x.void.bare):
		u := x.void
		x.void = nil
		x.found++
		return x.emitUnused(u)
	}
	return nil
}
