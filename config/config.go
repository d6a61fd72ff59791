package config

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"go.yaml.in/yaml/v3"

	"concilia/config/problem"
	"concilia/export/report/kindlist"
	"concilia/export/words"
)

// Config is everything that can be configured. Load returns a valid one; Default has the defaults.
type Config struct {
	// Timezone is the zone of business dates. Defaults to America/Sao_Paulo.
	Timezone string  `yaml:"timezone" env:"TIMEZONE"`
	Ledger   Ledger  `yaml:"ledger" envPrefix:"LEDGER_"`
	Service  Service `yaml:"service" envPrefix:"SERVICE_"`
	// Accounts are the merchant's accounts; at least one is required.
	Accounts []Account `yaml:"accounts" env:"-"`
	// Banks are the accounts at banks whose statements are taken in. Defaults to none.
	Banks []BankAccount `yaml:"banks" env:"-"`
	// Stores are those whose own sales are taken in. Defaults to none.
	Stores []Store `yaml:"stores" env:"-"`
	// Institutions are those that payments of stores may go through, the service first: report efd-1601 names them. Defaults to none.
	Institutions []Institution `yaml:"institutions" env:"-"`
	Sales        Sales         `yaml:"sales" envPrefix:"SALES_"`
	// Contract, Mapping and Profile are the paths of those files. Each defaults to none.
	Contract string `yaml:"contract" env:"CONTRACT" path:"input"`
	Mapping  string `yaml:"mapping" env:"MAPPING" path:"input"`
	Profile  string `yaml:"profile" env:"PROFILE" path:"input"`
	// Register is the path of the CSV file of known split beneficiaries, Orders that of anticipation orders. Each
	// defaults to none: the rules that need it are off.
	Register string `yaml:"register" env:"REGISTER" path:"input"`
	Orders   string `yaml:"orders" env:"ORDERS" path:"input"`
	// Calendar changes the bank days of every account. Defaults to no change.
	Calendar Calendar `yaml:"calendar" envPrefix:"CALENDAR_"`
	// Rules changes individual rules, by code. Defaults to no change.
	Rules   map[string]Rule `yaml:"rules" env:"-"`
	Reports Reports         `yaml:"reports" envPrefix:"REPORTS_"`
	// Movement is the movement of titles: what became known of them each night, each event once.
	Movement Movement `yaml:"movement" envPrefix:"MOVEMENT_"`
	// Journal is the path of the YAML file of the office's chart of accounts; it turns the journal on, which is made of the movement.
	// Defaults to empty: there is none.
	Journal string `yaml:"journal" env:"JOURNAL" path:"input"`
	Plan    Plan   `yaml:"plan" envPrefix:"PLAN_"`
	// Schedule lists the jobs that serve starts. Defaults to none.
	Schedule []Schedule `yaml:"schedule" env:"-"`
	Webhook  Webhook    `yaml:"webhook" envPrefix:"WEBHOOK_"`
	Metrics  Metrics    `yaml:"metrics" envPrefix:"METRICS_"`
	Console  Console    `yaml:"console" envPrefix:"CONSOLE_"`
	Mail     Mail       `yaml:"mail" envPrefix:"MAIL_"`
	Pings    Pings      `yaml:"pings" envPrefix:"PINGS_"`
	// Alerts are messages to send when something happens, or does not. Defaults to none.
	Alerts []Alert `yaml:"alerts" env:"-"`
	Log    Log     `yaml:"log" envPrefix:"LOG_"`
	// Language of the command line, pt-BR or en; --lang comes before it. Defaults to empty: that of LC_ALL, LC_MESSAGES or
	// LANG, where pt… is pt-BR, else en.
	Language string `yaml:"language" env:"LANGUAGE"`
	// FourEyes are acts that take effect only when a second person repeats them: any of waive, close, reopen (of cases),
	// period (to close and reopen one) and match (of deposits at the bank, and to take one apart). Defaults to none.
	FourEyes []string `yaml:"four_eyes" env:"FOUR_EYES"`
	Evidence Evidence `yaml:"evidence" envPrefix:"EVIDENCE_"`
	// Retention is for how many days, 1 to 36500, published files are kept after a later revision replaced them, by
	// report kind (settlement is workbook and page) or format; if two apply to a file the longer one does. The state of
	// past days is kept as long. The current revision of a period is always kept; a set of the movement goes whole, if
	// card-events and slip-events have days. Defaults to none: everything is kept.
	// In the environment: csv:400,settlement:800.
	Retention map[string]int `yaml:"retention" env:"RETENTION"`

	warnings []words.Message
	locate   func(key string) problem.Problem // where a key was set; nil: unknown
}

