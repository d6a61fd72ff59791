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

// The words that lists of the configuration accept.
var (
	formatWords   = []string{"csv", "csv-br", "jsonl", "xlsx", "html", "edi"}
	fourEyesWords = []string{"waive", "close", "reopen", "period", "match"}
	basisWords    = []string{"operation", "forecast", "payment", "credit"}
)

// checkValues checks all values after they have been read: each section by a function of its own.
func checkValues(v *validator, c *Config) {
	if _, err := time.LoadLocation(c.Timezone); err != nil || c.Timezone == "" || c.Timezone == "Local" {
		v.addProblem("timezone", c.Timezone, "the name of a time zone, such as America/Sao_Paulo")
	}
	checkLedger(v, &c.Ledger)
	checkService(v, &c.Service)
	checkAccounts(v, c.Accounts)
	checkBanks(v, c)
	checkStores(v, c)
	checkDays(v, "calendar", c.Calendar)
	checkRules(v, c.Rules)
	checkReports(v, c)
	checkMovement(v, c)
	if c.Journal != "" && !c.Movement.IsEnabled() {
		v.addProblem("journal", c.Journal, "movement.enabled: true beside it: entries are made of what the movement tells")
	}
	v.checkRange("plan.slips_due_back", c.Plan.SlipsDueBack, 1, 400, "a number of days")
	v.checkRange("plan.slips_due_forward", c.Plan.SlipsDueForward, 0, 400, "a number of days")
	checkSchedules(v, c.Schedule)
	checkWebhook(v, &c.Webhook)
	checkMonitoring(v, c)
	checkConsole(v, &c.Console)
	checkMail(v, c)
	v.checkWords("four_eyes", c.FourEyes, fourEyesWords, false)
	v.checkRange("evidence.keep_days", c.Evidence.KeepDays, 1, 3650, "a number of days")
	checkRetention(v, c.Retention)
	if slices.Contains(c.Reports.Formats, "edi") || c.Movement.IsEnabled() && slices.Contains(c.Movement.Formats, "edi") {
		checkEDI(v, c)
	}
	warnOfExposure(v, c)
}

func checkLedger(v *validator, c *Ledger) {
	v.checkDSN("ledger.dsn", c.DSN)
	v.checkRange("ledger.pool", c.Pool, 10, 1000, "a number of connections")
	if c.PasswordFile == "" {
		return
	}
	if !c.DSN.isPostgres() {
		v.addProblem("ledger.password_file", c.PasswordFile, "a postgres:// address in ledger.dsn beside it: no other ledger has a password")
		return
	}
	var password Secret // only whether there is one: each connection reads it again
	v.readSecret("ledger.password_file", c.PasswordFile, "the password", &password)
}

func (v *validator) checkDSN(key string, dsn DSN) {
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
	v.addProblem(key, dsn.String(), "sqlite:PATH or postgres://user@host/database")
}

