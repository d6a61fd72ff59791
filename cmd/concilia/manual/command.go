package manual

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"concilia/cmd/concilia/view"
)

// CommandName is the name of a command's page: its words with dashes between.
func CommandName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// WriteCommand writes the page of one command.
func WriteCommand(w io.Writer, c *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" %s \"User commands\"\n", quoteRoff(strings.ToUpper(CommandName(c))), quoteRoff("concilia "+view.ReadBuildFacts().Version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escapeRoff(CommandName(c)), escapeRoff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", escapeRoff(c.UseLine()))
	text, status, _ := strings.Cut(c.Long, "Exit status:")
	status, more, _ := strings.Cut(status, "\n\n")
	text += more
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", joinParagraphs(text))
	if c.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", escapeRoff(sub.Name()), escapeRoff(sub.Short))
			}
		}
	}
	writeOptions(&b, "OPTIONS", c.LocalNonPersistentFlags())
	global := c.InheritedFlags()
	if !c.HasParent() {
		global = c.PersistentFlags()
	}
	writeOptions(&b, "GLOBAL OPTIONS", global)
	if status != "" {
		b.WriteString(".SH EXIT STATUS\n" + exitStatuses(status))
	}
	b.WriteString(".SH SEE ALSO\n" + seeAlso(c))
	_, err := io.WriteString(w, b.String())
	return err
}

// writeOptions lists flags with the word for their value and what they do.
func writeOptions(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, about := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR \\fI%s\\fR\n%s\n", escapeRoff(name), escapeRoff(value), escapeRoff(about))
	})
}

// exitStatuses gives each code a line: they follow one another, separated by semicolons.
func exitStatuses(text string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(strings.TrimSuffix(strings.Join(strings.Fields(text), " "), "."), "; ") {
		code, meaning, _ := strings.Cut(part, " ")
		if _, err := strconv.Atoi(code); err != nil { // the meaning of the code before goes on
			b.WriteString(escapeRoff(part) + "\n")
			continue
		}
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", escapeRoff(code), escapeRoff(meaning))
	}
	return b.String()
}

// joinParagraphs fills text, except indented lines, which stay as they are.
func joinParagraphs(text string) string {
	var b strings.Builder
	literal := false
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		indented := strings.HasPrefix(line, "  ")
		switch {
		case indented && !literal:
			b.WriteString(".RS\n.nf\n")
		case !indented && literal:
			b.WriteString(".fi\n.RE\n")
		}
		literal = indented
		if line == "" {
			b.WriteString(".PP\n")
			continue
		}
		b.WriteString(escapeRoff(strings.TrimPrefix(line, "  ")) + "\n")
	}
	if literal {
		b.WriteString(".fi\n.RE\n")
	}
	return b.String()
}

// seeAlso names the page above and those below; of a page alone, the main one.
func seeAlso(c *cobra.Command) string {
	var names []string
	if c.HasParent() {
		names = append(names, CommandName(c.Parent()))
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, CommandName(sub))
		}
	}
	for i, name := range names {
		names[i] = `\fB` + escapeRoff(name) + `\fR(1)`
	}
	return strings.Join(names, ",\n") + "\n"
}
