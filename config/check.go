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
	"unicode"

	"concilia/config/problem"
)

// Kinds are the kinds of report that reports.kinds and reports.identified may name.
func Kinds() []string { return slices.Clone(kindWords) }

// The words that lists of the configuration accept.
var (
	kindWords     = []string{"summary", "month", "installments", "splits", "fees", "slips", "exceptions", "recoveries", "aging", "agenda", "bank", "sales", "efd-1601", "forecast", "claims", "restatement", "statement", "control"}
	formatWords   = []string{"csv", "csv-br", "jsonl", "xlsx", "html", "edi"}
	fourEyesWords = []string{"waive", "close", "reopen", "period", "match"}
	basisWords    = []string{"operation", "forecast", "payment", "credit"}
)

// checkValues checks all values after they have been read.
func (l *loader) checkValues() {
	c := l.cfg
	if _, err := time.LoadLocation(c.Timezone); err != nil || c.Timezone == "" || c.Timezone == "Local" {
		l.addProblem("timezone", c.Timezone, "the name of a time zone, such as America/Sao_Paulo")
	}
	l.checkLedger(&c.Ledger)
	l.checkService(&c.Service)
	l.checkAccounts(c.Accounts)
	l.checkBanks(c)
	l.checkStores(c)
	l.checkDays("calendar", c.Calendar)
	l.checkRules(c.Rules)
	l.checkReports(&c.Reports)
	l.checkMovement(&c.Movement)
	if c.Journal != "" && !c.Movement.IsEnabled() {
		l.addProblem("journal", c.Journal, "movement.enabled: true beside it: entries are made of what the movement tells")
	}
	l.checkRange("plan.slips_due_back", c.Plan.SlipsDueBack, 1, 400, "a number of days")
	l.checkRange("plan.slips_due_forward", c.Plan.SlipsDueForward, 0, 400, "a number of days")
	l.checkSchedules(c.Schedule)
	l.checkWebhook(&c.Webhook)
	l.checkMonitoring(c)
	l.checkConsole(&c.Console)
	l.checkMail(c)
	l.checkWords("four_eyes", c.FourEyes, fourEyesWords, false)
	l.checkRange("evidence.keep_days", c.Evidence.KeepDays, 1, 3650, "a number of days")
	l.checkRetention(c.Retention)
	if slices.Contains(c.Reports.Formats, "edi") || c.Movement.IsEnabled() && slices.Contains(c.Movement.Formats, "edi") {
		l.checkEDI(c)
	}
	l.warnOfExposure()
}

func (l *loader) checkLedger(c *Ledger) {
	l.checkDSN("ledger.dsn", c.DSN)
	l.checkRange("ledger.pool", c.Pool, 10, 1000, "a number of connections")
	if c.PasswordFile == "" {
		return
	}
	if !c.DSN.isPostgres() {
		l.addProblem("ledger.password_file", c.PasswordFile, "a postgres:// address in ledger.dsn beside it: no other ledger has a password")
		return
	}
	var password Secret // only whether there is one: each connection reads it again
	l.readSecret("ledger.password_file", c.PasswordFile, "the password", &password)
}

func (l *loader) checkDSN(key string, dsn DSN) {
	text := dsn.Reveal()
	path, sqlite := strings.CutPrefix(text, "sqlite:")
	if sqlite && path != "" {
		return
	}
	if dsn.isPostgres() {
		if u, err := url.Parse(text); err == nil && (u.Host != "" || u.Query().Get("host") != "") {
			return
		}
	}
	l.addProblem(key, dsn.String(), "sqlite:PATH or postgres://user@host/database")
}

