package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// readStrictJSON is readJSON for the sandbox's own paths, where a word that is not understood would make a test
// prove nothing: unknown members are refused, and the problem says what is wrong.
func readStrictJSON(rw http.ResponseWriter, r *http.Request, v any) bool {
	d := json.NewDecoder(http.MaxBytesReader(rw, r.Body, maxBody))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		if _, end := d.Token(); errors.Is(end, io.EOF) {
			return true
		}
		err = errors.New("want one JSON object and nothing behind it")
	}
	writeError(rw, http.StatusBadRequest, decodeErrorTag(err), decodeErrorText(err))
	return false
}

// decodeErrorTag is the member a decoding error is about, if it says.
func decodeErrorTag(err error) string {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return kind.Field
	}
	return ""
}

// decodeErrorText says a decoding error to whoever wrote the order.
func decodeErrorText(err error) string {
	var kind *json.UnmarshalTypeError
	var instant *time.ParseError
	switch {
	case errors.Is(err, io.EOF):
		return "want a JSON object, the body is empty"
	case errors.As(err, &kind) && kind.Field == "":
		return "want a JSON object, not this: " + kind.Value
	case errors.As(err, &kind):
		return fmt.Sprintf("want a value of type %s, not a %s", kind.Type, kind.Value)
	case errors.As(err, &instant):
		return fmt.Sprintf("%s is no instant: want one like 2026-11-18T09:00:00Z", instant.Value)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}
