package calendar

import "concilia/store/ledger"

// Holiday says whether d is closed by name, so that payments do not settle on it: a holiday, whatever the weekday, or a
// day that the configuration closed. A plain weekend is none.
func (c *Calendar) Holiday(d ledger.Date) bool {
	day, named := c.named[d]
	return named && len(day.Kinds) > 0 && day.Kinds[0] == Settles
}
