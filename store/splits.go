package store

import (
	"encoding/json"
	"strings"

	"concilia/store/ledger"
)

// splitText is a split as the ledger keeps it within its installment's row. Its members are named in SQL, too.
type splitText struct {
	Beneficiary string         `json:"beneficiary"`
	Type        string         `json:"type"`
	Pct         *ledger.Rate   `json:"pct"`
	Base        *ledger.Amount `json:"base"`
	Value       *ledger.Amount `json:"value"`
}

func marshalSplits(splits []ledger.Split) (any, error) {
	if len(splits) == 0 {
		return nil, nil
	}
	out := make([]splitText, len(splits))
	for i := range splits {
		s := &splits[i]
		out[i] = splitText{s.Beneficiary, s.Type, pointer(s.Pct), pointer(s.Base), pointer(s.Value)}
	}
	return marshal(out)
}

// marshal is JSON text without the escaping for web pages: people read these columns.
func marshal(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

func unmarshalSplits(text string) ([]ledger.Split, error) {
	if text == "" {
		return nil, nil
	}
	var in []splitText
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		return nil, err
	}
	out := make([]ledger.Split, len(in))
	for i := range in {
		s := &in[i]
		out[i] = ledger.Split{
			Beneficiary: s.Beneficiary, Type: s.Type, Pct: optional(s.Pct), Base: optional(s.Base), Value: optional(s.Value),
		}
	}
	return out, nil
}

func pointer[T any](o ledger.Opt[T]) *T {
	if !o.OK {
		return nil
	}
	return &o.V
}

func optional[T any](p *T) ledger.Opt[T] {
	if p == nil {
		return ledger.Opt[T]{}
	}
	return ledger.Some(*p)
}
