package service

import (
	"net/http"
	"time"
)

// The sandbox's own paths. Choice: they need no token, since the sandbox listens on loopback by default.

func (s *Service) health(rw http.ResponseWriter, _ *http.Request) {
	writeJSON(rw, http.StatusOK, map[string]string{"status": "ok"})
}

func (s *Service) planted(rw http.ResponseWriter, _ *http.Request) {
	writeJSON(rw, http.StatusOK, s.world.Planted())
}

// clockMove is the body of POST /sandbox/clock: exactly one member.
type clockMove struct {
	Now         *time.Time `json:"now"`
	AdvanceDays *int       `json:"advance_days"`
}

// maxAdvance bounds one move of the clock: ten years.
const maxAdvance = 3660

// clock shows the business clock, after moving it on POST; it may move either way.
func (s *Service) clock(rw http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		var m clockMove
		if !readOrder(rw, r, &m) {
			return
		}
		switch {
		case (m.Now == nil) == (m.AdvanceDays == nil):
			fail(rw, http.StatusBadRequest, "now", `want {"now":"2026-11-18T09:00:00Z"} or {"advance_days":1}`)
			return
		case m.Now != nil:
			s.world.SetNow(*m.Now)
		case *m.AdvanceDays < -maxAdvance || *m.AdvanceDays > maxAdvance:
			fail(rw, http.StatusBadRequest, "advance_days", "want -3660 to 3660")
			return
		default:
			s.world.SetNow(s.world.Now().AddDate(0, 0, *m.AdvanceDays))
		}
	}
	writeJSON(rw, http.StatusOK, map[string]string{"now": s.world.Now().UTC().Format(time.RFC3339)})
}
