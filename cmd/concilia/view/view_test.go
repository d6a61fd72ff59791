package view

import (
	"strings"
	"testing"
	"time"

	"concilia/store/ledger"
)

var (
	began = time.Date(2026, 11, 18, 8, 30, 0, 0, time.UTC)
	zone  = time.FixedZone("-03", -3*60*60)
)

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	if err := newEncoder(&b).Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Amounts are exact texts in JSON, instants are UTC and durations have milliseconds; what is absent is an empty text.
func TestValuesInJSON(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		why   string
		value any
		want  string
	}{
		{"an amount", Amount(12_345_678), `"1234.5678"`},
		{"an amount in cents", Amount(10_000), `"1.00"`},
		{"no amount", OptionalAmount{}, `""`},
		{"a loss of nothing", OptionalAmount{OK: true}, `"0.00"`},
		{"an instant", Instant{began.In(zone)}, `"2026-11-18T08:30:00Z"`},
		{"no instant", Instant{}, `""`},
		{"a duration", Seconds(4200 * time.Millisecond), `4.200`},
		{"signs that matter to HTML alone", "a < b & c", `"a < b & c"`},
	} {
		if got := strings.TrimSpace(jsonOf(t, row.value)); got != row.want {
			t.Errorf("%s: %s, want %s", row.why, got, row.want)
		}
	}
}

func TestTextOfNumbers(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ why, got, want string }{
		{"cents, rounded once", English.FormatReais(12_345_650), "1,234.57"},
		{"cents in Portuguese", Portuguese.FormatReais(12_345_650), "1.234,57"},
		{"a loss", English.FormatReais(-10_000_000), "-1,000.00"},
		{"one", English.Count(1, "body"), "1 body"},
		{"many", English.Count(2782, "body"), "2,782 bodies"},
		{"many in Portuguese", Portuguese.Count(2782, "row"), "2.782 registros"},
		{"seconds", English.FormatDuration(4240 * time.Millisecond), "4.2s"},
		{"seconds in Portuguese", Portuguese.FormatDuration(4240 * time.Millisecond), "4,2s"},
		{"minutes", English.FormatDuration(125_400 * time.Millisecond), "2m5s"},
		{"bytes", English.FormatBytes(1500), "1.4 KiB"},
		{"bytes in Portuguese", Portuguese.FormatBytes(1500), "1,4 KiB"},
		{"a month in Portuguese", Portuguese.FormatMonth(ledger.NewDate(2026, 11, 1)), "11/2026"},
		{"a day alone is no period", Portuguese.FormatPeriod(ledger.NewDate(2026, 11, 1), ledger.NewDate(2026, 11, 1)), "01/11/2026"},
		{"an exit code", English.DescribeExit(60), "another run holds the lock"},
		{"an unknown exit code", English.DescribeExit(99), "internal error"},
	} {
		if row.got != row.want {
			t.Errorf("%s: %q, want %q", row.why, row.got, row.want)
		}
	}
}
