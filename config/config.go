package config

import (
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/url"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Config is everything a person may set. Load makes one that holds together; Default is what it starts from.
type Config struct {
	// Timezone is the zone of business dates. Defaults to America/Sao_Paulo.
	Timezone string  `yaml:"timezone" env:"TIMEZONE"`
	Ledger   Ledger  `yaml:"ledger" envPrefix:"LEDGER_"`
	Service  Service `yaml:"service" envPrefix:"SERVICE_"`
	// Accounts are the merchant's accounts; at least one is required.
	Accounts []Account `yaml:"accounts" env:"-"`
	// Contract, Mapping and Profile are the paths of those files. Each defaults to none.
	Contract string `yaml:"contract" env:"CONTRACT" path:"input"`
	Mapping  string `yaml:"mapping" env:"MAPPING" path:"input"`
	Profile  string `yaml:"profile" env:"PROFILE" path:"input"`
	// Calendar changes the bank days of every account. Defaults to no change.
	Calendar Calendar `yaml:"calendar" envPrefix:"CALENDAR_"`
	// Rules changes single rules, by code. Defaults to no change.
	Rules   map[string]Rule `yaml:"rules" env:"-"`
	Reports Reports         `yaml:"reports" envPrefix:"REPORTS_"`
	Plan    Plan            `yaml:"plan" envPrefix:"PLAN_"`
	Webhook Webhook         `yaml:"webhook" envPrefix:"WEBHOOK_"`

	warnings []string
}

// Ledger says where the ledger is kept.
type Ledger struct {
	// DSN is sqlite:PATH or postgres://user@host/database. Defaults to sqlite:concilia.db.
	DSN DSN `yaml:"dsn" env:"DSN"`
}

// Service says how the payment service is reached. Base addresses may have a path, which stays in front of every
// path of the interface document.
type Service struct {
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
	// GatewayUserName and its password are a credential of their own for the gateway family. Default to none: the
	// credential above serves both. See Gateway.
	GatewayUserName     string `yaml:"gateway_user_name" env:"GATEWAY_USER_NAME"`
	GatewayPasswordFile string `yaml:"gateway_password_file" env:"GATEWAY_PASSWORD_FILE" path:"input"`
	GatewayPassword     Secret `yaml:"gateway_password" env:"GATEWAY_PASSWORD"`
	// RequestsPerSecond is the pace over all workers, above 0 and at most 1000. Defaults to 5.
	RequestsPerSecond float64 `yaml:"requests_per_second" env:"REQUESTS_PER_SECOND"`
	// Timeout of one request, 1s to 1h. Defaults to 60s.
	Timeout time.Duration `yaml:"timeout" env:"TIMEOUT"`
}

// Account is one account of the merchant at the service.
type Account struct {
	// Number is the account's number, positive and unique; required.
	Number int64 `yaml:"number" env:"NUMBER"`
	// Name is the holder's, for reports. Defaults to empty; EDI needs it.
	Name string `yaml:"name" env:"NAME"`
	// Since, YYYY-MM-DD, is the first day answered for. Defaults to empty: 60 days before the first run.
	Since string `yaml:"since" env:"SINCE"`
	// Document is the holder's CPF or CNPJ, 11 or 14 characters. Defaults to empty; EDI needs it.
	Document string `yaml:"document" env:"DOCUMENT"`
	// Calendar holds local days, for counter service only. Defaults to none.
	Calendar Calendar `yaml:"calendar" envPrefix:"CALENDAR_"`
	// Bank is the account block of EDI files. Defaults to none; EDI needs it.
	Bank Bank `yaml:"bank" envPrefix:"BANK_"`
}

// Calendar is days, YYYY-MM-DD, that are closed beyond the computed ones (Extra), and holidays that are open (Removed).
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

// Rule changes one rule. What is not set stays as the rule has it.
type Rule struct {
	// Tolerance is a plain number in the unit of the rule, such as 0.02. Defaults to empty: not set.
	Tolerance string `yaml:"tolerance,omitempty" env:"TOLERANCE"`
	// Grace is a number of days, 0 to 90. Defaults to nil: not set.
	Grace *int `yaml:"grace,omitempty" env:"GRACE"`
	// Severity is C, E, W or I. Defaults to empty: not set.
	Severity string `yaml:"severity,omitempty" env:"SEVERITY"`
}

// Reports says what is published and where.
type Reports struct {
	// Out is the folder to publish in, as a path or file:///path. Defaults to reports. See Folder.
	Out string `yaml:"out" env:"OUT"`
	// Kinds defaults to summary, installments, splits, slips, control: all there are.
	Kinds []string `yaml:"kinds" env:"KINDS"`
	// Formats defaults to csv, xlsx, edi: all there are.
	Formats []string `yaml:"formats" env:"FORMATS"`
	// Basis is any of operation, forecast, payment, credit. Defaults to operation, credit.
	Basis []string `yaml:"basis" env:"BASIS"`
	// Language of labels, pt-BR or en. Defaults to pt-BR.
	Language string `yaml:"language" env:"LANGUAGE"`
	// Identified are kinds that may show payers' names and documents. Defaults to none.
	Identified []string `yaml:"identified" env:"IDENTIFIED"`
	EDI        EDI      `yaml:"edi" envPrefix:"EDI_"`
}

// EDI is the dialect of CNAB 240 files.
type EDI struct {
	// Profile is febraban or bb (Banco do Brasil). Defaults to febraban.
	Profile string `yaml:"profile" env:"PROFILE"`
	// StrictBank refuses banks whose readers cut some columns differently, instead of warning. Defaults to false.
	StrictBank bool `yaml:"strict_bank" env:"STRICT_BANK"`
}

// Plan is what a night asks for.
type Plan struct {
	// SlipsDueBack is how many days back the list of due slips is asked for, 1 to 400. Defaults to 45.
	SlipsDueBack int `yaml:"slips_due_back" env:"SLIPS_DUE_BACK"`
	// SlipsDueForward is the same forward, 0 to 400. Defaults to 60.
	SlipsDueForward int `yaml:"slips_due_forward" env:"SLIPS_DUE_FORWARD"`
}

// Default is the configuration before any file or variable. It lacks what is required.
func Default() *Config {
	return &Config{
		Timezone: "America/Sao_Paulo",
		Ledger:   Ledger{DSN: "sqlite:concilia.db"},
		Service:  Service{SearchToken: "integration", RequestsPerSecond: 5, Timeout: time.Minute},
		Reports: Reports{
			Out:      "reports",
			Kinds:    []string{"summary", "installments", "splits", "slips", "control"},
			Formats:  []string{"csv", "xlsx", "edi"},
			Basis:    []string{"operation", "credit"},
			Language: "pt-BR",
			EDI:      EDI{Profile: "febraban"},
		},
		Plan:    Plan{SlipsDueBack: 45, SlipsDueForward: 60},
		Webhook: Webhook{Listen: ":8443"},
	}
}

// Warnings are what is allowed and perhaps not meant, one sentence each.
func (c *Config) Warnings() []string { return c.warnings }

// Text is the configuration in effect as YAML, secrets as ***.
func (c *Config) Text() []byte {
	b, err := yaml.Marshal(c)
	if err != nil {
		// Only a type that cannot be written at all could fail, and there is none in Config.
		panic(err)
	}
	return b
}

// Hash is the SHA-256, in lower-case hex, of the configuration in effect without its secrets.
func (c *Config) Hash() string {
	bare := *c
	bare.Service.Password, bare.Service.GatewayPassword = Secret{}, Secret{}
	bare.Webhook.AccessKey, bare.Webhook.BasicPassword = Secret{}, Secret{}
	sum := sha256.Sum256(bare.Text())
	return hex.EncodeToString(sum[:])
}

// Location is the zone of Timezone, or UTC when Timezone names none, which Load refuses.
func (c *Config) Location() *time.Location {
	zone, err := time.LoadLocation(c.Timezone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// Search is the base address of the transaction search.
func (s Service) Search() string {
	if s.SearchURL != "" {
		return s.SearchURL
	}
	return s.GatewayURL
}

// Gateway is the credential of the gateway family: its own, else the one for both.
func (s Service) Gateway() (userName string, password Secret) {
	if s.GatewayUserName != "" {
		return s.GatewayUserName, s.GatewayPassword
	}
	return s.UserName, s.Password
}

// Loopback says whether every base address is of this machine.
func (s Service) Loopback() bool {
	for _, base := range []string{s.GatewayURL, s.IntegrationURL, s.Search()} {
		u, err := url.Parse(base)
		if err != nil || !loopback(u.Hostname()) {
			return false
		}
	}
	return true
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Folder is the path that Out names.
func (r Reports) Folder() string {
	if path, ok := strings.CutPrefix(r.Out, "file://"); ok {
		if u, err := url.Parse(r.Out); err == nil {
			return u.Path
		}
		return path
	}
	return r.Out
}
