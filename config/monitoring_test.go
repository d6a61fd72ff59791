package config_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/config"
)

func TestScheduleAndWatchProblems(t *testing.T) {
	t.Parallel()
	const five = `five fields, such as "30 5 * * *" (05:30 every day), perhaps with CRON_TZ=America/Sao_Paulo in front`
	for _, row := range []struct {
		because, text string
		vars          []string
		want          []string
	}{
		{"a schedule names a job and a time", "schedule: [{}]", nil, []string{
			` line 5 schedule[0].job: missing: one of nightly, pull, reconcile, report, check`,
			` line 5 schedule[0].cron: missing: ` + five,
		}},
		{
			"words are known, and days bounded",
			`schedule: [{job: night, cron: "30 5 * * *", missed: all, catch_up_days: 0, on_start: yes, retry: [10m, 30s], at: 5}]`, nil,
			[]string{
				` line 5 schedule[0].on_start: "yes": true or false`,
				` line 5 schedule[0].at: unknown key: one of job, cron, missed, catch_up_days, on_start, retry`,
				` line 5 schedule[0].job: "night": one of nightly, pull, reconcile, report, check`,
				` line 5 schedule[0].missed: "all": one of catch_up, latest, skip`,
				` line 5 schedule[0].catch_up_days: "0": a number of days, 1 to 400`,
				` line 5 schedule[0].retry: "30s": waits of 1m to 24h, such as [10m, 30m, 1h]`,
			},
		},
		{
			"a time is one that cron knows, and that comes",
			`schedule: [{job: pull, cron: "TZ=0"}, {job: pull, cron: "0 5 31 2 *"}, {job: pull, cron: "0 5 L * *"}, {job: pull, cron: "CRON_TZ=Mars/X 0 5 * * *"}, {job: pull, cron: "0 0 5 * * *"}, {job: pull, cron: "CRON_TZ=Local 0 5 * * *"}]`, nil,
			[]string{
				` line 5 schedule[0].cron: "TZ=0": ` + five,
				` line 5 schedule[1].cron: "0 5 31 2 *": a time that comes: this one never does`,
				` line 5 schedule[2].cron: "0 5 L * *": ` + five,
				` line 5 schedule[3].cron: "CRON_TZ=Mars/X 0 5 * * *": ` + five,
				` line 5 schedule[4].cron: "0 0 5 * * *": ` + five,
				` line 5 schedule[5].cron: "CRON_TZ=Local 0 5 * * *": ` + five,
			},
		},
		{
			"two schedules can be told apart",
			`schedule: [{job: pull, cron: "@daily"}, {job: check, cron: "@daily"}, {job: pull, cron: " @Daily", missed: skip}]`, nil,
			[]string{` line 5 schedule[2].cron: " @Daily": another time: schedule[0] has this job at this one`},
		},
		{
			"the environment is judged alike", `{}: {}`,
			[]string{"CONCILIA_SCHEDULE_0_JOB", "nightly", "CONCILIA_SCHEDULE_0_CRON", "at five", "CONCILIA_ALERTS_0_ON", "rain", "CONCILIA_METRICS_LISTEN", "9464"},
			[]string{
				`environment CONCILIA_SCHEDULE_0_CRON: "at five": ` + five,
				`environment CONCILIA_METRICS_LISTEN: "9464": a host and a port, such as 127.0.0.1:9464, or nothing`,
				`environment CONCILIA_ALERTS_0_ON: "rain": one of incomplete, first_break, budget, silence, no_run`,
				` alerts[0].url: missing: an address to send to, or a command or mail`,
				` line 5: a key is plain text; << and the like mean nothing here`,
			},
		},
		{"what is told inside stays inside", `metrics: {listen: ":8443"}`, nil, []string{
			` line 5 metrics.listen: ":8443": another port than webhook.listen: the service has no business at this one`,
		}},
		{
			"a link is of the web, and shows no more than its host",
			`pings: {start: "ftp://pings.example/hunter2", ok: hunter2, fail: "https://u:hunter2@h/x"}`, nil,
			[]string{
				` line 5 pings.start: "ftp://pings.example/***": an address such as https://host/path, without user`,
				` line 5 pings.ok: "***": an address such as https://host/path, without user`,
				` line 5 pings.fail: "https://h/***": an address such as https://host/path, without user`,
			},
		},
		{
			"an alert has a cause and one place, and a time where it needs one",
			`alerts: [{}, {on: no_run, url: "https://h/hunter2"}, {on: no_run, by: "24:00", command: [""]}, {on: silence, by: "08:00", url: "https://h/", command: [page]}]`, nil,
			[]string{
				` line 5 alerts[0].on: missing: one of incomplete, first_break, budget, silence, no_run`,
				` line 5 alerts[0].url: missing: an address to send to, or a command or mail`,
				` line 5 alerts[1].by: missing: the time of day by which a run has ended, such as "08:00"`,
				` line 5 alerts[2].by: "24:00": a time of day, such as "08:00"`,
				` line 5 alerts[2].command[0]: a program's name`,
				` line 5 alerts[3].by: "08:00": nothing: only no_run has a time`,
				` line 5 alerts[3].command: url or command, not both: write two alerts`,
			},
		},
		{"a log has a form and a level", `log: {format: xml, level: trace}`, nil, []string{
			` line 5 log.format: "xml": one of json, console`,
			` line 5 log.level: "trace": one of debug, info, warn, error`,
		}},
	} {
		path := write(t, good+row.text+"\n")
		_, err := config.Load(path, vars(append([]string{"CONCILIA_SERVICE_PASSWORD", "p"}, row.vars...)...))
		if err == nil {
			t.Errorf("%s: accepted", row.because)
			continue
		}
		if diff := cmp.Diff(strings.Join(row.want, "\n"), strings.ReplaceAll(err.Error(), path, "")); diff != "" {
			t.Errorf("%s:\n%s", row.because, diff)
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: a secret is shown", row.because)
		}
	}
}

