package wire

import (
	"fmt"

	"concilia/cmd/concilia/exit"
	"concilia/config"
	"concilia/jobs/schedule"
)

// ScheduleEntries are the configured schedules.
func ScheduleEntries(c *config.Config) ([]schedule.Entry, error) {
	var out []schedule.Entry
	for i, e := range c.Schedule {
		spec, err := schedule.Parse(e.Cron, c.Location())
		if err != nil {
			return nil, exit.NewInputError(fmt.Sprintf("schedule[%d].cron", i), err)
		}
		out = append(out, schedule.Entry{
			Job: e.Job, Spec: spec, Missed: schedule.Policy(e.Missed), CatchUpDays: e.CatchUpDays, OnStart: e.OnStart, Retry: e.Retry,
		})
	}
	return out, nil
}
