package config_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/config"
	"concilia/config/problem"
)

// kindList is every kind that the configuration may name, as problems list them.
var kindList = strings.Join(config.Kinds(), ", ")

// edi is an account with all that EDI files need; its bank block is left open.
const edi = `
service: {gateway_url: "http://localhost/g", integration_url: "http://localhost/i", user_name: u}
accounts:
  - number: 1001
    name: Loja
    document: "12345678000195"
    bank: {branch: "1234", branch_digit: "5", account: "567890", account_digit: "1", agreement: "1234567", name: BB, `

// Every way a configuration can be wrong: the file, its variables, and the problems after the file's name.
func TestProblems(t *testing.T) {
	t.Parallel()
	const needs = "; EDI files need it, or leave edi out of reports.formats"
	for _, row := range []struct {
		because string
		text    string
		vars    []string
		want    []string
	}{
		{"nothing at all", "", nil, []string{
			" service.gateway_url: missing: an address such as https://host/prefix, without user, query or fragment",
			" service.integration_url: missing: an address such as https://host/prefix, without user, query or fragment",
			" service.user_name: missing: the user the service knows",
			" accounts: missing: a list of accounts, such as [{number: 1001}]",
		}},
		{"many at once, wherever they stand", strings.Replace(good, "user_name: u", "user_name: u, timeout: soon, requests_per_second: -1, search_token: both", 1) +
			"plan: {slips_due_back: 1.5, slips_due_forward: 401}\nledgr: {}\ntimezone: Mars/Olympus\ncalendar: 400\nprofile: [a]\n", nil, []string{
			` line 2 service.timeout: "soon": a time with its unit, such as 60s or 2m`,
			` line 2 service.search_token: "both": one of integration, gateway`,
			` line 2 service.requests_per_second: "-1": more than 0 and at most 1000`,
			` line 5 plan.slips_due_back: "1.5": a whole number in digits`,
			` line 5 plan.slips_due_forward: "401": a number of days, 0 to 400`,
			` line 6 ledgr: unknown key: did you mean ledger?`,
			` line 7 timezone: "Mars/Olympus": the name of a time zone, such as America/Sao_Paulo`,
			` line 8 calendar: "400": a block of keys and values`,
			` line 9 profile: not a single value: a text`,
		}},
		{"a password in the file is refused and not shown", strings.Replace(good, "user_name: u", "user_name: u, password: hunter2", 1), nil, []string{
			` line 2 service.password: never in this file: name a file with it in password_file, or set CONCILIA_SERVICE_PASSWORD`,
		}},
		{"a file with the ledger's password is read, for a server", good + "ledger: {dsn: postgres://u@127.0.0.1/l, password_file: /nowhere/p, pool: 9}\n", nil, []string{
			` line 5 ledger.pool: "9": a number of connections, 10 to 1000`,
			` line 5 ledger.password_file: "/nowhere/p": a file with the password that can be read: no such file or directory`,
		}},
		{"a file has no password", good + "ledger: {password_file: /nowhere/p}\n", nil, []string{
			` line 5 ledger.password_file: "/nowhere/p": a postgres:// address in ledger.dsn beside it: no other ledger has a password`,
		}},
		{"a key written twice", good + "plan: {slips_due_back: 30}\nplan: {slips_due_back: 31}\n", nil, []string{` line 6 plan: written before, on line 5: keep one`}},
		{"a journal in every set without a chart of accounts", good + "movement: {enabled: false, journal: [beancount, ofx]}\n", nil, []string{
			` line 5 movement.journal[1]: "ofx": one of csv, jsonl, beancount, hledger, dominio`,
			` line 5 movement.journal: "beancount, ofx": journal: accounts.yaml beside movement, which names the office's chart of accounts`,
		}},
		{"a journal without the movement that it is made of", good + "movement: {enabled: false}\njournal: /nowhere/a.yaml\n", nil, []string{
			` line 6 journal: "/nowhere/a.yaml": movement.enabled: true beside it: entries are made of what the movement tells`,
		}},
		{"a movement of what there is not", good + "movement: {enabled: true, from: 31/12/2026, sources: [pix], settle_slips: due, formats: [xlsx]}\n", nil, []string{
			` line 5 movement.from: "31/12/2026": a date, such as 2026-09-01`,
			` line 5 movement.sources[0]: "pix": one of cards, slips`,
			` line 5 movement.settle_slips: "due": one of credit, payment`,
			` line 5 movement.formats[0]: "xlsx": one of csv, csv-br, jsonl, edi`,
			` line 5 movement.formats: "xlsx": csv among them: what is in no EDI file is in it alone`,
		}},
		{"a key of another capability", good + "tracing: {listen: \":9464\"}\n", nil, []string{
			` line 5 tracing: unknown key: one of timezone, ledger, service, accounts, banks, stores, institutions, sales, contract, mapping, profile, register, orders, calendar, rules, reports, movement, journal, plan, schedule, webhook, metrics, console, mail, pings, alerts, log, language, four_eyes, evidence, retention`,
		}},
		{"a key that nothing reads, at every depth", strings.NewReplacer("user_name: u", "user_name: u, find_slips: true, list_limit: 7", "formats: [csv]", "formats: [csv], edi: {statements: net}").Replace(good) +
			"colours: {level: info}\n", nil, []string{
			` line 2 service.find_slips: unknown key: one of name, claims_to, gateway_url, integration_url, search_url, search_token, user_name, password_file, password, gateway_user_name, gateway_password_file, gateway_password, search_by_code, requests_per_second, timeout, min_rate, night_budget, list_cap`,
			` line 2 service.list_limit: unknown key: one of name, claims_to, gateway_url, integration_url, search_url, search_token, user_name, password_file, password, gateway_user_name, gateway_password_file, gateway_password, search_by_code, requests_per_second, timeout, min_rate, night_budget, list_cap`,
			` line 4 reports.edi.statements: unknown key: did you mean statement?`,
			` line 5 colours: unknown key: one of timezone, ledger, service, accounts, banks, stores, institutions, sales, contract, mapping, profile, register, orders, calendar, rules, reports, movement, journal, plan, schedule, webhook, metrics, console, mail, pings, alerts, log, language, four_eyes, evidence, retention`,
		}},
		{"the name of the service is a short line", "service: {name: \" PagX\\nBrasil\", gateway_url: https://h, integration_url: https://h, user_name: u}\naccounts: [{number: 1}]\nreports: {formats: [csv]}", nil, []string{
			` line 1 service.name: " PagX\nBrasil": at most 60 characters in one line, without blanks around them`,
		}},
		{"days are of files there are, and some", good + "retention: {csv: 0, pdf: 3, xlsx: soon, settlement: 36501, control: 400}\n", nil, []string{
			` line 5 retention.xlsx: "soon": a whole number in digits`,
			` line 5 retention.csv: "0": a number of days, 1 to 36500`,
			` line 5 retention.pdf: a kind or format of files: one of ` + kindList + `, settlement, card-events, slip-events, journal, csv, csv-br, jsonl, xlsx, html, edi`,
			` line 5 retention.settlement: "36501": a number of days, 1 to 36500`,
		}},
		{"days from the environment", good, []string{"CONCILIA_RETENTION", "csv:0"}, []string{
			`environment CONCILIA_RETENTION: "0": a number of days, 1 to 36500`,
		}},
		{"days from the environment without days", good, []string{"CONCILIA_RETENTION", "csv"}, []string{
			`environment CONCILIA_RETENTION: "csv": words and numbers, such as csv:400,xlsx:800`,
		}},
		{"no such zone, database, folder or word", good + "timezone: Local\nledger: {dsn: mysql://u:hunter2@h/d}\n", []string{"CONCILIA_REPORTS_OUT", "ftp://host/prefix"}, []string{
			`environment CONCILIA_REPORTS_OUT: "ftp://host/prefix": a folder (a path, or file:///path), s3://bucket/prefix, or sftp://user@host/path`,
			` line 5 timezone: "Local": the name of a time zone, such as America/Sao_Paulo`,
			` line 6 ledger.dsn: "mysql://u:***@h/d": sqlite:PATH or postgres://user@host/database`,
		}},
		{"addresses are of the web, and hold no password", "service: {gateway_url: ftp://h/x, integration_url: \"https://u:hunter2@h/x\", search_url: \"https://h/x?y=1\", user_name: u}\naccounts: [{number: 1}]\nreports: {formats: [csv]}", nil, []string{
			` line 1 service.gateway_url: "ftp://h/x": an address such as https://host/prefix, without user, query or fragment`,
			` line 1 service.integration_url: an address such as https://host/prefix, without user, query or fragment (it has a user in it, so it is not shown)`,
			` line 1 service.search_url: "https://h/x?y=1": an address such as https://host/prefix, without user, query or fragment`,
		}},
		{"variables are judged like the file", good, []string{
			"CONCILIA_SERVICE_REQUESTS_PER_SECOND", "fast", "CONCILIA_REPORTS_KINDS", "summary,ledger", "CONCILIA_ACCOUNTS_0_SINCE", "01/09/2026", "CONCILIA_SERVICE_TIMEOUT", "0s",
		}, []string{
			`environment CONCILIA_SERVICE_REQUESTS_PER_SECOND: "fast": a number, such as 5 or 0.5`,
			`environment CONCILIA_SERVICE_TIMEOUT: "0s": 1s to 1h`,
			`environment CONCILIA_ACCOUNTS_0_SINCE: "01/09/2026": a date, such as 2026-09-01`,
			`environment CONCILIA_REPORTS_KINDS: "ledger": one of ` + kindList,
		}},
		{"accounts are numbered, above 0 and once", strings.Replace(good, "[{number: 1001}]", "[{number: 7, document: 123}, {number: 7}, {number: -1}, {name: x}, {number: 8x}, {number: 9, since: 2026-02-30}]", 1), nil, []string{
			` line 3 accounts[4].number: "8x": a whole number in digits`,
			` line 3 accounts[0].document: a CPF of 11 or a CNPJ of 14 characters without punctuation`,
			` line 3 accounts[1].number: "7": another number: accounts[0].number has this one`,
			` line 3 accounts[2].number: "-1": a number above 0`,
			` line 3 accounts[3].number: missing: the account's number at the service`,
			` line 3 accounts[5].since: "2026-02-30": a date, such as 2026-09-01`,
		}},
		{"words are known and named once", strings.Replace(good, "formats: [csv]", "formats: [csv, pdf, csv], kinds: [], basis: operation, language: pt, identified: [payers], edi: {profile: itau, strict_bank: maybe, statement: both, month_sets: never}", 1), nil, []string{
			` line 4 reports.basis: "operation": a list, such as [a, b]`,
			` line 4 reports.edi.strict_bank: "maybe": true or false`,
			` line 4 reports.kinds: at least one of ` + kindList,
			` line 4 reports.formats[1]: "pdf": one of csv, csv-br, jsonl, xlsx, html, edi`,
			` line 4 reports.formats[2]: "csv": named before: keep one`,
			` line 4 reports.identified[0]: "payers": one of ` + kindList,
			` line 4 reports.language: "pt": one of pt-BR, en`,
			` line 4 reports.edi.profile: "itau": one of febraban, bb`,
			` line 4 reports.edi.statement: "both": one of gross, net`,
			` line 4 reports.edi.month_sets: "never": one of close, night`,
		}},
		{"a bucket is named without its keys, which come as a pair", strings.Replace(good, "formats: [csv]", "formats: [csv], out: \"s3://who:hunter2@bucket/x\", s3: {endpoint: \"ftp://h\"}", 1), []string{"CONCILIA_REPORTS_S3_ACCESS_KEY", "hunter2"}, []string{
			` line 4 reports.out: "s3://who:***@bucket/x": s3://bucket/prefix; the keys stand in files`,
			` line 4 reports.s3.endpoint: "ftp://h": http:// or https:// and a host`,
			` line 4 reports.s3.secret_key_file: missing: the access key needs its secret key`,
		}},
		{"a server is vouched for and logged in to", strings.Replace(good, "formats: [csv]", "formats: [csv], out: \"sftp://host/x\"", 1), nil, []string{
			` line 4 reports.out: "sftp://host/x": sftp://user@host/path; a password stands in a file`,
			` line 4 reports.sftp.known_hosts_file: missing: a file that vouches for the server (ssh-keyscan HOST, checked by a person)`,
			` line 4 reports.sftp.key_file: missing: a private key, or password_file`,
		}},
		{"evidence is kept for days", good + "evidence: {keep_days: 0}\n", []string{"CONCILIA_EVIDENCE_KEEP_DAYS", "3651"}, []string{
			`environment CONCILIA_EVIDENCE_KEEP_DAYS: "3651": a number of days, 1 to 3650`,
		}},
		{"acts that need two are known and named once", good + "four_eyes: [waive, ack, waive, period]\n", nil, []string{
			` line 5 four_eyes[1]: "ack": one of waive, close, reopen, period, match`,
			` line 5 four_eyes[2]: "waive": named before: keep one`,
		}},
		{"days and rules", good + "calendar: {extra: [2026-13-01, 2026-12-24], removed: [tomorrow]}\nrules: {overdue: {}, MDR_X: {tolerance: \"0,02\", grace: -1, severity: fatal, limit: 2}, MDR_Y: {grace: soon}}\n", nil, []string{
			` line 5 calendar.extra[0]: "2026-13-01": a date, such as 2026-09-01`,
			` line 5 calendar.removed[0]: "tomorrow": a date, such as 2026-09-01`,
			` line 6 rules.MDR_X.tolerance: "0,02": a number, written with a point, such as 0.02`,
			` line 6 rules.MDR_X.limit: unknown key: one of tolerance, grace, severity`,
			` line 6 rules.MDR_Y.grace: "soon": a whole number in digits`,
			` line 6 rules.MDR_X.grace: "-1": a number of days, 0 to 90`,
			` line 6 rules.MDR_X.severity: "fatal": one of C, E, W, I`,
			` line 6 rules.overdue: the code of a rule, such as RECEIVED_OVERDUE`,
		}},
		{
			"a tolerance is a number as files spell it, from 0", good + "rules: {MDR_X: {tolerance: -0.01}, MDR_Y: {}, MDR_Z: {}}\n",
			[]string{"CONCILIA_RULES_MDR_Y_TOLERANCE", "+1", "CONCILIA_RULES_MDR_Z_TOLERANCE", "1e9999"},
			[]string{
				`environment CONCILIA_RULES_MDR_Y_TOLERANCE: "+1": a number, written with a point, such as 0.02`,
				`environment CONCILIA_RULES_MDR_Z_TOLERANCE: "1e9999": a number, written with a point, such as 0.02`,
				` line 5 rules.MDR_X.tolerance: "-0.01": a number from 0, such as 0.02`,
			},
		},
		{"EDI needs the account block", strings.Replace(good, "csv", "edi", 1), nil, []string{
			` line 3 accounts[0].name: missing: the holder's name` + needs,
			` line 3 accounts[0].document: missing: the holder's CPF or CNPJ` + needs,
			` line 3 accounts[0].bank: missing: the account block: code, branch, branch_digit, account, account_digit, agreement, name` + needs,
		}},
		{"and each part of it", strings.NewReplacer(`branch_digit: "5", `, "", `account_digit: "1", `, "", `agreement: "1234567", `, "", "name: BB, ", "").Replace(edi) + "code: \"001\"}", nil, []string{
			` line 7 accounts[0].bank.agreement: missing: the agreement (convênio), up to 20 letters and digits` + needs,
			` line 7 accounts[0].bank.branch_digit: missing: the branch's check digit, 0 to 9 or X` + needs,
			` line 7 accounts[0].bank.account_digit: missing: the account's check digit, 0 to 9 or X` + needs,
			` line 7 accounts[0].bank.name: missing: the bank's name, up to 30 characters` + needs,
		}},
		{"what is written of it has to fit its columns", edi + "code: 1, digit: \"12\"}\nreports: {formats: [csv]}", nil, []string{
			` line 7 accounts[0].bank.code: "1": the bank's 3 digits in quotes, such as "001"`,
			` line 7 accounts[0].bank.digit: "12": the check digit of branch and account, 0 to 9 or X, or nothing`,
		}},
		{"the profile bb is one bank's", edi + "code: \"237\"}\nreports: {edi: {profile: bb}}", nil, []string{
			` line 7 accounts[0].bank.code: "237": "001": the profile bb is Banco do Brasil's alone; febraban is for every bank`,
		}},
		{"a bank that cuts columns differently, strictly", edi + "code: \"104\"}\nreports: {edi: {strict_bank: true}}", nil, []string{
			` line 7 accounts[0].bank.code: "104": a bank whose readers keep the standard columns: this one's cut some differently, and reports.edi.strict_bank refuses that`,
		}},
		{"a credential of the gateway's own is whole", strings.Replace(good, "user_name: u", "user_name: u, gateway_user_name: g", 1), nil, []string{
			` line 2 service.gateway_password_file: missing: gateway_user_name needs its password: a file with it, or CONCILIA_SERVICE_GATEWAY_PASSWORD`,
		}},
		{"a gateway password without its user", good, []string{"CONCILIA_SERVICE_GATEWAY_PASSWORD", "p"}, []string{
			` line 2 service.gateway_user_name: missing: the gateway's password needs its user`,
		}},
		{"not YAML", "service: [", nil, []string{
			` line 1: not YAML: did not find expected node content (a text with special signs needs quotes)`,
		}},
		{"two documents, a tag and a merge key", good + "plan: {slips_due_back: !!int 30, <<: {slips_due_forward: 30}}\n---\n{}", nil, []string{
			` line 5 plan.slips_due_back: "!!int": a plain value: tags mean nothing here`,
			` line 5 plan.<<: a key is plain text; << and the like mean nothing here`,
			` line 6: one document; this is a second one`,
		}},
	} {
		path := write(t, row.text)
		_, err := config.Load(path, vars(append([]string{"CONCILIA_SERVICE_PASSWORD", "p"}, row.vars...)...))
		if err == nil {
			t.Errorf("%s: accepted", row.because)
			continue
		}
		var got []string
		for line := range strings.SplitSeq(err.Error(), "\n") {
			got = append(got, strings.TrimPrefix(line, path))
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s:\n%s", row.because, diff)
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: a password is shown", row.because)
		}
	}
}

