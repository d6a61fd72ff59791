package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestReadmeFigures holds the figures the README quotes from long proofs to the tables these proofs write. A figure the
// README no longer quotes in these words is of no concern here, but for the recall.
func TestReadmeFigures(t *testing.T) {
	t.Parallel()
	text := strings.Join(strings.Fields(readme(t)), " ")
	recall, alarms := proof(t, "recall"), proof(t, "alarms")
	of := func(row string, column int) string { return figure(t, recall, row, column) }
	allRules := fmt.Sprintf("%d rules", rulesIn(t, recall)) // the last row but those of the places
	total := of(allRules, 0)
	forged := strconv.Itoa(wholeNumber(t, of("put into ledger", 0)) + wholeNumber(t, of("put into sums", 0)))
	for _, c := range []struct {
		says string // the README's words, a number for every %s
		want []string
	}{
		{"Of %s mutants, which cover all %s rules, %s are put into answers", []string{total, strconv.Itoa(rulesIn(t, recall)), of("put into answers", 0)}},
		{"; %s are notifications posted to its own receiver", []string{of("put into notifications", 0)}},
		{"; %s, which nothing outside can cause, are forged", []string{forged}},
		{"All %s are found", []string{of(allRules, 1)}},
		{"All %s are found", []string{of(allRules, 2)}},
	} {
		requireFigures(t, text, c.says, c.want, true)
	}
	sets := strings.Count(alarms, " seed ")
	requireFigures(t, text, "False alarms: %s clean data sets over %s nights", []string{strconv.Itoa(sets), strconv.Itoa(4 * sets)}, false)
	for line := range strings.Lines(alarms) {
		if cases := regexp.MustCompile(` seed \d+ .*?((?: +\d+){4})$`).FindStringSubmatch(strings.TrimSpace(line)); cases != nil && strings.Trim(cases[1], " 0") != "" {
			t.Errorf("a false alarm is published: %s", line)
		}
	}
}

// requireFigures looks for a sentence of the README and compares its numbers; required fails when there is none.
func requireFigures(t *testing.T, text, says string, want []string, required bool) {
	t.Helper()
	pattern := strings.ReplaceAll(regexp.QuoteMeta(says), "%s", `([0-9,]+)`)
	found := regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1)
	if len(found) == 0 && required {
		t.Errorf("the README does not say %q with %v", says, want)
	}
	for _, one := range found {
		if got := one[1:]; strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("the README says %q with %v, the proof has %v", says, got, want)
		}
	}
}

// proof is a table that a test published.
func proof(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "proof", name+".golden"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// figure is a number of the row of a table that begins with some words.
func figure(t *testing.T, table, row string, column int) string {
	t.Helper()
	for line := range strings.Lines(table) {
		if rest, ok := strings.CutPrefix(line, row+" "); ok {
			return strings.Fields(rest)[column]
		}
	}
	t.Fatalf("no row %q", row)
	return ""
}

// rulesIn is how many rules have a row in the table of the recall.
func rulesIn(t *testing.T, recall string) int {
	t.Helper()
	rows := regexp.MustCompile(`(?m)^[A-Z_]+ +[0-9]+ `).FindAllString(recall, -1)
	return len(rows)
}

func wholeNumber(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
