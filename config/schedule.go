package config

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"concilia/export/words"
)

// maxRetries is how often an occurrence may be repeated.
const maxRetries = 10

// The words of a schedule.
var (
	jobWords    = []string{"nightly", "pull", "reconcile", "report", "check"}
	missedWords = []string{"catch_up", "latest", "skip"}
)

// Schedule is a job with the times at which serve starts it.
type Schedule struct {
	// Job is nightly (a whole nightly run), pull, reconcile, report (what a nightly run publishes, as of the last reconcile) or check
	// (the ledger and the subscriptions); required.
	Job string `yaml:"job" env:"JOB"`
	// Cron is minute, hour, day of month, month and day of week in Timezone, or in another zone after CRON_TZ=ZONE;
	// required. If both day of month and day of week are set, one match is enough.
	Cron string `yaml:"cron" env:"CRON"`
	// Missed is what happens to occurrences that were not started in time: catch_up runs all of the last CatchUpDays,
	// oldest first, latest only the last one, skip none. Defaults to catch_up.
	Missed string `yaml:"missed" env:"MISSED"`
	// CatchUpDays is how many days back catch_up goes, 1 to 400. Defaults to 7.
	CatchUpDays int `yaml:"catch_up_days" env:"CATCH_UP_DAYS"`
	// OnStart runs the job additionally whenever serve starts. Defaults to false.
	OnStart bool `yaml:"on_start" env:"ON_START"`
	// Retry are the waits, 1m to 24h each and at most 10, after which serve repeats an occurrence that ended with 30 or 50, one
	// after the other: each is an occurrence of its own as of the same day, and where only the target of the reports was away,
	// only they are made and delivered. The next time of the schedule ends it. Defaults to none.
	Retry []time.Duration `yaml:"retry,flow" env:"RETRY"`
}

// setDefaults sets the defaults of a schedule.
func (s *Schedule) setDefaults() { s.Missed, s.CatchUpDays = "catch_up", 7 }

// checkSchedules checks the jobs that serve starts.
func checkSchedules(v *validator, all []Schedule) {
	type same struct{ job, cron string }
	first := map[same]string{}
	for i, s := range all {
		key := fmt.Sprintf("schedule[%d]", i)
		if s.Job == "" {
			v.addMissing(key+".job", words.NewMessage("want.one_of", "names", strings.Join(jobWords, ", ")))
		} else {
			v.checkOneOf(key+".job", s.Job, jobWords...)
		}
		v.checkCron(key+".cron", s.Cron)
		v.checkOneOf(key+".missed", s.Missed, missedWords...)
		v.checkRange(key+".catch_up_days", s.CatchUpDays, 1, 400, words.NewMessage("want.days"))
		if len(s.Retry) > maxRetries {
			v.addProblem(key+".retry", fmt.Sprint(s.Retry), words.NewMessage("want.waits_at_most", "most", maxRetries))
		}
		for _, wait := range s.Retry {
			if wait < time.Minute || wait > 24*time.Hour {
				v.addProblem(key+".retry", wait.String(), words.NewMessage("want.waits"))
			}
		}
		// Job and time are the key of an occurrence, so two schedules must not share both.
		is := same{s.Job, plainCron(s.Cron)}
		if before, twice := first[is]; twice {
			v.addProblem(key+".cron", s.Cron, words.NewMessage("want.another_time", "before", before))
			continue
		}
		first[is] = key
	}
}

// anchor is where the search for an occurrence begins; the five years after it include a 29 February.
var anchor = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// machineZone matches a cron text whose zone is empty or depends on the machine.
var machineZone = regexp.MustCompile(`^(?:CRON_)?TZ=(?:Local)?(?: |$)`)

// bothDays matches five fields whose day of month and day of week are both set.
var bothDays = regexp.MustCompile(`^(?:(?:CRON_)?TZ=\S+ )?\S+ \S+ ([^*?\s]\S*) \S+ ([^*?\s]\S*)$`)

func (v *validator) checkCron(key, text string) {
	want := words.NewMessage("want.cron")
	if text == "" {
		v.addMissing(key, want)
		return
	}
	plain := plainCron(text)
	schedule, err := parseCron(plain)
	switch {
	case err != nil || machineZone.MatchString(plain):
		v.addProblem(key, text, want)
	case schedule.Next(anchor).IsZero():
		v.addProblem(key, text, words.NewMessage("want.time_that_comes"))
	case bothDays.MatchString(plain):
		v.addWarning(words.NewMessage("warning.both_days", "key", key))
	}
}

// plainCron returns a canonical form of a cron text: single blanks, names of days and months in lower case, the zone as is.
func plainCron(text string) string {
	fields := strings.Fields(text)
	for i, f := range fields {
		if i > 0 || !strings.Contains(f, "TZ=") {
			fields[i] = strings.ToLower(f)
		}
	}
	return strings.Join(fields, " ")
}

// parseCron parses a cron text. It recovers from the panics of the library at some texts, such as TZ=0.
func parseCron(text string) (s cron.Schedule, err error) {
	defer func() {
		if recover() != nil {
			err = words.NewFault("want.no_cron", "")
		}
	}()
	return cron.ParseStandard(text)
}
