package mail

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"regexp"
	"strings"
	"testing"
	"time"
)

// hostile is a name of a merchant, a terminal or a store that is made to attack a page or a mail.
const hostile = "Loja\r\nBcc: x@evil.example\r\n\r\n<script>alert(1)</script>\u202egnp.exe\x00\x1b[2J"

func hostilePage() *Page {
	return &Page{
		Language: "pt-BR", Title: hostile, Headline: hostile, Lines: []string{hostile}, Foot: hostile,
		Sections: []Section{{Title: hostile, Note: hostile, After: hostile, Rows: []Row{{Text: hostile, Note: hostile, Amount: "R$\u00a01,00", Link: "javascript:alert(1)"}}}},
		Links:    []Link{{Text: hostile, Address: "https://desk.example/"}},
	}
}

var timeOfTest = time.Date(2026, 11, 19, 8, 30, 0, 0, time.UTC)

// composed is a message as a server gets it, read again.
func composed(t *testing.T, m *Message, to, of string) (*mail.Message, string) {
	t.Helper()
	msg, err := m.Compose("Concilia <concilia@loja.example>", to, of, timeOfTest)
	if err != nil {
		t.Fatal(err)
	}
	var raw bytes.Buffer
	if _, err := msg.WriteTo(&raw); err != nil {
		t.Fatal(err)
	}
	read, err := mail.ReadMessage(bytes.NewReader(raw.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return read, raw.String()
}

// TestHostileNames: what comes from data adds no header, no recipient, no line and no markup.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	m, err := Write("concilia "+hostile, hostilePage())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(m.HTML, "<script") || strings.Contains(m.HTML, `"javascript:`) || strings.ContainsAny(m.HTML+m.Text, "\x00\x1b\r\u202e") {
		t.Errorf("markup or controls got through:\n%s", m.HTML)
	}
	for line := range strings.Lines(m.Text) {
		if strings.HasPrefix(line, "Bcc:") {
			t.Errorf("a name began a line: %q", line)
		}
	}
	read, raw := composed(t, m, "ana@loja.example", "x")
	if len(read.Header["Bcc"]) > 0 || read.Header.Get("To") != "<ana@loja.example>" {
		t.Errorf("the headers are %v", read.Header)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject"))
	if err != nil || strings.ContainsAny(subject, "\r\n") || !strings.HasPrefix(subject, "concilia Loja  Bcc: x@evil.example") {
		t.Errorf("the subject is %q, %v", subject, err)
	}
	for line := range strings.Lines(raw) {
		if len(strings.TrimRight(line, "\r\n")) > 998 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
}

// TestBothParts: a message has the same as text and as HTML, and headers that keep machines from answering it.
func TestBothParts(t *testing.T) {
	t.Parallel()
	p := &Page{Language: "pt-BR", Title: "Situação em 18/11/2026", Headline: "Falta: R$\u00a01.829,35", Sections: []Section{{Title: "Novos", Rows: []Row{{
		Text: "O boleto 77 não foi creditado.", Note: "PagX", Amount: "R$\u00a012,00", Link: "https://desk.example/cases/9d9d70",
	}}}}}
	m, err := Write("concilia 18/11: divergências · 3 novas", p)
	if err != nil {
		t.Fatal(err)
	}
	read, raw := composed(t, m, "Ana <ana@loja.example>", "x")
	if read.Header.Get("Auto-Submitted") != "auto-generated" || read.Header.Get("Date") != "Thu, 19 Nov 2026 08:30:00 +0000" || !strings.HasSuffix(read.Header.Get("Message-Id"), "@loja.example>") {
		t.Errorf("the headers are %v", read.Header)
	}
	if _, again := composed(t, m, "Ana <ana@loja.example>", "x"); again != raw {
		t.Error("the same message has other bytes the second time")
	}
	ids := map[string]bool{}
	for _, row := range [][2]string{{"ana@loja.example", "x"}, {"bia@loja.example", "x"}, {"ana@loja.example", "y"}} {
		read, _ := composed(t, m, row[0], row[1])
		ids[read.Header.Get("Message-Id")] = true
	}
	if len(ids) != 3 {
		t.Errorf("messages to others, or about something else, share an id: %v", ids)
	}
	kind, parameters, err := mime.ParseMediaType(read.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("it is %s, %v", kind, err)
	}
	parts := multipart.NewReader(read.Body, parameters["boundary"])
	for _, want := range []string{"text/plain", "text/html"} {
		part, err := parts.NextRawPart()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil || !strings.HasPrefix(part.Header.Get("Content-Type"), want) {
			t.Fatalf("%v instead of %s, %v", part.Header, want, err)
		}
		for _, text := range []string{"Situação em 18/11/2026", "Falta: R$\u00a01.829,35", "O boleto 77 não foi creditado.", "https://desk.example/cases/9d9d70"} {
			if !strings.Contains(string(body), text) {
				t.Errorf("%q is not in the %s:\n%s", text, want, body)
			}
		}
	}
	if found := regexp.MustCompile(`(?i)<(?:img|script|link|style|form|iframe)|\bsrc=|url\(`).FindString(m.HTML); found != "" {
		t.Errorf("the HTML has %s", found)
	}
}

// A page of any size stays below what mail programs cut off.
func TestLargePage(t *testing.T) {
	t.Parallel()
	p := &Page{Language: "en", Title: "t", Headline: "h"}
	for s := range 5 {
		section := Section{Title: fmt.Sprint(s)}
		for i := range 100 {
			section.Rows = append(section.Rows, Row{Text: fmt.Sprintf("%d %s", i, strings.Repeat("é", 900)), Amount: "1.00"})
		}
		p.Sections = append(p.Sections, section)
	}
	m, err := Write("s", p)
	if err != nil || len(m.HTML) > maxHTML || len(m.Text) > maxHTML || !strings.Contains(m.Text, "- 0 é") || len(p.Sections[0].Rows) != 100 {
		t.Errorf("%d bytes, %v", len(m.HTML), err)
	}
}
