package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/handbook"
)

// newHelp prints the help of a command, or a page of the handbook.
func newHelp(g *globals) *cobra.Command {
	language := handbookLanguage(g.Lookup)
	cmd := &cobra.Command{
		Use:   "help [COMMAND… | TOPIC]",
		Short: "print the help of a command, or a page of the handbook",
		Long: `help prints the help of a command, or a page of the handbook. Without an argument it lists the commands and the topics.

Topics: ` + strings.Join(handbook.Topics, ", ") + `.

  concilia help first-night
  concilia help reports --lang pt-BR
  concilia help exceptions list

Exit status: 0 printed; 2 usage, or there is no such command or topic.`,
		ValidArgs: handbook.Topics,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(handbook.Languages, language) {
				return exit.Usagef("--lang takes pt-BR or en", "--lang %q", language)
			}
			if len(args) == 0 {
				return g.listTopics(cmd.Root(), language)
			}
			if len(args) == 1 && slices.Contains(handbook.Topics, args[0]) {
				page, err := handbook.Page(language, args[0])
				if err != nil {
					return err
				}
				_, err = fmt.Fprint(g.stdout, page)
				return err
			}
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return exit.Usagef("concilia help lists the commands and topics", "there is no command or topic %q", strings.Join(args, " "))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
	cmd.Flags().StringVar(&language, "lang", language, "language of the page, pt-BR or en")
	return cmd
}

// listTopics prints the commands and, below them, the titles of the handbook.
func (g *globals) listTopics(root *cobra.Command, language string) error {
	if err := root.Help(); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("\nHandbook (concilia help TOPIC):\n")
	for _, topic := range handbook.Topics {
		page, err := handbook.Page(language, topic)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "  %-14s %s\n", topic, handbook.Title(page))
	}
	_, err := fmt.Fprint(g.stdout, b.String())
	return err
}

// handbookLanguage is Portuguese where the environment asks for it (LC_ALL before LC_MESSAGES before LANG), else English.
func handbookLanguage(lookup func(string) (string, bool)) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if value, ok := lookup(name); ok && value != "" {
			if strings.HasPrefix(value, "pt") {
				return "pt-BR"
			}
			return "en"
		}
	}
	return "en"
}
