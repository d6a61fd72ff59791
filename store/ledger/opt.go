package ledger

// Opt is an optional value: absent if it was null, an empty string, or not sent. The zero Opt is absent.
type Opt[T any] struct {
	V  T
	OK bool // false: absent, and V is the zero value
}

// Some is a present value.
func Some[T any](v T) Opt[T] { return Opt[T]{V: v, OK: true} }

// Or returns the value, or def when it is absent.
func (o Opt[T]) Or(def T) T {
	if o.OK {
		return o.V
	}
	return def
}
