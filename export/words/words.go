// Package words holds the texts for people that reports and pages show, as message files: en.yaml and pt-BR.yaml. Who corrects
// a sentence corrects it there; no code changes. The headers of columns are with their tables, the texts of rules in
// jobs/rules/catalogue.
//
// Text is a text by its id, group and name, with its values; Label is the word for an id that reports show.
//
// The plural is for every number but 1, in Portuguese too. The common tables of plurals put 0 with 1 there ("0 dia"), which is
// not how reports are written; so the files are read here and not by a library of messages.
package words

import (
	"fmt"
	"strings"
	"sync"
)

// Text is a text in English when the language is "en", else in Brazilian Portuguese. id is group and name ("page.as_of"). values
// are the names of placeholders and their values, alternating; a text with two forms chooses by the value named n. An
// unknown id is returned as it is.
func Text[L ~string](language L, id string, values ...any) string {
	m, ok := findMessage(fileOf(language), id)
	if !ok {
		return id
	}
	text, pairs := m.Plural, make([]string, len(values))
	for i := range values {
		pairs[i] = fmt.Sprint(values[i])
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == "n" && pairs[i+1] == "1" && m.Singular != "" {
			text = m.Singular
		}
		pairs[i] = "{" + pairs[i] + "}"
	}
	if len(pairs) == 0 {
		return text
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// Has reports whether there is a text of the id.
func Has(id string) bool {
	_, ok := findMessage(english(), id)
	return ok
}

func fileOf[L ~string](language L) *messageFile {
	if language == "en" {
		return english()
	}
	return portuguese()
}

func findMessage(f *messageFile, id string) (message, bool) {
	group, name, _ := strings.Cut(id, ".")
	texts, ok := f.Texts[group]
	if !ok {
		return message{}, false
	}
	m, ok := texts()[name]
	return m, ok
}

// Labels finds the Portuguese words for a kind of ids. In English the id itself is the word.
func Labels(kind string) func(id string) (word string, ok bool) {
	labels := sync.OnceValue(func() map[string]string { return labelsOf(kind) })
	return func(id string) (string, bool) {
		word, ok := labels()[id]
		return word, ok
	}
}

// labelsOf are the Portuguese words for a kind of ids, by id.
func labelsOf(kind string) map[string]string {
	read, ok := portuguese().Labels[kind]
	if !ok {
		return nil
	}
	return read()
}

// Label is the word for an id: the id itself in English, and where there is no word.
func Label[L ~string](language L, kind, id string) string {
	if language == "en" {
		return id // without reading the Portuguese file
	}
	if word, ok := labelsOf(kind)[id]; ok {
		return word
	}
	return id
}

// Name is Label for a sentence: in English the id is written without its underscores.
func Name[L ~string](language L, kind, id string) string {
	if language == "en" {
		return strings.ReplaceAll(id, "_", " ")
	}
	return Label(language, kind, id)
}
