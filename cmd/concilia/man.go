package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newMan(g *globals) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "man [COMMAND…]",
		Short: "print the manual page of a command, or write all of them",
		Long: `man prints the manual page of a command, or of concilia itself if none is named. With --dir it writes the pages of all
commands into DIR, which it creates: concilia.1, concilia-run.1, concilia-exceptions-list.1 and so on.

  concilia man exceptions list | man -l -
  concilia man --dir /usr/local/share/man/man1

Exit status: 0 printed or written; 2 usage, or no such command; 50 a file can't be written.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir != "" && len(args) > 0 {
				return exit.Usagef("concilia man --dir DIR writes all of them", "--dir takes no command, not %q", args[0])
			}
			if g.Language == view.Portuguese {
				translateHelp(cmd.Root())
			}
			if dir != "" {
				return g.writeMan(cmd.Root(), dir)
			}
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return exit.Usagef("concilia --help lists the commands", "there is no command %q", strings.Join(args, " "))
			}
			return writeManPage(g.stdout, about)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "write the pages of every command into `DIR`")
	return cmd
}

// writeMan writes a page for the command and each below it.
func (g *globals) writeMan(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // pages are for everybody
		return cannotWrite(err)
	}
	var names []string
	var write func(*cobra.Command) error
	write = func(c *cobra.Command) error {
		if !c.IsAvailableCommand() && c.HasParent() {
			return nil
		}
		path := filepath.Join(dir, pageName(c)+".1")
		var page strings.Builder
		if err := writeManPage(&page, c); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(page.String()), 0o644); err != nil { //nolint:gosec // pages are for everybody
			return cannotWrite(err)
		}
		names = append(names, path)
		for _, sub := range c.Commands() {
			if err := write(sub); err != nil {
				return err
			}
		}
		return nil
	}
	if err := write(root); err != nil {
		return err
	}
	return g.writePage(view.ManualPages{Pages: names, Dir: dir})
}

func cannotWrite(err error) error {
	return exit.WithHint(exit.WithCode(err, exit.Unreachable), "name another --dir, or make it writable")
}

// pageName is the name of a command's page: its words with dashes between.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// writeManPage writes the page of one command in the language of man(7). It has no date, so that equal programs give
// equal pages.
func writeManPage(w io.Writer, c *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" %s \"User commands\"\n", quoteRoff(strings.ToUpper(pageName(c))), quoteRoff("concilia "+view.ReadBuildFacts().Version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escapeRoff(pageName(c)), escapeRoff(c.Short))
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
		names = append(names, pageName(c.Parent()))
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, pageName(sub))
		}
	}
	for i, name := range names {
		names[i] = `\fB` + escapeRoff(name) + `\fR(1)`
	}
	return strings.Join(names, ",\n") + "\n"
}

// escapeRoff is a line that means itself: no sign of it is an order to the formatter.
func escapeRoff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", `\(ga`, "'", `\(aq`, "~", `\(ti`, "^", `\(ha`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

// quoteRoff is an argument of an order.
func quoteRoff(text string) string {
	return `"` + strings.ReplaceAll(escapeRoff(text), `"`, `\(dq`) + `"`
}
