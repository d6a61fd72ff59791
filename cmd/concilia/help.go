package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/handbook"
	"concilia/export/words"
)

// newHelp prints the help of a command, or a page of the handbook.
func newHelp(inv *command.Invocation) *cobra.Command {
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
			language := string(inv.Language)
			if len(args) == 0 {
				return listTopics(inv, cmd.Root(), language)
			}
			if len(args) == 1 && slices.Contains(handbook.Topics, args[0]) {
				page, err := handbook.Page(language, args[0])
				if err != nil {
					return err
				}
				_, err = fmt.Fprint(inv.Stdout, page)
				return err
			}
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return exit.NewUsageError("error.no_topic", "hint.topics", "name", strings.Join(args, " "))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
	return cmd
}

// listTopics prints the commands and, below them, the titles of the handbook.
func listTopics(inv *command.Invocation, root *cobra.Command, language string) error {
	if err := root.Help(); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("\n" + words.Text(language, "help.handbook") + " (concilia help " + words.Text(language, "help.a_topic") + "):\n")
	for _, topic := range handbook.Topics {
		page, err := handbook.Page(language, topic)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "  %-14s %s\n", topic, handbook.Title(page))
	}
	_, err := fmt.Fprint(inv.Stdout, b.String())
	return err
}
