package config_test

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"concilia/config"
)

// What is missing in the example is what is required, and no more.
func TestExampleLacksWhatIsRequired(t *testing.T) {
	t.Parallel()
	path := write(t, config.Example())
	_, err := config.Load(path, vars("CONCILIA_REPORTS_FORMATS", "csv"))
	want := strings.Join([]string{
		"service.gateway_url", "service.integration_url", "service.user_name", "service.password_file", "accounts[0].number",
	}, "\n")
	got := regexp.MustCompile(`(?m)^\S+ line \d+ (\S+): .*missing.*$`).ReplaceAllString(strings.ReplaceAll(err.Error(), `"": `, ""), "$1")
	got = regexp.MustCompile(`(?m)^\S+ line \d+ (\S+): .*$`).ReplaceAllString(got, "$1 (not missing)")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("missing (-) and told (+):\n%s", diff)
	}
}

// Filled in, the example is the default: what it shows is what holds without it.
func TestExampleIsTheDefault(t *testing.T) {
	t.Parallel()
	filled := []string{
		"CONCILIA_SERVICE_GATEWAY_URL", "http://127.0.0.1:8080/gateway", "CONCILIA_SERVICE_INTEGRATION_URL", "http://127.0.0.1:8080/integration",
		"CONCILIA_SERVICE_USER_NAME", "u", "CONCILIA_ACCOUNTS_0_NUMBER", "1001", "CONCILIA_REPORTS_FORMATS", "csv",
	}
	got := loadConfig(t, config.Example(), filled...)
	if want := loadConfig(t, good); string(got.Text()) != string(want.Text()) || got.Hash() != want.Hash() {
		t.Errorf("without (-) and with (+) the example:\n%s", cmp.Diff(string(want.Text()), string(got.Text())))
	}
	if len(got.Warnings()) != 0 {
		t.Errorf("it warns: %v", got.Warnings())
	}
}

// exampleLine matches a line of the example that has a key: how deep, its name, its comment.
var exampleLine = regexp.MustCompile(`^#?( *)(?:- )?([a-z0-9_]+|RECEIVED_OVERDUE|csv): ?[^#]*?(?: # (.+))?$`)

// Every key of Config is in the example with a line that says what it is, and the secrets with their variables.
func TestExampleNamesEveryKey(t *testing.T) {
	t.Parallel()
	text := uncommented(config.Example())
	var all map[string]any
	if err := yaml.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	for key, variable := range keys(reflect.TypeFor[config.Config](), "") {
		if strings.HasSuffix(key, "password") || strings.HasSuffix(key, "access_key") || strings.HasSuffix(key, "secret_key") {
			if !strings.Contains(text, "CONCILIA_"+variable) {
				t.Errorf("CONCILIA_%s is not in the example", variable)
			}
		} else if !stands(all, strings.Split(key, ".")) {
			t.Errorf("%s is not in the example", key)
		}
	}
	for line := range strings.Lines(config.Example()) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "# ") && !strings.HasPrefix(line, "#  ") {
			continue
		}
		m := exampleLine.FindStringSubmatch(line)
		single := m != nil && !strings.HasSuffix(line, ":") && m[2] != "csv"
		if single && m[3] == "" {
			t.Errorf("nothing says what it is: %s", line)
		}
	}
	// With its examples in force it still loads.
	c := loadConfig(t, text, "CONCILIA_SERVICE_GATEWAY_URL", "http://127.0.0.1/g", "CONCILIA_SERVICE_INTEGRATION_URL", "http://127.0.0.1/i",
		"CONCILIA_SERVICE_USER_NAME", "u", "CONCILIA_ACCOUNTS_0_NUMBER", "1001", "CONCILIA_REPORTS_FORMATS", "csv",
		"CONCILIA_MAIL_HOST", "smtp.loja.example", "CONCILIA_MAIL_FROM", "concilia@loja.example")
	if len(c.Schedule) != 1 || len(c.Alerts) != 1 || len(c.Mail.Digest) != 1 || len(c.Rules) != 1 || c.Retention["csv"] != 400 {
		t.Errorf("the examples are not in force:\n%s", c.Text())
	}
}

// stands reports whether a key is there, going into the first element of lists and the only one of named blocks.
func stands(v any, key []string) bool {
	for {
		switch at := v.(type) {
		case []any:
			if len(at) == 0 {
				return len(key) == 0
			}
			v = at[0]
			continue
		case map[string]any:
			if only, ok := at["RECEIVED_OVERDUE"]; ok {
				v = only
				continue
			}
		}
		break
	}
	at, ok := v.(map[string]any)
	if !ok {
		return len(key) == 0
	}
	if len(key) == 0 {
		return true
	}
	below, ok := at[key[0]]
	return ok && stands(below, key[1:])
}

