package render_test

import (
	"strings"
	"testing"

	"concilia/export/report"
)

// A page leads to its own places in the indexes, and with the console's address to the cases, sales and slips of its rows. An
// extract, which no index has, leads to none.
func TestPageLinks(t *testing.T) {
	t.Parallel()
	const set = "1001_operation_20261101_20261130"
	for _, tc := range []struct {
		why           string
		console       string
		extract       bool
		has, hasNotIn []string
	}{
		{
			"a published set", "", false,
			[]string{`href="../../index.html#summary_` + set + `"`, `href="../../index.html#` + set + `"`, `href="../../../index.html"`},
			[]string{`href="http`},
		},
		{
			"with a console", "https://desk.example/concilia/", false,
			[]string{`href="https://desk.example/concilia/slips/slip:1001:00000000-0000-0000-0000-000000000001"`, `href="https://desk.example/concilia/sales/sale:1001:`},
			nil,
		},
		{"an extract", "", true, nil, []string{"href="}},
	} {
		tg, out := target(t)
		j, f := pageJob()
		j.ConsoleURL, j.Extract = tc.console, tc.extract
		j.Kinds = []report.Kind{report.SummaryKind, report.InstallmentsKind, report.SlipsKind, report.ControlKind}
		_, body := readPage(t, out, renderJob(t, j, f, tg))
		for _, want := range tc.has {
			if !strings.Contains(string(body), want) {
				t.Errorf("%s: the page lacks %s", tc.why, want)
			}
		}
		for _, not := range tc.hasNotIn {
			if strings.Contains(string(body), not) {
				t.Errorf("%s: the page has %s", tc.why, not)
			}
		}
	}
}

// The address of the console makes no new revision.
func TestConsoleAddressIsInNoDigest(t *testing.T) {
	t.Parallel()
	tg, _ := target(t)
	j, f := pageJob()
	first := renderJob(t, j, f, tg)
	j.ConsoleURL = "https://desk.example"
	if second := renderJob(t, j, f, tg); second.Digest != first.Digest {
		t.Error("the address of the console is in the digest")
	}
	if first.Digest == "" {
		t.Error("there is no digest")
	}
}
