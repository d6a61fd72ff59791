package upkeep

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/export/manifest"
	"concilia/export/words"
)

// NewKeygen is the command keygen.
func NewKeygen(inv *command.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "keygen FILE",
		Short: "make a key to sign what is published",
		Long: `keygen writes a new Ed25519 key: the private part to FILE, for this user alone, and the public part to FILE.pub. Name FILE
in reports.signing_key_file, and give FILE.pub to whoever checks the files with concilia verify --key FILE.pub, by
another way than the files themselves. Existing files are never overwritten.

Exit status: 0 written; 2 usage, or a file of that name exists; 1 it could not be written.`,
		Args: command.ExactArgs(1, "argument.new_file"),
		RunE: func(_ *cobra.Command, args []string) error {
			err := manifest.WriteKeys(args[0])
			if errors.Is(err, fs.ErrExist) {
				return exit.NewUsageError("error.cause", "hint.keygen", "cause", exit.Cause(err))
			}
			if err == nil && !inv.Quiet {
				fmt.Fprintf(inv.Stderr, "%s\n%s\n", words.Text(inv.Language, "program.key_signs", "file", args[0]), words.Text(inv.Language, "program.key_checks", "file", args[0]+".pub"))
			}
			return err
		},
	}
}
