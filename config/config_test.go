package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the program links it in too

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"go.yaml.in/yaml/v3"

	"concilia/config"
	"concilia/config/problem"
	"concilia/export/words"
)

const testdata = "../testdata/config"

// good is the least that is accepted.
const good = `
service: {gateway_url: "http://127.0.0.1:8080/gateway", integration_url: "http://127.0.0.1:8080/integration", user_name: u}
accounts: [{number: 1001}]
reports: {formats: [csv]}
`

func vars(pairs ...string) func(string) (string, bool) {
	m := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) (string, bool) { v, ok := m[name]; return v, ok }
}

// write puts text into a file named concilia.yaml.
func write(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "concilia.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func loadConfig(t testing.TB, text string, pairs ...string) *config.Config {
	t.Helper()
	c, err := config.Load(write(t, text), vars(append([]string{"CONCILIA_SERVICE_PASSWORD", "hunter2"}, pairs...)...))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFullFile(t *testing.T) {
	t.Parallel()
	c, err := config.Load(filepath.Join(testdata, "full.yaml"), vars())
	if err != nil {
		t.Fatal(err)
	}
	// Who can read the files of testdata depends on how they were checked out.
	warnings := slices.DeleteFunc(textsOf(c.Warnings()), func(w string) bool { return strings.Contains(w, "everybody on this machine") })
	text := string(c.Text()) + "---\n" + strings.Join(warnings, "\n") + "\n"
	golden := filepath.Join(testdata, "full.golden")
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s (UPDATE_GOLDEN=1 rewrites it):\n%s", golden, diff)
	}
	if c.Service.Password.Reveal() != "s3cret word" || c.Service.GatewayPassword.Reveal() != "s3cret word" {
		t.Error("a password file is not its text without the last newline")
	}
	if user, password := c.Service.GatewayCredential(); user != "merchant-gateway" || password.Empty() {
		t.Error("the gateway's own credential is not used")
	}
	if b := c.Accounts[0].Bank; b.Code != "001" || b.Branch != "0123" || b.Account != "0567890" {
		t.Errorf("leading zeros are lost: %+v", b)
	}
	if c.Service.SearchBase() != "https://pay.example/search" || c.Reports.Target() != "/srv/settlement" || c.Service.IsLoopback() {
		t.Error("search address, folder or loopback is wrong")
	}
	if c.Location().String() != "America/Recife" || c.Ledger.DSN.Reveal() != "postgres://concilia:hunter2@db.example/ledger?sslmode=verify-full" {
		t.Error("zone or DSN is wrong")
	}
}

// The full file names every key: one that is added to Config has to be added there.
func TestFullFileNamesEveryKey(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(testdata, "full.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for key := range keys(reflect.TypeFor[config.Config](), "") {
		name := key[strings.LastIndexByte(key, '.')+1:]
		if !strings.Contains(string(data), name+":") && !strings.HasSuffix(key, "password") && !strings.HasSuffix(key, "access_key") &&
			!strings.HasSuffix(key, "secret_key") {
			t.Errorf("%s is not in full.yaml", key)
		}
	}
}

// keys lists the keys of a struct with the variable that its tags give each.
func keys(t reflect.Type, variable string) map[string]string {
	all := map[string]string{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name == "" {
			continue
		}
		inner := f.Type
		if k := inner.Kind(); (k == reflect.Slice || k == reflect.Map) && inner.Elem().Kind() == reflect.Struct {
			inner = inner.Elem()
		}
		if inner.Kind() != reflect.Struct || inner == reflect.TypeFor[config.Secret]() {
			all[name] = variable + f.Tag.Get("env")
			continue
		}
		under := variable + f.Tag.Get("envPrefix")
		if inner != f.Type {
			under = ""
		}
		for key, v := range keys(inner, under) {
			all[name+"."+key] = v
		}
	}
	return all
}

func TestVariablesAreNamedForTheirKeys(t *testing.T) {
	t.Parallel()
	all := keys(reflect.TypeFor[config.Config](), "")
	if len(all) < 40 {
		t.Fatalf("only %d keys found", len(all))
	}
	for key, variable := range all {
		key = strings.NewReplacer("accounts.", "", "banks.", "", "stores.", "", "institutions.", "", "payers.", "", "debits.", "", "rules.", "", "schedule.", "", "alerts.", "", "mail.digest.", "").Replace(key)
		if want := strings.ToUpper(strings.ReplaceAll(key, ".", "_")); variable != want {
			t.Errorf("%s has the variable CONCILIA_%s, want CONCILIA_%s", key, variable, want)
		}
	}
}

