package config

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"concilia/config/problem"
	"concilia/export/words"
)

const (
	// maxFile bounds the file in bytes; thousands of accounts fit in it.
	maxFile = 4 << 20
	// maxSecret bounds a password file in bytes; a longer one is another kind of file.
	maxSecret = 4 << 10
)

// Load reads the file at path over the defaults, and the environment, through lookup, over both. An empty path means no file:
// everything comes from the environment. An error is a problem.List with all problems.
func Load(path string, lookup func(string) (string, bool)) (*Config, error) {
	return loadConfig(path, lookup, secrets{service: true, target: true, mail: true})
}

// LoadOffline is Load for commands that neither call the service nor publish: they need no password, and no file with a
// secret is opened.
func LoadOffline(path string, lookup func(string) (string, bool)) (*Config, error) {
	return loadConfig(path, lookup, secrets{})
}

// LoadPublishing is LoadOffline for commands that publish: it also opens the files with the secrets of the target.
func LoadPublishing(path string, lookup func(string) (string, bool)) (*Config, error) {
	return loadConfig(path, lookup, secrets{target: true})
}

// LoadMailing is LoadOffline for what sends mail: it also opens the file with the password of the mail server.
func LoadMailing(path string, lookup func(string) (string, bool)) (*Config, error) {
	return loadConfig(path, lookup, secrets{mail: true})
}

// secrets are those whose files are opened: of the service, of the target of reports, of the mail server.
type secrets struct{ service, target, mail bool }

func loadConfig(path string, lookup func(string) (string, bool), open secrets) (*Config, error) {
	l := &loader{
		cfg: Default(), lookup: lookup,
		validator: &validator{
			file: path, offline: !open.service,
			lines: map[string]int{}, variables: map[string]string{}, hasProblem: map[string]bool{}, blank: map[string]bool{},
		},
	}
	if path != "" {
		data, err := readFile(path, maxFile)
		if err != nil {
			l.problems = append(l.problems, problem.Problem{File: path, Want: words.NewMessage("problem.cannot_be_read", "cause", errorReason(err))})
			return nil, l.problems
		}
		decoder := &fileDecoder{validator: l.validator}
		if !decoder.decodeFile(data, l.cfg) {
			return nil, l.problems
		}
		rebasePaths(reflect.ValueOf(l.cfg).Elem(), filepath.Dir(path))
		rebaseMaps(l.cfg, filepath.Dir(path))
	}
	l.readEnvironment()
	if m := &l.cfg.Movement; m.Enabled == nil {
		edi := slices.Contains(l.cfg.Reports.Formats, "edi")
		m.Enabled = &edi
	}
	l.addKindOf(len(l.cfg.Banks), "bank")
	l.addKindOf(len(l.cfg.Stores), "sales")
	if open.service {
		l.readSecrets()
	}
	if open.target {
		l.readTargetSecrets()
	}
	if open.mail {
		l.readSecret("mail.password_file", l.cfg.Mail.PasswordFile, "want.the_password", &l.cfg.Mail.Password)
	}
	checkValues(l.validator, l.cfg)
	if err := l.problems.Err(); err != nil {
		return nil, err
	}
	l.cfg.locate, l.cfg.warnings = l.locateKey, l.warnings
	return l.cfg, nil
}

// addKindOf makes a kind, on bank accounts or stores, one of the default ones where there are any.
func (l *loader) addKindOf(count int, kind string) {
	if count > 0 && l.lines["reports.kinds"] == 0 && l.variables["reports.kinds"] == "" {
		l.cfg.Reports.Kinds = slices.Insert(l.cfg.Reports.Kinds, slices.Index(l.cfg.Reports.Kinds, "forecast"), kind)
	}
}

// loader reads a Config: the file, then the environment, then the files with secrets.
type loader struct {
	*validator
	cfg    *Config
	lookup func(string) (string, bool)
}

// rebasePaths makes the paths of input files relative to the directory of the file that names them.
func rebasePaths(v reflect.Value, dir string) {
	for i := range v.NumField() {
		f, t := v.Field(i), v.Type().Field(i)
		switch {
		case t.Tag.Get("path") == "input":
			if path := f.String(); path != "" && !filepath.IsAbs(path) {
				f.SetString(filepath.Join(dir, path))
			}
		case f.Kind() == reflect.Struct && t.IsExported():
			rebasePaths(f, dir)
		case f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Struct && t.IsExported():
			for n := range f.Len() {
				rebasePaths(f.Index(n), dir)
			}
		}
	}
}

// readSecrets reads the files that hold secrets of the service, unless the environment gave the secret itself.
func (l *loader) readSecrets() {
	s := &l.cfg.Service
	l.readSecret("service.password_file", s.PasswordFile, "want.the_password", &s.Password)
	l.readSecret("service.gateway_password_file", s.GatewayPasswordFile, "want.the_password", &s.GatewayPassword)
	w := &l.cfg.Webhook
	l.readSecret("webhook.access_key_file", w.AccessKeyFile, "want.the_access_key", &w.AccessKey)
	l.readSecret("webhook.basic_password_file", w.BasicPasswordFile, "want.the_password", &w.BasicPassword)
	l.warnIfReadable("webhook.key_file", w.KeyFile) // opened when it is used
}

// readTargetSecrets reads the files that hold secrets of the reports' target, unless the environment gave the secret itself.
func (l *loader) readTargetSecrets() {
	r := &l.cfg.Reports
	l.readSecret("reports.s3.access_key_file", r.S3.AccessKeyFile, "want.the_s3_access_key", &r.S3.AccessKey)
	l.readSecret("reports.s3.secret_key_file", r.S3.SecretKeyFile, "want.the_s3_secret_key", &r.S3.SecretKey)
	l.readSecret("reports.sftp.password_file", r.SFTP.PasswordFile, "want.the_password", &r.SFTP.Password)
	l.warnIfReadable("reports.signing_key_file", r.SigningKeyFile) // as the next
	l.warnIfReadable("reports.sftp.key_file", r.SFTP.KeyFile)      // opened when it is used
}

func readFile(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("more than %d bytes", most)
	}
	return data, err
}

// errorReason returns an error of the operating system without the path, which the problem shows already.
func errorReason(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 {
		text = text[i+2:]
	}
	return text
}
