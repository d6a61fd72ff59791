package facts

import (
	"encoding/json"
	"strconv"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// StoredSplit is a split as the ledger keeps it within its installment's row. Its members are named in SQL, too.
type StoredSplit struct {
	Beneficiary string         `json:"beneficiary"`
	Type        string         `json:"type"`
	Pct         *ledger.Rate   `json:"pct"`
	Base        *ledger.Amount `json:"base"`
	Value       *ledger.Amount `json:"value"`
}

// AppendSplits appends the JSON text of splits, by hand because every other row of a first load has some.
func AppendSplits(b []byte, splits []ledger.Split) ([]byte, error) {
	var err error
	for i := range splits {
		s := &splits[i]
		b = append(b, "[,"[min(i, 1)])
		b = append(b, `{"beneficiary":`...)
		if b, err = appendJSON(b, s.Beneficiary); err != nil {
			return nil, err
		}
		b = append(b, `,"type":`...)
		if b, err = appendJSON(b, s.Type); err != nil {
			return nil, err
		}
		b = appendNumber(append(b, `,"pct":`...), s.Pct)
		b = appendNumber(append(b, `,"base":`...), s.Base)
		b = appendNumber(append(b, `,"value":`...), s.Value)
		b = append(b, '}')
	}
	return append(b, ']'), nil
}

func appendNumber[T ~int64](b []byte, o ledger.Opt[T]) []byte {
	if !o.OK {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, int64(o.V), 10)
}

// appendJSON appends a text; what needs escaping is left to encoding/json.
func appendJSON(b []byte, s string) ([]byte, error) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			text, err := sqldb.MarshalText(s)
			return append(b, text...), err
		}
	}
	return append(append(append(b, '"'), s...), '"'), nil
}

func UnmarshalSplits(text string) ([]ledger.Split, error) {
	if text == "" {
		return nil, nil
	}
	var in []StoredSplit
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		return nil, err
	}
	out := make([]ledger.Split, len(in))
	for i := range in {
		s := &in[i]
		out[i] = ledger.Split{
			Beneficiary: s.Beneficiary, Type: s.Type, Pct: sqldb.OptFromPointer(s.Pct), Base: sqldb.OptFromPointer(s.Base), Value: sqldb.OptFromPointer(s.Value),
		}
	}
	return out, nil
}