// Ledger is where the ledger is.
type Ledger struct {
	// DSN is sqlite:PATH or postgres://user@host/database. Defaults to sqlite:concilia.db.
	DSN DSN `yaml:"dsn" env:"DSN"`
	// PasswordFile is a file with the password for a PostgreSQL server. It is read again for each connection. Defaults to empty: the
	// DSN, PGPASSFILE or PGPASSWORD has it.
	PasswordFile string `yaml:"password_file" env:"PASSWORD_FILE" path:"input"`
	// Pool is how many connections to a PostgreSQL server a process has at most, 10 to 1000. Defaults to 10.
	Pool int `yaml:"pool" env:"POOL"`
}

// Address is the DSN with everything that was set in addition, for opening the ledger. It is as secret as the DSN.
func (l *Ledger) Address() string {
	address := l.DSN.Reveal()
	if !l.DSN.isPostgres() {
		return address
	}
	joint := "?"
	if strings.Contains(address, "?") {
		joint = "&"
	}
	if !strings.Contains(address, "pool_max_conns=") {
		address += joint + "pool_max_conns=" + strconv.Itoa(l.Pool)
		joint = "&"
	}
	if l.PasswordFile != "" {
		address += joint + "password_file=" + url.QueryEscape(l.PasswordFile)
	}
	return address
}

// Service is how the payment service is reached. A path in a base address is kept in front of every path of the
// interface document.
type Service struct {
	// Name is what people call the service, at most 60 characters: in pages, sentences and next steps. Defaults to empty: "a
	// operadora", in English "the service".
	Name string `yaml:"name" env:"NAME"`
	// ClaimsTo are the address lines of its claims desk, printed at the head of letters. Defaults to none.
	ClaimsTo []string `yaml:"claims_to" env:"CLAIMS_TO"`
	// GatewayURL is {base_url} of the interface document; required.
	GatewayURL string `yaml:"gateway_url" env:"GATEWAY_URL"`
	// IntegrationURL is {integration_base_url} of the interface document; required.
	IntegrationURL string `yaml:"integration_url" env:"INTEGRATION_URL"`
	// SearchURL is the base address of the transaction search. Defaults to empty: GatewayURL. See Search.
	SearchURL string `yaml:"search_url" env:"SEARCH_URL"`
	// SearchToken is the login whose token the search carries, integration or gateway. Defaults to integration.
	SearchToken string `yaml:"search_token" env:"SEARCH_TOKEN"`
	// UserName and its password, from PasswordFile or CONCILIA_SERVICE_PASSWORD, are required.
	UserName     string `yaml:"user_name" env:"USER_NAME"`
	PasswordFile string `yaml:"password_file" env:"PASSWORD_FILE" path:"input"`
	Password     Secret `yaml:"password" env:"PASSWORD"`
	// GatewayUserName and its password are a separate credential for the gateway family. Default to none: the credential
	// above is used for both. See Gateway.
	GatewayUserName     string `yaml:"gateway_user_name" env:"GATEWAY_USER_NAME"`
	GatewayPasswordFile string `yaml:"gateway_password_file" env:"GATEWAY_PASSWORD_FILE" path:"input"`
	GatewayPassword     Secret `yaml:"gateway_password" env:"GATEWAY_PASSWORD"`
	// SearchByCode lets a nightly run search for the sale of a notification that matches no installment, by NSU and authorization: an
	// endpoint that not every operator has. Defaults to false.
	SearchByCode bool `yaml:"search_by_code" env:"SEARCH_BY_CODE"`
	// RequestsPerSecond is the rate limit over all workers, above 0 and at most 1000. Defaults to 5.
	RequestsPerSecond float64 `yaml:"requests_per_second" env:"REQUESTS_PER_SECOND"`
	// Timeout of one request, 1s to 1h. Defaults to 60s.
	Timeout time.Duration `yaml:"timeout" env:"TIMEOUT"`
	// MinRate is how many bytes a minute an answer must bring while it is waited for, 0 to 1000000000; a slower one is given up. Defaults
	// to 60000; 0: any.
	MinRate int `yaml:"min_rate" env:"MIN_RATE"`
	// NightBudget is the time after which a nightly run asks nothing more, 0s to 24h. Defaults to 0s: none.
	NightBudget time.Duration `yaml:"night_budget" env:"NIGHT_BUDGET"`
	// ListCap is the number of rows at which the operator cuts a list, 0 to 10000000. Defaults to 0: unknown.
	ListCap int `yaml:"list_cap" env:"LIST_CAP"`
}

