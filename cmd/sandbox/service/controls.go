package service

import (
	"net/http"
	"time"

	"concilia/cmd/sandbox/world"
)

// The sandbox's own paths. Choice: they need no token, since the sandbox listens on loopback by default.

// controls answer them.
type controls struct {
	world      *world.World
	listStores bool
}

func handleHealth(rw http.ResponseWriter, _ *http.Request) {
	writeJSON(rw, http.StatusOK, map[string]string{"status": "ok"})
}

func (c *controls) handlePlanted(rw http.ResponseWriter, _ *http.Request) {
	all := c.world.Planted()
	if c.listStores {
		all = append(all, c.world.PlantedInStores()...)
	}
	writeJSON(rw, http.StatusOK, all)
}

// clockMove is the body of POST /sandbox/clock: exactly one member.
type clockMove struct {
	Now         *time.Time `json:"now"`
	AdvanceDays *int       `json:"advance_days"`
}

// maxAdvance bounds one move of the clock: ten years.
const maxAdvance = 3660

// handleClock shows the business clock, after moving it on POST; it may move either way.
func (c *controls) handleClock(rw http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		var m clockMove
		if !readStrictJSON(rw, r, &m) {
			return
		}
		to, bad := m.computeTarget(c.world.Now())
		if bad.writeIfAny(rw) {
			return
		}
		c.world.SetNow(to)
	}
	writeJSON(rw, http.StatusOK, map[string]string{"now": c.world.Now().UTC().Format(time.RFC3339)})
}

// computeTarget returns where a move takes the clock, or what is wrong with it. Years that RFC 3339 can't express are refused,
// since the clock could not be moved back from there.
func (m clockMove) computeTarget(now time.Time) (to time.Time, bad problems) {
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

// payment is the body of POST /sandbox/pay.
type payment struct {
	Subject string `json:"subject"`
}

// handlePay has the service pay what it was planted to owe. It is forgotten when the sandbox ends.
func (c *controls) handlePay(rw http.ResponseWriter, r *http.Request) {
	var p payment
	if !readStrictJSON(rw, r, &p) {
		return
	}
	var bad problems
	if !c.world.Pay(p.Subject) {
		bad.add("subject", "nothing of this subject was planted to stay unpaid: GET /sandbox/planted lists RECEIVED_OVERDUE and SLIP_CREDIT_OVERDUE")
	}
	if bad.writeIfAny(rw) {
		return
	}
	writeJSON(rw, http.StatusOK, map[string]string{"subject": p.Subject, "visible_from": world.DateOf(c.world.Now().AddDate(0, 0, 1)).String()})
}