// sameSettings compares what can be set; where it was set is no part of it.
func sameSettings(a, b *config.Config) bool {
	x, y := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for i := range x.NumField() {
		if x.Type().Field(i).IsExported() && !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			return false
		}
	}
	return true
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	c := loadConfig(t, good)
	want := config.Default()
	want.Service.GatewayURL = "http://127.0.0.1:8080/gateway"
	want.Service.IntegrationURL = "http://127.0.0.1:8080/integration"
	want.Service.UserName = "u"
	if err := want.Service.Password.UnmarshalText([]byte("hunter2")); err != nil {
		t.Fatal(err)
	}
	want.Accounts = []config.Account{{Number: 1001}}
	want.Reports.Formats = []string{"csv"}
	want.Movement.Enabled = new(bool)
	if !sameSettings(c, want) {
		t.Errorf("got:\n%s\nwant:\n%s", c.Text(), want.Text())
	}
	if !c.Service.IsLoopback() || c.Service.SearchBase() != c.Service.GatewayURL || len(c.Warnings()) != 0 {
		t.Errorf("loopback, search address or warnings: %v", c.Warnings())
	}
	if user, password := c.Service.GatewayCredential(); user != "u" || password.Reveal() != "hunter2" {
		t.Error("one credential does not serve both families")
	}
}

// The movement is published where reports have EDI files, unless it is said otherwise.
func TestMovementFollowsEDI(t *testing.T) {
	t.Parallel()
	const bank = "code: \"001\"}\n"
	for text, want := range map[string]bool{
		good:       false,
		edi + bank: true,
		edi + bank + "movement: {enabled: false}\n":          false,
		good + "movement: {enabled: true, formats: [csv]}\n": true,
	} {
		if c := loadConfig(t, text); c.Movement.IsEnabled() != want {
			t.Errorf("it is %t of\n%s", !want, text)
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	c := loadConfig(t, good+"rules: {RECEIVED_OVERDUE: {grace: 1}}\ncontract: terms.yaml\n",
		"CONCILIA_LEDGER_DSN", "postgres://u:p@db/x",
		"CONCILIA_SERVICE_REQUESTS_PER_SECOND", "0.5",
		"CONCILIA_SERVICE_TIMEOUT", "2m",
		"CONCILIA_REPORTS_FORMATS", "csv, xlsx",
		"CONCILIA_REPORTS_EDI_PROFILE", "bb",
		"CONCILIA_REPORTS_EDI_STRICT_BANK", "true",
		"CONCILIA_REPORTS_EDI_STATEMENT", "net",
		"CONCILIA_REPORTS_EDI_MONTH_SETS", "night",
		"CONCILIA_CALENDAR_EXTRA", "2026-08-10",
		"CONCILIA_ACCOUNTS_0_NAME", "Centro",
		"CONCILIA_ACCOUNTS_1_NUMBER", "1002",
		"CONCILIA_ACCOUNTS_1_BANK_CODE", "001",
		"CONCILIA_ACCOUNTS_3_NUMBER", "1004", // not the next one: there is no account 2
		"CONCILIA_RULES_RECEIVED_OVERDUE_GRACE", "3",
		"CONCILIA_RULES_RECEIVED_OVERDUE_TOLERANCE", "0.05",
		"CONCILIA_MAPPING", "mapping.yaml",
		"CONCILIA_RETENTION", "csv:400,settlement:1826",
	)
	grace, tolerance := 3, decimal.RequireFromString("0.05")
	if c.Ledger.DSN.Reveal() != "postgres://u:p@db/x" || c.Service.RequestsPerSecond != 0.5 || c.Service.Timeout != 2*time.Minute ||
		c.Service.UserName != "u" || c.Reports.EDI != (config.EDI{Profile: "bb", StrictBank: true, Statement: "net", MonthSets: "night"}) || c.Mapping != "mapping.yaml" ||
		filepath.Base(c.Contract) != "terms.yaml" || !filepath.IsAbs(c.Contract) {
		t.Errorf("got:\n%s", c.Text())
	}
	if diff := cmp.Diff(map[string]config.Rule{"RECEIVED_OVERDUE": {Tolerance: &tolerance, Grace: &grace}}, c.Rules); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{"csv": 400, "settlement": 1826}, c.Retention); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"csv", "xlsx"}, c.Reports.Formats); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]config.Account{{Number: 1001, Name: "Centro"}, {Number: 1002, Bank: config.Bank{Code: "001"}}}, c.Accounts); diff != "" {
		t.Error(diff)
	}
}

func TestEverythingFromTheEnvironment(t *testing.T) {
	t.Parallel()
	c, err := config.Load("", vars(
		"CONCILIA_SERVICE_GATEWAY_URL", "https://pay.example/g", "CONCILIA_SERVICE_INTEGRATION_URL", "https://pay.example/i",
		"CONCILIA_SERVICE_USER_NAME", "u", "CONCILIA_SERVICE_PASSWORD", "p",
		"CONCILIA_ACCOUNTS_0_NUMBER", "1001", "CONCILIA_REPORTS_FORMATS", "csv"))
	if err != nil || len(c.Accounts) != 1 {
		t.Errorf("%v %+v", err, c)
	}
}

