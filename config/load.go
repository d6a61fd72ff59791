package config

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"

	"concilia/config/problem"
)

const (
	// maxFile bounds the file: thousands of accounts fit in it.
	maxFile = 4 << 20
	// maxSecret bounds a password file; what is longer is some other file.
	maxSecret = 4 << 10
)

// environment is the File of problems with variables.
const environment = "environment"

// Load reads the file at path over the defaults and the environment, asked through lookup, over both. An empty path
// means no file: everything comes from the environment. The error, when there is one, is a problem.List and holds
// all of them.
func Load(path string, lookup func(string) (string, bool)) (*Config, error) {
	return loadConfig(path, lookup, false, true)
}

// LoadOffline is Load for commands that neither call the service nor publish: they need no password, and no file with a
// secret is opened.
func LoadOffline(path string, lookup func(string) (string, bool)) (*Config, error) {
	return loadConfig(path, lookup, true, false)
}

// LoadPublishing is LoadOffline for commands that publish: it also opens the files with the secrets of the target.
func LoadPublishing(path string, lookup func(string) (string, bool)) (*Config, error) {
	return loadConfig(path, lookup, true, true)
}

func loadConfig(path string, lookup func(string) (string, bool), offline, publishing bool) (*Config, error) {
	l := &loader{
		cfg: Default(), file: path, lookup: lookup, offline: offline,
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
	}
	l.readEnvironment()
	if !offline {
		l.readSecrets()
	}
	if publishing {
		l.readTargetSecrets()
	}
	l.checkValues()
	if err := l.problems.Err(); err != nil {
		return nil, err
	}
	l.cfg.locate = l.locate
	return l.cfg, nil
}

// loader carries a Config through reading, and remembers where each value came from.
type loader struct {
	cfg        *Config
	file       string
	lookup     func(string) (string, bool)
	offline    bool
	lines      map[string]int    // the line of each key in the file
	variables  map[string]string // the variable of each key that came from the environment
	blank      map[string]bool   // keys written without a value
	hasProblem map[string]bool   // keys with a problem already: they are not judged again
	visited    int
	problems   problem.List
}

// addProblem reports what is wrong with the value of a key, where it was set.
func (l *loader) addProblem(key, value, want string) {
	if l.hasProblem[key] {
		return
	}
	l.hasProblem[key] = true
	p := l.locate(key)
	p.Value, p.Want = problem.Shown(value), want
	l.problems = append(l.problems, p)
}

// locate is a problem of a key that says no more than where the key was set.
func (l *loader) locate(key string) problem.Problem {
	if name, ok := l.variables[key]; ok {
		return problem.Problem{File: environment, Key: name}
	}
	return problem.Problem{File: l.file, Line: l.lines[key], Key: key}
}

// addMissing reports a required key that was not set.
func (l *loader) addMissing(key, want string) {
	if l.lines[key] == 0 {
		// The line of the block it should stand in is the best there is.
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
	l.warnIfReadable("webhook.key_file", w.KeyFile) // opened by who needs it
}

// readTargetSecrets is secrets for the place that reports go to.
func (l *loader) readTargetSecrets() {
	r := &l.cfg.Reports
	l.readSecret("reports.s3.access_key_file", r.S3.AccessKeyFile, "the access key", &r.S3.AccessKey)
	l.readSecret("reports.s3.secret_key_file", r.S3.SecretKeyFile, "the secret key", &r.S3.SecretKey)
	l.readSecret("reports.sftp.password_file", r.SFTP.PasswordFile, "the password", &r.SFTP.Password)
	l.warnIfReadable("reports.sftp.key_file", r.SFTP.KeyFile) // opened by who needs it
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
	case strings.ContainsAny(strings.TrimRight(text, "\r\n"), "\n\r\x00"): // nobody's password: the service would refuse it in the night
		l.addProblem(key, path, "a file with "+what+" on one line: this one has more")
		return
	}
	*dst = Secret{text}
	l.warnIfReadable(key, path)
}

// warnIfReadable warns of a secret that everybody on this machine can read. Its group may: that is how a secret is shared with
// the user a daemon runs as. Windows has no such bits.
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

// errorReason is an error of the operating system without the path, which stands beside it already.
func errorReason(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 {
		text = text[i+2:]
	}
	return text
}
