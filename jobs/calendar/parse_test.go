package calendar_test

import (
	"bytes"
	"testing"

	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// A calendar comes back from its text: the same days, the same hash, also of another version's computed days.
func TestParseReadsWhatTextWrote(t *testing.T) {
	t.Parallel()
	extra, local := ledger.NewDate(2026, 11, 17), ledger.NewDate(2026, 11, 18)
	was, err := calendar.New(calendar.Options{Extra: []ledger.Date{extra}, CounterExtra: []ledger.Date{local}})
	if err != nil {
		t.Fatal(err)
	}
	is, err := calendar.Parse(was.Text())
	if err != nil {
		t.Fatal(err)
	}
	for d := ledger.NewDate(2026, 1, 1); d < ledger.NewDate(2027, 1, 1); d++ {
		for _, k := range []calendar.Kind{calendar.Settles, calendar.Counter} {
			if was.IsBusinessDay(k, d) != is.IsBusinessDay(k, d) {
				t.Errorf("%s %s: a business day %t, and was %t", k, d, is.IsBusinessDay(k, d), was.IsBusinessDay(k, d))
			}
		}
	}
	if is.IsBusinessDay(calendar.Settles, extra) || is.Hash() != was.Hash() || !bytes.Equal(is.Text(), was.Text()) {
		t.Error("another calendar came back")
	}
	other := bytes.Replace(was.Text(), []byte("version 1"), []byte("version 9"), 1)
	if c, err := calendar.Parse(other); err != nil || c.Hash() == was.Hash() || c.IsBusinessDay(calendar.Settles, extra) {
		t.Errorf("a calendar of another version: %v", err)
	}
	for says, text := range map[string]string{
		"nothing": "", "no heading": "settles 2026 0101\n", "half of one": string(was.Text()[:len(was.Text())/2]),
		"a day that is none":          string(bytes.Replace(was.Text(), []byte(" 2026 0101"), []byte(" 2026 1301"), 1)),
		"a day that is closed anyway": string(bytes.Replace(was.Text(), []byte(" 2026 0101"), []byte(" 2026 0101 0103"), 1)),
		"other years":                 string(bytes.Replace(was.Text(), []byte("years 1990"), []byte("years 1991"), 1)),
	} {
		if _, err := calendar.Parse([]byte(text)); err == nil {
			t.Errorf("%s is read as a calendar", says)
		}
	}
}
