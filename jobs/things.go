package jobs

import "strconv"

// things is a number of them with their name, for the step of a run: 1 set, 15 sets.
func things[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(int64(n), 10) + " " + many
}
