package config_test

import (
	"reflect"
	"regexp"
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
	got := load(t, config.Example(), filled...)
	if want := load(t, good); string(got.Text()) != string(want.Text()) || got.Hash() != want.Hash() {
		t.Errorf("without (-) and with (+) the example:\n%s", cmp.Diff(string(want.Text()), string(got.Text())))
	}
	if len(got.Warnings()) != 0 {
		t.Errorf("it warns: %v", got.Warnings())
	}
}

// exampleLine matches a line of the example that has a key: how deep, its name, its comment.
var exampleLine = regexp.MustCompile(`^#?( *)(?:- )?([a-z0-9_]+|RECEIVED_OVERDUE|csv): ?[^#]*?(?: # (.+))?$`)

// Every key of Config stands in the example with a line that says what it is, and the secrets with their variables.
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
	c := load(t, text, "CONCILIA_SERVICE_GATEWAY_URL", "http://127.0.0.1/g", "CONCILIA_SERVICE_INTEGRATION_URL", "http://127.0.0.1/i",
		"CONCILIA_SERVICE_USER_NAME", "u", "CONCILIA_ACCOUNTS_0_NUMBER", "1001", "CONCILIA_REPORTS_FORMATS", "csv")
	if len(c.Schedule) != 1 || len(c.Alerts) != 1 || len(c.Rules) != 1 || c.Retention["csv"] != 400 {
		t.Errorf("the examples are not in force:\n%s", c.Text())
	}
}

// stands says whether a key is there, going into the first element of lists and the only one of named blocks.
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
	for i, line := range lines {
		if strings.HasPrefix(line, "#  ") {
			lines[i] = line[1:]
			if !strings.HasPrefix(lines[i-1], " ") {
				lines[i-1] = regexp.MustCompile(`(\[\]|\{\}) `).ReplaceAllString(lines[i-1], "")
			}
		}
	}
	return strings.Join(lines, "\n")
}