func (l *loader) checkService(s *Service) {
	if len([]rune(s.Name)) > 60 || strings.ContainsFunc(s.Name, unicode.IsControl) || strings.TrimSpace(s.Name) != s.Name {
		l.addProblem("service.name", s.Name, "at most 60 characters in one line, without blanks around them")
	}
	for i, line := range s.ClaimsTo {
		if len([]rune(line)) > 100 || strings.ContainsFunc(line, unicode.IsControl) || strings.TrimSpace(line) == "" {
			l.addProblem(fmt.Sprintf("service.claims_to[%d]", i), line, "a line of an address, at most 100 characters")
		}
	}
	if len(s.ClaimsTo) > 8 {
		l.addProblem("service.claims_to", "", "at most 8 lines")
	}
	l.checkAddress("service.gateway_url", s.GatewayURL, "the password", true)
	l.checkAddress("service.integration_url", s.IntegrationURL, "the password", true)
	l.checkAddress("service.search_url", s.SearchURL, "the password", false)
	l.checkOneOf("service.search_token", s.SearchToken, "integration", "gateway")
	if s.UserName == "" {
		l.addMissing("service.user_name", "the user the service knows")
	}
	if s.Password.Empty() && !l.offline && !l.hasProblem["service.password_file"] {
		l.addMissing("service.password_file", "a file with the password, or the password in "+variableName("service.password"))
	}
	switch {
	case s.GatewayUserName != "" && s.GatewayPassword.Empty() && !l.offline && !l.hasProblem["service.gateway_password_file"]:
		l.addMissing("service.gateway_password_file", "gateway_user_name needs its password: a file with it, or "+variableName("service.gateway_password"))
	case s.GatewayUserName == "" && !s.GatewayPassword.Empty():
		l.addMissing("service.gateway_user_name", "the gateway's password needs its user")
	}
	if !(s.RequestsPerSecond > 0 && s.RequestsPerSecond <= 1000) {
		l.addProblem("service.requests_per_second", strconv.FormatFloat(s.RequestsPerSecond, 'g', -1, 64), "more than 0 and at most 1000")
	}
	if s.Timeout < time.Second || s.Timeout > time.Hour {
		l.addProblem("service.timeout", s.Timeout.String(), "1s to 1h")
	}
	l.checkRange("service.min_rate", s.MinRate, 0, 1_000_000_000, "bytes a minute")
	if s.NightBudget < 0 || s.NightBudget > 24*time.Hour {
		l.addProblem("service.night_budget", s.NightBudget.String(), "0s to 24h")
	}
	l.checkRange("service.list_cap", s.ListCap, 0, 10_000_000, "a number of rows")
}

// checkAddress checks a base address to which the named secret is sent. An address with a user is a problem and is not
// shown, since it may contain a password.
func (l *loader) checkAddress(key, text, secret string, required bool) {
	const want = "an address such as https://host/prefix, without user, query or fragment"
	if text == "" {
		if required {
			l.addMissing(key, want)
		}
		return
	}
	u, err := url.Parse(text)
	switch {
	case strings.Contains(text, "@"):
		l.addProblem(key, "", want+" (it has a user in it, so it is not shown)")
	case err != nil || !schemeAndHost(u):
		l.addProblem(key, text, want)
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		l.addWarning(key + ": http sends " + secret + " readable to " + u.Host + ": use https")
	}
}

func (l *loader) checkAccounts(accounts []Account) {
	if len(accounts) == 0 {
		l.addMissing("accounts", "a list of accounts, such as [{number: 1001}]")
	}
	first := map[int64]string{}
	for i := range accounts {
		a, key := &accounts[i], fmt.Sprintf("accounts[%d]", i)
		number := key + ".number"
		switch before, twice := first[a.Number]; {
		case a.Number == 0 && (l.lines[number] == 0 || l.blank[number]) && l.variables[number] == "":
			l.addMissing(number, "the account's number at the service")
		case a.Number <= 0:
			l.addProblem(number, strconv.FormatInt(a.Number, 10), "a number above 0")
		case twice:
			l.addProblem(number, strconv.FormatInt(a.Number, 10), "another number: "+before+" has this one")
		default:
			first[a.Number] = number
		}
		if a.Since != "" {
			l.checkDay(key+".since", a.Since)
		}
		if a.Document != "" && !documentPattern.MatchString(a.Document) {
			l.addProblem(key+".document", "", "a CPF of 11 or a CNPJ of 14 characters without punctuation")
		}
		l.checkDays(key+".calendar", a.Calendar)
		l.checkBank(key+".bank", &a.Bank)
	}
}

var documentPattern = regexp.MustCompile(`^([0-9]{11}|[0-9A-Z]{12}[0-9]{2})$`)

func (l *loader) checkDays(key string, c Calendar) {
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
			l.checkDay(element, d)
		}
	}
}

func (l *loader) checkDay(key, text string) {
	if _, err := time.Parse(time.DateOnly, text); err != nil || len(text) != len(time.DateOnly) {
		l.addProblem(key, text, "a date, such as 2026-09-01")
	}
}

