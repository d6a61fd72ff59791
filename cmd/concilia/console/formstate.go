package console

import "net/http"

// formState is why a page shows a form again as it was filled in: nothing was done. Its zero value is a form that was not sent yet.
type formState struct {
	Wrong   map[string]string // what is wrong with fields, by name
	Busy    bool              // it could not be done now
	Refused string            // why it does not fit the present state, which the page shows
}

// statusCode is the status of the page.
func (s *formState) statusCode() int {
	switch {
	case len(s.Wrong) > 0:
		return http.StatusBadRequest
	case s.Busy:
		return http.StatusServiceUnavailable
	case s.Refused != "":
		return http.StatusConflict
	}
	return http.StatusOK
}
