package runview

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/concilia/view"
	"concilia/jobs/casework"
	"concilia/jobs/plan"
	"concilia/store/ledger"
)

var (
	began = time.Date(2026, 11, 18, 8, 30, 0, 0, time.UTC)
	zone  = time.FixedZone("-03", -3*60*60)
)

// endedRun is a night that came to its end.
func endedRun() *ledger.Run {
	return &ledger.Run{
		ID: "R1", Kind: ledger.Nightly, Trigger: "command", AsOf: ledger.NewDate(2026, 11, 18), Began: began, Ended: began.Add(4200 * time.Millisecond),
		Verdict: ledger.Breaks, ExitCode: 20, Accounts: []ledger.Account{1001}, Verdicts: map[ledger.Account]ledger.Verdict{1001: ledger.Breaks},
		Sums: map[string]ledger.Amount{"cards.gross": 12_345_678}, Steps: []ledger.RunStep{{Name: "pull", Took: 1500 * time.Millisecond}},
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	if err := view.NewLines(&b).Add(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func textOf(t *testing.T, p view.Page) string {
	t.Helper()
	var b strings.Builder
	if err := view.Write(&b, false, view.English, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The state of a run is that of its record and of the process that holds its accounts.
func TestStatesOfRuns(t *testing.T) {
	t.Parallel()
	killed, stopped, check := endedRun(), endedRun(), endedRun()
	killed.Ended, killed.ExitCode = time.Time{}, 0
	stopped.Ended = time.Time{}
	check.Ended, check.ExitCode, check.Kind = time.Time{}, 0, ledger.CheckRun
	for _, row := range []struct {
		why     string
		run     *ledger.Run
		running bool
		want    string
	}{
		{"it ended", endedRun(), false, "ended"},
		{"its process lives", killed, true, "running"},
		{"its process died", killed, false, "killed"},
		{"its process gave up", stopped, false, "stopped"},
		{"a check holds no account", check, false, "begun"},
	} {
		got := RunOf(row.run, map[string]bool{"R1": row.running})
		if got.State != row.want || (got.Took != nil) != row.run.Finished() {
			t.Errorf("%s: %s, want %s", row.why, got.State, row.want)
		}
	}
}

// The members and their order are a contract with scripts.
func TestRunInJSONAndText(t *testing.T) {
	t.Parallel()
	page := &RunPage{Run: RunOf(endedRun(), nil), Zone: zone}
	page.AddRule(1001, &ledger.RuleCounts{Code: "RECEIVED_LATE", Eligible: 3, Evaluated: 2, Fired: 1, NotEvaluable: 1})
	want := `{"run":"R1","kind":"nightly","trigger":"command","as_of":"2026-11-18","state":"ended","began":"2026-11-18T08:30:00Z",` +
		`"ended":"2026-11-18T08:30:04Z","seconds":4.200,"verdict":"breaks","exit_code":20,"accounts":[{"account":1001,"verdict":"breaks"}],` +
		`"totals":{"cards":{"gross":"1234.5678"}},"cases":{"new":0,"persisting":0,"resolved":0},` +
		`"figures":{"missing":"0.00","lost":"0.00","late":"0.00","at_risk":"0.00","claimed":"0.00","waived":"0.00","excess":"0.00"},"steps":[{"step":"pull","seconds":1.500}],"engine":"","documents":null,` +
		`"rules":[{"account":1001,"code":"RECEIVED_LATE","eligible":3,"evaluated":2,"fired":1,"within_tolerance":0,` +
		`"skipped":{"no_input":0,"not_evaluable":1,"shadow":0,"unmapped":0,"window":0}}]}` + "\n"
	if d := cmp.Diff(want, jsonOf(t, page)); d != "" {
		t.Errorf("JSON:\n%s", d)
	}
	text := textOf(t, page)
	for _, line := range []string{
		"run        R1: nightly, as of 2026-11-18: breaks (exit 20)\n", "ended      2026-11-18 05:30:04, after 4.2s\n",
		"account    1001: breaks\n", "R$         cards.gross                      1,234.57\n", "RECEIVED_LATE  ",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("the text lacks %q:\n%s", line, text)
		}
	}
}

// A screen without a schedule, nights or cases says so, and its JSON leaves out what there is not.
func TestEmptyStatus(t *testing.T) {
	t.Parallel()
	s := StatusOf(&casework.Status{Now: began, AsOf: ledger.NewDate(2026, 11, 18), Ledger: "sqlite", Size: 2048}, nil, zone)
	want := `{"now":"2026-11-18T08:30:00Z","as_of":"2026-11-18","ledger":{"kind":"sqlite","bytes":2048},"coverage":[],` +
		`"figures":{"missing":"0.00","lost":"0.00","late":"0.00","at_risk":"0.00","claimed":"0.00","waived":"0.00","excess":"0.00"},"cases":[],` +
		`"inbox":{"waiting":0,"oldest":""},"not_linked":{"waiting":0,"oldest":""},"outbox":[],"held":[]}` + "\n"
	if d := cmp.Diff(want, jsonOf(t, s)); d != "" {
		t.Errorf("JSON:\n%s", d)
	}
	for _, line := range []string{"last night     none has ended", "cases          none", "schedule       none is configured", "ledger         sqlite, 2.0 KiB"} {
		if text := textOf(t, s); !strings.Contains(text, line) {
			t.Errorf("the screen lacks %q:\n%s", line, text)
		}
	}
}

// Windows of one reason share a line in text and stay apart in JSON.
func TestPlanGroupsWindows(t *testing.T) {
	t.Parallel()
	day := ledger.NewDate(2026, 11, 17)
	account := plan.AccountPlan{Number: 1001, Name: "Loja"}
	for i := range ledger.Date(3) {
		account.Windows = append(account.Windows, ledger.Window{Source: ledger.Cards, Period: ledger.Period{From: day - i, To: day - i}, Reason: "never complete"})
	}
	p := PlanOf(&plan.NightPlan{AsOf: day + 1, Accounts: []plan.AccountPlan{account}})
	var out struct {
		Accounts []struct{ Windows, Beside []json.RawMessage }
	}
	if err := json.Unmarshal([]byte(jsonOf(t, p)), &out); err != nil || len(out.Accounts) != 1 || len(out.Accounts[0].Windows) != 3 || out.Accounts[0].Beside == nil {
		t.Errorf("%v in %s", err, jsonOf(t, p))
	}
	if text := textOf(t, p); !strings.Contains(text, "cards        3  never complete  2026-11-15 to 2026-11-17\n") {
		t.Errorf("the windows are not on one line:\n%s", text)
	}
}

func TestTextOfRuns(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ why, got, want string }{
		{"a change for the better", formatChange(view.English, 10_000), "+1.00"},
		{"nothing to mention", listParts(view.English, view.Part{N: 0, What: "new_row"}), ""},
		{"two of three", listParts(view.English, view.Part{N: 2, What: "new_row"}, view.Part{N: 0, What: "changed_row"}, view.Part{N: 1000, What: "vanished_row"}), " (2 new, 1,000 vanished)"},
		{"one of one in Portuguese", listParts(view.Portuguese, view.Part{N: 1, What: "new_row"}), " (1 nova)"},
		{"hours ahead", formatAhead(view.English, 25*time.Hour+90*time.Second), "25h02m"},
		{"days ahead", formatAhead(view.English, 72*time.Hour), "3 days"},
		{"a remark on an occurrence", describeWhy(view.Portuguese, "at start; repeats 2026-11-18 05:30, which ended with 50"), "ao iniciar; repete 2026-11-18 05:30, que terminou com 50"},
		{"a remark that is not known", describeWhy(view.Portuguese, "dial tcp: refused"), "dial tcp: refused"},
		{
			"why a set would be published", strings.Join(describeReasons(view.Portuguese, []string{"first", "slips changed", "month added", "reconciled as of 2026-11-18 since"}), ", "),
			"primeira publicação, boletos: alterado, mês: incluído, conciliado desde 18/11/2026",
		},
	} {
		if row.got != row.want {
			t.Errorf("%s: %q, want %q", row.why, row.got, row.want)
		}
	}
}
