package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/export/words"
	"concilia/jobs/find"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
	"concilia/store/lookup"
)

// Found is what was found, as text: JSON has a line for each hit.
type Found struct {
	*find.Answer
	Query    *find.Query
	Since    []FoundAccount // where it was looked for
	Language string
	// SlipNames are the references or nossos números of slips among the hits, by their ids.
	SlipNames map[string]string
}

// FoundAccount is an account that was looked through, and the first day it is answered for.
type FoundAccount struct {
	Account ledger.Account
	Since   ledger.Date
}

// WriteText writes a line for each hit, and what was looked for when there is none.
func (v *Found) WriteText(w io.Writer, _ Language) error {
	var b strings.Builder
	for _, n := range v.Query.Notes {
		b.WriteString(words.Text(v.Language, "find."+n.ID, "word", n.Word) + "\n")
	}
	switch {
	case v.TooMany:
		b.WriteString(words.Text(v.Language, "find.too_many") + "\n")
	case len(v.Hits) == 0:
		v.writeNothing(&b)
	default:
		v.writeHits(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (v *Found) text(id string, values ...any) string { return words.Text(v.Language, id, values...) }

func (v *Found) writeHits(b *strings.Builder) {
	t := NewTable(b, 3)
	t.AppendHeader(table.Row{
		v.text("find.kind"), v.text("find.date"), "R$", v.text("find.account"), v.text("find.state"), v.text("find.subject"),
		v.text("find.matched"), v.text("find.case"), v.text("find.sentence"),
	})
	for i := range v.Hits {
		h := &v.Hits[i]
		t.AppendRow(table.Row{
			v.text("find.kind_" + h.Kind), catalogue.Spell(h.Date.String(), v.Language), catalogue.Spell(h.Amount, v.Language), h.Account,
			v.NameState(h), h.Subject, strings.Join(v.NameMatches(h.Matched), ", "), h.Case, h.Sentence,
		})
	}
	t.Render()
	if left := v.Total - len(v.Hits); left > 0 {
		b.WriteString(v.text("find.more", "n", left) + "\n")
	}
}

// NameState is the state of a hit's case, else the class of the sale or slip.
func (v *Found) NameState(h *find.Hit) string {
	switch {
	case h.Case != "":
		return words.Label(v.Language, "case_state", h.State)
	case h.Kind == find.OwnHit:
		return words.Label(v.Language, "own_status", h.State)
	case h.Kind == find.SlipHit:
		return words.Label(v.Language, "slip_class", h.State)
	}
	return words.Label(v.Language, "card_class", h.State)
}

// NameMatches names as what the words were found.
func (v *Found) NameMatches(kinds []string) []string {
	out := make([]string, len(kinds))
	for i, kind := range kinds {
		out[i] = v.text("find.as_" + kind)
	}
	return out
}

// writeNothing writes what was looked for, as what, where, and since which day.
func (v *Found) writeNothing(b *strings.Builder) {
	b.WriteString(v.text("find.nothing") + "\n")
	for i := range v.Query.Words {
		word := &v.Query.Words[i]
		b.WriteString("  " + v.text("find.looked_for", "word", word.Text, "kinds", v.NameKinds(word.As)) + "\n")
	}
	for _, a := range v.Since {
		since := v.text("find.never")
		if a.Since != 0 {
			since = catalogue.Spell(a.Since.String(), v.Language)
		}
		fmt.Fprintf(b, "  %s\n", v.text("find.where", "account", a.Account, "since", since))
	}
}

// NameKinds names as what a word was looked for.
func (v *Found) NameKinds(kinds []lookup.WordKind) string {
	as := make([]string, len(kinds))
	for i, kind := range kinds {
		as[i] = v.text("find.as_" + string(kind))
	}
	return strings.Join(as, ", ")
}
