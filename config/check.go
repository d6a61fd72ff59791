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
	"concilia/export/words"
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
		v.addProblem("timezone", c.Timezone, words.NewMessage("want.zone"))
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
		v.addProblem("journal", c.Journal, words.NewMessage("want.movement"))
	}
	v.checkRange("plan.slips_due_back", c.Plan.SlipsDueBack, 1, 400, words.NewMessage("want.days"))
	v.checkRange("plan.slips_due_forward", c.Plan.SlipsDueForward, 0, 400, words.NewMessage("want.days"))
	checkSchedules(v, c.Schedule)
	checkWebhook(v, &c.Webhook)
	checkMonitoring(v, c)
	checkConsole(v, &c.Console)
	checkMail(v, c)
	v.checkWords("four_eyes", c.FourEyes, fourEyesWords, false)
	v.checkRange("evidence.keep_days", c.Evidence.KeepDays, 1, 3650, words.NewMessage("want.days"))
	checkRetention(v, c.Retention)
	if slices.Contains(c.Reports.Formats, "edi") || c.Movement.IsEnabled() && slices.Contains(c.Movement.Formats, "edi") {
		checkEDI(v, c)
	}
	warnOfExposure(v, c)
}

func checkLedger(v *validator, c *Ledger) {
	v.checkDSN("ledger.dsn", c.DSN)
	v.checkRange("ledger.pool", c.Pool, 10, 1000, words.NewMessage("want.connections"))
	if c.PasswordFile == "" {
		return
	}
	if !c.DSN.isPostgres() {
		v.addProblem("ledger.password_file", c.PasswordFile, words.NewMessage("want.postgres_beside"))
		return
	}
	var password Secret // only whether there is one: each connection reads it again
	v.readSecret("ledger.password_file", c.PasswordFile, "want.the_password", &password)
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
	v.addProblem(key, dsn.String(), words.NewMessage("want.dsn"))
}

func checkService(v *validator, s *Service) {
	if len([]rune(s.Name)) > 60 || strings.ContainsFunc(s.Name, unicode.IsControl) || strings.TrimSpace(s.Name) != s.Name {
		v.addProblem("service.name", s.Name, words.NewMessage("want.service_name"))
	}
	for i, line := range s.ClaimsTo {
		if len([]rune(line)) > 100 || strings.ContainsFunc(line, unicode.IsControl) || strings.TrimSpace(line) == "" {
			v.addProblem(fmt.Sprintf("service.claims_to[%d]", i), line, words.NewMessage("want.address_line"))
		}
	}
	if len(s.ClaimsTo) > 8 {
		v.addProblem("service.claims_to", "", words.NewMessage("want.address_lines"))
	}
	v.checkAddress("service.gateway_url", s.GatewayURL, words.NewMessage("want.the_password"), true)
	v.checkAddress("service.integration_url", s.IntegrationURL, words.NewMessage("want.the_password"), true)
	v.checkAddress("service.search_url", s.SearchURL, words.NewMessage("want.the_password"), false)
	v.checkOneOf("service.search_token", s.SearchToken, "integration", "gateway")
	if s.UserName == "" {
		v.addMissing("service.user_name", words.NewMessage("want.service_user"))
	}
	if s.Password.Empty() && !v.offline && !v.hasProblem["service.password_file"] {
		v.addMissing("service.password_file", words.NewMessage("want.password_file", "variable", variableName("service.password")))
	}
	switch {
	case s.GatewayUserName != "" && s.GatewayPassword.Empty() && !v.offline && !v.hasProblem["service.gateway_password_file"]:
		v.addMissing("service.gateway_password_file", words.NewMessage("want.gateway_password", "variable", variableName("service.gateway_password")))
	case s.GatewayUserName == "" && !s.GatewayPassword.Empty():
		v.addMissing("service.gateway_user_name", words.NewMessage("want.gateway_user"))
	}
	if !(s.RequestsPerSecond > 0 && s.RequestsPerSecond <= 1000) {
		v.addProblem("service.requests_per_second", strconv.FormatFloat(s.RequestsPerSecond, 'g', -1, 64), words.NewMessage("want.rate"))
	}
	if s.Timeout < time.Second || s.Timeout > time.Hour {
		v.addProblem("service.timeout", s.Timeout.String(), words.NewMessage("want.between", "least", "1s", "most", "1h"))
	}
	v.checkRange("service.min_rate", s.MinRate, 0, 1_000_000_000, words.NewMessage("want.bytes_a_minute"))
	if s.NightBudget < 0 || s.NightBudget > 24*time.Hour {
		v.addProblem("service.night_budget", s.NightBudget.String(), words.NewMessage("want.between", "least", "0s", "most", "24h"))
	}
	v.checkRange("service.list_cap", s.ListCap, 0, 10_000_000, words.NewMessage("want.rows"))
}