// Account is one account of the merchant at the service.
type Account struct {
	// Number is the account's number, positive and unique; required.
	Number int64 `yaml:"number" env:"NUMBER"`
	// Name is the holder's, for reports. Defaults to empty; EDI needs it.
	Name string `yaml:"name" env:"NAME"`
	// Since, YYYY-MM-DD, is the first day answered for. Defaults to empty: 60 days before the as-of of the first run.
	Since string `yaml:"since" env:"SINCE"`
	// Document is the holder's CPF or CNPJ, 11 or 14 characters. Defaults to empty; EDI needs it.
	Document string `yaml:"document" env:"DOCUMENT"`
	// Calendar has local holidays, for counter service only. Defaults to none.
	Calendar Calendar `yaml:"calendar" envPrefix:"CALENDAR_"`
	// Bank is the account block of EDI files. Defaults to none; EDI needs it.
	Bank Bank `yaml:"bank" envPrefix:"BANK_"`
}

// Calendar changes the computed calendar, by days YYYY-MM-DD: Extra are additional holidays, Removed are holidays on
// which banks are open.
type Calendar struct {
	Extra   []string `yaml:"extra" env:"EXTRA"`
	Removed []string `yaml:"removed" env:"REMOVED"`
}

// Bank is the account block of CNAB 240 files, as text: leading zeros count.
type Bank struct {
	Code         string `yaml:"code" env:"CODE"`                   // 3 digits
	Branch       string `yaml:"branch" env:"BRANCH"`               // agência, up to 5 digits
	BranchDigit  string `yaml:"branch_digit" env:"BRANCH_DIGIT"`   // a digit or X
	Account      string `yaml:"account" env:"ACCOUNT"`             // up to 12 digits
	AccountDigit string `yaml:"account_digit" env:"ACCOUNT_DIGIT"` // a digit or X
	Digit        string `yaml:"digit" env:"DIGIT"`                 // of branch and account together; may be empty
	Agreement    string `yaml:"agreement" env:"AGREEMENT"`         // convênio, up to 20 characters
	Name         string `yaml:"name" env:"NAME"`                   // up to 30 characters
}

// Rule changes one rule. Keys that are not set keep the default of the rule.
type Rule struct {
	// Tolerance is a number from 0 in the unit of the rule, such as 0.02. Defaults to none: the rule's own.
	Tolerance *decimal.Decimal `yaml:"tolerance,omitempty" env:"TOLERANCE"`
	// Grace is a number of days, 0 to 90. Defaults to nil: not set.
	Grace *int `yaml:"grace,omitempty" env:"GRACE"`
	// Severity is C, E, W or I. Defaults to empty: not set.
	Severity string `yaml:"severity,omitempty" env:"SEVERITY"`
}

