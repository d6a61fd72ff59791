package config

import (
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"concilia/export/report/kindlist"
	"concilia/export/words"
)

// Reports is what is published and where.
type Reports struct {
	// Out is where to publish, in one of the forms of want.target among the words. Defaults to reports. See Target.
	Out string `yaml:"out" env:"OUT"`
	// Archive is where every published file is kept: a place as for Out, not within Out, that every machine sees.
	// Defaults to empty: a folder next to the file of a ledger on SQLite; it is required with PostgreSQL where reports are made.
	// See Config.ArchivePlace.
	Archive string `yaml:"archive" env:"ARCHIVE"`
	// ArchiveKeepDays is for how many days, 1 to 36500, the archive keeps the files of revisions that are no longer on the target;
	// current revisions of closed periods are always kept. Defaults to 0: for ever.
	ArchiveKeepDays int `yaml:"archive_keep_days" env:"ARCHIVE_KEEP_DAYS"`
	// SigningKeyFile is the private key, made by concilia keygen, that signs every manifest, so that verify --key shows who made it.
	// Defaults to empty: manifests are not signed.
	SigningKeyFile string `yaml:"signing_key_file" env:"SIGNING_KEY_FILE" path:"input"`
	// Kinds are any of those that Kinds returns. Defaults to those that are not made on demand alone.
	Kinds []string `yaml:"kinds" env:"KINDS"`
	// Formats are any of csv, csv-br, jsonl, xlsx, html, edi. Defaults to csv, csv-br, xlsx, edi, html.
	Formats []string `yaml:"formats" env:"FORMATS"`
	// Basis is any of operation, forecast, payment, credit. Defaults to operation, credit.
	Basis []string `yaml:"basis" env:"BASIS"`
	// ForecastDays is how many calendar days the cash forecast covers, 1 to 400; what comes later shares a row. Defaults to 90.
	ForecastDays int `yaml:"forecast_days" env:"FORECAST_DAYS"`
	// Language of labels, pt-BR or en. Defaults to pt-BR.
	Language string `yaml:"language" env:"LANGUAGE"`
	// Identified are kinds that may show payers' names and documents. Defaults to none.
	Identified []string `yaml:"identified" env:"IDENTIFIED"`
	EDI        EDI      `yaml:"edi" envPrefix:"EDI_"`
	S3         S3       `yaml:"s3" envPrefix:"S3_"`
	SFTP       SFTP     `yaml:"sftp" envPrefix:"SFTP_"`
}

// EDI is the dialect of CNAB 240 files.
type EDI struct {
	// Profile is febraban or bb (Banco do Brasil). Defaults to febraban.
	Profile string `yaml:"profile" env:"PROFILE"`
	// StrictBank makes EDI for banks whose readers deviate from the standard columns an error instead of a warning.
	// Defaults to false.
	StrictBank bool `yaml:"strict_bank" env:"STRICT_BANK"`
	// Statement is how a statement posts slips: gross (payment and tariff separately) or net. Defaults to gross.
	Statement string `yaml:"statement" env:"STATEMENT"`
	// MonthSets is when the sets of months get EDI files: close (when the month is closed, and when a report asks for them) or night
	// (every night, too). Defaults to close.
	MonthSets string `yaml:"month_sets" env:"MONTH_SETS"`
}

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

// Kinds are the kinds of report that reports.kinds and reports.identified may name.
func Kinds() []string { return kindlist.Configurable(false) }

// checkReports checks the section reports.
func checkReports(v *validator, c *Config) {
	r := &c.Reports
	checkTarget(v, "reports.out", r.Out, r)
	checkArchive(v, c)
	v.checkWords("reports.kinds", r.Kinds, Kinds(), true)
	v.checkWords("reports.formats", r.Formats, formatWords, true)
	v.checkWords("reports.basis", r.Basis, basisWords, true)
	v.checkWords("reports.identified", r.Identified, Kinds(), false)
	v.checkRange("reports.forecast_days", r.ForecastDays, 1, 400, words.NewMessage("want.days"))
	v.checkOneOf("reports.language", r.Language, "pt-BR", "en")
	v.checkOneOf("reports.edi.profile", r.EDI.Profile, "febraban", "bb")
	v.checkOneOf("reports.edi.statement", r.EDI.Statement, "gross", "net")
	v.checkOneOf("reports.edi.month_sets", r.EDI.MonthSets, "close", "night")
}

// schemePattern matches the beginning of an address, and not the drive of a path.
var schemePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+:`)

// Target returns Out in the form in which a target is opened: of a folder its path, else a URL.
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
	shown := maskPassword(place)
	u, err := url.Parse(place)
	if place == "" || schemePattern.MatchString(place) && err != nil {
		v.addProblem(key, shown, words.NewMessage("want.target"))
		return
	}
	if !schemePattern.MatchString(place) {
		return
	}
	switch _, password := u.User.Password(); u.Scheme {
	case "file":
		if !strings.HasPrefix(place, "file:///") || targetOf(place) == "/" {
			v.addProblem(key, shown, words.NewMessage("want.target"))
		}
	case "s3":
		if u.Host == "" || u.User != nil {
			v.addProblem(key, shown, words.NewMessage("want.s3"))
		}
		checkS3(v, &r.S3)
	case "sftp":
		if u.Hostname() == "" || u.User.Username() == "" || password {
			v.addProblem(key, shown, words.NewMessage("want.sftp"))
		}
		checkSFTP(v, &r.SFTP)
	default:
		v.addProblem(key, shown, words.NewMessage("want.target"))
	}
}

// checkArchive checks where published files are kept. Neither of archive and target may lie within the other: one is for this user
// alone, the other is read by everybody.
func checkArchive(v *validator, c *Config) {
	r := &c.Reports
	if r.ArchiveKeepDays != 0 {
		v.checkRange("reports.archive_keep_days", r.ArchiveKeepDays, 1, 36500, words.NewMessage("want.days_or_ever"))
	}
	if r.Archive != "" {
		checkTarget(v, "reports.archive", r.Archive, r)
	}
	place := c.ArchivePlace()
	if place == "" || v.hasProblem["reports.archive"] || v.hasProblem["reports.out"] {
		return
	}
	if archive, out := plainPlace(place), plainPlace(r.Target()); isWithin(archive, out) || isWithin(out, archive) {
		v.addProblem("reports.archive", place, words.NewMessage("want.archive_apart", "place", r.Target()))
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
			v.addProblem("reports.s3.endpoint", maskPassword(s.Endpoint), words.NewMessage("want.s3_endpoint"))
		}
	}
	switch {
	case !s.AccessKey.Empty() && s.SecretKey.Empty() && !v.hasProblem["reports.s3.secret_key_file"]:
		v.addMissing("reports.s3.secret_key_file", words.NewMessage("want.s3_secret_key"))
	case s.AccessKey.Empty() && !s.SecretKey.Empty() && !v.hasProblem["reports.s3.access_key_file"]:
		v.addMissing("reports.s3.access_key_file", words.NewMessage("want.s3_access_key"))
	}
}

func checkSFTP(v *validator, s *SFTP) {
	if s.KnownHostsFile == "" {
		v.addMissing("reports.sftp.known_hosts_file", words.NewMessage("want.known_hosts"))
	}
	if s.KeyFile == "" && s.Password.Empty() && !v.hasProblem["reports.sftp.password_file"] {
		v.addMissing("reports.sftp.key_file", words.NewMessage("want.private_key"))
	}
}
