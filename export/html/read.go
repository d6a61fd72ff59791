package html

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"concilia/store/ledger"
)

// readLimit is the most a page may have: its tables are shortened, so that ten times less is already a long one.
const readLimit = 16 << 20

// Figures are the proven figures of a page by their names: of a table TABLE.count and TABLE.COLUMN, of what is missing
// causes.missing and the like. Money and counts alike in ten-thousandths.
type Figures map[string]int64

var (
	openPattern = regexp.MustCompile(`^<!doctype html>\n<html lang="(pt-BR|en)">\n`)
	dataPattern = regexp.MustCompile(`^<data value="(-?[0-9]{1,15}(?:\.[0-9]{2,4})?)" data-f="([a-z0-9-]+\.[A-Za-z0-9_]+)">([^<>]{1,40})</data>`)
)

// Read reads the proven figures from the bytes of a page. It is strict: the page must be complete, the text of every
// figure must be its value, repeated figures must be equal, the page must contain no script and no external resource, and
// the missing amount must be the sum of what is lost and late, and of its causes. A page on which the missing amount is
// withheld has none of these figures.
func Read(in io.Reader) (Figures, error) {
	body, err := io.ReadAll(bufio.NewReader(io.LimitReader(in, readLimit+1)))
	if err != nil {
		return nil, err
	}
	if len(body) > readLimit {
		return nil, fmt.Errorf("page: more than %d bytes", readLimit)
	}
	head := openPattern.FindSubmatch(body)
	if head == nil || !bytes.HasSuffix(body, []byte("</html>\n")) {
		return nil, errors.New("page: it does not begin and end as one that was written whole")
	}
	out := make(Figures)
	for at := 0; ; {
		next := bytes.Index(body[at:], []byte("<data"))
		if next < 0 {
			break
		}
		at += next
		m := dataPattern.FindSubmatch(body[at:])
		if m == nil {
			return nil, fmt.Errorf("page: byte %d: a figure that cannot be read: %.60q", at, body[at:])
		}
		if err := out.addFigure(string(m[2]), string(m[1]), string(m[3]), string(head[1])); err != nil {
			return nil, fmt.Errorf("page: byte %d: %w", at, err)
		}
		at += len(m[0])
	}
	for _, never := range []string{"<script", "<link", "<iframe", "<object", "<img"} {
		if bytes.Contains(body, []byte(never)) {
			return nil, fmt.Errorf("page: it has %q: nothing of a page runs or is fetched", never)
		}
	}
	out.addSignedTotals()
	return out, out.checkAgreement()
}

// The ends of the names of the two totals of a signed column.
const signLost, signExcess = "_lost", "_excess"

// addSignedTotals adds the sum of each signed column, of which the page shows the two parts.
func (f Figures) addSignedTotals() {
	for key, lost := range maps.Clone(f) {
		if whole, signed := strings.CutSuffix(key, signLost); signed {
			f[whole] = lost + f[whole+signExcess]
		}
	}
}

func (f Figures) addFigure(key, value, text, language string) error {
	a, err := ledger.ParseAmount(value)
	if err != nil {
		return fmt.Errorf("figure %s: %w", key, err)
	}
	if want := formatNumber(value, language); text != want {
		return fmt.Errorf("figure %s shows %q and holds %s: should show %q", key, text, value, want)
	}
	if was, twice := f[key]; twice && was != int64(a) {
		return fmt.Errorf("figure %s has two values: %s and %s", key, ledger.Amount(was), a)
	}
	f[key] = int64(a)
	return nil
}

// checkAgreement checks that the figures of the first screen agree with each other.
func (f Figures) checkAgreement() error {
	var causes, cases int64
	for key, n := range f {
		switch {
		case strings.HasPrefix(key, "cause."):
			causes += n
		case strings.HasPrefix(key, "cases."):
			cases += n
		}
	}
	first := []string{"causes.missing", "causes.lost", "causes.late", "causes.at_risk", "causes.excess", "causes.count", "causes.excess_count"}
	has := func(key string) bool { _, ok := f[key]; return ok }
	for _, key := range first {
		if !has(key) && slices.ContainsFunc(first, has) {
			return fmt.Errorf("page: figure %s is not there", key)
		}
	}
	missing := f["causes.missing"]
	switch {
	case f["causes.lost"]+f["causes.late"] != missing:
		return errors.New("page: lost and late do not add up to what is missing")
	case causes != missing || cases != f["causes.count"]:
		return errors.New("page: the causes do not add up to what is missing")
	}
	return nil
}
