package config

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"concilia/config/problem"
)

// The words there are. A word stands here when it works.
var (
	kindWords   = []string{"summary", "installments", "splits", "fees", "slips", "exceptions", "aging", "agenda", "claims", "restatement", "statement", "control"}
	formatWords = []string{"csv", "csv-br", "jsonl", "xlsx", "html", "edi"}
	eyesWords   = []string{"waive", "close", "reopen", "period"}
	basisWords  = []string{"operation", "forecast", "payment", "credit"}
)

// check judges the values together, once all of them are read.
func (l *loader) check() {
	c := l.cfg
	if _, err := time.LoadLocation(c.Timezone); err != nil || c.Timezone == "" || c.Timezone == "Local" {
		l.problem("timezone", c.Timezone, "the name of a time zone, such as America/Sao_Paulo")
	}
	l.dsn("ledger.dsn", c.Ledger.DSN)
	l.service(&c.Service)
	l.accounts(c.Accounts)
	l.days("calendar", c.Calendar)
	l.rules(c.Rules)
	l.reports(&c.Reports)
	l.within("plan.slips_due_back", c.Plan.SlipsDueBack, 1, 400, "a number of days")
	l.within("plan.slips_due_forward", c.Plan.SlipsDueForward, 0, 400, "a number of days")
	l.schedule(c.Schedule)
	l.webhook(&c.Webhook)
	l.watching(c)
	l.words("four_eyes", c.FourEyes, eyesWords, false)
	l.within("evidence.keep_days", c.Evidence.KeepDays, 1, 3650, "a number of days")
	l.retention(c.Retention)
	if slices.Contains(c.Reports.Formats, "edi") {
		l.edi(c)
	}
}

func (l *loader) dsn(key string, dsn DSN) {
	text := dsn.Reveal()
	path, sqlite := strings.CutPrefix(text, "sqlite:")
	if sqlite && path != "" {
		return
	}
	if strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://") {
		if u, err := url.Parse(text); err == nil && (u.Host != "" || u.Query().Get("host") != "") {
			return
		}
	}
	l.problem(key, dsn.String(), "sqlite:PATH or postgres://user@host/database")
}

func (l *loader) service(s *Service) {
	l.address("service.gateway_url", s.GatewayURL, "the password", true)
	l.address("service.integration_url", s.IntegrationURL, "the password", true)
	l.address("service.search_url", s.SearchURL, "the password", false)
	l.oneOf("service.search_token", s.SearchToken, "integration", "gateway")
	if s.UserName == "" {
		l.missing("service.user_name", "the user the service knows")
	}
	if s.Password.Empty() && !l.offline && !l.bad["service.password_file"] {
		l.missing("service.password_file", "a file with the password, or the password in "+variable("service.password"))
	}
	switch {
	case s.GatewayUserName != "" && s.GatewayPassword.Empty() && !l.offline && !l.bad["service.gateway_password_file"]:
		l.missing("service.gateway_password_file", "gateway_user_name needs its password: a file with it, or "+variable("service.gateway_password"))
	case s.GatewayUserName == "" && !s.GatewayPassword.Empty():
		l.missing("service.gateway_user_name", "the gateway's password needs its user")
	}
	if !(s.RequestsPerSecond > 0 && s.RequestsPerSecond <= 1000) {
		l.problem("service.requests_per_second", strconv.FormatFloat(s.RequestsPerSecond, 'g', -1, 64), "more than 0 and at most 1000")
	}
	if s.Timeout < time.Second || s.Timeout > time.Hour {
		l.problem("service.timeout", s.Timeout.String(), "1s to 1h")
	}
	l.within("service.list_cap", s.ListCap, 0, 10_000_000, "a number of rows")
}

// address judges a base address, over which secret travels. A password in one is a secret in the wrong place, and is
// not shown.
func (l *loader) address(key, text, secret string, required bool) {
	const want = "an address such as https://host/prefix, without user, query or fragment"
	if text == "" {
		if required {
			l.missing(key, want)
		}
		return
	}
	u, err := url.Parse(text)
	switch {
	case strings.Contains(text, "@"):
		l.problem(key, "", want+" (it has a user in it, so it is not shown)")
	case err != nil || !schemeAndHost(u):
		l.problem(key, text, want)
	case u.Scheme == "http" && !loopback(u.Hostname()):
		l.cfg.warnings = append(l.cfg.warnings, key+": http sends "+secret+" readable to "+u.Host+": use https")
	}
}

