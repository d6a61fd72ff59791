package service

import (
	"math"
	"math/rand/v2"
	"net/http"
	"time"
)

// DeliveryOptions say how notifications are sent. The interface document names exponential backoff and 30
// seconds for the answer, and no other figure: the defaults are choices.
type DeliveryOptions struct {
	// Journal remembers deliveries over a restart; nil: memory only. Close gives it back.
	Journal *Journal
	// FirstDelay is waited after the first failed attempt; default 30 s. Factor makes each further wait
	// longer; default 2, at least 1. Cap bounds one wait; default 1 h. Each is varied by up to a fifth.
	FirstDelay time.Duration
	Factor     float64
	Cap        time.Duration
	// Window is how long after the change a delivery is given up; default 72 h.
	Window time.Duration
	// Timeout is how long a receiver may take to answer; default 30 s.
	Timeout time.Duration
	// Workers is how many deliveries are under way at once; default 8.
	Workers int
	// Transport carries the requests; default one of the service's own.
	Transport http.RoundTripper
}

func (o DeliveryOptions) withDefaults() DeliveryOptions {
	setDefault(&o.FirstDelay, 30*time.Second)
	setDefault(&o.Factor, 2)
	setDefault(&o.Cap, time.Hour)
	setDefault(&o.Window, 72*time.Hour)
	setDefault(&o.Timeout, 30*time.Second)
	setDefault(&o.Workers, 8)
	return o
}

func setDefault[T int | float64 | time.Duration](v *T, to T) {
	if *v <= 0 {
		*v = to
	}
}

// retryDelay is how long to wait after some failed attempts; dice in [0, 1) varies it.
func (o DeliveryOptions) retryDelay(attempts int, dice float64) time.Duration {
	seconds := o.FirstDelay.Seconds() * math.Pow(o.Factor, float64(attempts-1))
	seconds = min(seconds, o.Cap.Seconds())
	return time.Duration(seconds * (0.8 + 0.4*dice) * float64(time.Second))
}

// randomShare varies waits so that receivers are not all tried at once.
func randomShare() float64 { return rand.Float64() }
