package config

import (
	"errors"
	"net"
	"time"
)

// Console is the desk in the browser.
type Console struct {
	// Listen is host:port on this machine; empty: serve has no console. Defaults to empty.
	Listen string `yaml:"listen" env:"LISTEN"`
	// PublicURL is the address by which people reach it; its path goes before every address. Defaults to empty.
	PublicURL string `yaml:"public_url" env:"PUBLIC_URL"`
	// PageRows is how many cases a page has, 10 to 500. Defaults to 100.
	PageRows int `yaml:"page_rows" env:"PAGE_ROWS"`
	// QueryTime is the time for all that a page asks, 1s to 1m. Defaults to 5s.
	QueryTime time.Duration `yaml:"query_time" env:"QUERY_TIME"`
}

// CheckConsoleListen says why a console cannot listen at an address, or nothing.
func CheckConsoleListen(listen string) error {
	host, port, err := net.SplitHostPort(listen)
	if err != nil || !portNumber(port) {
		return errors.New("want host:port")
	}
	if !isLoopback(host) {
		return errors.New("without people it is for this machine only: 127.0.0.1 or localhost")
	}
	return nil
}

func (l *loader) checkConsole(c *Console) {
	if c.Listen != "" {
		if err := CheckConsoleListen(c.Listen); err != nil {
			l.addProblem("console.listen", c.Listen, err.Error())
		}
	}
	l.checkAddress("console.public_url", c.PublicURL, "pages", false)
	l.checkRange("console.page_rows", c.PageRows, 10, 500, "a number of cases")
	if c.QueryTime < time.Second || c.QueryTime > time.Minute {
		l.addProblem("console.query_time", c.QueryTime.String(), "1s to 1m")
	}
}