var ruleCode = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$`)

func (l *loader) checkRules(rules map[string]Rule) {
	for _, code := range slices.Sorted(maps.Keys(rules)) {
		r, key := rules[code], "rules."+problem.Shown(code)
		if !ruleCode.MatchString(code) {
			l.addProblem(key, "", "the code of a rule, such as RECEIVED_OVERDUE")
		}
		if r.Tolerance != nil && r.Tolerance.IsNegative() {
			l.addProblem(key+".tolerance", r.Tolerance.String(), "a number from 0, such as 0.02")
		}
		if r.Grace != nil {
			l.checkRange(key+".grace", *r.Grace, 0, 90, "a number of days")
		}
		if r.Severity != "" {
			l.checkOneOf(key+".severity", r.Severity, "C", "E", "W", "I")
		}
	}
}

// schemePattern matches the beginning of an address, and not the drive of a path.
var schemePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+:`)

func (l *loader) checkReports(r *Reports) {
	l.checkTarget("reports.out", r.Out)
	l.checkArchive(r)
	l.checkWords("reports.kinds", r.Kinds, kindWords, true)
	l.checkWords("reports.formats", r.Formats, formatWords, true)
	l.checkWords("reports.basis", r.Basis, basisWords, true)
	l.checkWords("reports.identified", r.Identified, kindWords, false)
	l.checkRange("reports.forecast_days", r.ForecastDays, 1, 400, "a number of days")
	l.checkOneOf("reports.language", r.Language, "pt-BR", "en")
	l.checkOneOf("reports.edi.profile", r.EDI.Profile, "febraban", "bb")
	l.checkOneOf("reports.edi.statement", r.EDI.Statement, "gross", "net")
	l.checkOneOf("reports.edi.month_sets", r.EDI.MonthSets, "close", "night")
}

func (l *loader) checkMovement(m *Movement) {
	if m.From != "" {
		l.checkDay("movement.from", m.From)
	}
	l.checkWords("movement.sources", m.Sources, []string{"cards", "slips"}, true)
	l.checkOneOf("movement.settle_slips", m.SettleSlips, "credit", "payment")
	l.checkWords("movement.formats", m.Formats, []string{"csv", "csv-br", "jsonl", "edi"}, true)
	if len(m.Formats) > 0 && !slices.Contains(m.Formats, "csv") {
		l.addProblem("movement.formats", strings.Join(m.Formats, ", "), "csv among them: what is in no EDI file is in it alone")
	}
	l.checkWords("movement.journal", m.Journal, []string{"csv", "jsonl", "beancount", "hledger", "dominio"}, false)
	if len(m.Journal) > 0 && l.cfg.Journal == "" {
		l.addProblem("movement.journal", strings.Join(m.Journal, ", "), "journal: accounts.yaml beside movement, which names the office's chart of accounts")
	}
}

// checkWords checks a list whose elements are different words of a fixed set; with some it must not be empty.
func (l *loader) checkWords(key string, got, known []string, some bool) {
	if some && len(got) == 0 {
		l.addProblem(key, "", "at least one of "+strings.Join(known, ", "))
	}
	for i, word := range got {
		element := fmt.Sprintf("%s[%d]", key, i)
		if variable, ok := l.variables[key]; ok {
			l.variables[element] = variable
		}
		switch {
		case !slices.Contains(known, word):
			l.addProblem(element, word, "one of "+strings.Join(known, ", "))
		case slices.Contains(got[:i], word):
			l.addProblem(element, word, "named before: keep one")
		}
	}
}

// checkRetention checks the days by report kind or file format.
func (l *loader) checkRetention(days map[string]int) {
	known := slices.Concat(kindWords, []string{"settlement", "card-events", "slip-events", "journal"}, formatWords)
	for _, word := range slices.Sorted(maps.Keys(days)) {
		key := "retention." + problem.Shown(word)
		if variable, ok := l.variables["retention"]; ok {
			l.variables[key] = variable
		}
		switch {
		case !slices.Contains(known, word):
			l.addProblem(key, "", "a kind or format of files: one of "+strings.Join(known, ", "))
		case !l.hasProblem[key]:
			l.checkRange(key, days[word], 1, 36_500, "a number of days")
		}
	}
}

