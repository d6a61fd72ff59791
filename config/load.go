package config

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"concilia/config/problem"
)

const (
	// maxFile bounds the file in bytes; thousands of accounts fit in it.
	maxFile = 4 << 20
	// maxSecret bounds a password file in bytes; a longer one is another kind of file.
	maxSecret = 4 << 10
)

// environment is Problem.File for variables.
const environment = "environment"

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
		cfg: Default(), file: path, lookup: lookup, offline: !open.service,
		lines: map[string]int{}, variables: map[string]string{}, hasProblem: map[string]bool{}, blank: map[string]bool{},
	}
	if path != "" {
		data, err := readFile(path, maxFile)
		if err != nil {
			l.problems = append(l.problems, problem.Problem{File: path, Want: "cannot be read: " + errorReason(err)})
			return nil, l.problems
		}
		if !l.decodeFile(data) {
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
		l.readSecret("mail.password_file", l.cfg.Mail.PasswordFile, "the password", &l.cfg.Mail.Password)
	}
	l.checkValues()
	if err := l.problems.Err(); err != nil {
		return nil, err
	}
	l.cfg.locate = l.locateKey
	return l.cfg, nil
}

// addKindOf makes a kind, on bank accounts or stores, one of the default ones where there are any.
func (l *loader) addKindOf(count int, kind string) {
	if count > 0 && l.lines["reports.kinds"] == 0 && l.variables["reports.kinds"] == "" {
		l.cfg.Reports.Kinds = slices.Insert(l.cfg.Reports.Kinds, slices.Index(l.cfg.Reports.Kinds, "forecast"), kind)
	}
}

// loader reads a Config and records where each value came from.
type loader struct {
	cfg        *Config
	file       string
	lookup     func(string) (string, bool)
	offline    bool
	lines      map[string]int    // the line of each key in the file
	variables  map[string]string // the variable of each key that came from the environment
	blank      map[string]bool   // keys written without a value
	hasProblem map[string]bool   // keys with a problem already, of which no other is reported
	visited    int
	problems   problem.List
}

// addProblem reports a problem of the value of a key, at the place where it was set.
func (l *loader) addProblem(key, value, want string) {
	if l.hasProblem[key] {
		return
	}
	l.hasProblem[key] = true
	p := l.locateKey(key)
	p.Value, p.Want = problem.Shown(value), want
	l.problems = append(l.problems, p)
}

// locateKey returns a problem with only the place where a key was set.
func (l *loader) locateKey(key string) problem.Problem {
	if name, ok := l.variables[key]; ok {
		return problem.Problem{File: environment, Key: name}
	}
	return problem.Problem{File: l.file, Line: l.lines[key], Key: key}
}

// addMissing reports a required key that was not set.
func (l *loader) addMissing(key, want string) {
	if l.lines[key] == 0 {
		// The line of the enclosing block is the best one available.
		for at := key; strings.Contains(at, ".") && l.lines[key] == 0; {
			at = at[:strings.LastIndexByte(at, '.')]
			l.lines[key] = l.lines[at]
		}
	}
	l.addProblem(key, "", "missing: "+want)
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
	l.readSecret("service.password_file", s.PasswordFile, "the password", &s.Password)
	l.readSecret("service.gateway_password_file", s.GatewayPasswordFile, "the password", &s.GatewayPassword)
	w := &l.cfg.Webhook
	l.readSecret("webhook.access_key_file", w.AccessKeyFile, "the Access-Key", &w.AccessKey)
	l.readSecret("webhook.basic_password_file", w.BasicPasswordFile, "the password", &w.BasicPassword)
	l.warnIfReadable("webhook.key_file", w.KeyFile) // opened when it is used
}

// readTargetSecrets reads the files that hold secrets of the reports' target, unless the environment gave the secret itself.
func (l *loader) readTargetSecrets() {
	r := &l.cfg.Reports
	l.readSecret("reports.s3.access_key_file", r.S3.AccessKeyFile, "the access key", &r.S3.AccessKey)
	l.readSecret("reports.s3.secret_key_file", r.S3.SecretKeyFile, "the secret key", &r.S3.SecretKey)
	l.readSecret("reports.sftp.password_file", r.SFTP.PasswordFile, "the password", &r.SFTP.Password)
	l.warnIfReadable("reports.signing_key_file", r.SigningKeyFile) // as the next
	l.warnIfReadable("reports.sftp.key_file", r.SFTP.KeyFile)      // opened when it is used
}

func (l *loader) readSecret(key, path, what string, dst *Secret) {
	if path == "" || !dst.Empty() || l.hasProblem[key] {
		return
	}
	data, err := readFile(path, maxSecret)
	if err != nil {
		l.addProblem(key, path, "a file with "+what+" that can be read: "+errorReason(err))
		return
	}
	// Editors end a file with a newline, which is no part of the password.
	text := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	switch {
	case text == "":
		l.addProblem(key, path, "a file with "+what+": this one is empty")
		return
	case strings.ContainsAny(strings.TrimRight(text, "\r\n"), "\n\r\x00"): // not a password: the service would refuse it during the run
		l.addProblem(key, path, "a file with "+what+" on one line: this one has more")
		return
	}
	*dst = Secret{text}
	l.warnIfReadable(key, path)
}

// warnIfReadable warns of a secret that every user of this machine can read. Its group may read it: so it can be shared with
// the user of a daemon. Windows has no such permission bits.
func (l *loader) warnIfReadable(key, path string) {
	info, err := os.Stat(path)
	if path != "" && err == nil && runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&0o004 != 0 {
		l.cfg.warnings = append(l.cfg.warnings, key+": everybody on this machine can read "+path+": chmod o-rwx "+path)
	}
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