func checkAccounts(v *validator, accounts []Account) {
	if len(accounts) == 0 {
		v.addMissing("accounts", words.NewMessage("want.accounts"))
	}
	first := map[int64]string{}
	for i := range accounts {
		a, key := &accounts[i], fmt.Sprintf("accounts[%d]", i)
		number := key + ".number"
		switch before, twice := first[a.Number]; {
		case a.Number == 0 && (v.lines[number] == 0 || v.blank[number]) && v.variables[number] == "":
			v.addMissing(number, words.NewMessage("want.account_number"))
		case a.Number <= 0:
			v.addProblem(number, strconv.FormatInt(a.Number, 10), words.NewMessage("want.above_zero"))
		case twice:
			v.addProblem(number, strconv.FormatInt(a.Number, 10), words.NewMessage("want.another_number", "before", before))
		default:
			first[a.Number] = number
		}
		if a.Since != "" {
			v.checkDay(key+".since", a.Since)
		}
		if a.Document != "" && !documentPattern.MatchString(a.Document) {
			v.addProblem(key+".document", "", words.NewMessage("want.document"))
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
			v.addProblem(key, "", words.NewMessage("want.rule_code"))
		}
		if r.Tolerance != nil && r.Tolerance.IsNegative() {
			v.addProblem(key+".tolerance", r.Tolerance.String(), words.NewMessage("want.from_zero"))
		}
		if r.Grace != nil {
			v.checkRange(key+".grace", *r.Grace, 0, 90, words.NewMessage("want.days"))
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
		v.addProblem("movement.formats", strings.Join(m.Formats, ", "), words.NewMessage("want.csv_among"))
	}
	v.checkWords("movement.journal", m.Journal, []string{"csv", "jsonl", "beancount", "hledger", "dominio"}, false)
	if len(m.Journal) > 0 && c.Journal == "" {
		v.addProblem("movement.journal", strings.Join(m.Journal, ", "), words.NewMessage("want.chart_beside"))
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
			v.addProblem(key, "", words.NewMessage("want.kind_or_format", "names", strings.Join(known, ", ")))
		case !v.hasProblem[key]:
			v.checkRange(key, days[word], 1, 36_500, words.NewMessage("want.days"))
		}
	}
}

// bankField is one member of the account block, with the pattern of a valid value.
type bankField struct {
	name     string
	value    string
	pattern  *regexp.Regexp
	want     string // the id of what is right
	optional bool   // may be empty even if EDI files are written
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
		{"code", b.Code, bankCodePattern, "want.edi_code", false},
		{"agreement", b.Agreement, agreementPattern, "want.edi_agreement", false},
		{"branch", b.Branch, branchPattern, "want.edi_branch", false},
		{"branch_digit", b.BranchDigit, checkDigitPattern, "want.edi_branch_digit", false},
		{"account", b.Account, accountPattern, "want.edi_account", false},
		{"account_digit", b.AccountDigit, checkDigitPattern, "want.edi_account_digit", false},
		{"digit", b.Digit, checkDigitPattern, "want.edi_digit", true},
		{"name", b.Name, bankNamePattern, "want.edi_bank_name", false},
	}
}

// checkBank checks the values of an account block, even if no EDI files are written.
func checkBank(v *validator, key string, b *Bank) {
	for _, p := range b.listFields() {
		if p.value != "" && !p.pattern.MatchString(p.value) {
			v.addProblem(key+"."+p.name, p.value, words.NewMessage(p.want))
		}
	}
}

// nonStandardBanks are the banks whose readers divide some columns differently from the standard.
var nonStandardBanks = []string{"033", "104", "341"}

// bancoDoBrasil is the only bank of the profile bb.
const bancoDoBrasil = "001"

// checkEDI checks that every account has what EDI files need.
func checkEDI(v *validator, c *Config) {
	because := "want.for_edi_reports"
	if !slices.Contains(c.Reports.Formats, "edi") {
		because = "want.for_edi_movement"
	}
	addMissing := func(key, want string) {
		v.addMissing(key, words.NewMessage(because, "want", words.NewMessage(want)))
	}
	for i := range c.Accounts {
		a, key := &c.Accounts[i], fmt.Sprintf("accounts[%d]", i)
		if a.Name == "" {
			addMissing(key+".name", "want.holder_name")
		}
		if a.Document == "" {
			addMissing(key+".document", "want.holder_document")
		}
		if a.Bank == (Bank{}) {
			addMissing(key+".bank", "want.account_block")
			continue
		}
		for _, p := range a.Bank.listFields() {
			if p.value == "" && !p.optional {
				addMissing(key+".bank."+p.name, p.want)
			}
		}
		code, at := a.Bank.Code, key+".bank.code"
		switch {
		case c.Reports.EDI.Profile == "bb" && code != "" && code != bancoDoBrasil:
			v.addProblem(at, code, words.NewMessage("want.profile_bb"))
		case slices.Contains(nonStandardBanks, code) && c.Reports.EDI.StrictBank:
			v.addProblem(at, code, words.NewMessage("want.standard_bank"))
		case slices.Contains(nonStandardBanks, code):
			v.addWarning(words.NewMessage("warning.non_standard_bank", "key", at, "code", code))
		}
	}
}
