package config

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"concilia/export/words"
)

// The words of alerts and of the log.
var (
	alertWords  = []string{"incomplete", "first_break", "budget", "silence", "no_run"}
	levelWords  = []string{"debug", "info", "warn", "error"}
	layoutWords = []string{"json", "console"}
)

// Metrics is where serve and worker report metrics and health.
type Metrics struct {
	// Listen is the host and port of /metrics, /livez and /readyz; empty disables them. Defaults to 127.0.0.1:9464.
	Listen string `yaml:"listen" env:"LISTEN"`
}

// Pings are URLs requested around every run (a dead man's switch), so that another machine notices a run that did not
// happen. Each defaults to none.
type Pings struct {
	Start Link `yaml:"start" env:"START"` // when a run begins
	OK    Link `yaml:"ok" env:"OK"`       // when it ends with 0, 10 or 20
	Fail  Link `yaml:"fail" env:"FAIL"`   // when it ends otherwise
}

// Alert sends a message to one place when one thing happens.
type Alert struct {
	// On is incomplete (a run is incomplete), first_break (a code breaks for the first time in 30 days), budget (more
	// was tolerated than allowed), silence (the service has no rows where it had some) or no_run (no nightly run has ended by
	// the time By).
	On string `yaml:"on" env:"ON"`
	// By is the time of day, HH:MM in Timezone, for no_run, which requires it; the others must not have it.
	By string `yaml:"by" env:"BY"`
	// URL gets a POST with JSON. It, Command or Mail is required.
	URL Link `yaml:"url" env:"URL"`
	// Command is a program with its arguments, started without a shell and given the same JSON on standard input.
	Command []string `yaml:"command" env:"COMMAND"`
	// Mail are addresses, each of which gets a message by the server of mail.host.
	Mail []string `yaml:"mail" env:"MAIL"`
}

// Log is how the log is written, to standard error.
type Log struct {
	// Format is json or console. Defaults to empty: console on a terminal, json elsewhere.
	Format string `yaml:"format" env:"FORMAT"`
	// Level is debug, info, warn or error. Defaults to info.
	Level string `yaml:"level" env:"LEVEL"`
}

// Link is a URL whose path or query may be a secret, as with pings and chat hooks. Only scheme and host are printed.
type Link string

// String is scheme and host, with /*** for the rest; empty for no link.
func (k Link) String() string {
	if k == "" {
		return ""
	}
	u, err := url.Parse(string(k))
	if err != nil || u.Host == "" {
		return mask
	}
	if at := u.Scheme + "://" + u.Host; at != string(k) {
		return at + "/" + mask
	}
	return string(k)
}

// Reveal returns the address as configured, for the request.
func (k Link) Reveal() string { return string(k) }

// GoString is String.
func (k Link) GoString() string { return k.String() }

// Format writes String for every verb.
func (k Link) Format(f fmt.State, _ rune) { _, _ = fmt.Fprint(f, k.String()) }

// MarshalText is String.
func (k Link) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// MarshalYAML is String.
func (k Link) MarshalYAML() (any, error) { return k.String(), nil }

// UnmarshalText sets the text from an environment variable.
func (k *Link) UnmarshalText(b []byte) error {
	*k = Link(b)
	return nil
}

// checkMonitoring checks metrics, pings, alerts and log.
func checkMonitoring(v *validator, c *Config) {
	if listen := c.Metrics.Listen; listen != "" {
		v.checkListen("metrics.listen", listen, words.NewMessage("want.listen_or_nothing", "example", "127.0.0.1:9464"))
		if _, port, _ := net.SplitHostPort(listen); listen == c.Webhook.Listen && port != "0" {
			v.addProblem("metrics.listen", listen, words.NewMessage("want.metrics_port"))
		}
	}
	v.checkLink("pings.start", c.Pings.Start)
	v.checkLink("pings.ok", c.Pings.OK)
	v.checkLink("pings.fail", c.Pings.Fail)
	for i := range c.Alerts {
		checkAlert(v, fmt.Sprintf("alerts[%d]", i), &c.Alerts[i], &c.Mail)
	}
	if c.Log.Format != "" {
		v.checkOneOf("log.format", c.Log.Format, layoutWords...)
	}
	v.checkOneOf("log.level", c.Log.Level, levelWords...)
	if c.Language != "" {
		v.checkOneOf("language", c.Language, "pt-BR", "en")
	}
}

var timeOfDay = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)

func checkAlert(v *validator, key string, a *Alert, mail *Mail) {
	if a.On == "" {
		v.addMissing(key+".on", words.NewMessage("want.one_of", "names", strings.Join(alertWords, ", ")))
	} else {
		v.checkOneOf(key+".on", a.On, alertWords...)
	}
	switch {
	case a.On == "no_run" && a.By == "":
		v.addMissing(key+".by", words.NewMessage("want.alert_time"))
	case a.On != "no_run" && a.By != "":
		v.addProblem(key+".by", a.By, words.NewMessage("want.only_no_run"))
	case a.By != "" && !timeOfDay.MatchString(a.By):
		v.addProblem(key+".by", a.By, words.NewMessage("want.time_of_day"))
	}
	v.checkLink(key+".url", a.URL)
	if len(a.Mail) > 0 {
		v.checkMailAddresses(key+".mail", a.Mail)
		if !mail.IsEnabled() {
			v.addMissing("mail.host", words.NewMessage("want.smtp_for", "key", key))
		}
	}
	switch {
	case a.URL == "" && len(a.Command) == 0 && len(a.Mail) == 0:
		v.addMissing(key+".url", words.NewMessage("want.alert_address"))
	case a.URL != "" && len(a.Command) > 0:
		v.addProblem(key+".command", "", words.NewMessage("want.url_or_command"))
	case len(a.Mail) > 0 && (a.URL != "" || len(a.Command) > 0):
		v.addProblem(key+".mail", "", words.NewMessage("want.one_way"))
	case slices.Contains(a.Command[:min(len(a.Command), 1)], ""):
		v.addProblem(key+".command[0]", "", words.NewMessage("want.program"))
	}
}
