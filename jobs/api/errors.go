package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"concilia/export/words"
	"concilia/jobs/api/mask"
)

// ErrRefusedCredentials means that the service refused a login. Retrying is useless until the credential is changed.
var ErrRefusedCredentials error = words.NewFault("service_fault.refused_credentials", "")

// ErrUnsuccessful means that the detail of a slip has success false; the Error around it holds the message.
var ErrUnsuccessful error = words.NewFault("service_fault.unsuccessful", "")

// errIdleTimeout is the cause if no byte came for Options.Timeout, errTransferTimeout if an answer took maxTransfer.
var (
	errIdleTimeout     error = words.NewFault("service_fault.idle", "")
	errTransferTimeout error = words.NewFault("service_fault.slow_transfer", "", "most", maxTransfer)
)

// Error is a failed call. It never holds secrets, card numbers or rows.
type Error struct {
	Operation words.Message // the call: "search installments 2026-11-02..2026-11-02 account 1001"
	Status    int           // of the last answer; 0: no answer came
	Text      string        // the service's own words, capped and redacted; may be empty
	Permanent bool          // retrying would not help
	Tries     int           // requests made for the call, without logins
	Err       error         // the cause, when it is not the status
}

// Error is "api OPERATION: STATUS: text: cause", leaving out what is absent.
func (e *Error) Error() string { return e.In("en") }

// In is Error in a language; the service's own words stay as they are.
func (e *Error) In(language string) string {
	var parts []string
	if e.isNamed() {
		parts = append(parts, words.NewMessage("call.asked", "operation", e.Operation).In(language))
	}
	if inner := (*Error)(nil); errors.As(e.Err, &inner) {
		return strings.Join(append(parts, inner.In(language)), ": ")
	}
	if e.Status != 0 && (e.Status != http.StatusOK || e.Err == nil) {
		parts = append(parts, strconv.Itoa(e.Status))
	}
	if e.Text != "" {
		parts = append(parts, e.Text)
	} else if e.Status != 0 && e.Err == nil {
		parts = append(parts, statusText(e.Status, language))
	}
	if e.Err != nil {
		parts = append(parts, words.TextOf(e.Err, language))
	}
	return strings.Join(parts, ": ")
}

// statusText is what a status of HTTP means, in a language; a rare one in English.
func statusText(status int, language string) string {
	if id := "http_status.code_" + strconv.Itoa(status); words.Has(id) {
		return words.Text(language, id)
	}
	return strings.ToLower(http.StatusText(status))
}

// isOfLogin reports whether the error comes from the login that a call needed. Within a call only the login, a call of
// its own, has an Operation already.
func (e *Error) isOfLogin() bool { return e.isNamed() }

// isNamed reports whether the error says what was asked.
func (e *Error) isNamed() bool { return e.Operation.ID != "" }

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// IsRefused reports whether err is a refused login. It does not include a call that is answered 401 with a fresh token:
// then the credential is good, but the token is not accepted (see Options.SearchToken).
func IsRefused(err error) bool { return errors.Is(err, ErrRefusedCredentials) }

// IsWrongAddress reports whether the service has no address for what it was asked: the paths of its base addresses are others. A slip that is
// not there does not count.
func IsWrongAddress(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusNotFound && !errors.Is(err, ErrUnsuccessful)
}

// IsUnreachable reports whether the service could not be reached at all: there was no answer, or a gateway reported it
// as unavailable (502, 503, 504). A cancelled context does not count.
func IsUnreachable(err error) bool {
	var e *Error
	if !errors.As(err, &e) || errors.Is(err, context.Canceled) || IsRefused(err) {
		return false
	}
	if open := (*openError)(nil); errors.As(err, &open) {
		return open.isUnreachable()
	}
	switch e.Status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case 0:
		return e.Err != nil && !e.Permanent
	}
	return false
}

// permanentStatus reports whether a status means that the same request will get the same answer.
func permanentStatus(status int) bool {
	return status != http.StatusTooManyRequests && status != http.StatusRequestTimeout && status < 500
}

const (
	// maxErrorBody is how many bytes of an error answer are read; the longest known text is a paragraph.
	maxErrorBody = 16 << 10
	// maxErrorText is how many characters of it an error repeats, so that it stays one line.
	maxErrorText = 300
)

// errorText extracts the service's message from the body of an error answer.
//
// Spec gap: the shape of error bodies is not shown; an array of {tag, description}, an object {error} and an object
// {message} are read, anything else that is short text is repeated as it is, and HTML is not.
func (c *caller) errorText(body []byte, secrets ...string) string {
	var tagged []struct{ Tag, Description string }
	var object struct {
		Error   json.RawMessage
		Message json.RawMessage
		Title   json.RawMessage
		Detail  json.RawMessage
	}
	var said []string
	var word string
	switch {
	case json.Unmarshal(body, &word) == nil:
		said = append(said, word)
	case json.Unmarshal(body, &tagged) == nil:
		for _, t := range tagged {
			if t.Tag != "" && t.Tag != "__general__" {
				said = append(said, t.Tag+": "+t.Description)
			} else {
				said = append(said, t.Description)
			}
		}
	case json.Unmarshal(body, &object) == nil:
		for _, raw := range []json.RawMessage{object.Error, object.Message, object.Title, object.Detail} {
			var s string
			if json.Unmarshal(raw, &s) == nil && s != "" {
				said = append(said, s)
			}
		}
	case !strings.HasPrefix(strings.TrimSpace(string(body)), "<") && !json.Valid(body):
		said = append(said, string(body))
	}
	return c.redactText(strings.Join(said, "; "), secrets...)
}

// redactText makes foreign text safe to put in an error: one line, capped, without our secrets and the further ones in
// more, and without digit runs that could be a card number or a payer's document.
func (c *caller) redactText(s string, more ...string) string {
	secrets := append([]string{c.opts.Password, c.opts.GatewayPassword}, more...)
	for _, t := range c.tokens {
		secrets = append(secrets, t.currentToken())
	}
	for _, secret := range secrets {
		// A very short secret would match ordinary text.
		if len(secret) >= 4 {
			s = strings.ReplaceAll(s, secret, "[redacted]")
		}
	}
	// Blanks are joined first, so that a token after a tab or two blanks is found as well.
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "?"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	s = redactCredentials(s)
	s = string(mask.LongRuns([]byte(s)))
	if r := []rune(s); len(r) > maxErrorText {
		s = string(r[:maxErrorText]) + "…"
	}
	return s
}

// redactCredentials replaces the word after bearer or basic: the service may quote other tokens than ours.
func redactCredentials(s string) string {
	parts := strings.Split(s, " ")
	for i := 1; i < len(parts); i++ {
		if w := strings.ToLower(parts[i-1]); strings.HasSuffix(w, "bearer") || strings.HasSuffix(w, "basic") {
			parts[i] = "[redacted]"
		}
	}
	return strings.Join(parts, " ")
}

// IsWindowTooLarge reports whether a request for fewer days might succeed: the answer timed out, took too long, came too
// slowly, or was larger than the limit.
func IsWindowTooLarge(err error) bool {
	return errors.Is(err, errIdleTimeout) || errors.Is(err, errTransferTimeout) || errors.As(err, new(*limitError))
}
