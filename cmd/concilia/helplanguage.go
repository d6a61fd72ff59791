package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/view"
	"concilia/export/words"
)

// speakHelp has the help of every command say in Portuguese what it does and what its options are, where that is the language.
func speakHelp(inv *command.Invocation, root *cobra.Command) {
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if inv.ChooseLanguage() == nil && inv.Language == view.Portuguese { // a language that there is not is refused when the command runs
			cmd.InitDefaultHelpFlag()
			translateHelp(root)
		}
		help(cmd, args)
	})
}

// translateHelp gives a command and all below it the help that people read in Portuguese. The whole text, with the exit codes and the
// forms of the JSON, is in English alone: each page says how to see it.
func translateHelp(cmd *cobra.Command) {
	const lang = view.Portuguese
	if cmd.HasParent() {
		cmd.Short = words.Label(lang, "command", strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" "))
	} else {
		cmd.Short = words.Text(lang, "help.program")
		cmd.SetUsageTemplate(translateHeads(cmd.UsageTemplate()))
	}
	cmd.Long = strings.ToUpper(cmd.Short[:1]) + cmd.Short[1:] + ".\n\n" + words.Text(lang, "help.whole_text", "command", cmd.CommandPath())
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		flags.VisitAll(translateOption)
	}
	for _, sub := range cmd.Commands() {
		translateHelp(sub)
	}
}

// translateHeads is the library's page with its heads in Portuguese.
func translateHeads(template string) string {
	text := func(id string) string { return words.Text(view.Portuguese, id) }
	template = strings.NewReplacer("Usage:", text("help.usage"), "Available Commands:", text("help.commands"),
		"Global Flags:", text("help.global_options"), "Flags:", text("help.options"), "[command]", text("help.a_command"),
	).Replace(template)
	return strings.NewReplacer(`Use "`, text("help.type")+` "`, "for more information about a command.", text("help.about_a_command")).Replace(template)
}

// automaticHelp is what the library says of the option --help.
var automaticHelp = regexp.MustCompile(`^help for \S+$`)

// translateOption gives an option what people read of it in Portuguese, with its default. What is Portuguese already stays.
func translateOption(f *pflag.Flag) {
	const lang = view.Portuguese
	if automaticHelp.MatchString(f.Usage) {
		f.Usage = words.Text(lang, "help.this_help")
	}
	f.Usage = words.Label(lang, "option", strings.ReplaceAll(f.Usage, "`", ""))
	if slices.Contains([]string{"", "0", "false", "[]"}, f.DefValue) {
		return // the library says nothing of it
	}
	f.Usage += " " + words.Text(lang, "help.default", "value", f.DefValue)
	f.DefValue = map[string]string{"bool": "false", "int": "0", "int64": "0", "uint": "0", "uint64": "0", "float64": "0", "stringSlice": "[]"}[f.Value.Type()]
}
