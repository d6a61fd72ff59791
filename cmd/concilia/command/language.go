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
		return exit.Usagef("--lang takes pt-BR or en", "--lang %q", inv.Lang)
	}
	inv.Language = languageOf(inv.Lookup)
	if l := view.Language(config.ReadLanguage(inv.ConfigPath, inv.Lookup)); l == view.English || l == view.Portuguese {
		inv.Language = l
	}
	return nil
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