func (l *loader) accounts(accounts []Account) {
	if len(accounts) == 0 {
		l.missing("accounts", "a list of accounts, such as [{number: 1001}]")
	}
	first := map[int64]string{}
	for i := range accounts {
		a, key := &accounts[i], fmt.Sprintf("accounts[%d]", i)
		number := key + ".number"
		switch before, twice := first[a.Number]; {
		case a.Number == 0 && (l.lines[number] == 0 || l.blank[number]) && l.variables[number] == "":
			l.missing(number, "the account's number at the service")
		case a.Number <= 0:
			l.problem(number, strconv.FormatInt(a.Number, 10), "a number above 0")
		case twice:
			l.problem(number, strconv.FormatInt(a.Number, 10), "another number: "+before+" has this one")
		default:
			first[a.Number] = number
		}
		if a.Since != "" {
			l.day(key+".since", a.Since)
		}
		if a.Document != "" && !document.MatchString(a.Document) {
			l.problem(key+".document", "", "a CPF of 11 or a CNPJ of 14 characters without punctuation")
		}
		l.days(key+".calendar", a.Calendar)
		l.bank(key+".bank", &a.Bank)
	}
}

var document = regexp.MustCompile(`^([0-9]{11}|[0-9A-Z]{12}[0-9]{2})$`)

func (l *loader) days(key string, c Calendar) {
	for _, list := range []struct {
		name string
		days []string
	}{{"extra", c.Extra}, {"removed", c.Removed}} {
		path := key + "." + list.name
		for i, d := range list.days {
			element := fmt.Sprintf("%s[%d]", path, i)
			if variable, ok := l.variables[path]; ok {
				l.variables[element] = variable
			}
			l.day(element, d)
		}
	}
}

func (l *loader) day(key, text string) {
	if _, err := time.Parse(time.DateOnly, text); err != nil || len(text) != len(time.DateOnly) {
		l.problem(key, text, "a date, such as 2026-09-01")
	}
}

var ruleCode = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$`)

func (l *loader) rules(rules map[string]Rule) {
	for _, code := range slices.Sorted(maps.Keys(rules)) {
		r, key := rules[code], "rules."+problem.Shown(code)
		if !ruleCode.MatchString(code) {
			l.problem(key, "", "the code of a rule, such as RECEIVED_OVERDUE")
		}
		if r.Tolerance != nil && r.Tolerance.IsNegative() {
			l.problem(key+".tolerance", r.Tolerance.String(), "a number from 0, such as 0.02")
		}
		if r.Grace != nil {
			l.within(key+".grace", *r.Grace, 0, 90, "a number of days")
		}
		if r.Severity != "" {
			l.oneOf(key+".severity", r.Severity, "C", "E", "W", "I")
		}
	}
}

// scheme matches the beginning of an address, and not the drive of a path.
var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+:`)

func (l *loader) reports(r *Reports) {
	l.target(r)
	l.words("reports.kinds", r.Kinds, kindWords, true)
	l.words("reports.formats", r.Formats, formatWords, true)
	l.words("reports.basis", r.Basis, basisWords, true)
	l.words("reports.identified", r.Identified, kindWords, false)
	l.oneOf("reports.language", r.Language, "pt-BR", "en")
	l.oneOf("reports.edi.profile", r.EDI.Profile, "febraban", "bb")
	l.oneOf("reports.edi.statement", r.EDI.Statement, "gross", "net")
}

// words judges a list each of whose elements is one of a few, once.
func (l *loader) words(key string, got, known []string, some bool) {
	if some && len(got) == 0 {
		l.problem(key, "", "at least one of "+strings.Join(known, ", "))
	}
	for i, word := range got {
		element := fmt.Sprintf("%s[%d]", key, i)
		if variable, ok := l.variables[key]; ok {
			l.variables[element] = variable
		}
		switch {
		case !slices.Contains(known, word):
			l.problem(element, word, "one of "+strings.Join(known, ", "))
		case slices.Contains(got[:i], word):
			l.problem(element, word, "named before: keep one")
		}
	}
}

// retention judges days by what files are: their kind, or their format.
func (l *loader) retention(days map[string]int) {
	known := slices.Concat(kindWords, []string{"settlement"}, formatWords)
	for _, word := range slices.Sorted(maps.Keys(days)) {
		key := "retention." + problem.Shown(word)
		if variable, ok := l.variables["retention"]; ok {
			l.variables[key] = variable
		}
		switch {
		case !slices.Contains(known, word):
			l.problem(key, "", "a kind or format of files: one of "+strings.Join(known, ", "))
		case !l.bad[key]:
			l.within(key, days[word], 1, 36_500, "a number of days")
		}
	}
}

func (l *loader) oneOf(key, got string, known ...string) {
	if !slices.Contains(known, got) {
		l.problem(key, got, "one of "+strings.Join(known, ", "))
	}
}

func (l *loader) within(key string, got, least, most int, what string) {
	if got < least || got > most {
		l.problem(key, strconv.Itoa(got), fmt.Sprintf("%s, %d to %d", what, least, most))
	}
}
