package manual

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"concilia/cmd/concilia/handbook"
)

// A sign of a help text never becomes an order to the formatter.
func TestSignsAreEscaped(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ because, text, want string }{
		{"a dash stays one that can be copied", "--as-of", `\-\-as\-of`},
		{"a point at the beginning is text", ".TH x", `\&.TH x`},
		{"so is an apostrophe", "'s", `\(aqs`},
		{"and a backslash", `C:\x`, `C:\ex`},
	} {
		if got := escapeRoff(row.text); got != row.want {
			t.Errorf("%s: %q is written as %q, want %q", row.because, row.text, got, row.want)
		}
	}
	if got, want := joinParagraphs("One\n\n  two\n    three\nfour"), "One\n.PP\n.RS\n.nf\ntwo\n  three\n.fi\n.RE\nfour\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := exitStatuses(" 0 done; 2 usage; or so, and\nmore; 40 configuration."),
		".TP\n.B 0\ndone\n.TP\n.B 2\nusage\nor so, and more\n.TP\n.B 40\nconfiguration\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// topicLine matches what the page of a topic may hold: the orders it uses, and text that begins with none.
var topicLine = regexp.MustCompile(`^(\.TH "[A-Z\\-]+" 7 "" "concilia [^"]+" "Handbook"|\.S[HS] .+|\.TP|\.PP|\.IP (\\\(bu 2|\d+\. 4)|\.RS|\.RE|\.nf|\.fi|[^.'].*|)$`)

// Every topic of the handbook in every language becomes a page that the formatter takes without a complaint, and of which no line
// is taken for an order by mistake.
func TestEveryTopicHasAPage(t *testing.T) {
	t.Parallel()
	formatter, noFormatter := exec.LookPath("groff")
	for _, language := range handbook.Languages {
		for _, topic := range handbook.Topics {
			source, err := handbook.Page(language, topic)
			if err != nil {
				t.Fatal(err)
			}
			var page strings.Builder
			if err := WriteTopic(&page, topic, source); err != nil {
				t.Fatal(err)
			}
			for line := range strings.SplitSeq(page.String(), "\n") {
				if !topicLine.MatchString(line) {
					t.Errorf("%s of %s: the formatter would take this for an order: %s", topic, language, line)
				}
			}
			if noFormatter == nil && topic == "first-night" {
				cmd := exec.Command(formatter, "-K", "utf8", "-man", "-ww", "-z")
				cmd.Stdin = strings.NewReader(page.String())
				if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
					t.Errorf("groff complains about %s of %s: %v\n%s", topic, language, err, out)
				}
			}
		}
	}
}

// Headings, lists, examples and tables of a page keep their form.
func TestTopicPage(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	err := WriteTopic(&page, "one-day", "# One day\n\n## What to do\n\nType `run --dry`, see [that page](other.md),\n.then **wait**.\n\n"+
		"- first\n- second:\n\n  ```console\n  concilia run\n  ```\n\n1. once\n2. twice\n\n| code | means |\n|---|---|\n| `30` | incomplete |\n")
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(page.String(), ".SH NAME\n")
	want := `concilia\-one\-day \- One day
.SH DESCRIPTION
.SH "What to do"
.PP
Type \fBrun \-\-dry\fR, see that page,
\&.then \fBwait\fR.
.IP \(bu 2
first
.IP \(bu 2
second:
.RS
.RS
.nf
concilia run
.fi
.RE
.RE
.PP
.IP 1. 4
once
.IP 2. 4
twice
.PP
.PP
code | means
.TP
\fB30\fR
incomplete
.PP
.SH SEE ALSO
\fBconcilia\fR(1)
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