func TestNoPassword(t *testing.T) {
	t.Parallel()
	path := write(t, good)
	_, err := config.Load(path, vars())
	want := path + " line 2 service.password_file: missing: a file with the password, or the password in CONCILIA_SERVICE_PASSWORD"
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		because, text string
		want          []string
	}{
		{"the program's own machine may be asked in the clear", good, nil},
		{"another may not", strings.ReplaceAll(good, "127.0.0.1", "10.0.0.1"), []string{
			"service.gateway_url: http sends the password readable to 10.0.0.1:8080: use https",
			"service.integration_url: http sends the password readable to 10.0.0.1:8080: use https",
		}},
		{"a bank that keeps the columns", edi + "code: \"001\"}", nil},
		{"a bank that does not", edi + "code: \"033\"}", []string{
			"accounts[0].bank.code: readers of bank 033 cut some columns differently from the standard that EDI files are written in",
		}},
		{"and without EDI files it does not matter", edi + "code: \"033\"}\nreports: {formats: [csv]}", nil},
	} {
		if diff := cmp.Diff(row.want, textsOf(loadConfig(t, row.text).Warnings())); diff != "" {
			t.Errorf("%s:\n%s", row.because, diff)
		}
	}
}

func TestProblemsAreCapped(t *testing.T) {
	t.Parallel()
	_, err := config.Load(write(t, "accounts: ["+strings.Repeat("{},", 500)+"]"), vars())
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 51 || !strings.HasPrefix(lines[50], "and ") {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

func TestOfflineNeedsNoPassword(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ because, text string }{
		{"no password at all", good},
		{"a password file that is not there", strings.Replace(good, "user_name: u", "user_name: u, password_file: /nowhere/p", 1)},
		{"a gateway user without a password", strings.Replace(good, "user_name: u", "user_name: u, gateway_user_name: g", 1)},
	} {
		path := write(t, row.text)
		if _, err := config.LoadOffline(path, vars()); err != nil {
			t.Errorf("%s stops a command that asks the service nothing: %v", row.because, err)
		}
		if _, err := config.Load(path, vars()); err == nil {
			t.Errorf("%s does not stop a command that asks the service", row.because)
		}
	}
	path := write(t, good+"timezone: Local\n")
	want := path + ` line 5 timezone: "Local": the name of a time zone, such as America/Sao_Paulo`
	if _, err := config.LoadOffline(path, vars()); err == nil || err.Error() != want {
		t.Errorf("what is no password is judged otherwise: %v", err)
	}
}

func TestPaceIsBounded(t *testing.T) {
	t.Parallel()
	for pace, ok := range map[string]bool{"0": false, "0.001": true, "1000": true, "1000.1": false, "NaN": false, "Inf": false} {
		_, err := config.Load(write(t, good), vars("CONCILIA_SERVICE_PASSWORD", "p", "CONCILIA_SERVICE_REQUESTS_PER_SECOND", pace))
		if ok != (err == nil) {
			t.Errorf("%s requests a second: %v", pace, err)
		}
	}
}

func FuzzLoad(f *testing.F) {
	full, err := os.ReadFile(testdata + "/full.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(full)
	f.Add([]byte(good))
	f.Add([]byte(edi + "code: \"104\"}"))
	f.Add([]byte("accounts: &a [*a]\nrules: {A_B: {grace: ~}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lookup := vars("CONCILIA_SERVICE_PASSWORD", "hunter2-from-the-environment", "CONCILIA_SERVICE_GATEWAY_PASSWORD", "x",
			"CONCILIA_ACCOUNTS_0_NAME", "Loja", "CONCILIA_RULES_A_B_GRACE", "2")
		c, err := config.Load(write(t, string(data)), lookup)
		if err != nil {
			var problems problem.List
			if !errors.As(err, &problems) || len(problems) == 0 || strings.Contains(err.Error(), "hunter2-from") {
				t.Fatalf("an error that is no list of problems: %v", err)
			}
			return
		}
		if c.Location() == nil || len(c.Accounts) == 0 || len(c.Hash()) != 64 {
			t.Fatalf("accepted, and not whole:\n%s", c.Text())
		}
	})
}
