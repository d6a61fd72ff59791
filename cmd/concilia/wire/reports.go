package wire

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"concilia/config"
	"concilia/export"
	"concilia/export/publish"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/jobs"
	"concilia/jobs/setpublish"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// ReportSettings is the reports section of the configuration as the jobs take it.
func ReportSettings(c *config.Config) jobs.ReportSettings {
	names := make(map[string]string, len(c.Accounts))
	for _, a := range c.Accounts {
		names[strconv.FormatInt(a.Number, 10)] = a.Name
	}
	return jobs.ReportSettings{
		Kinds: convertAll[report.Kind](c.Reports.Kinds), Formats: convertAll[report.Format](c.Reports.Formats),
		Bases: convertAll[report.Basis](c.Reports.Basis), Language: table.Language(c.Reports.Language), Service: c.Service.Name, ConsoleURL: c.Console.PublicURL,
		Identified: convertAll[report.Kind](c.Reports.Identified), EDIProfile: export.EDIProfile(c.Reports.EDI.Profile),
		NetStatement: c.Reports.EDI.Statement == "net", StrictBank: c.Reports.EDI.StrictBank, EDIAtClose: c.Reports.EDI.MonthSets == "close",
		Out: c.Reports.Target(), ForecastDays: c.Reports.ForecastDays, Names: names,
	}
}

// MovementSettings is the movement section of the configuration as the jobs take it.
func MovementSettings(c *config.Config) setpublish.MovementSettings {
	m := &c.Movement
	from, _ := ledger.ParseDate(m.From) // checked, or empty: none
	return setpublish.MovementSettings{
		Enabled: m.IsEnabled(), From: from, Sources: convertAll[bookkeeping.EventSource](m.Sources), SettleOnPayment: m.SettleSlips == "payment",
		Formats: convertAll[report.Format](m.Formats), Journal: convertAll[report.Format](m.Journal),
	}
}

// TargetOptions is how the configured target is reached.
func TargetOptions(c *config.Config, wall func() time.Time) publish.Options {
	s3, sftp := &c.Reports.S3, &c.Reports.SFTP
	return publish.Options{
		Now: wall,
		S3: publish.S3Options{
			Endpoint: s3.Endpoint, Region: s3.Region, AccessKey: s3.AccessKey.Reveal(), SecretKey: s3.SecretKey.Reveal(),
		},
		SFTP: publish.SFTPOptions{
			KeyFile: sftp.KeyFile, Password: sftp.Password.Reveal(), KnownHosts: sftp.KnownHostsFile,
		},
	}
}

func convertAll[T ~string](in []string) []T {
	out := make([]T, len(in))
	for i, s := range in {
		out[i] = T(s)
	}
	return out
}

// SamePlace reports whether two targets are one. A folder may be spelled in several ways, a bucket or a server in one.
func SamePlace(a, b string) bool {
	folder := func(target string) string {
		path := strings.TrimPrefix(target, "file://")
		if strings.Contains(path, "://") {
			return target
		}
		if abs, err := filepath.Abs(path); err == nil {
			return abs
		}
		return path
	}
	return folder(a) == folder(b)
}
