package main

import (
	"concilia/config"
	"concilia/export"
	"concilia/jobs"
)

// reportSettings is the reports section of the configuration as the jobs know it.
func reportSettings(c *config.Config) jobs.ReportSettings {
	return jobs.ReportSettings{
		Kinds: words[export.Kind](c.Reports.Kinds), Formats: words[export.Format](c.Reports.Formats),
		Bases: words[export.Basis](c.Reports.Basis), Language: export.Language(c.Reports.Language),
		Identified: words[export.Kind](c.Reports.Identified), EDIProfile: export.EDIProfile(c.Reports.EDI.Profile),
		Out: c.Reports.Folder(),
	}
}

func words[T ~string](in []string) []T {
	out := make([]T, len(in))
	for i, s := range in {
		out[i] = T(s)
	}
	return out
}
