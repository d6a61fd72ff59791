package service

import (
	"net/http"
	"slices"
	"strings"
)

// faultPage answers GET /sandbox/faults.
type faultPage struct {
	Armed  []faultOrder   `json:"armed"`
	Fired  []firedFault   `json:"fired"`  // the latest 10,000, oldest first
	Counts map[string]int `json:"counts"` // by "endpoint kind", all that fired
}

func (f *faults) listPage() faultPage {
	f.mu.Lock()
	defer f.mu.Unlock()
	page := faultPage{Armed: []faultOrder{}, Fired: append([]firedFault{}, f.fired...), Counts: map[string]int{}}
	for _, o := range f.armed {
		page.Armed = append(page.Armed, *o)
	}
	for name, n := range f.counts {
		page.Counts[name] = n
	}
	return page
}

// handleFaults shows what is armed and what fired, arms one more on POST, disarms everything on DELETE.
func (f *faults) handleFaults(rw http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		var o faultOrder
		if !readStrictJSON(rw, r, &o) || o.validate().writeIfAny(rw) {
			return
		}
		if !f.addOrder(&o) {
			writeError(rw, http.StatusBadRequest, "", "1000 faults are armed already; DELETE /sandbox/faults disarms them")
			return
		}
		writeJSON(rw, http.StatusCreated, o)
		return
	case http.MethodDelete:
		f.mu.Lock()
		f.armed = nil
		f.mu.Unlock()
	}
	writeJSON(rw, http.StatusOK, f.listPage())
}

// addOrder takes an order in and gives it an id, unless too many are armed.
func (f *faults) addOrder(o *faultOrder) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.armed) == mostArmed {
		return false
	}
	if o.Count == 0 {
		o.Count = 1
	}
	f.last++
	o.ID = f.last
	kept := *o
	f.armed = append(f.armed, &kept)
	return true
}

func (o *faultOrder) validate() problems {
	var bad problems
	if names := FaultEndpoints(); !slices.Contains(names, o.Endpoint) {
		bad.add("endpoint", "want "+strings.Join(names, ", "))
	}
	if !slices.ContainsFunc(faultKinds, func(k FaultKind) bool { return k.Name == o.Kind }) {
		var names []string
		for _, k := range faultKinds {
			names = append(names, k.Name)
		}
		bad.add("kind", "want "+strings.Join(names, ", "))
	}
	if o.Count < -1 || o.After < 0 {
		bad.add("count", "want a count of at least -1, and after of at least 0")
	}
	for name, v := range map[string]*int{"retry_after": o.RetryAfter, "limit": o.Limit, "rows": o.Rows, "delay_ms": o.DelayMS} {
		if v != nil && (*v < 0 || *v > mostDelayMS) {
			bad.add(name, "want 0 to 600000")
		}
	}
	return bad
}

// valueOr is an optional number of an order, or its default.
func valueOr(v *int, otherwise int) int {
	if v != nil {
		return *v
	}
	return otherwise
}
