package reconcile

// deltaTexts encodes and parses the stored form of deltas. Most rows share a few of them, which are encoded and parsed once.
type deltaTexts struct {
	encoded map[plainDelta]string
	parsed  map[string]*aggregateDelta // must not be changed
	last    plainDelta                 // encoded last
	text    string                     // of last
}

// plainDelta is a delta that most rows have: rules that passed, and nothing else.
type plainDelta struct {
	evaluated                 uint64
	noContract, countsForRate bool
}

// maxSharedTexts bounds how many texts of deltas are shared.
const maxSharedTexts = 10_000

func newDeltaTexts() deltaTexts {
	return deltaTexts{encoded: map[plainDelta]string{}, parsed: map[string]*aggregateDelta{}}
}

// encodeDelta returns the stored form of a delta.
func (t *deltaTexts) encodeDelta(d *aggregateDelta) (string, error) {
	evaluated, plain := d.guard.Evaluated()
	if !plain || d.value != 0 || len(d.tolerated)+len(d.unmapped)+len(d.changes) > 0 {
		return d.encode()
	}
	key := plainDelta{evaluated, d.noContract, d.countsForRate}
	if t.text != "" && key == t.last {
		return t.text, nil
	}
	text, known := t.encoded[key]
	if !known {
		var err error
		if text, err = d.encode(); err != nil {
			return "", err
		}
		if len(t.encoded) < maxSharedTexts {
			t.encoded[key] = text
		}
	}
	t.last, t.text = key, text
	return text, nil
}

// parseDelta decodes what encodeDelta returns. The caller must not change the delta.
func (t *deltaTexts) parseDelta(text string) (*aggregateDelta, error) {
	if d := t.parsed[text]; d != nil {
		return d, nil
	}
	d, err := parseAggregateDelta(text)
	if err == nil && len(t.parsed) < maxSharedTexts {
		t.parsed[text] = d
	}
	return d, err
}
