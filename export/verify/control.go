package verify

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"concilia/export/control"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/export/table"
	"concilia/store/ledger"
)

// checkControl compares control with the manifest and with what was read from the files.
func (v *verifier) checkControl(dir string, c *setContents) {
	m := c.manifest
	path := filepath.Join(dir, m.FileName(report.ControlTable.ID, report.CSV.Extension()))
	if c.tables[report.ControlTable.ID] == nil {
		if !slices.ContainsFunc(m.Files, func(f manifest.File) bool { return f.Kind == report.ControlKind }) {
			v.addFault(path, "verify_fault.missing_no_set_is_without")
		}
		return
	}
	proven, stated := make(map[string]bool), c.manifestValues()
	for _, r := range c.controlRows {
		if want, ok := stated[r.section+" "+r.item+" "+r.measure]; ok && r.value != want {
			v.addFault(path, "verify_fault.says_the_manifest", "section", r.section, "item", r.item, "measure", r.measure, "value", fmt.Sprintf("%.80s", r.value), "want", fmt.Sprintf("%.80s", want))
		}
		switch r.section {
		case "sums":
			proven[r.item+" "+r.measure] = true
			v.checkFigureRow(path, &r, c)
		case "identities":
			if r.measure == "printed" {
				v.checkIdentityRow(path, &r, c)
			}
			if r.measure == "at four decimals" && r.residual.V != 0 {
				v.addFault(path, "verify_fault.identity_leaves_at_four_decimals", "item", r.item, "residual", control.FormatFigure(r.residual))
			}
		case "continuity":
			proven[r.item+" "+r.measure] = true
			v.checkContinuityRow(path, &r, c)
		}
	}
	v.checkContinuityComplete(path, c, proven)
	for id, sums := range c.tables {
		for _, measure := range measuresOf(sums) {
			if id != report.ControlTable.ID && !proven[id+".csv "+measure] {
				v.addFault(path, "verify_fault.has_no_figures_of_in", "measure", measure, "id", id)
			}
		}
	}
	for name := range c.figures {
		if !proven[name+" count"] {
			v.addFault(path, "verify_fault.has_no_figures_of", "name", name)
		}
	}
}

// manifestValues returns the values of the manifest that control repeats, by section, item and measure: a manifest that was
// forged for a changed file does not agree with the control written for the original.
func (c *setContents) manifestValues() map[string]string {
	m := c.manifest
	out := map[string]string{
		"run run id": m.Run, "run run as_of": m.AsOf.String(), "run set content_digest": m.ContentDigest,
	}
	if m.Revision != nil {
		out["run set revision"] = strconv.Itoa(*m.Revision)
	} else {
		out["run set extract"] = m.Set
	}
	for _, f := range m.Files {
		at := "files " + f.Path + " "
		out[at+"rows"], out[at+"bytes"] = strconv.FormatInt(f.Rows, 10), strconv.FormatInt(f.Bytes, 10)
		out[at+"sha256"] = f.SHA256
		if f.NSA != nil {
			out[at+"nsa"] = strconv.Itoa(*f.NSA)
		}
	}
	return out
}

// measuresOf returns count and the columns of a table that have a sum.
func measuresOf(s *table.Counter) []string {
	out := []string{"count"}
	for i := range s.Printed {
		if s.Table.Columns[i].Summed() {
			out = append(out, s.Table.Columns[i].ID)
		}
	}
	return out
}

// checkFigureRow checks one row of the sums: its three figures exist, are equal, and equal the figure of the file as read now.
func (v *verifier) checkFigureRow(path string, r *parsedControlRow, c *setContents) {
	for i, name := range []string{"ledger", "writer", "file"} {
		if !r.figures[i].OK {
			v.addFault(path, "verify_fault.the_figure_of_the_is", "item", r.item, "measure", r.measure, "name", name)
		}
	}
	f := control.Figure{Ledger: r.figures[0], Writer: r.figures[1].V, Read: r.figures[2]}
	if f.Residual() != 0 || r.residual.V != 0 {
		v.addFault(path, "verify_fault.ledger_writer_file_should_be", "item", r.item, "measure", r.measure, "ledger", control.FormatFigure(r.figures[0]), "writer", control.FormatFigure(r.figures[1]), "file", control.FormatFigure(r.figures[2]))
	}
	read := c.figures[r.item]
	if read == nil || !r.figures[2].OK {
		return
	}
	if now := read(control.Figure{File: r.item, Measure: r.measure}); now != r.figures[2] {
		v.addFault(path, "verify_fault.the_file_says_control", "item", r.item, "measure", r.measure, "now", control.FormatFigure(now), "figure", control.FormatFigure(r.figures[2]))
	}
}

// checkIdentityRow computes an identity again from the published tables, if the set has them.
func (v *verifier) checkIdentityRow(path string, r *parsedControlRow, c *setContents) {
	rest, ok := c.evaluateFormula(r.note)
	if ok && int64(rest) != r.residual.V {
		v.addFault(path, "verify_fault.identity_leaves_by_the_files", "item", r.item, "note", r.note, "rest", rest.Fixed(4), "residual", control.FormatFigure(r.residual))
	}
}

// checkContinuityRow compares a row of control's continuity with the table that it repeats.
func (v *verifier) checkContinuityRow(path string, r *parsedControlRow, c *setContents) {
	t := c.tables[r.item]
	if t == nil {
		return
	}
	if amount, err := ledger.ParseAmount(r.value); err != nil || amount != ledger.Amount(t.Sum(r.measure)) {
		v.addFault(path, "verify_fault.continuity_says_the_file", "item", r.item, "measure", r.measure, "value", fmt.Sprintf("%.80s", r.value), "sum", ledger.Amount(t.Sum(r.measure)).Fixed(4))
	}
}

// checkContinuityComplete adds a fault for each row of continuity that control lacks.
func (v *verifier) checkContinuityComplete(path string, c *setContents, proven map[string]bool) {
	t := c.tables[asof.AgendaRollTable.ID]
	if t == nil {
		return
	}
	for _, measure := range measuresOf(t) {
		if measure != "count" && !proven[asof.AgendaRollTable.ID+" "+measure] {
			v.addFault(path, "verify_fault.has_no_continuity_of_in", "measure", measure, "id", asof.AgendaRollTable.ID)
		}
	}
}

// RecordedActLogEnd is the last act of a log when a set was rendered, read from the set's control.
type RecordedActLogEnd struct {
	ledger.ActLogEnd
	Set  string // account of the set: its digits, or AllAccounts
	Run  string // the run that rendered the set
	File string // its manifest, below the path that was verified
}

// actLogEnds returns the last acts that the control of a set records.
func (c *setContents) actLogEnds() []RecordedActLogEnd {
	var out []RecordedActLogEnd
	for _, r := range c.controlRows {
		account, ok := strings.CutPrefix(r.item, control.ActLogItem)
		n, err := strconv.ParseInt(account, 10, 64)
		if r.section != "run" || !ok || err != nil {
			continue
		}
		switch r.measure {
		case control.MeasureLastAct:
			end := RecordedActLogEnd{Set: c.manifest.Account, Run: c.manifest.Run}
			end.Account = ledger.Account(n)
			// A value that is no number is read as -1, which no log has.
			if end.Number, err = strconv.ParseInt(r.value, 10, 64); err != nil {
				end.Number = -1
			}
			out = append(out, end)
		case control.MeasureLastActHash:
			if len(out) > 0 && out[len(out)-1].Account == ledger.Account(n) {
				out[len(out)-1].Hash = r.value
			}
		}
	}
	return out
}
