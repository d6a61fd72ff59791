package jobs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"concilia/jobs/bank"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// document is an input in the version that was used. Each account has a calendar of its own.
type document struct {
	name, kind string
	text       []byte
}

func (d document) contentHash() string {
	sum := sha256.Sum256(d.text)
	return hex.EncodeToString(sum[:])
}

// listDocuments returns the documents that the worker's runs depend on.
func (w *Worker) listDocuments() []document {
	docs := []document{
		{"contract", "contract", w.Inputs.Contracts.Text()},
		{"mapping", "mapping", w.Inputs.Mapping.Text()},
		{"profile", "profile", w.Inputs.Profile.Text()},
		{"rules", "rules", []byte(catalogue.Versions() + w.Inputs.Settings.Text())},
		{"reports", "reports", w.Reports.DigestText()},
	}
	if r := w.Inputs.Register; r != nil {
		docs = append(docs, document{"register", "register", r.Text()})
	}
	if o := w.Inputs.Orders; o != nil {
		docs = append(docs, document{"orders", "orders", o.Text()})
	}
	if len(w.Banks) > 0 {
		docs = append(docs, document{"banks", "banks", bank.DescribeAccounts(w.Banks, w.BankSettings)})
	}
	for _, a := range w.Accounts {
		docs = append(docs, document{"calendar " + a.Number.String(), "calendar", w.Inputs.Calendar(a.Number).Text()})
	}
	return docs
}

// GroupKey identifies the work that this worker would do: its program, clock, documents and also. Processes with the
// same key would do the same work with the same result, so they may work for each other.
func (w *Worker) GroupKey(also ...string) string {
	h := sha256.New()
	for _, s := range append([]string{w.ProgramVersion, w.Commit, w.Clock, w.Zone.String(), fmt.Sprint(w.Plan, w.ListCap)}, also...) {
		fmt.Fprintf(h, "%d:%s\n", len(s), s)
	}
	for _, doc := range w.listDocuments() {
		fmt.Fprintf(h, "%s %s\n", doc.name, doc.contentHash())
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// listDifferences returns in what the run differs from the runs that this worker begins; it may do the run's
// units only if there is no difference.
func (r *runRecorder) listDifferences(run *ledger.Run) []string {
	var out []string
	for _, c := range []struct{ name, run, here string }{
		{"program", run.ProgramVersion, r.template.ProgramVersion}, {"business clock", run.Clock, r.template.Clock},
	} {
		if c.run != c.here {
			out = append(out, c.name)
		}
	}
	// The documents of a run include the commit of its program, if that is known.
	here := r.template.Documents
	for name, hash := range run.Documents {
		// The configuration also has settings of a single machine. A calendar that is missing here belongs to an account that
		// is not configured here.
		if name != "config" && here[name] != hash {
			out = append(out, name)
		}
	}
	for _, name := range []string{"register", "orders", "banks"} {
		if here[name] != "" && run.Documents[name] == "" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