// Movement is what an ERP takes in: a set of files a night with every event that became known since the set before.
type Movement struct {
	// Enabled makes nights publish it. Defaults to nil: whether reports.formats has edi, which is filled in by Load.
	Enabled *bool `yaml:"enabled" env:"ENABLED"`
	// From, YYYY-MM-DD, is the first event day: what occurred before it is in no set. The first set of an account fixes it.
	// Defaults to empty: the as-of of that set.
	From string `yaml:"from" env:"FROM"`
	// Sources are cards, slips or both. Defaults to both.
	Sources []string `yaml:"sources" env:"SOURCES"`
	// SettleSlips is which event is the liquidação of a slip, credit or payment. The first set fixes it. Defaults to credit.
	SettleSlips string `yaml:"settle_slips" env:"SETTLE_SLIPS"`
	// Formats are csv, and any of csv-br, jsonl, edi. Defaults to csv, edi.
	Formats []string `yaml:"formats" env:"FORMATS"`
	// Journal are the formats of the journal in every set: csv, jsonl, beancount, hledger, dominio. Defaults to none.
	Journal []string `yaml:"journal" env:"JOURNAL"`
}

// IsEnabled reports whether nights publish it.
func (m *Movement) IsEnabled() bool { return m.Enabled != nil && *m.Enabled }

// Plan is what a nightly run requests.
type Plan struct {
	// SlipsDueBack is how many days back the list of due slips is requested, 1 to 400. Defaults to 45.
	SlipsDueBack int `yaml:"slips_due_back" env:"SLIPS_DUE_BACK"`
	// SlipsDueForward is the same forward, 0 to 400. Defaults to 60.
	SlipsDueForward int `yaml:"slips_due_forward" env:"SLIPS_DUE_FORWARD"`
}

// Evidence is how long the service's answers are kept.
type Evidence struct {
	// KeepDays is for how many days, 1 to 3650, the body of an answer is kept after the last pull that brought it. Its
	// hashes are kept for ever. Defaults to 400.
	KeepDays int `yaml:"keep_days" env:"KEEP_DAYS"`
}

// Default is the configuration without any file or variable. Required keys are missing from it.
func Default() *Config {
	return &Config{
		Timezone: "America/Sao_Paulo",
		Ledger:   Ledger{DSN: "sqlite:concilia.db", Pool: 10},
		Service:  Service{SearchToken: "integration", RequestsPerSecond: 5, Timeout: time.Minute, MinRate: 60_000},
		Reports: Reports{
			Out:          "reports",
			Kinds:        kindlist.Configurable(true),
			ForecastDays: 90,
			Formats:      []string{"csv", "csv-br", "xlsx", "edi", "html"},
			Basis:        []string{"operation", "credit"},
			Language:     "pt-BR",
			EDI:          EDI{Profile: "febraban", Statement: "gross", MonthSets: "close"},
		},
		Movement: Movement{Sources: []string{"cards", "slips"}, SettleSlips: "credit", Formats: []string{"csv", "edi"}},
		Plan:     Plan{SlipsDueBack: 45, SlipsDueForward: 60},
		Webhook:  Webhook{Listen: ":8443"},
		Metrics:  Metrics{Listen: "127.0.0.1:9464"},
		Console:  Console{Idle: 30 * time.Minute, Absolute: 12 * time.Hour, PageRows: 100, QueryTime: 5 * time.Second},
		Mail:     Mail{Port: 587, TLS: "starttls"},
		Log:      Log{Level: "info"},

		Evidence: Evidence{KeepDays: 400},
	}
}

// Warnings lists settings that are valid but perhaps not intended, one sentence each.
func (c *Config) Warnings() []words.Message { return c.warnings }

// Problem returns a problem that a user of the configuration found with the value of a key, with the place where the key was
// set. In a Config that Load did not return the place is unknown.
func (c *Config) Problem(key, value string, want words.Message) problem.Problem {
	p := problem.Problem{Key: key}
	if c.locate != nil {
		p = c.locate(key)
	}
	p.Value, p.Want = problem.Shown(value), want
	return p
}

// Text is the configuration in effect as YAML, secrets as ***.
func (c *Config) Text() []byte {
	b, err := yaml.Marshal(c)
	if err != nil {
		// Marshalling fails only for unsupported types, and Config has none.
		panic(err)
	}
	return b
}

