package main

import (
	"strings"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/config"
)

// chooseLanguage chooses the language that people are spoken to in: --lang, else the configuration's, else the environment's.
func (g *globals) chooseLanguage() error {
	switch l := view.Language(g.lang); l {
	case view.English, view.Portuguese:
		g.Language = l
		return nil
	case "":
	default:
		return exit.Usagef("--lang takes pt-BR or en", "--lang %q", g.lang)
	}
	g.Language = languageOf(g.Lookup)
	if l := view.Language(config.ReadLanguage(g.ConfigPath, g.Lookup)); l == view.English || l == view.Portuguese {
		g.Language = l
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
