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
	warnings   []string
}

// addProblem reports a problem of the value of a key, at the place where it was set.
func (v *validator) addProblem(key, value, want string) {
	if v.hasProblem[key] {
		return
	}
	v.hasProblem[key] = true
	p := v.locateKey(key)
	p.Value, p.Want = problem.Shown(value), want
	v.problems = append(v.problems, p)
}

// addMissing reports a required key that was not set.
func (v *validator) addMissing(key, want string) {
	if v.lines[key] == 0 {
		// The line of the enclosing block is the best one available.
		for at := key; strings.Contains(at, ".") && v.lines[key] == 0; {
			at = at[:strings.LastIndexByte(at, '.')]
			v.lines[key] = v.lines[at]
		}
	}
	v.addProblem(key, "", "missing: "+want)
}

func (v *validator) addWarning(text string) { v.warnings = append(v.warnings, text) }

// locateKey returns a problem with only the place where a key was set.
func (v *validator) locateKey(key string) problem.Problem {
	if name, ok := v.variables[key]; ok {
		return problem.Problem{File: environment, Key: name}
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
		v.addProblem(key, got, "one of "+strings.Join(known, ", "))
	}
}

// checkWords checks a list whose elements are different words of a fixed set; with some it must not be empty.
func (v *validator) checkWords(key string, got, known []string, some bool) {
	if some && len(got) == 0 {
		v.addProblem(key, "", "at least one of "+strings.Join(known, ", "))
	}
	for i, word := range got {
		element := fmt.Sprintf("%s[%d]", key, i)
		v.placeLike(element, key)
		switch {
		case !slices.Contains(known, word):
			v.addProblem(element, word, "one of "+strings.Join(known, ", "))
		case slices.Contains(got[:i], word):
			v.addProblem(element, word, "named before: keep one")
		}
	}
}

func (v *validator) checkRange(key string, got, least, most int, what string) {
	if got < least || got > most {
		v.addProblem(key, strconv.Itoa(got), fmt.Sprintf("%s, %d to %d", what, least, most))
	}
}

func (v *validator) checkDay(key, text string) {
	if _, err := time.Parse(time.DateOnly, text); err != nil || len(text) != len(time.DateOnly) {
		v.addProblem(key, text, "a date, such as 2026-09-01")
	}
}

func (v *validator) checkSpan(key string, d, least, most time.Duration, want string) {
	if d < least || d > most {
		v.addProblem(key, d.String(), want)
	}
}

// checkAddress checks a base address to which the named secret is sent. An address with a user is a problem and is not
// shown, since it may contain a password.
func (v *validator) checkAddress(key, text, secret string, required bool) {
	const want = "an address such as https://host/prefix, without user, query or fragment"
	if text == "" {
		if required {
			v.addMissing(key, want)
		}
		return
	}
	u, err := url.Parse(text)
	switch {
	case strings.Contains(text, "@"):
		v.addProblem(key, "", want+" (it has a user in it, so it is not shown)")
	case err != nil || !schemeAndHost(u):
		v.addProblem(key, text, want)
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		v.addWarning(key + ": http sends " + secret + " readable to " + u.Host + ": use https")
	}
}

// checkListen checks the address on which a server listens.
func (v *validator) checkListen(key, text, example, also string) {
	host, port, err := net.SplitHostPort(text)
	if err != nil || !portNumber(port) || strings.ContainsAny(host, " /") {
		v.addProblem(key, text, "a host and a port, such as "+example+also)
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
			v.addProblem(element, text, "an address or a network, such as 10.0.0.7 or 10.0.0.0/8")
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
		v.addProblem(key, k.String(), "an address such as https://host/path, without user")
	}
}

func (v *validator) checkMailAddresses(key string, all []string) {
	if len(all) == 0 {
		v.addMissing(key, "a list of addresses, such as [ana@loja.example]")
	}
	for i, address := range all {
		element := fmt.Sprintf("%s[%d]", key, i)
		v.placeLike(element, key)
		v.checkMailAddress(element, address)
		if slices.Contains(all[:i], address) {
			v.addProblem(element, address, "named before: keep one")
		}
	}
}

// checkMailAddress checks an address. One with a line break could write headers of its own.
func (v *validator) checkMailAddress(key, text string) {
	a, err := mail.ParseAddress(text)
	if err != nil || strings.ContainsFunc(text+a.Address, unicode.IsControl) || !strings.Contains(a.Address, "@") {
		v.addProblem(key, text, "an address such as ana@loja.example")
	}
}

// secretKey returns the key by which a secret was set: that of its variable, else that of its file.
func (v *validator) secretKey(key string) string {
	if _, ok := v.variables[key]; ok {
		return key
	}
	return key + "_file"
}