// uncommented puts the examples of the example in force.
func uncommented(text string) string {
	lines := strings.Split(text, "\n")
	written := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "#  ") {
			lines[i] = line[1:]
			if !strings.HasPrefix(written[i-1], "#") {
				lines[i-1] = regexp.MustCompile(`(\[\]|\{\}) `).ReplaceAllString(lines[i-1], "")
			}
		}
	}
	return strings.Join(lines, "\n")
}

// contractKeys are the keys of the configuration as the design lists them, as far as what they set is built.
const contractKeys = `
	timezone ledger.dsn ledger.password_file ledger.pool
	service.gateway_url service.integration_url service.search_url service.search_token service.user_name service.password_file
	service.gateway_user_name service.gateway_password_file service.search_by_code service.requests_per_second service.timeout
	service.list_cap service.min_rate service.name service.claims_to service.night_budget
	accounts.number accounts.name accounts.since accounts.document accounts.calendar.extra accounts.calendar.removed
	accounts.bank.code accounts.bank.branch accounts.bank.branch_digit accounts.bank.account accounts.bank.account_digit
	accounts.bank.digit accounts.bank.agreement accounts.bank.name
	banks.id banks.bank banks.branch banks.account banks.accounts banks.since banks.inbox banks.done banks.balance banks.amounts
	banks.columns.preset banks.columns.delimiter banks.columns.encoding banks.columns.skip_lines banks.columns.date.column banks.columns.date.layout
	banks.columns.amount banks.columns.credit banks.columns.debit banks.columns.sign.column banks.columns.sign.debit
	banks.columns.decimal banks.columns.text banks.columns.document banks.columns.category banks.columns.balance
	banks.shift banks.payers.name banks.payers.match banks.payers.document banks.payers.category banks.payers.debit_match
	banks.payers.of banks.payers.grain banks.payers.per_account banks.payers.net_of_splits banks.payers.slip_tariff banks.payers.debits.name banks.payers.debits.amount
	stores.id stores.accounts stores.format stores.documents stores.inbox stores.days institutions.cnpj institutions.participant sales.from
	contract mapping profile register orders calendar.extra calendar.removed
	rules.CODE.tolerance rules.CODE.grace rules.CODE.severity
	reports.out reports.archive reports.archive_keep_days reports.signing_key_file reports.kinds reports.formats reports.basis reports.forecast_days reports.language
	reports.identified
	reports.edi.profile reports.edi.strict_bank reports.edi.statement reports.edi.month_sets
	reports.s3.endpoint reports.s3.region reports.s3.access_key_file reports.s3.secret_key_file
	reports.sftp.key_file reports.sftp.password_file reports.sftp.known_hosts_file
	movement.enabled movement.from movement.sources movement.settle_slips movement.formats movement.journal journal
	plan.slips_due_back plan.slips_due_forward
	schedule.job schedule.cron schedule.missed schedule.catch_up_days schedule.on_start schedule.retry
	webhook.listen webhook.public_url webhook.cert_file webhook.key_file webhook.access_key_file webhook.basic_user
	webhook.basic_password_file webhook.trusted_proxies
	metrics.listen console.listen console.public_url console.cert_file console.key_file console.users_file
	console.identity_header console.identity_role console.trusted_proxies console.read_only console.idle console.absolute console.page_rows console.query_time pings.start pings.ok pings.fail alerts.on alerts.by alerts.url alerts.command alerts.mail log.format log.level language
	mail.host mail.port mail.tls mail.user_name mail.password_file mail.from mail.digest.to mail.digest.accounts mail.digest.language mail.digest.when
	four_eyes evidence.keep_days retention.csv`

// The example has the keys of the design and no others: one that is added is in both.
func TestExampleHasTheKeysOfTheDesign(t *testing.T) {
	t.Parallel()
	var all map[string]any
	if err := yaml.Unmarshal([]byte(uncommented(config.Example())), &all); err != nil {
		t.Fatal(err)
	}
	want, got := strings.Fields(contractKeys), listLeaves(all, "")
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys of the design (-) and of the example (+):\n%s", diff)
	}
}

// listLeaves are the keys of a file at which no further key hangs; of a list those of its first element.
func listLeaves(v any, key string) []string {
	switch at := v.(type) {
	case []any:
		if len(at) > 0 {
			if _, block := at[0].(map[string]any); block {
				return listLeaves(at[0], key)
			}
		}
	case map[string]any:
		var out []string
		for name, below := range at {
			if name == "RECEIVED_OVERDUE" {
				name = "CODE"
			}
			out = append(out, listLeaves(below, strings.TrimPrefix(key+"."+name, "."))...)
		}
		if len(out) > 0 {
			return out
		}
	}
	return []string{key}
}
