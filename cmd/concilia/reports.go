package main

import (
	"cmp"
	"net"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"time"

	"concilia/config"
	"concilia/export"
	"concilia/export/publish"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/jobs"
)

// reportSettings is the reports section of the configuration as the jobs take it.
func reportSettings(c *config.Config) jobs.ReportSettings {
	return jobs.ReportSettings{
		Kinds: convertAll[report.Kind](c.Reports.Kinds), Formats: convertAll[report.Format](c.Reports.Formats),
		Bases: convertAll[report.Basis](c.Reports.Basis), Language: table.Language(c.Reports.Language),
		Identified: convertAll[report.Kind](c.Reports.Identified), EDIProfile: export.EDIProfile(c.Reports.EDI.Profile),
		NetStatement: c.Reports.EDI.Statement == "net", StrictBank: c.Reports.EDI.StrictBank,
		Out: c.Reports.Target(), Place: placeOf(c.Reports.Target(), c.Reports.S3.Endpoint),
	}
}

// placeOf names a bucket or a directory of a server as every machine does, without what it is reached with; empty: a folder.
func placeOf(out, endpoint string) string {
	u, err := url.Parse(out)
	if err != nil {
		return "" // opening it reports what is wrong
	}
	dir := path.Clean("/" + u.Path)
	switch u.Scheme {
	case "s3":
		host := "amazon"
		if at, err := url.Parse(cmp.Or(u.Query().Get("endpoint"), endpoint)); err == nil && at.Host != "" {
			host = at.Host
		}
		return "s3 " + host + " " + u.Host + dir
	case "sftp":
		return "sftp " + u.User.Username() + "@" + net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "22")) + dir
	}
	return ""
}

// targetOptions is how the configured target is reached.
func targetOptions(c *config.Config, wall func() time.Time) publish.Options {
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

// samePlace reports whether two targets are one. A folder may be spelled in several ways, a bucket or a server in one.
func samePlace(a, b string) bool {
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