func TestScheduleAndAlertsFromTheEnvironment(t *testing.T) {
	t.Parallel()
	c := loadConfig(t, good+"schedule: [{job: nightly, cron: \"30 5 * * *\"}]\n",
		"CONCILIA_SCHEDULE_0_MISSED", "skip",
		"CONCILIA_SCHEDULE_1_JOB", "check", "CONCILIA_SCHEDULE_1_CRON", "0 12 * * *", "CONCILIA_SCHEDULE_1_CATCH_UP_DAYS", "2",
		"CONCILIA_ALERTS_0_ON", "no_run", "CONCILIA_ALERTS_0_BY", "08:00", "CONCILIA_ALERTS_0_COMMAND", "page, finance",
		"CONCILIA_PINGS_FAIL", "https://pings.example/hunter2", "CONCILIA_LOG_LEVEL", "debug")
	want := []config.Schedule{
		{Job: "nightly", Cron: "30 5 * * *", Missed: "skip", CatchUpDays: 7},
		{Job: "check", Cron: "0 12 * * *", Missed: "catch_up", CatchUpDays: 2},
	}
	if diff := cmp.Diff(want, c.Schedule); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]config.Alert{{On: "no_run", By: "08:00", Command: []string{"page", "finance"}}}, c.Alerts); diff != "" {
		t.Error(diff)
	}
	if c.Pings.Fail.Reveal() != "https://pings.example/hunter2" || c.Log.Level != "debug" || c.Metrics.Listen != "127.0.0.1:9464" {
		t.Errorf("got:\n%s", c.Text())
	}
}

// An address of a ping or a chat hook is as good as a password: it can be used by anyone who knows it.
func TestLinksDoNotPrint(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ link, want string }{
		{"", ""},
		{"https://pings.example", "https://pings.example"},
		{"https://pings.example:8443/hunter2", "https://pings.example:8443/***"},
		{"https://chat.example?key=hunter2", "https://chat.example/***"},
		{"https://u:hunter2@chat.example/x", "https://chat.example/***"},
		{"%hunter2", "***"},
	} {
		k := config.Link(row.link)
		all := fmt.Sprintf("%v|%s|%+v|%#v|%x|%d", k, k, k, k, k, k)
		if want := strings.Repeat(row.want+"|", 5) + row.want; all != want {
			t.Errorf("%q prints as %s, want %s", row.link, all, want)
		}
		b, err := json.Marshal(config.Pings{Start: k})
		if err != nil || strings.Contains(string(b), "hunter2") || k.Reveal() != row.link {
			t.Errorf("%q is written as %s (%v)", row.link, b, err)
		}
	}
}
