package api

import "concilia/store/ledger"

// maxDays bounds the days a scanner remembers; an answer speaks of few.
const maxDays = 1 << 12

// day reads "YYYY-MM-DD", "" or null.
func (s *scanner) day(b []byte) (ledger.Date, int) {
	in, ok := quoted(b)
	switch {
	case !ok:
		return 0, scanNull(b)
	case len(in) == 0:
		return 0, 2
	case len(in) != len("2026-11-02"):
		return 0, 0
	}
	d, ok := s.date(in)
	if !ok {
		return 0, 0
	}
	return d, len(in) + 2
}

// date is the date that in spells, if it is one after the zero date.
func (s *scanner) date(in []byte) (ledger.Date, bool) {
	if d, ok := s.days[string(in)]; ok {
		return d, true
	}
	d, err := ledger.ParseDate(string(in))
	if err != nil || d <= 1 {
		return 0, false
	}
	if len(s.days) == maxDays {
		clear(s.days)
	}
	s.days[string(in)] = d
	return d, true
}

// ticksPerSecond is how many ticks of a ledger.LocalTime a second has.
const ticksPerSecond = 10_000_000

// localTime reads "YYYY-MM-DDTHH:MM:SS", and by package ledger what else is a date and time without escapes.
func (s *scanner) localTime(b []byte) (ledger.LocalTime, int) {
	in, ok := quoted(b)
	if !ok || len(in) < len("2026-11-02T16:19:29") {
		return 0, 0
	}
	if len(in) == len("2026-11-02T16:19:29") && in[10] == 'T' && in[13] == ':' && in[16] == ':' {
		midnight, ok := s.midnight(in[:10])
		h, m, sec := two(in[11:]), two(in[14:]), two(in[17:])
		if ok && h < 24 && m < 60 && sec < 60 {
			return midnight + ledger.LocalTime((h*60+m)*60+sec)*ticksPerSecond, len(in) + 2
		}
	}
	t, err := ledger.ParseLocalTime(string(in), s.zone)
	if err != nil || t <= 0 {
		return 0, 0
	}
	return t, len(in) + 2
}

// midnight is the beginning of the day that in spells, if it is one after the zero date. Most rows of an answer share
// their day, so the last one is remembered.
func (s *scanner) midnight(in []byte) (ledger.LocalTime, bool) {
	if string(in) == s.lastDay {
		return s.lastMidnight, true
	}
	t, err := ledger.ParseLocalTime(string(in), s.zone)
	if err != nil || t <= 0 {
		return 0, false
	}
	s.lastDay, s.lastMidnight = string(in), t
	return t, true
}

// two is the number of two digits, or more than any clock shows.
func two(b []byte) uint {
	tens, ones := uint(b[0]-'0'), uint(b[1]-'0')
	if tens > 9 || ones > 9 {
		return 100
	}
	return tens*10 + ones
}

// scanInstallment reads the record at the start of b, its card masked, and returns its length or 0.
func scanInstallment(b []byte, s *scanner, to *ledger.Installment) int {
	n := installmentShape.scan(b, s, to)
	if n > 0 {
		hideCard(to)
	}
	return n
}

// scanSplits reads an array of plain splits, or null.
func scanSplits(b []byte, s *scanner, to *ledger.Installment) int {
	if len(b) == 0 || b[0] != '[' {
		return scanNull(b)
	}
	i := skip(b, 1)
	if i < len(b) && b[i] == ']' {
		return i + 1
	}
	for range maxSplits {
		to.Splits = append(to.Splits, ledger.Split{})
		n := splitShape.scan(b[i:], s, &to.Splits[len(to.Splits)-1])
		if n == 0 {
			return 0
		}
		if i = skip(b, i+n); i == len(b) {
			return 0
		}
		switch b[i] {
		case ',':
			i = skip(b, i+1)
		case ']':
			return i + 1
		default:
			return 0
		}
	}
	return 0
}
