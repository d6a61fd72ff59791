package schedule

import "time"

const (
	// widestTurn is more than clocks are ever turned at once.
	widestTurn = 4 * time.Hour
	// farOff is more than the widest offset of a zone, so that on both sides of it offsets are those before and after a turn.
	farOff = 26 * time.Hour
)

// shown is what clocks in the zone show at an instant, as if they were in UTC.
func shown(t time.Time, zone *time.Location) time.Time {
	return t.Add(offset(t, zone)).UTC()
}

func offset(t time.Time, zone *time.Location) time.Duration {
	_, seconds := t.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}

// turns says whether clocks in the zone are turned about the time c that they show.
func turns(c time.Time, zone *time.Location) bool {
	return offset(c.Add(-farOff), zone) != offset(c.Add(farOff), zone)
}

// instantsOf are the instants at which clocks in the zone show c, the earlier first: one, two when clocks are turned
// back over it, none when they jump over it.
func instantsOf(c time.Time, zone *time.Location) []time.Time {
	before, after := offset(c.Add(-farOff), zone), offset(c.Add(farOff), zone)
	var out []time.Time
	for _, t := range []time.Time{c.Add(-before), c.Add(-after)} {
		if shown(t, zone).Equal(c) && (len(out) == 0 || !out[0].Equal(t)) {
			out = append(out, t)
		}
	}
	if len(out) == 2 && out[1].Before(out[0]) {
		out[0], out[1] = out[1], out[0]
	}
	return out
}

// jumpOver is the instant at which clocks in the zone jump over c, which they never show.
func jumpOver(c time.Time, zone *time.Location) time.Time {
	start, _ := c.Add(-offset(c.Add(-farOff), zone)).In(zone).ZoneBounds()
	return start.UTC()
}
