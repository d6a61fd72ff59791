package api

import (
	"encoding/json"
	"strings"
	"unicode"
)

const (
	// maxErrorBody is how much of an error answer is read; the longest text seen is a paragraph.
	maxErrorBody = 16 << 10
	// maxErrorText is how many characters of it are repeated, so that an error stays a line.
	maxErrorText = 300
)

// errorText takes the service's own words out of the body of an error answer.
//
// Spec gap: the shape of error bodies is not shown; an array of {tag, description}, an object {error} and an object
// {message} are read, anything else that is short text is repeated as it is, and HTML is not.
func (c *Client) errorText(body []byte, secrets ...string) string {
	var tagged []struct{ Tag, Description string }
	var object struct {
		Error   json.RawMessage
		Message json.RawMessage
		Title   json.RawMessage
		Detail  json.RawMessage
	}
	var words []string
	var word string
	switch {
	case json.Unmarshal(body, &word) == nil:
		words = append(words, word)
	case json.Unmarshal(body, &tagged) == nil:
		for _, t := range tagged {
			if t.Tag != "" && t.Tag != "__general__" {
				words = append(words, t.Tag+": "+t.Description)
			} else {
				words = append(words, t.Description)
			}
		}
	case json.Unmarshal(body, &object) == nil:
		for _, raw := range []json.RawMessage{object.Error, object.Message, object.Title, object.Detail} {
			var s string
			if json.Unmarshal(raw, &s) == nil && s != "" {
				words = append(words, s)
			}
		}
	case !strings.HasPrefix(strings.TrimSpace(string(body)), "<") && !json.Valid(body):
		words = append(words, string(body))
	}
	return c.redact(strings.Join(words, "; "), secrets...)
}

// redact makes foreign text fit for an error: one line, capped, without our secrets or more of them, and without digit
// runs that could be a card number or a payer's document.
func (c *Client) redact(s string, more ...string) string {
	secrets := append([]string{c.opts.Password, c.opts.GatewayPassword}, more...)
	for _, t := range c.tokens {
		secrets = append(secrets, t.secret())
	}
	for _, secret := range secrets {
		// Very short secrets would blank half the text, and are no secrets.
		if len(secret) >= 4 {
			s = strings.ReplaceAll(s, secret, "[redacted]")
		}
	}
	// One line first: a token behind a tab or two blanks is no less a token.
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "?"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	s = bearer(s)
	s = string(maskLong([]byte(s)))
	if r := []rune(s); len(r) > maxErrorText {
		s = string(r[:maxErrorText]) + "…"
	}
	return s
}

// bearer blanks whatever follows the scheme word: tokens of others may be quoted too.
func bearer(s string) string {
	words := strings.Split(s, " ")
	for i := 1; i < len(words); i++ {
		if w := strings.ToLower(words[i-1]); strings.HasSuffix(w, "bearer") || strings.HasSuffix(w, "basic") {
			words[i] = "[redacted]"
		}
	}
	return strings.Join(words, " ")
}
