package cases

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view/caseview"
	"concilia/cmd/concilia/wire"
	"concilia/jobs/casework"
)

// letterRequest are the flags of claims letter.
type letterRequest struct {
	filter  exceptionFilter
	out     string
	formats []string
}

func newClaimsLetter(inv *command.Invocation) *cobra.Command {
	var o letterRequest
	cmd := &cobra.Command{
		Use:   "letter [CASE…] --out DIR",
		Short: "write the letters that claim cases from the operator",
		Long: `letter writes, for each account, one document to send to the operator: a section per cause with every sale or slip, the rate
agreed beside the one in effect, what was due, what was charged or paid, and the difference. html prints as an A4 letter, csv-br
and xlsx are for their people to work with. It says nothing of severities, states or notes.

Name cases, or choose them by flags as in exceptions list; without either it is about every open case by which money is missing
that the operator answers for. Nothing is recorded: exceptions dispute --letter FILE does that, with the reference that the
operator gives. The same cases of the same run give the same files.

Exit status: 0 written; 2 usage, or nothing to claim; 40 configuration; 50 ledger unreachable.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.out == "" {
				return exit.NewUsageError("error.letter_folder", "hint.example", "example", "--out carta")
			}
			for _, f := range o.formats {
				if !slices.Contains(caseview.LetterFormats(), f) {
					return exit.NewUsageError("error.flag_value", "hint.formats", "flag", "--format", "value", f, "names", strings.Join(caseview.LetterFormats(), ", "))
				}
			}
			return writeLetters(cmd.Context(), inv, &o, args)
		},
	}
	flags := cmd.Flags()
	o.filter.addFlags(flags)
	flags.StringVar(&o.out, "out", "", "the `FOLDER` to write to")
	flags.StringSliceVar(&o.formats, "format", caseview.LetterFormats(), "only these `formats`")
	return cmd
}

func writeLetters(ctx context.Context, inv *command.Invocation, o *letterRequest, names []string) error {
	filter, err := o.filter.buildFilter()
	if err != nil {
		return err
	}
	w, closeAll, err := inv.WireWorker(ctx, wire.WantKept)
	if err != nil {
		return err
	}
	defer closeAll()
	if len(names) > 0 {
		if filter.Cases, err = (&casework.Handler{Ledger: w.Ledger}).ResolveCases(ctx, names); err != nil {
			return err
		}
	}
	c, err := inv.LoadConfig(0)
	if err != nil {
		return err
	}
	all, err := wire.NewExplainer(w).WriteLetters(ctx, filter, wire.HoldersOf(c), cmp.Or(inv.Lang, c.Reports.Language))
	if err != nil {
		return err
	}
	letters := caseview.LettersOf(all)
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	for i := range letters {
		for _, format := range o.formats {
			if err := writeLetter(&letters[i], o.out, format); err != nil {
				return err
			}
		}
	}
	return command.WriteLines(inv, letters, caseview.Letters(letters))
}

// writeLetter writes a letter in a format, whole or not at all.
func writeLetter(l *caseview.Letter, dir, format string) (err error) {
	name, err := l.FileName(format)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+name+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // gone already when all went well
	if err := errors.Join(l.Write(f, format), f.Sync(), f.Close(), os.Chmod(f.Name(), 0o644)); err != nil {
		return err
	}
	path := filepath.Join(dir, name)
	l.Files = append(l.Files, filepath.ToSlash(path))
	return os.Rename(f.Name(), path)
}
