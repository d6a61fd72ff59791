package webhook

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"concilia/store/ledger"
)

const (
	// MaxBody is the maximum size of a body unless Options set another. A notification has about 200 bytes.
	MaxBody = 8 << 10
	// BodyTimeout is how long receiving a body may take unless Options set another limit.
	BodyTimeout = 5 * time.Second
	// drainTime is how long the rest of a refused request's body is read, so that its sender gets to read the answer.
	drainTime = time.Second
)

// Options configure a receiver. Accounts, Keep, Zone, Now, and AccessKey or the Basic credential are required.
type Options struct {
	Accounts []ledger.Account
	// Prefix is the path of the public address; a request's path may begin with it.
	Prefix string
	// AccessKey and the Basic credential are required from senders if they are not empty.
	AccessKey                string
	BasicUser, BasicPassword string
	// Store makes a notification durable before it returns, and reports whether it was stored before. An error that wraps
	// ErrNoRoom asks the sender to come again later.
	Store func(context.Context, ledger.Notification) (repeat bool, err error)
	Zone  *time.Location // of moments with an offset
	Now   func() time.Time
	// MaxBody and BodyTimeout default to the constants of their names.
	MaxBody     int64
	BodyTimeout time.Duration
	// TrustedProxies are proxies whose forwarded client address is used.
	TrustedProxies []netip.Prefix
	Log            zerolog.Logger // the zero Logger logs nothing
	OnEvent        func(Event)    // nil: no call
}

// Event is one request and its outcome.
type Event struct {
	Account  ledger.Account // 0: not configured
	Movement int64          // 0: unknown
	Client   string         // the address it came from
	Status   int
	Outcome  Outcome
	Unknown  []string // names of undocumented members, at most maxUnknown
	Took     time.Duration
	Err      error // why the status is not 200; holds nothing secret
}

// Outcome is the outcome of a request, as one word for logs and metrics.
type Outcome string

// The outcomes.
const (
	Accepted Outcome = "accepted"
	Repeated Outcome = "repeated"
	Invalid  Outcome = "invalid" // 400
	Refused  Outcome = "refused" // 401
	Stray    Outcome = "stray"   // 404, 405
	Failed   Outcome = "failed"  // 500
	NoRoom   Outcome = "no_room" // 503
)

// ErrNoRoom is what a Store returns while it has no room for notifications of the account.
var ErrNoRoom = errors.New("no room for notifications of the account")

// retryAfter is what a sender waits, in seconds, where there was no room.
const retryAfter = "60"

type handler struct {
	Options
	credentials credentials
	accounts    map[string]ledger.Account
	refusals    refusalLog
}

// Handler returns a receiver.
func Handler(o Options) (http.Handler, error) {
	switch {
	case len(o.Accounts) == 0 || o.Store == nil || o.Zone == nil || o.Now == nil:
		return nil, errors.New("webhook: accounts, a store function, a zone and a clock are needed")
	case o.AccessKey == "" && o.BasicUser == "":
		return nil, errors.New("webhook: without credentials every sender would be accepted: configure the Access-Key or a Basic pair")
	}
	if o.MaxBody <= 0 {
		o.MaxBody = MaxBody
	}
	if o.BodyTimeout <= 0 {
		o.BodyTimeout = BodyTimeout
	}
	o.Prefix = strings.TrimRight(o.Prefix, "/")
	h := &handler{Options: o, credentials: newCredentials(o.AccessKey, o.BasicUser, o.BasicPassword), accounts: map[string]ledger.Account{}}
	for _, a := range o.Accounts {
		h.accounts[a.String()] = a
	}
	return h, nil
}

// ServeHTTP answers one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := h.Now()
	if len(r.TransferEncoding) > 0 {
		// A request that has a length, too, means two things: nothing that came after it is read as another request.
		w.Header().Set("Connection", "close")
	}
	e := Event{Client: clientAddress(r, h.TrustedProxies)}
	h.handleRequest(w, r, &e)
	e.Took = h.Now().Sub(began)
	w.WriteHeader(e.Status)
	h.reportEvent(&e)
}

// handleRequest processes the request and sets its outcome in e.
func (h *handler) handleRequest(w http.ResponseWriter, r *http.Request, e *Event) {
	account, ok := h.accountText(r)
	switch {
	case hasTwoLengths(r):
		e.Status, e.Outcome, e.Err = http.StatusBadRequest, Invalid, errors.New("both Content-Length and Transfer-Encoding")
	case !ok:
		e.Status, e.Outcome, e.Err = http.StatusNotFound, Stray, errors.New("no address of ours")
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		e.Status, e.Outcome, e.Err = http.StatusMethodNotAllowed, Stray, errors.New("not a POST")
	case !h.credentials.admits(r):
		e.Status, e.Outcome, e.Err = http.StatusUnauthorized, Refused, errors.New("not the agreed key")
	default:
		h.acceptNotification(w, r, account, e)
		return
	}
	h.answerEarly(w)
}

// answerEarly prepares an answer that does not wait for the rest of the body and closes the connection.
func (h *handler) answerEarly(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(h.Now().Add(drainTime)) // fails without a connection, as in tests
}

// accountText returns the text of the account in the path, which is validated later. ok is false if the path is unknown.
func (h *handler) accountText(r *http.Request) (account string, ok bool) {
	path := strings.TrimPrefix(r.URL.Path, h.Prefix)
	return strings.CutPrefix(path, "/notifications/")
}

