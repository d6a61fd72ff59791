package config

import (
	"net/url"
	"path/filepath"
	"strings"
)

// S3 is the access to a bucket. Empty keys leave it to the usual AWS environment.
type S3 struct {
	// Endpoint is http(s)://host[:port] of the server. Defaults to empty: Amazon's.
	Endpoint string `yaml:"endpoint" env:"ENDPOINT"`
	Region   string `yaml:"region" env:"REGION"`
	// AccessKeyFile and SecretKeyFile, or CONCILIA_REPORTS_S3_ACCESS_KEY and …_SECRET_KEY, hold the keys.
	AccessKeyFile string `yaml:"access_key_file" env:"ACCESS_KEY_FILE" path:"input"`
	AccessKey     Secret `yaml:"access_key" env:"ACCESS_KEY"`
	SecretKeyFile string `yaml:"secret_key_file" env:"SECRET_KEY_FILE" path:"input"`
	SecretKey     Secret `yaml:"secret_key" env:"SECRET_KEY"`
}

// SFTP is the login to an SFTP server and the file that authenticates the server.
type SFTP struct {
	// KeyFile is a private key without passphrase.
	KeyFile string `yaml:"key_file" env:"KEY_FILE" path:"input"`
	// PasswordFile, or CONCILIA_REPORTS_SFTP_PASSWORD, holds the password. One of key and password is needed.
	PasswordFile string `yaml:"password_file" env:"PASSWORD_FILE" path:"input"`
	Password     Secret `yaml:"password" env:"PASSWORD"`
	// KnownHostsFile has the key of the server in the format of OpenSSH. It is always required.
	KnownHostsFile string `yaml:"known_hosts_file" env:"KNOWN_HOSTS_FILE" path:"input"`
}

// Target returns Out in the form in which a target is opened: the path of a folder, or an s3:// or sftp:// URL.
func (r Reports) Target() string { return targetOf(r.Out) }

// ArchivePlace returns where published files are kept, in the form in which a target is opened; empty: nowhere, because the
// ledger is on PostgreSQL and reports.archive names no place.
func (c *Config) ArchivePlace() string {
	if c.Reports.Archive != "" {
		return targetOf(c.Reports.Archive)
	}
	path, ok := strings.CutPrefix(c.Ledger.DSN.Reveal(), "sqlite:")
	if !ok {
		return ""
	}
	path, _, _ = strings.Cut(path, "?")
	return path + "-archive"
}

func targetOf(place string) string {
	if strings.HasPrefix(place, "file://") {
		if u, err := url.Parse(place); err == nil {
			return u.Path
		}
	}
	return place
}

// checkTarget checks a place where files go, with what r has to log in there.
func checkTarget(v *validator, key, place string, r *Reports) {
	const want = "a folder (a path, or file:///path), s3://bucket/prefix, or sftp://user@host/path"
	shown := maskPassword(place)
	u, err := url.Parse(place)
	if place == "" || schemePattern.MatchString(place) && err != nil {
		v.addProblem(key, shown, want)
		return
	}
	if !schemePattern.MatchString(place) {
		return
	}
	switch _, password := u.User.Password(); u.Scheme {
	case "file":
		if !strings.HasPrefix(place, "file:///") || targetOf(place) == "/" {
			v.addProblem(key, shown, want)
		}
	case "s3":
		if u.Host == "" || u.User != nil {
			v.addProblem(key, shown, "s3://bucket/prefix; the keys stand in files")
		}
		checkS3(v, &r.S3)
	case "sftp":
		if u.Hostname() == "" || u.User.Username() == "" || password {
			v.addProblem(key, shown, "sftp://user@host/path; a password stands in a file")
		}
		checkSFTP(v, &r.SFTP)
	default:
		v.addProblem(key, shown, want)
	}
}

// checkArchive checks where published files are kept. Neither of archive and target may lie within the other: one is for this user
// alone, the other is read by everybody.
func checkArchive(v *validator, c *Config) {
	r := &c.Reports
	if r.ArchiveKeepDays != 0 {
		v.checkRange("reports.archive_keep_days", r.ArchiveKeepDays, 1, 36500, "a number of days, or 0: for ever")
	}
	if r.Archive != "" {
		checkTarget(v, "reports.archive", r.Archive, r)
	}
	place := c.ArchivePlace()
	if place == "" || v.hasProblem["reports.archive"] || v.hasProblem["reports.out"] {
		return
	}
	if archive, out := plainPlace(place), plainPlace(r.Target()); isWithin(archive, out) || isWithin(out, archive) {
		v.addProblem("reports.archive", place, "a place apart from reports.out, which is "+r.Target())
	}
}

// plainPlace is a place as it can be compared: of a folder its whole path, of a URL what is before its query.
func plainPlace(place string) string {
	if schemePattern.MatchString(place) {
		place, _, _ = strings.Cut(place, "?")
		return strings.TrimRight(place, "/")
	}
	if abs, err := filepath.Abs(place); err == nil {
		return filepath.ToSlash(abs)
	}
	return place
}

func isWithin(inner, outer string) bool {
	return inner == outer || strings.HasPrefix(inner, strings.TrimRight(outer, "/")+"/")
}

func checkS3(v *validator, s *S3) {
	if s.Endpoint != "" {
		u, err := url.Parse(s.Endpoint)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" || u.User != nil {
			v.addProblem("reports.s3.endpoint", maskPassword(s.Endpoint), "http:// or https:// and a host")
		}
	}
	switch {
	case !s.AccessKey.Empty() && s.SecretKey.Empty() && !v.hasProblem["reports.s3.secret_key_file"]:
		v.addMissing("reports.s3.secret_key_file", "the access key needs its secret key")
	case s.AccessKey.Empty() && !s.SecretKey.Empty() && !v.hasProblem["reports.s3.access_key_file"]:
		v.addMissing("reports.s3.access_key_file", "the secret key needs its access key")
	}
}

func checkSFTP(v *validator, s *SFTP) {
	if s.KnownHostsFile == "" {
		v.addMissing("reports.sftp.known_hosts_file", "a file that vouches for the server (ssh-keyscan HOST, checked by a person)")
	}
	if s.KeyFile == "" && s.Password.Empty() && !v.hasProblem["reports.sftp.password_file"] {
		v.addMissing("reports.sftp.key_file", "a private key, or password_file")
	}
}
