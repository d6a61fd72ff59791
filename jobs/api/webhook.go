package api

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"concilia/export/words"
	"concilia/store/ledger"
)

const (
	subscriptionPath = "/api/webhooks/subscriptions"
	credentialPath   = "/v1/security/webhook-auth" //nolint:gosec // a path, not a credential
)

// BasicCredential is the credential that notifications carry (RFC 7617). The zero BasicCredential is none. Printing it shows only whether it
// is set.
type BasicCredential struct{ User, Password string }

// String is [redacted], or empty for no pair.
func (b BasicCredential) String() string {
	if b == (BasicCredential{}) {
		return ""
	}
	return "[redacted]"
}

// GoString is String.
func (b BasicCredential) GoString() string { return b.String() }

// Format is String for every verb.
func (b BasicCredential) Format(f fmt.State, _ rune) { fmt.Fprint(f, b.String()) }

// MarshalText is String, for encoders.
func (b BasicCredential) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

func (b BasicCredential) encodeBase64() string {
	return base64.StdEncoding.EncodeToString([]byte(b.User + ":" + b.Password))
}

// Subscribe registers the address that receives the notifications of an account, with a Basic pair for them to carry
// unless basic is zero, and returns the address as the service repeats it, empty if it repeats none.
//
// A repeat registers the same, so the call is retried. A refusal after a lost answer is an *Error around
// ErrOutcomeUnknown.
//
// Spec gap: whether a second subscription replaces the first is not shown; it is taken to, and a refusal is reported.
func (c *Client) Subscribe(ctx context.Context, account ledger.Account, address string, basic BasicCredential) (string, error) {
	call := c.subscriptionCall(words.NewMessage("call.subscribe", "account", account), http.MethodPost, idempotent, account)
	body := map[string]string{"url": address}
	if basic != (BasicCredential{}) {
		body["basicAuth"] = basic.encodeBase64()
		call.secrets = []string{basic.encodeBase64(), basic.Password}
	}
	if address == "" {
		return "", &Error{Operation: call.operation, Permanent: true, Err: words.NewFault("service_fault.wants_address", "")}
	}
	return c.askSubscription(ctx, call, account, body)
}

// ReadSubscription returns the address that receives the notifications of an account, empty if there is none.
//
// Spec gap: the answer of an account without a subscription is not shown; url null, empty or absent is none, and so is
// the status 404.
func (c *Client) ReadSubscription(ctx context.Context, account ledger.Account) (string, error) {
	call := c.subscriptionCall(words.NewMessage("call.subscription", "account", account), http.MethodGet, readOnly, account)
	address, err := c.askSubscription(ctx, call, account, nil)
	var e *Error
	if errors.As(err, &e) && e.Status == http.StatusNotFound {
		return "", nil
	}
	return address, err
}

// Unsubscribe removes the address that receives the notifications of an account and returns it as the service repeats
// it. It is idempotent and therefore retried.
func (c *Client) Unsubscribe(ctx context.Context, account ledger.Account) (string, error) {
	return c.askSubscription(ctx, c.subscriptionCall(words.NewMessage("call.unsubscribe", "account", account), http.MethodDelete, idempotent, account), account, nil)
}

func (c *Client) subscriptionCall(what words.Message, method string, e effect, account ledger.Account) apiCall {
	return apiCall{
		operation: what,
		method:    method, base: c.bases[Integration], path: subscriptionPath,
		query: url.Values{"accountNumber": {account.String()}}, family: Integration, limit: maxAnswer, effect: e,
	}
}

func (c *Client) askSubscription(
	ctx context.Context, call apiCall, account ledger.Account, body map[string]string,
) (string, error) {
	if account <= 0 {
		return "", &Error{Operation: call.operation, Permanent: true, Err: words.NewFault("service_fault.wants_account", "")}
	}
	var answer struct{ URL string }
	err := c.sendChange(ctx, call, body, &answer)
	return answer.URL, err
}

// SetWebhookCredential registers the Basic pair that the notifications of the client carry, and returns the service's
// message. There is at most one: while one is registered the service refuses another with status 400, so delete it
// first.
//
// After a registration whose answer was lost, a retry would be refused like a second registration. So the call is retried
// only if the service cannot have acted on it: the connection was refused, or the answer was 401 or 429. Any other failure
// is an *Error around ErrOutcomeUnknown.
func (c *Client) SetWebhookCredential(ctx context.Context, basic BasicCredential) (string, error) {
	call := c.credentialCall(words.NewMessage("call.set_credential"), http.MethodPost, notIdempotent)
	if basic.User == "" || basic.Password == "" {
		return "", &Error{Operation: call.operation, Permanent: true, Err: words.NewFault("service_fault.wants_pair", "")}
	}
	call.secrets = []string{basic.encodeBase64(), basic.Password}
	return c.askCredential(ctx, call, map[string]string{"basic": "Basic " + basic.encodeBase64()})
}

// DeleteWebhookCredential removes the Basic credential of the client and returns the message of the service. It is
// idempotent and therefore retried.
func (c *Client) DeleteWebhookCredential(ctx context.Context) (string, error) {
	return c.askCredential(ctx, c.credentialCall(words.NewMessage("call.delete_credential"), http.MethodDelete, idempotent), nil)
}

func (c *Client) credentialCall(what words.Message, method string, e effect) apiCall {
	return apiCall{
		operation: what, method: method, base: c.bases[Gateway], path: credentialPath,
		family: Gateway, limit: maxAnswer, effect: e,
	}
}

func (c *Client) askCredential(ctx context.Context, call apiCall, body map[string]string) (string, error) {
	var answer struct{ Message string }
	err := c.sendChange(ctx, call, body, &answer)
	return c.redactText(answer.Message, call.secrets...), err
}

// sendChange sends the call with body as JSON, without a body if it is nil, and reads the object of the answer.
func (c *Client) sendChange(ctx context.Context, call apiCall, body map[string]string, answer any) (err error) {
	if body != nil {
		if call.body, err = json.Marshal(body); err != nil {
			return &Error{Operation: call.operation, Permanent: true, Err: err}
		}
	}
	_, err = c.askUntilAccepted(ctx, call, func(a *reply) error { return c.readObject(a, answer) })
	return err
}
