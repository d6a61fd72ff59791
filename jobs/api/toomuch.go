package api

import "errors"

// IsTooMuch reports whether a question for fewer days might succeed: the answer timed out, took too long, or was larger
// than the limit.
func IsTooMuch(err error) bool {
	return errors.Is(err, errSilent) || errors.Is(err, errLong) || errors.As(err, new(*limitError))
}