// acceptNotification reads, decodes and stores the notification of an authenticated request.
func (h *handler) acceptNotification(w http.ResponseWriter, r *http.Request, account string, e *Event) {
	invalid := func(err error) { e.Status, e.Outcome, e.Err = http.StatusBadRequest, Invalid, err }
	body, err := h.readBody(w, r)
	if err != nil {
		h.answerEarly(w)
		invalid(err)
		return
	}
	if e.Account = h.accounts[account]; e.Account == 0 {
		invalid(errors.New("an account that is not configured"))
		return
	}
	n, unknown, err := Decode(body, h.Zone)
	e.Movement, e.Unknown = n.MovementID, unknown
	if err != nil {
		invalid(err)
		return
	}
	n.Account, n.ReceivedAt = e.Account, h.Now().UTC()
	repeat, err := h.Store(r.Context(), n)
	switch {
	case errors.Is(err, ErrNoRoom):
		w.Header().Set("Retry-After", retryAfter)
		e.Status, e.Outcome, e.Err = http.StatusServiceUnavailable, NoRoom, err
	case err != nil:
		e.Status, e.Outcome, e.Err = http.StatusInternalServerError, Failed, err
	case repeat:
		e.Status, e.Outcome = http.StatusOK, Repeated
	default:
		e.Status, e.Outcome = http.StatusOK, Accepted
	}
}

// readBody reads the body within MaxBody and BodyTimeout.
func (h *handler) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > h.MaxBody {
		return nil, fmt.Errorf("the body has more than %d bytes", h.MaxBody)
	}
	// The deadline applies to the connection: it must be cleared before the notification is stored, or it could end the
	// request meanwhile.
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(h.Now().Add(h.BodyTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.MaxBody))
	_ = c.SetReadDeadline(time.Time{})
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, fmt.Errorf("the body has more than %d bytes", h.MaxBody)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, fmt.Errorf("the body did not arrive within %s", h.BodyTimeout)
	case err != nil:
		return nil, errors.New("the body did not arrive whole")
	}
	return body, nil
}

// reportEvent logs the event and calls OnEvent. Of requests without a valid credential, or without room, only some are logged.
func (h *handler) reportEvent(e *Event) {
	if h.OnEvent != nil {
		h.OnEvent(*e)
	}
	notLogged := 0
	if e.Outcome == Refused || e.Outcome == Stray || e.Outcome == NoRoom {
		ok, skipped := h.refusals.admitLine(e.Client, h.Now())
		if !ok {
			return
		}
		notLogged = skipped
	}
	level := zerolog.InfoLevel
	switch {
	case e.Outcome == Failed:
		level = zerolog.ErrorLevel
	case e.Err != nil:
		level = zerolog.WarnLevel
	}
	l := h.Log.WithLevel(level)
	if e.Account != 0 {
		l = l.Stringer("account", e.Account)
	}
	if e.Movement != 0 {
		l = l.Str("movement", strconv.FormatInt(e.Movement, 10))
	}
	if len(e.Unknown) > 0 {
		l = l.Strs("unknown_members", e.Unknown)
	}
	if notLogged > 0 {
		l = l.Int("not_logged", notLogged)
	}
	l.Str("client", e.Client).Int("status", e.Status).Str("outcome", string(e.Outcome)).Dur("took", e.Took).
		AnErr("why", e.Err).Msg("notification")
}

// credentials holds the hashes of the credentials that a sender must have. Comparing hashes takes the same time for every
// text, whatever its length.
type credentials struct {
	needsKey, needsBasic bool
	key, user, password  [sha256.Size]byte
}

func newCredentials(accessKey, user, password string) credentials {
	return credentials{
		needsKey: accessKey != "", needsBasic: user != "",
		key: hashText(accessKey), user: hashText(user), password: hashText(password),
	}
}

// admits reports whether the request has all required credentials. It always compares all of them.
func (d *credentials) admits(r *http.Request) bool {
	key := hashText(r.Header.Get("Access-Key"))
	user, password, _ := r.BasicAuth()
	userHash, passwordHash := hashText(user), hashText(password)
	keyFits := subtle.ConstantTimeCompare(key[:], d.key[:]) & oneIf(len(r.Header.Values("Access-Key")) == 1)
	pairFits := subtle.ConstantTimeCompare(userHash[:], d.user[:]) &
		subtle.ConstantTimeCompare(passwordHash[:], d.password[:]) & oneIf(len(r.Header.Values("Authorization")) == 1)
	return (keyFits|oneIf(!d.needsKey))&(pairFits|oneIf(!d.needsBasic)) == 1
}

func hashText(s string) [sha256.Size]byte { return sha256.Sum256([]byte(s)) }

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// clientAddress returns the address of the client, for logs: the peer, or the address forwarded by a trusted proxy. Proxies
// append addresses at the right, so the rightmost one that is not a trusted proxy was written by a trusted proxy.
func clientAddress(r *http.Request, trusted []netip.Prefix) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	at := peer.Addr().Unmap()
	if !isInAny(at, trusted) {
		return at.String()
	}
	var named []string
	for _, line := range r.Header.Values("X-Forwarded-For") {
		named = append(named, strings.Split(line, ",")...)
	}
	for _, text := range slices.Backward(named) {
		a, err := netip.ParseAddr(strings.TrimSpace(text))
		if err != nil {
			break
		}
		if at = a.Unmap().WithZone(""); !isInAny(at, trusted) {
			break
		}
	}
	return at.String()
}

func isInAny(a netip.Addr, networks []netip.Prefix) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(a) })
}
