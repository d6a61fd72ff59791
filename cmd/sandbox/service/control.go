package service

import (
	"net/http"
	"time"
)

// The sandbox's own paths. Choice: they need no token, since the sandbox listens on loopback by default.

func (s *Service) handleHealth(rw http.ResponseWriter, _ *http.Request) {
	writeJSON(rw, http.StatusOK, map[string]string{"status": "ok"})
}

func (s *Service) handlePlanted(rw http.ResponseWriter, _ *http.Request) {
	writeJSON(rw, http.StatusOK, s.world.Planted())
}

// clockMove is the body of POST /sandbox/clock: exactly one member.
type clockMove struct {
	Now         *time.Time `json:"now"`
	AdvanceDays *int       `json:"advance_days"`
}

// maxAdvance bounds one move of the clock: ten years.
const maxAdvance = 3660

// handleClock shows the business clock, after moving it on POST; it may move either way.
func (s *Service) handleClock(rw http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		var m clockMove
		if !readStrictJSON(rw, r, &m) {
			return
		}
		to, bad := m.target(s.world.Now())
		if bad.writeIfAny(rw) {
			return
		}
		s.world.SetNow(to)
	}
	writeJSON(rw, http.StatusOK, map[string]string{"now": s.world.Now().UTC().Format(time.RFC3339)})
}

// target is where a move takes the clock, or what is wrong with it. What RFC 3339 can't spell, nobody could move it back
// from.
func (m clockMove) target(now time.Time) (to time.Time, bad problems) {
	switch {
	case (m.Now == nil) == (m.AdvanceDays == nil):
		bad.add("now", `want {"now":"2026-11-18T09:00:00Z"} or {"advance_days":1}`)
	case m.Now != nil:
		to = *m.Now
	case *m.AdvanceDays < -maxAdvance || *m.AdvanceDays > maxAdvance:
		bad.add("advance_days", "want -3660 to 3660")
	default:
		to = now.AddDate(0, 0, *m.AdvanceDays)
	}
	if y := to.UTC().Year(); len(bad) == 0 && (y < 1 || y > 9999) {
		bad.add("now", "the clock goes from the year 1 to the year 9999")
	}
	return to, bad
}
