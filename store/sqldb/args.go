package sqldb

// Args are values as the arguments of a statement take them, gathered as those of a row.
type Args []any

// Int appends a whole number.
func (a *Args) Int(v int64) { *a = append(*a, v) }

// Text appends a text.
func (a *Args) Text(v string) { *a = append(*a, v) }

// Bytes appends bytes.
func (a *Args) Bytes(v []byte) { *a = append(*a, v) }

// Null appends NULL.
func (a *Args) Null() { *a = append(*a, nil) }
