package schedule

import (
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"concilia/export/words"
)

// Spec is the times at which occurrences are due.
type Spec struct {
	text   string
	zone   *time.Location
	every  time.Duration     // of @every, whole seconds; then the fields below are not set
	clock  cron.SpecSchedule // in local time, represented as UTC
	hourly bool              // for every hour
}

// anchor is where the search for a first slot begins; the five years after it include a 29 February.
var anchor = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)

// Parse reads the five fields of cron, a name such as @daily, or @every with a duration, in zone unless CRON_TZ=NAME
// comes first. Times that never occur are an error.
func Parse(text string, zone *time.Location) (*Spec, error) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return nil, words.NewFault("want.cron_fields", "")
	}
	if before, name, ok := strings.Cut(fields[0], "TZ="); ok && (before == "" || before == "CRON_") {
		named, err := time.LoadLocation(name)
		if err != nil || name == "" || name == "Local" {
			return nil, fmt.Errorf("%q: %w", text, words.NewFault("want.cron_zone", "", "name", fmt.Sprintf("%q", name)))
		}
		zone, fields = named, fields[1:]
	}
	plain := strings.ToLower(strings.Join(fields, " "))
	parsed, err := parseCron(plain)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	switch s := parsed.(type) {
	case cron.ConstantDelaySchedule:
		return &Spec{text: "@every " + s.Delay.String(), zone: zone, every: s.Delay}, nil
	case *cron.SpecSchedule:
		const allHours = 1<<24 - 1
		spec := &Spec{text: "CRON_TZ=" + zone.String() + " " + plain, zone: zone, clock: *s, hourly: s.Hour&allHours == allHours}
		spec.clock.Location = time.UTC
		if spec.Next(anchor).IsZero() {
			return nil, fmt.Errorf("%q: %w", text, words.NewFault("want.cron_never", ""))
		}
		return spec, nil
	}
	return nil, fmt.Errorf("%q: %w", text, words.NewFault("want.no_cron", ""))
}

// parseCron parses a cron expression. It recovers from the panics of the library at some invalid texts.
func parseCron(text string) (s cron.Schedule, err error) {
	defer func() {
		if recover() != nil {
			err = words.NewFault("want.no_cron", "")
		}
	}()
	return cron.ParseStandard(text)
}

// String is the canonical form, with the zone.
func (s *Spec) String() string { return s.text }

// Zone is the zone of its times.
func (s *Spec) Zone() *time.Location { return s.zone }

// Next returns the first slot after an instant, in UTC, or zero if there is none within five years.
func (s *Spec) Next(after time.Time) time.Time {
	if s.every > 0 {
		seconds := int64(s.every / time.Second)
		return time.Unix((after.Unix()/seconds+1)*seconds, 0).UTC()
	}
	from := localClock(after, s.zone)
	turning := s.hourly && hasClockChange(from, s.zone)
	if turning {
		// In a repeated hour, an earlier local time may be a later instant.
		from = from.Add(-maxClockChange)
	}
	var next time.Time
	for c := s.clock.Next(from); !c.IsZero(); c = s.clock.Next(c) {
		slots := s.slotsAt(c)
		for _, slot := range slots {
			if slot.After(after) && (next.IsZero() || slot.Before(next)) {
				next = slot
			}
		}
		if !next.IsZero() && (!turning || len(slots) > 0 && !slots[0].Before(next)) {
			return next
		}
	}
	return next
}

// slotsAt returns the slots of the local time c.
func (s *Spec) slotsAt(c time.Time) []time.Time {
	instants := instantsOf(c, s.zone)
	switch {
	case s.hourly:
		return instants
	case len(instants) == 0:
		return []time.Time{jumpInstant(c, s.zone)}
	}
	return instants[:1]
}

// SkippedTime returns the local time of a slot that a clock change skips, or empty for any other slot.
func (s *Spec) SkippedTime(slot time.Time) string {
	if s.every > 0 || s.hourly {
		return ""
	}
	start, _ := slot.In(s.zone).ZoneBounds()
	if !start.Equal(slot) {
		return ""
	}
	from, to := localClock(slot.Add(-1), s.zone).Add(1), localClock(slot, s.zone)
	c := s.clock.Next(from.Add(-time.Second))
	if c.IsZero() || !c.Before(to) {
		return ""
	}
	return fmt.Sprintf("there is no %s that day in %s: clocks jump from %s to %s",
		c.Format("15:04"), s.zone, from.Format("15:04"), to.Format("15:04"))
}

// FormatSlot formats a slot for people: in the zone, with its offset.
func (s *Spec) FormatSlot(slot time.Time) string {
	local := slot.In(s.zone)
	if local.Second() != 0 {
		return local.Format(time.RFC3339)
	}
	return local.Format("2006-01-02T15:04Z07:00")
}

const (
	// maxClockChange is more than any clock change.
	maxClockChange = 4 * time.Hour
	// offsetProbe is more than the largest offset of a zone, so that the offsets at this distance on both sides are those
	// before and after a clock change.
	offsetProbe = 26 * time.Hour
)

// localClock returns the local time of an instant in the zone, as a time in UTC.
func localClock(t time.Time, zone *time.Location) time.Time {
	return t.Add(zoneOffset(t, zone)).UTC()
}

func zoneOffset(t time.Time, zone *time.Location) time.Duration {
	_, seconds := t.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}

// hasClockChange reports whether the zone has a clock change near the local time c.
func hasClockChange(c time.Time, zone *time.Location) bool {
	return zoneOffset(c.Add(-offsetProbe), zone) != zoneOffset(c.Add(offsetProbe), zone)
}

// instantsOf returns the instants with the local time c, the earlier first: one, two if clocks are turned back over it, none
// if they skip it.
func instantsOf(c time.Time, zone *time.Location) []time.Time {
	before, after := zoneOffset(c.Add(-offsetProbe), zone), zoneOffset(c.Add(offsetProbe), zone)
	var out []time.Time
	for _, t := range []time.Time{c.Add(-before), c.Add(-after)} {
		if localClock(t, zone).Equal(c) && (len(out) == 0 || !out[0].Equal(t)) {
			out = append(out, t)
		}
	}
	if len(out) == 2 && out[1].Before(out[0]) {
		out[0], out[1] = out[1], out[0]
	}
	return out
}

// jumpInstant returns the instant of the clock change that skips the local time c.
func jumpInstant(c time.Time, zone *time.Location) time.Time {
	start, _ := c.Add(-zoneOffset(c.Add(-offsetProbe), zone)).In(zone).ZoneBounds()
	return start.UTC()
}
