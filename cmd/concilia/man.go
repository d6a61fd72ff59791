package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
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
				return usage("concilia man --dir DIR writes all of them", "--dir takes no command, not %q", args[0])
			}
			if dir != "" {
				return g.writeMan(cmd.Root(), dir)
			}
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usage("concilia --help lists the commands", "there is no command %q", strings.Join(args, " "))
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
	if g.json {
		return json.NewEncoder(g.stdout).Encode(map[string][]string{"pages": names})
	}
	_, err := fmt.Fprintf(g.stdout, "%d pages in %s\n", len(names), dir)
	return err
}

func cannotWrite(err error) error {
	return &advised{&withCode{err, exitUnreachable}, "name another --dir, or make it writable"}
}
