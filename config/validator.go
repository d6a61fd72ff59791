package config

import (
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"concilia/config/problem"
	"concilia/export/words"
)

// validator checks values. It collects the problems, each with the place where its key was set, and the warnings.
type validator struct {
	file       string
	offline    bool              // no password of the service is needed
	lines      map[string]int    // the line of each key in the file
	variables  map[string]string // the variable of each key that came from the environment
	blank      map[string]bool   // keys written without a value
	hasProblem map[string]bool   // keys with a problem already, of which no other is reported
	problems   problem.List
	warnings   []words.Message
}

// addProblem reports a problem of the value of a key, at the place where it was set.
func (v *validator) addProblem(key, value string, want words.Message) {
	if v.hasProblem[key] {
		return
	}
	v.hasProblem[key] = true
	p := v.locateKey(key)
	p.Value, p.Want = problem.Shown(value), want
	v.problems = append(v.problems, p)
}

// addMissing reports a required key that was not set.
func (v *validator) addMissing(key string, want words.Message) {
	if v.lines[key] == 0 {
		// The line of the enclosing block is the best one available.
		for at := key; strings.Contains(at, ".") && v.lines[key] == 0; {
			at = at[:strings.LastIndexByte(at, '.')]
			v.lines[key] = v.lines[at]
		}
	}
	v.addProblem(key, "", words.NewMessage("problem.missing", "want", want))
}

func (v *validator) addWarning(text words.Message) { v.warnings = append(v.warnings, text) }

// locateKey returns a problem with only the place where a key was set.
func (v *validator) locateKey(key string) problem.Problem {
	if name, ok := v.variables[key]; ok {
		return problem.Problem{File: problem.Environment, Key: name}
	}
	return problem.Problem{File: v.file, Line: v.lines[key], Key: key}
}

// placeLike gives a part of a value the variable from which the whole value came, if it came from one.
func (v *validator) placeLike(part, whole string) {
	if variable, ok := v.variables[whole]; ok {
		v.variables[part] = variable
	}
}

func (v *validator) checkOneOf(key, got string, known ...string) {
	if !slices.Contains(known, got) {
		v.addProblem(key, got, words.NewMessage("want.one_of", "names", strings.Join(known, ", ")))
	}
}

// checkWords checks a list whose elements are different words of a fixed set; with some it must not be empty.
func (v *validator) checkWords(key string, got, known []string, some bool) {
	if some && len(got) == 0 {
		v.addProblem(key, "", words.NewMessage("want.some_of", "names", strings.Join(known, ", ")))
	}
	for i, word := range got {
		element := fmt.Sprintf("%s[%d]", key, i)
		v.placeLike(element, key)
		switch {
		case !slices.Contains(known, word):
			v.addProblem(element, word, words.NewMessage("want.one_of", "names", strings.Join(known, ", ")))
		case slices.Contains(got[:i], word):
			v.addProblem(element, word, words.NewMessage("want.once"))
		}
	}
}

func (v *validator) checkRange(key string, got, least, most int, what words.Message) {
	if got < least || got > most {
		v.addProblem(key, strconv.Itoa(got), words.NewMessage("want.range", "what", what, "least", least, "most", most))
	}
}

func (v *validator) checkDay(key, text string) {
	if _, err := time.Parse(time.DateOnly, text); err != nil || len(text) != len(time.DateOnly) {
		v.addProblem(key, text, words.NewMessage("want.date"))
	}
}

func (v *validator) checkSpan(key string, d, least, most time.Duration, want words.Message) {
	if d < least || d > most {
		v.addProblem(key, d.String(), want)
	}
}

// checkAddress checks a base address to which the named secret is sent. An address with a user is a problem and is not
// shown, since it may contain a password.
func (v *validator) checkAddress(key, text string, secret words.Message, required bool) {
	want := words.NewMessage("want.base_address")
	if text == "" {
		if required {
			v.addMissing(key, want)
		}
		return
	}
	u, err := url.Parse(text)
	switch {
	case strings.Contains(text, "@"):
		v.addProblem(key, "", words.NewMessage("problem.hidden_user", "want", want))
	case err != nil || !schemeAndHost(u):
		v.addProblem(key, text, want)
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		v.addWarning(words.NewMessage("warning.in_clear", "key", key, "what", secret, "host", u.Host))
	}
}

// checkListen checks the address on which a server listens.
func (v *validator) checkListen(key, text string, want words.Message) {
	host, port, err := net.SplitHostPort(text)
	if err != nil || !portNumber(port) || strings.ContainsAny(host, " /") {
		v.addProblem(key, text, want)
	}
}

// checkNetworks checks a list of addresses and networks.
func (v *validator) checkNetworks(key string, texts []string) {
	for i, text := range texts {
		element := fmt.Sprintf("%s[%d]", key, i)
		v.placeLike(element, key)
		_, asAddress := netip.ParseAddr(text)
		_, asNetwork := netip.ParsePrefix(text)
		if asAddress != nil && asNetwork != nil {
			v.addProblem(element, text, words.NewMessage("want.network"))
		}
	}
}

// checkLink checks an address that is requested as it is.
func (v *validator) checkLink(key string, k Link) {
	if k == "" {
		return
	}
	u, err := url.Parse(k.Reveal())
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		v.addProblem(key, k.String(), words.NewMessage("want.link"))
	}
}

func (v *validator) checkMailAddresses(key string, all []string) {
	if len(all) == 0 {
		v.addMissing(key, words.NewMessage("want.mail_addresses"))
	}
	for i, address := range all {
		element := fmt.Sprintf("%s[%d]", key, i)
		v.placeLike(element, key)
		v.checkMailAddress(element, address)
		if slices.Contains(all[:i], address) {
			v.addProblem(element, address, words.NewMessage("want.once"))
		}
	}
}

// checkMailAddress checks an address. One with a line break could write headers of its own.
func (v *validator) checkMailAddress(key, text string) {
	a, err := mail.ParseAddress(text)
	if err != nil || strings.ContainsFunc(text+a.Address, unicode.IsControl) || !strings.Contains(a.Address, "@") {
		v.addProblem(key, text, words.NewMessage("want.mail_address"))
	}
}

// secretKey returns the key by which a secret was set: that of its variable, else that of its file.
func (v *validator) secretKey(key string) string {
	if _, ok := v.variables[key]; ok {
		return key
	}
	return key + "_file"
}