func checkService(v *validator, s *Service) {
	if len([]rune(s.Name)) > 60 || strings.ContainsFunc(s.Name, unicode.IsControl) || strings.TrimSpace(s.Name) != s.Name {
		v.addProblem("service.name", s.Name, "at most 60 characters in one line, without blanks around them")
	}
	for i, line := range s.ClaimsTo {
		if len([]rune(line)) > 100 || strings.ContainsFunc(line, unicode.IsControl) || strings.TrimSpace(line) == "" {
			v.addProblem(fmt.Sprintf("service.claims_to[%d]", i), line, "a line of an address, at most 100 characters")
		}
	}
	if len(s.ClaimsTo) > 8 {
		v.addProblem("service.claims_to", "", "at most 8 lines")
	}
	v.checkAddress("service.gateway_url", s.GatewayURL, "the password", true)
	v.checkAddress("service.integration_url", s.IntegrationURL, "the password", true)
	v.checkAddress("service.search_url", s.SearchURL, "the password", false)
	v.checkOneOf("service.search_token", s.SearchToken, "integration", "gateway")
	if s.UserName == "" {
		v.addMissing("service.user_name", "the user the service knows")
	}
	if s.Password.Empty() && !v.offline && !v.hasProblem["service.password_file"] {
		v.addMissing("service.password_file", "a file with the password, or the password in "+variableName("service.password"))
	}
	switch {
	case s.GatewayUserName != "" && s.GatewayPassword.Empty() && !v.offline && !v.hasProblem["service.gateway_password_file"]:
		v.addMissing("service.gateway_password_file", "gateway_user_name needs its password: a file with it, or "+variableName("service.gateway_password"))
	case s.GatewayUserName == "" && !s.GatewayPassword.Empty():
		v.addMissing("service.gateway_user_name", "the gateway's password needs its user")
	}
	if !(s.RequestsPerSecond > 0 && s.RequestsPerSecond <= 1000) {
		v.addProblem("service.requests_per_second", strconv.FormatFloat(s.RequestsPerSecond, 'g', -1, 64), "more than 0 and at most 1000")
	}
	if s.Timeout < time.Second || s.Timeout > time.Hour {
		v.addProblem("service.timeout", s.Timeout.String(), "1s to 1h")
	}
	v.checkRange("service.min_rate", s.MinRate, 0, 1_000_000_000, "bytes a minute")
	if s.NightBudget < 0 || s.NightBudget > 24*time.Hour {
		v.addProblem("service.night_budget", s.NightBudget.String(), "0s to 24h")
	}
	v.checkRange("service.list_cap", s.ListCap, 0, 10_000_000, "a number of rows")
}

func checkAccounts(v *validator, accounts []Account) {
	if len(accounts) == 0 {
		v.addMissing("accounts", "a list of accounts, such as [{number: 1001}]")
	}
	first := map[int64]string{}
	for i := range accounts {
		a, key := &accounts[i], fmt.Sprintf("accounts[%d]", i)
		number := key + ".number"
		switch before, twice := first[a.Number]; {
		case a.Number == 0 && (v.lines[number] == 0 || v.blank[number]) && v.variables[number] == "":
			v.addMissing(number, "the account's number at the service")
		case a.Number <= 0:
			v.addProblem(number, strconv.FormatInt(a.Number, 10), "a number above 0")
		case twice:
			v.addProblem(number, strconv.FormatInt(a.Number, 10), "another number: "+before+" has this one")
		default:
			first[a.Number] = number
		}
		if a.Since != "" {
			v.checkDay(key+".since", a.Since)
		}
		if a.Document != "" && !documentPattern.MatchString(a.Document) {
			v.addProblem(key+".document", "", "a CPF of 11 or a CNPJ of 14 characters without punctuation")
		}
		checkDays(v, key+".calendar", a.Calendar)
		checkBank(v, key+".bank", &a.Bank)
	}
}

var documentPattern = regexp.MustCompile(`^([0-9]{11}|[0-9A-Z]{12}[0-9]{2})$`)

func checkDays(v *validator, key string, c Calendar) {
	for _, list := range []struct {
		name string
		days []string
	}{{"extra", c.Extra}, {"removed", c.Removed}} {
		path := key + "." + list.name
		for i, d := range list.days {
			element := fmt.Sprintf("%s[%d]", path, i)
			v.placeLike(element, path)
			v.checkDay(element, d)
		}
	}
}

