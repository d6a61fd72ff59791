package api

import "errors"

// IsTooMuch says whether a question failed in a way that one for fewer days might not: the service fell silent over
// it, or the answer took too long or was longer than is read.
func IsTooMuch(err error) bool {
	return errors.Is(err, errSilent) || errors.Is(err, errLong) || errors.As(err, new(*limitError))
}
