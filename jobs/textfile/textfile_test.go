package textfile_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"concilia/jobs/textfile"
)

// What the bytes of a text are is found in pieces of any size, and they are read as UTF-8.
func TestCharsets(t *testing.T) {
	t.Parallel()
	far := strings.Repeat("x", 64<<10-1) // the next character begins in one piece and ends in another
	for _, tt := range []struct {
		name, text, want string
		charset          textfile.Charset
	}{
		{"plain letters", "Data;Valor", "Data;Valor", textfile.ASCII},
		{"UTF-8", "Histórico", "Histórico", textfile.UTF8},
		{"UTF-8 behind its mark", "\ufeffData", "Data", textfile.UTF8},
		{"UTF-8 in the next piece", far + "ó", far + "ó", textfile.UTF8},
		{"another", "Hist\xf3rico \x80", "Histórico €", textfile.Windows1252},
		{"another in the next piece", far + "\xf3", far + "ó", textfile.Windows1252},
		{"UTF-8 that is cut within a character", "Hist\xc3", "HistÃ", textfile.Windows1252},
		{"nothing", "", "", textfile.ASCII},
	} {
		for _, in := range []io.Reader{strings.NewReader(tt.text), iotest.OneByteReader(strings.NewReader(tt.text)), iotest.DataErrReader(strings.NewReader(tt.text))} {
			charset, err := textfile.FindCharset(in)
			if charset != tt.charset || err != nil {
				t.Errorf("%s: %d, %v, want %d", tt.name, charset, err, tt.charset)
			}
		}
		if got, err := io.ReadAll(tt.charset.NewReader(strings.NewReader(tt.text))); string(got) != tt.want || err != nil {
			t.Errorf("%s is read as %.100q, %v", tt.name, got, err)
		}
	}
}
