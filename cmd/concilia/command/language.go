package command

import (
	"strings"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/config"
)

// ChooseLanguage chooses the language that people are spoken to in: --lang, else the configuration's, else the environment's.
func (inv *Invocation) ChooseLanguage() error {
	switch l := view.Language(inv.Lang); l {
	case view.English, view.Portuguese:
		inv.Language = l
		return nil
	case "":
	default:
		return exit.NewUsageError("error.flag_value", "hint.languages", "flag", "--lang", "value", inv.Lang)
	}
	inv.Language = languageOf(inv.Lookup)
	if l := view.Language(config.ReadLanguage(inv.ConfigPath, inv.Lookup)); l == view.English || l == view.Portuguese {
		inv.Language = l
	}
	return nil
}

// LanguageOfError is the language of a command line that failed before one was chosen: --lang where it names one.
func (inv *Invocation) LanguageOfError(args []string) view.Language {
	for i, a := range args {
		if value, ok := strings.CutPrefix(a, "--lang="); ok {
			inv.Lang = value
		} else if a == "--lang" && i+1 < len(args) {
			inv.Lang = args[i+1]
		}
	}
	if inv.Language == "" && inv.ChooseLanguage() != nil {
		inv.Lang = ""
		_ = inv.ChooseLanguage() // there is no flag to refuse now
	}
	return inv.Language
}

// languageOf is Portuguese where the environment asks for it (LC_ALL before LC_MESSAGES before LANG), else English.
func languageOf(lookup func(string) (string, bool)) view.Language {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if value, ok := lookup(name); ok && value != "" {
			if strings.HasPrefix(value, "pt") {
				return view.Portuguese
			}
			return view.English
		}
	}
	return view.English
}