func TestSecretsDoNotPrint(t *testing.T) {
	t.Parallel()
	c := loadConfig(t, good, "CONCILIA_LEDGER_DSN", "postgres://u:hun:t@er2@db/x?password=hunter2")
	secret := c.Service.Password
	if secret.Reveal() != "hunter2" {
		t.Fatal("the secret is not there")
	}
	var all strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
		fmt.Fprintf(&all, verb+"\n"+verb+"\n"+verb+"\n"+verb+"\n", secret, &secret, c.Ledger.DSN, *c)
	}
	for _, encode := range []func(any) ([]byte, error){json.Marshal, yaml.Marshal} {
		b, err := encode(c)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	text, _ := secret.MarshalText()
	all.Write(text)
	all.Write(c.Text())
	for _, leak := range []string{"hunter2", "er2@", "68756e74657232", "68756E74657232"} {
		if strings.Contains(all.String(), leak) {
			t.Errorf("%q is printed", leak)
		}
	}
	if !strings.Contains(all.String(), "***") || !strings.Contains(all.String(), "postgres://u:***@db/x") {
		t.Error("nothing is masked")
	}
}

func TestHash(t *testing.T) {
	t.Parallel()
	plain := loadConfig(t, good).Hash()
	if plain != loadConfig(t, "# a comment\n"+good, "CONCILIA_SERVICE_PASSWORD", "another").Hash() {
		t.Error("a comment or a password changed the hash")
	}
	if plain == loadConfig(t, good, "CONCILIA_PLAN_SLIPS_DUE_BACK", "7").Hash() || len(plain) != 64 {
		t.Error("the hash does not say what is configured")
	}
	c := loadConfig(t, good)
	if filled := fillSecrets(reflect.ValueOf(c).Elem(), c.Service.Password); filled < 8 || c.Service.Password.Empty() {
		t.Fatalf("%d secrets were filled", filled)
	}
	if c.Hash() != plain {
		t.Error("the hash says whether there is a secret")
	}
}

// fillSecrets gives every secret of a struct a value, and counts them.
func fillSecrets(v reflect.Value, value config.Secret) (filled int) {
	for i := range v.NumField() {
		f := v.Field(i)
		switch {
		case f.Type() == reflect.TypeFor[config.Secret]():
			f.Set(reflect.ValueOf(value))
			filled++
		case f.Kind() == reflect.Struct && f.CanSet():
			filled += fillSecrets(f, value)
		}
	}
	return filled
}

func TestPasswordFiles(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ because, content, want string }{
		{"the final newline of an editor is no part of it", "pass\n", "pass"},
		{"nor is that of another editor", "pass\r\n", "pass"},
		{"a password may end in a newline, of which one goes", "pass\n\n", "pass\n"},
		{"blanks belong to it", " pa ss ", " pa ss "},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "p"), []byte(row.content), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(write(t, good), vars("CONCILIA_SERVICE_PASSWORD_FILE", filepath.Join(dir, "p")))
		if err != nil || c.Service.Password.Reveal() != row.want {
			t.Errorf("%s: %v", row.because, err)
		}
	}
	_, err := config.Load(write(t, good), vars("CONCILIA_SERVICE_PASSWORD_FILE", "/nowhere/p"))
	want := `environment CONCILIA_SERVICE_PASSWORD_FILE: "/nowhere/p": a file with the password that can be read: no such file or directory`
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestOpenSecretsAreWarnedOf(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("files have no such bits")
	}
	for _, row := range []struct {
		because string
		mode    os.FileMode
		warned  bool
	}{
		{"nobody else reads it", 0o600, false},
		{"a group shares it", 0o640, false},
		{"everybody reads it", 0o644, true},
	} {
		path := filepath.Join(t.TempDir(), "p")
		if err := os.WriteFile(path, []byte("hunter2"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, row.mode); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(write(t, good), vars("CONCILIA_SERVICE_PASSWORD_FILE", path, "CONCILIA_WEBHOOK_CERT_FILE", path, "CONCILIA_WEBHOOK_KEY_FILE", path))
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if row.warned {
			for _, key := range []string{"service.password_file", "webhook.key_file"} {
				want = append(want, key+": everybody on this machine can read "+path+": chmod o-rwx "+path)
			}
		}
		if diff := cmp.Diff(want, textsOf(c.Warnings())); diff != "" {
			t.Errorf("%s:\n%s", row.because, diff)
		}
	}
}

func TestNoFile(t *testing.T) {
	t.Parallel()
	_, err := config.Load("/nowhere/concilia.yaml", vars())
	var problems problem.List
	if !errors.As(err, &problems) || err.Error() != "/nowhere/concilia.yaml: cannot be read: no such file or directory" {
		t.Errorf("got %v", err)
	}
}

// textsOf are warnings in English; nil if there are none.
func textsOf(all []words.Message) (texts []string) {
	for _, w := range all {
		texts = append(texts, w.In("en"))
	}
	return texts
}
