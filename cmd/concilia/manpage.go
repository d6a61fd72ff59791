package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// pageName is the name of a command's page: its words with dashes between.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// writeManPage writes the page of one command in the language of man(7). It has no date, so that equal programs give
// equal pages.
func writeManPage(w io.Writer, c *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" %s \"User commands\"\n", quoted(strings.ToUpper(pageName(c))), quoted("concilia "+readBuildFacts().Version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escaped(pageName(c)), escaped(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", escaped(c.UseLine()))
	text, status, _ := strings.Cut(c.Long, "Exit status:")
	status, more, _ := strings.Cut(status, "\n\n")
	text += more
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", paragraphs(text))
	if c.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", escaped(sub.Name()), escaped(sub.Short))
			}
		}
	}
	options(&b, "OPTIONS", c.LocalNonPersistentFlags())
	global := c.InheritedFlags()
	if !c.HasParent() {
		global = c.PersistentFlags()
	}
	options(&b, "GLOBAL OPTIONS", global)
	if status != "" {
		b.WriteString(".SH EXIT STATUS\n" + exitStatuses(status))
	}
	b.WriteString(".SH SEE ALSO\n" + seeAlso(c))
	_, err := io.WriteString(w, b.String())
	return err
}

// options lists flags with the word for their value and what they do.
func options(b *strings.Builder, title string, flags *pflag.FlagSet) {
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
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR \\fI%s\\fR\n%s\n", escaped(name), escaped(value), escaped(about))
	})
}

// exitStatuses gives each code a line: they stand after one another, parted by semicolons.
func exitStatuses(text string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(strings.TrimSuffix(strings.Join(strings.Fields(text), " "), "."), "; ") {
		code, meaning, _ := strings.Cut(part, " ")
		if _, err := strconv.Atoi(code); err != nil { // the meaning of the code before goes on
			b.WriteString(escaped(part) + "\n")
			continue
		}
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", escaped(code), escaped(meaning))
	}
	return b.String()
}

// paragraphs fills text, but for lines that are indented: those stand as they are.
func paragraphs(text string) string {
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
		b.WriteString(escaped(strings.TrimPrefix(line, "  ")) + "\n")
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
		names = append(names, pageName(c.Parent()))
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, pageName(sub))
		}
	}
	for i, name := range names {
		names[i] = `\fB` + escaped(name) + `\fR(1)`
	}
	return strings.Join(names, ",\n") + "\n"
}

// escaped is a line that means itself: no sign of it is an order to the formatter.
func escaped(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", `\(ga`, "'", `\(aq`, "~", `\(ti`, "^", `\(ha`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

// quoted is an argument of an order.
func quoted(text string) string { return `"` + strings.ReplaceAll(escaped(text), `"`, `\(dq`) + `"` }
