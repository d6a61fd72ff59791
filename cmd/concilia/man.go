package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/handbook"
	"concilia/cmd/concilia/manual"
	"concilia/cmd/concilia/view"
)

func newMan(inv *command.Invocation) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "man [COMMAND… | [7] TOPIC]",
		Short: "print the manual page of a command, or write all of them",
		Long: `man prints the manual page of a command, of concilia itself if none is named, or of a topic of the handbook; 7 before a topic
tells it from a command of the same name. With --dir it writes the pages of all commands and topics into DIR, which it creates: concilia.1,
concilia-run.1, concilia-exceptions-list.1 and so on, and concilia-first-night.7 and so on.

  concilia man exceptions list | man -l -
  concilia man 7 bank | man -l -
  concilia man --dir /usr/local/share/man/man1

Exit status: 0 printed or written; 2 usage, or no such command or topic; 50 a file can't be written.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir != "" && len(args) > 0 {
				return exit.NewUsageError("error.man_dir", "hint.man_dir", "argument", args[0])
			}
			if inv.Language == view.Portuguese {
				translateHelp(cmd.Root())
			}
			if dir != "" {
				return writeMan(inv, cmd.Root(), dir)
			}
			return printMan(inv, cmd.Root(), args)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "write the pages of every command into `DIR`")
	return cmd
}

// printMan prints the page of a command or of a topic.
func printMan(inv *command.Invocation, root *cobra.Command, args []string) error {
	about, rest, err := root.Find(args)
	if err == nil && len(rest) == 0 {
		return manual.WriteCommand(inv.Stdout, about)
	}
	topic := args
	if args[0] == "7" {
		topic = args[1:]
	}
	if len(topic) == 1 && slices.Contains(handbook.Topics, topic[0]) {
		return writeTopic(inv, inv.Stdout, topic[0])
	}
	return exit.NewUsageError("error.no_topic", "hint.topics", "name", strings.Join(args, " "))
}

// writeTopic writes the manual page of a topic.
func writeTopic(inv *command.Invocation, w io.Writer, topic string) error {
	page, err := handbook.Page(string(inv.Language), topic)
	if err != nil {
		return err
	}
	return manual.WriteTopic(w, topic, page)
}

// writeMan writes a page for the command and each below it, and for each topic.
func writeMan(inv *command.Invocation, root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // pages are for everybody
		return cannotWrite(err)
	}
	var names []string
	writeFile := func(name string, write func(io.Writer) error) error {
		path := filepath.Join(dir, name)
		var page strings.Builder
		if err := write(&page); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(page.String()), 0o644); err != nil { //nolint:gosec // pages are for everybody
			return cannotWrite(err)
		}
		names = append(names, path)
		return nil
	}
	var writeCommands func(*cobra.Command) error
	writeCommands = func(c *cobra.Command) error {
		if !c.IsAvailableCommand() && c.HasParent() {
			return nil
		}
		if err := writeFile(manual.CommandName(c)+".1", func(w io.Writer) error { return manual.WriteCommand(w, c) }); err != nil {
			return err
		}
		for _, sub := range c.Commands() {
			if err := writeCommands(sub); err != nil {
				return err
			}
		}
		return nil
	}
	if err := writeCommands(root); err != nil {
		return err
	}
	for _, topic := range handbook.Topics {
		if err := writeFile(manual.TopicName(topic)+".7", func(w io.Writer) error { return writeTopic(inv, w, topic) }); err != nil {
			return err
		}
	}
	return inv.WritePage(view.ManualPages{Pages: names, Dir: dir})
}

func cannotWrite(err error) error {
	return exit.WithHint(exit.WithCode(err, exit.Unreachable), "hint.writable_dir")
}