// Hash is the SHA-256, in lower-case hex, of the configuration in effect without its secrets.
func (c *Config) Hash() string {
	bare := *c
	clearSecrets(reflect.ValueOf(&bare).Elem())
	sum := sha256.Sum256(bare.Text())
	return hex.EncodeToString(sum[:])
}

// clearSecrets empties every Secret of a struct and of the structs in it.
func clearSecrets(v reflect.Value) {
	for i := range v.NumField() {
		f := v.Field(i)
		switch {
		case f.Type() == reflect.TypeFor[Secret]():
			f.SetZero()
		case f.Kind() == reflect.Struct && f.CanSet():
			clearSecrets(f)
		}
	}
}

// Location is the time zone Timezone. It is UTC if there is no such zone, which Load rejects.
func (c *Config) Location() *time.Location {
	zone, err := time.LoadLocation(c.Timezone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// SearchBase is the base address of the transaction search.
func (s Service) SearchBase() string {
	if s.SearchURL != "" {
		return s.SearchURL
	}
	return s.GatewayURL
}

// GatewayCredential returns the credential of the gateway family: its own, or else the one for both.
func (s Service) GatewayCredential() (userName string, password Secret) {
	if s.GatewayUserName != "" {
		return s.GatewayUserName, s.GatewayPassword
	}
	return s.UserName, s.Password
}

// IsLoopback reports whether every base address is on this machine.
func (s Service) IsLoopback() bool {
	for _, base := range []string{s.GatewayURL, s.IntegrationURL, s.SearchBase()} {
		u, err := url.Parse(base)
		if err != nil || !isLoopback(u.Hostname()) {
			return false
		}
	}
	return true
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// mask is what a secret prints as.
const mask = "***"

// Secret is text that is not printed: every verb of fmt and every encoder shows ***. The zero Secret is empty.
type Secret struct{ text string }

// Reveal returns the text, for sending it.
func (s Secret) Reveal() string { return s.text }

// Empty reports whether there is no secret.
func (s Secret) Empty() bool { return s.text == "" }

// String is ***, or empty for no secret.
func (s Secret) String() string {
	if s.Empty() {
		return ""
	}
	return mask
}

// isPostgres reports whether the DSN is the address of a PostgreSQL server.
func (d DSN) isPostgres() bool {
	return strings.HasPrefix(string(d), "postgres://") || strings.HasPrefix(string(d), "postgresql://")
}

// GoString is String: %#v shows no more than %v.
func (s Secret) GoString() string { return s.String() }

// Format writes String for every verb, %x and %d among them.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText is String.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON is String in quotes; loggers use it rather than MarshalText.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + s.String() + `"`), nil }

// MarshalYAML is String.
func (s Secret) MarshalYAML() (any, error) { return s.String(), nil }

// UnmarshalText sets the text from an environment variable.
func (s *Secret) UnmarshalText(b []byte) error {
	s.text = string(b)
	return nil
}

// DSN names a database. A password in it does not print.
type DSN string

var dsnPassword = regexp.MustCompile(`(?i)(password\s*=\s*)('[^']*'|[^&\s]*)`)

// String is the DSN with its password as ***.
func (d DSN) String() string {
	return maskPassword(string(d))
}

// Reveal returns the DSN as configured, for opening the database.
func (d DSN) Reveal() string { return string(d) }

// GoString is String.
func (d DSN) GoString() string { return d.String() }

// Format writes String for every verb.
func (d DSN) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, d.String()) }

// MarshalText is String.
func (d DSN) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// MarshalYAML is String.
func (d DSN) MarshalYAML() (any, error) { return d.String(), nil }

// UnmarshalText sets the text from an environment variable.
func (d *DSN) UnmarshalText(b []byte) error {
	*d = DSN(b)
	return nil
}

//go:embed example.yaml
var example string

// Example is a commented configuration file with every key and its default. Required keys are empty: Load reports them
// and nothing else.
func Example() string { return example }