func (l *loader) checkOneOf(key, got string, known ...string) {
	if !slices.Contains(known, got) {
		l.addProblem(key, got, "one of "+strings.Join(known, ", "))
	}
}

func (l *loader) checkRange(key string, got, least, most int, what string) {
	if got < least || got > most {
		l.addProblem(key, strconv.Itoa(got), fmt.Sprintf("%s, %d to %d", what, least, most))
	}
}

// bankField is one member of the account block, with the pattern of a valid value.
type bankField struct {
	name     string
	value    string
	pattern  *regexp.Regexp
	want     string
	optional bool // may be empty even if EDI files are written
}

var (
	bankCodePattern   = regexp.MustCompile(`^[0-9]{3}$`)
	branchPattern     = regexp.MustCompile(`^[0-9]{1,5}$`)
	accountPattern    = regexp.MustCompile(`^[0-9]{1,12}$`)
	checkDigitPattern = regexp.MustCompile(`^[0-9X]$`)
	agreementPattern  = regexp.MustCompile(`^[0-9A-Za-z ./-]{1,20}$`)
	bankNamePattern   = regexp.MustCompile(`^.{1,30}$`)
)

// listFields returns the members of the account block in the order of the file header of CNAB 240.
func (b *Bank) listFields() []bankField {
	return []bankField{
		{"code", b.Code, bankCodePattern, `the bank's 3 digits in quotes, such as "001"`, false},
		{"agreement", b.Agreement, agreementPattern, "the agreement (convênio), up to 20 letters and digits", false},
		{"branch", b.Branch, branchPattern, "the branch (agência), up to 5 digits", false},
		{"branch_digit", b.BranchDigit, checkDigitPattern, "the branch's check digit, 0 to 9 or X", false},
		{"account", b.Account, accountPattern, "the account (conta), up to 12 digits", false},
		{"account_digit", b.AccountDigit, checkDigitPattern, "the account's check digit, 0 to 9 or X", false},
		{"digit", b.Digit, checkDigitPattern, "the check digit of branch and account, 0 to 9 or X, or nothing", true},
		{"name", b.Name, bankNamePattern, "the bank's name, up to 30 characters", false},
	}
}

// checkBank checks the values of an account block, even if no EDI files are written.
func (l *loader) checkBank(key string, b *Bank) {
	for _, p := range b.listFields() {
		if p.value != "" && !p.pattern.MatchString(p.value) {
			l.addProblem(key+"."+p.name, p.value, p.want)
		}
	}
}

// nonStandardBanks are the banks whose readers divide some columns differently from the standard.
var nonStandardBanks = []string{"033", "104", "341"}

// bancoDoBrasil is the only bank of the profile bb.
const bancoDoBrasil = "001"

// checkEDI checks that every account has what EDI files need.
func (l *loader) checkEDI(c *Config) {
	because := "; EDI files need it, or leave edi out of reports.formats"
	if !slices.Contains(c.Reports.Formats, "edi") {
		because = "; EDI files need it, or leave edi out of movement.formats"
	}
	for i := range c.Accounts {
		a, key := &c.Accounts[i], fmt.Sprintf("accounts[%d]", i)
		if a.Name == "" {
			l.addMissing(key+".name", "the holder's name"+because)
		}
		if a.Document == "" {
			l.addMissing(key+".document", "the holder's CPF or CNPJ"+because)
		}
		if a.Bank == (Bank{}) {
			l.addMissing(key+".bank", "the account block: code, branch, branch_digit, account, account_digit, agreement, name"+because)
			continue
		}
		for _, p := range a.Bank.listFields() {
			if p.value == "" && !p.optional {
				l.addMissing(key+".bank."+p.name, p.want+because)
			}
		}
		code, at := a.Bank.Code, key+".bank.code"
		switch {
		case c.Reports.EDI.Profile == "bb" && code != "" && code != bancoDoBrasil:
			l.addProblem(at, code, `"001": the profile bb is Banco do Brasil's alone; febraban is for every bank`)
		case slices.Contains(nonStandardBanks, code) && c.Reports.EDI.StrictBank:
			l.addProblem(at, code, "a bank whose readers keep the standard columns: this one's cut some differently, and reports.edi.strict_bank refuses that")
		case slices.Contains(nonStandardBanks, code):
			c.warnings = append(c.warnings, at+": readers of bank "+code+" cut some columns differently from the standard that EDI files are written in")
		}
	}
}