var ruleCode = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$`)

func checkRules(v *validator, rules map[string]Rule) {
	for _, code := range slices.Sorted(maps.Keys(rules)) {
		r, key := rules[code], "rules."+problem.Shown(code)
		if !ruleCode.MatchString(code) {
			v.addProblem(key, "", "the code of a rule, such as RECEIVED_OVERDUE")
		}
		if r.Tolerance != nil && r.Tolerance.IsNegative() {
			v.addProblem(key+".tolerance", r.Tolerance.String(), "a number from 0, such as 0.02")
		}
		if r.Grace != nil {
			v.checkRange(key+".grace", *r.Grace, 0, 90, "a number of days")
		}
		if r.Severity != "" {
			v.checkOneOf(key+".severity", r.Severity, "C", "E", "W", "I")
		}
	}
}

func checkMovement(v *validator, c *Config) {
	m := &c.Movement
	if m.From != "" {
		v.checkDay("movement.from", m.From)
	}
	v.checkWords("movement.sources", m.Sources, []string{"cards", "slips"}, true)
	v.checkOneOf("movement.settle_slips", m.SettleSlips, "credit", "payment")
	v.checkWords("movement.formats", m.Formats, []string{"csv", "csv-br", "jsonl", "edi"}, true)
	if len(m.Formats) > 0 && !slices.Contains(m.Formats, "csv") {
		v.addProblem("movement.formats", strings.Join(m.Formats, ", "), "csv among them: what is in no EDI file is in it alone")
	}
	v.checkWords("movement.journal", m.Journal, []string{"csv", "jsonl", "beancount", "hledger", "dominio"}, false)
	if len(m.Journal) > 0 && c.Journal == "" {
		v.addProblem("movement.journal", strings.Join(m.Journal, ", "), "journal: accounts.yaml beside movement, which names the office's chart of accounts")
	}
}

// checkRetention checks the days by report kind or file format.
func checkRetention(v *validator, days map[string]int) {
	known := slices.Concat(Kinds(), []string{"settlement", "card-events", "slip-events", "journal"}, formatWords)
	for _, word := range slices.Sorted(maps.Keys(days)) {
		key := "retention." + problem.Shown(word)
		v.placeLike(key, "retention")
		switch {
		case !slices.Contains(known, word):
			v.addProblem(key, "", "a kind or format of files: one of "+strings.Join(known, ", "))
		case !v.hasProblem[key]:
			v.checkRange(key, days[word], 1, 36_500, "a number of days")
		}
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
func checkBank(v *validator, key string, b *Bank) {
	for _, p := range b.listFields() {
		if p.value != "" && !p.pattern.MatchString(p.value) {
			v.addProblem(key+"."+p.name, p.value, p.want)
		}
	}
}

// nonStandardBanks are the banks whose readers divide some columns differently from the standard.
var nonStandardBanks = []string{"033", "104", "341"}

// bancoDoBrasil is the only bank of the profile bb.
const bancoDoBrasil = "001"

// checkEDI checks that every account has what EDI files need.
func checkEDI(v *validator, c *Config) {
	because := "; EDI files need it, or leave edi out of reports.formats"
	if !slices.Contains(c.Reports.Formats, "edi") {
		because = "; EDI files need it, or leave edi out of movement.formats"
	}
	for i := range c.Accounts {
		a, key := &c.Accounts[i], fmt.Sprintf("accounts[%d]", i)
		if a.Name == "" {
			v.addMissing(key+".name", "the holder's name"+because)
		}
		if a.Document == "" {
			v.addMissing(key+".document", "the holder's CPF or CNPJ"+because)
		}
		if a.Bank == (Bank{}) {
			v.addMissing(key+".bank", "the account block: code, branch, branch_digit, account, account_digit, agreement, name"+because)
			continue
		}
		for _, p := range a.Bank.listFields() {
			if p.value == "" && !p.optional {
				v.addMissing(key+".bank."+p.name, p.want+because)
			}
		}
		code, at := a.Bank.Code, key+".bank.code"
		switch {
		case c.Reports.EDI.Profile == "bb" && code != "" && code != bancoDoBrasil:
			v.addProblem(at, code, `"001": the profile bb is Banco do Brasil's alone; febraban is for every bank`)
		case slices.Contains(nonStandardBanks, code) && c.Reports.EDI.StrictBank:
			v.addProblem(at, code, "a bank whose readers keep the standard columns: this one's cut some differently, and reports.edi.strict_bank refuses that")
		case slices.Contains(nonStandardBanks, code):
			v.addWarning(at + ": readers of bank " + code + " cut some columns differently from the standard that EDI files are written in")
		}
	}
}
