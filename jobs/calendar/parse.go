package calendar

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"concilia/store/ledger"
)

// Parse reads what Text wrote, so that a past night can be told again with the calendar it rested on. The days it is
// closed on are those of then, whatever this version computes; they have no names, and Days lists none. What is not
// the text of a calendar to the byte is an error.
func Parse(text []byte) (*Calendar, error) {
	head, rest, _ := strings.Cut(string(text), "\n")
	var version string
	var first, last int
	if _, err := fmt.Sscanf(head, "calendar "+ID+" version %s years %d-%d", &version, &first, &last); err != nil {
		return nil, fmt.Errorf("calendar text: %.60q is no heading of one: %w", head, err)
	}
	if first != FirstYear || last != LastYear {
		return nil, fmt.Errorf("calendar text: years %d to %d, this version knows %d to %d", first, last, FirstYear, LastYear)
	}
	var closed [kinds]map[ledger.Date]bool
	for k := range kinds {
		closed[k] = map[ledger.Date]bool{}
	}
	for line := range strings.Lines(rest) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		k := Settles
		if fields[0] == Counter.String() {
			k = Counter
		}
		for _, day := range fields[min(2, len(fields)):] {
			if len(day) != len("0102") {
				return nil, fmt.Errorf("calendar text: %.20q is no day", day)
			}
			d, err := ledger.ParseDate(fields[1] + "-" + day[:2] + "-" + day[2:])
			if err != nil {
				return nil, fmt.Errorf("calendar text: %w", err)
			}
			closed[k][d] = true
		}
	}
	c := &Calendar{named: map[ledger.Date]Day{}}
	for k := range kinds {
		c.tables[k] = newTable(func(d ledger.Date) bool { return weekend(d) || closed[k][d] })
	}
	c.text = c.render()
	_, mine, _ := strings.Cut(string(c.text), "\n")
	if mine != rest {
		return nil, errors.New("calendar text: it is not what a calendar writes")
	}
	c.text = append([]byte(nil), text...)
	sum := sha256.Sum256(c.text)
	c.hash = hex.EncodeToString(sum[:])
	return c, nil
}
