package render

import (
	"context"
	"errors"
	"maps"

	"concilia/export"
	"concilia/export/control"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/report/kindlist"
)

// decideRevision compares the rendered content with the current revision and sets revision, reasons and fingerprints. It
// returns true if the current revision has everything that was requested. An extract has no revision.
func (r *rendering) decideRevision() (unchanged bool) {
	parts := r.Job.DigestParts()
	content, fingerprints := r.digestContent(parts)
	requested := r.digestFiles(parts, content)
	maps.Copy(fingerprints, requested)

	res := &r.Result
	res.Set = manifest.SetName(r.Job.Account, r.Job.Basis, r.Job.Period, r.Job.Filter.Canonical())
	res.Dir = manifest.SetDir(r.Job.Account, r.Job.Basis, r.Job.Period)
	res.Digest = export.DigestOf(content)
	res.Fingerprints = fingerprints
	switch m := r.Job.Movement; {
	case r.Job.Extract:
		return false
	case m != nil:
		res.Revision = m.Revision // none supersedes another
		res.SetReasons(export.RevisionReason{Change: export.ReasonFirst})
		return false
	case r.Job.Current == nil:
		res.SetReasons(export.RevisionReason{Change: export.ReasonFirst})
		return false
	}
	return r.compareWithCurrent(requested)
}

// digestContent returns the digests that the content of the set consists of, and their fingerprints.
func (r *rendering) digestContent(parts map[string]string) (content, fingerprints map[string]string) {
	content, fingerprints = maps.Clone(parts), make(map[string]string)
	for name, v := range parts {
		fingerprints["part:"+name] = v
	}
	fingerprints[export.FingerprintVerdict] = string(r.Verdict)
	for _, k := range r.Job.Kinds {
		for _, t := range kindlist.TablesOf(k) {
			if f := r.Tables[t.ID]; f != nil {
				fingerprints["table:"+t.ID] = f.ContentDigest()
				content["table "+t.ID] = f.ContentDigest()
			}
		}
	}
	if s := r.statement; s.isAsked() {
		fingerprints[export.FingerprintEntries], fingerprints[export.FingerprintClosing] = s.digest, s.closing.String()
		content["statement"] = s.digest + " " + r.Job.Statement.Opening.String()
	}
	if r.pageSlips != nil {
		content["beside slips"] = r.pageSlips.Digest()
		fingerprints["table:"+report.SlipsTable.ID] = r.pageSlips.Digest()
	}
	return content, fingerprints
}

// digestFiles returns a fingerprint for each file that the job requests, of what the file is made from.
func (r *rendering) digestFiles(parts, content map[string]string) map[string]string {
	out := make(map[string]string)
	for name, tables := range r.askedFiles() {
		of := maps.Clone(parts)
		for _, t := range tables {
			of["table "+t] = r.Tables[t].ContentDigest()
		}
		if name == string(report.StatementKind)+".ret" {
			of["statement"] = content["statement"]
		}
		if name == control.PageFile && r.pageSlips != nil {
			of["beside slips"] = content["beside slips"]
		}
		out["file:"+name] = export.DigestOf(of)
	}
	return out
}

// compareWithCurrent compares the requested files with those of the current revision. One that differs makes the next revision.
func (r *rendering) compareWithCurrent(requested map[string]string) (unchanged bool) {
	res, current := &r.Result, r.Job.Current
	if len(current.Fingerprints) == 0 && current.Digest == res.Digest {
		res.Revision, res.Unchanged, res.Fingerprints = current.Revision, true, nil
		return true
	}
	fingerprints := res.Fingerprints
	// A file that is not requested by this job keeps its fingerprint.
	res.Fingerprints = maps.Clone(current.Fingerprints)
	if res.Fingerprints == nil {
		res.Fingerprints = make(map[string]string)
	}
	maps.Copy(res.Fingerprints, fingerprints)
	for name, digest := range requested {
		if current.Fingerprints[name] != digest {
			res.Revision = current.Revision + 1
			res.Supersedes = &current.Revision
			res.SetReasons(export.ReasonsOf(current.Fingerprints, fingerprints)...)
			return false
		}
	}
	res.Revision, res.Unchanged, res.Fingerprints = current.Revision, true, current.Fingerprints
	return true
}

// askedFiles returns the requested files, control included, and the tables that each depends on.
func (r *rendering) askedFiles() map[string][]string {
	files := make(map[string][]string)
	var all []string
	for _, k := range r.Job.Kinds {
		if k == report.ControlKind {
			continue
		}
		for _, t := range kindlist.TablesOf(k) {
			all = append(all, t.ID)
			for _, f := range r.Job.FormatsOf(k) {
				if f.IsPerTable() || f.IsOfBooks() {
					files[t.ID+"."+f.Extension()] = []string{t.ID}
				}
			}
		}
		if r.Job.HasEDI(k) {
			var of []string // a statement has no table
			if t := kindlist.TablesOf(k); len(t) > 0 {
				of = append(of, t[0].ID)
			}
			if k == report.InstallmentsKind {
				of = append(of, report.SplitsTable.ID) // its Y-50 records
			}
			files[string(k)+".ret"] = of
		}
	}
	if r.Job.HasFormat(report.XLSX) {
		files[string(report.Settlement)+".xlsx"] = all
	}
	if r.Job.HasFormat(report.HTML) {
		files[control.PageFile] = all
	}
	// Control is made with every set, and alone when everything else is withheld.
	files["control.csv"] = nil
	for _, f := range r.Job.Formats {
		if f.IsPerTable() {
			files["control."+f.Extension()] = nil
		}
	}
	return files
}

// Recompute computes the content digest of a set from its rows. It keeps temporary files below that folder until it returns.
func Recompute(ctx context.Context, job export.Job, source export.ReportSource, below string) (digest string, err error) {
	r, drop, err := newRendering(&job, source, export.Target{Staging: below})
	if err != nil {
		return "", err
	}
	if err = r.readRows(ctx); err == nil {
		r.decideRevision()
		digest = r.Result.Digest
	}
	return digest, errors.Join(err, drop())
}
