package sales

import (
	"crypto/sha256"
	"encoding/hex"

	"concilia/export/words"
	"concilia/jobs/rules"
	"concilia/jobs/rules/runs"
	"concilia/jobs/rules/shops"
	"concilia/store/ledger"
)

// FileCodes are the codes of the cases about what a store's files say, which rules on what the service says share.
func FileCodes() []string { return []string{runs.SchemaInvalid, runs.EnumUnmapped} }

// evaluateFaults adds a case for each row that was not taken in, and one for each word that is not declared.
func (e *evaluator) evaluateFaults(side *Side) {
	seen := map[string]bool{}
	source := sourcePrefix + side.Store.ID
	for i := range side.Faults {
		f := &side.Faults[i]
		var subject string
		found := &shops.Found{}
		if f.Member == "" {
			sum := sha256.Sum256([]byte(words.Unpack(f.Where).String() + "\n" + words.Unpack(f.Said).String()))
			subject = ledger.Subject(string(rules.OnQuarantined), side.Home, source, hex.EncodeToString(sum[:8]))
			found.Code = runs.SchemaInvalid
			why := words.NewMessage("refused.in_note", "where", words.Unpack(f.Where), "fault", words.Unpack(f.Said))
			found.Outcome = rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{rules.NamedText("source", f.File), rules.NamedText("why", why.String()), rules.NamedText("told", why.Pack())}}
		} else {
			subject = ledger.Subject(string(rules.OnValue), side.Home, source, f.Member, f.Said)
			found.Code = runs.EnumUnmapped
			found.Outcome = rules.Outcome{Status: rules.Fires, Actual: ledger.Text(f.Said), Numbers: []ledger.Number{rules.NamedText("member", f.Member)}}
		}
		if !seen[subject] {
			seen[subject] = true
			e.Findings = append(e.Findings, e.newFinding(side.Home, subject, side.Store.ID, found))
		}
	}
}
