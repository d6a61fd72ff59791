package casework

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"concilia/export"
	"concilia/export/report"
	"concilia/jobs/api"
	"concilia/store/caselog"
	"concilia/store/facts"
	"concilia/store/ledger"
)

// ForgetVerb is the verb of an erasure in the log of acts.
const ForgetVerb ledger.Verb = "evidence forget"

// payerDigits is how much of the SHA-256 of a payer's document stands in the log, in hex digits: enough to tell which of
// two erasures somebody asks about, and shared by thousands of possible documents, so that the log does not name whom
// it forgot.
const payerDigits = 4

// ErasureRequest is a request to forget a payer in the kept bodies.
type ErasureRequest struct {
	Document string // CPF or CNPJ, with or without punctuation
	Reason   string
	Actor    string
	DryRun   bool // nothing is changed
}

// ErasureSummary is the result of an erasure.
type ErasureSummary struct {
	Subject string `json:"subject"` // as the log of acts names the payer
	Read    int    `json:"read"`    // bodies of slips that were searched
	Bodies  int    `json:"bodies"`  // of these, those with the payer
	Records int    `json:"records"` // in them
	// Versions are the versions of slips that held the payer, Rows the rows that could not be parsed.
	Versions int `json:"versions"`
	Rows     int `json:"rows"`
	// Published are the published files, and the archived ones, that may show the payer and are not changed.
	Published []string `json:"published"`
	DryRun    bool     `json:"dry_run"`
}

// Found reports whether the payer was anywhere.
func (s *ErasureSummary) Found() bool { return s.Bodies+s.Versions+s.Rows > 0 }

// ErasePayer erases a payer's members in every kept body of slips, in the versions of slips and in the rows that could not be parsed,
// and logs the act, in one transaction. Nothing is logged if none holds the payer. Published files are named and not changed; what
// the service sends again in another answer is kept again.
func (d *Handler) ErasePayer(ctx context.Context, e ErasureRequest) (ErasureSummary, error) {
	document, err := parsePayer(e.Document)
	if err != nil {
		return ErasureSummary{}, err
	}
	out := ErasureSummary{Subject: maskPayer(document), DryRun: e.DryRun, Published: []string{}}
	act := ledger.Act{Verb: ForgetVerb, Stage: ledger.Done, Subject: out.Subject, Actor: e.Actor, Reason: e.Reason, At: d.Wall()}
	act.Person, act.Host = d.Person, d.Host
	if err := act.Valid(); err != nil {
		return out, &RequestError{Text: err.Error(), Hint: "--as and --reason take one line of plain text"}
	}
	erasure := caselog.Erasure{
		Document: document,
		BlankBody: func(b *ledger.Body) (*ledger.Body, error) {
			p := ledger.NewBodyPacker()
			if _, err := copyWithoutPayer(p, b, document); err != nil {
				return nil, err
			}
			return p.Pack(b.SHA256)
		},
		BlankRow: func(row []byte) []byte { return api.ForgetPayerInRow(row, document) },
	}
	if erasure.Bodies, err = d.findPayerBodies(ctx, document, &out); err != nil {
		return out, err
	}
	rows, err := d.Ledger.FindPayer(ctx, document, erasure.BlankRow)
	if err != nil {
		return out, err
	}
	out.Versions, out.Rows = len(rows.Views), len(rows.Bad)
	if out.Published, err = d.findPublishedPayer(ctx, rows.Views); err != nil || e.DryRun || !out.Found() {
		return out, err
	}
	act.Parameters = caselog.EncodeActParameters(map[string]string{
		"bodies": strconv.Itoa(out.Bodies), "records": strconv.Itoa(out.Records),
		"versions": strconv.Itoa(out.Versions), "rows": strconv.Itoa(out.Rows),
	})
	return out, d.Ledger.ErasePayer(ctx, &erasure, act)
}

// findPayerBodies returns the kept bodies of slips with the payer, and counts them.
func (d *Handler) findPayerBodies(ctx context.Context, document string, out *ErasureSummary) (found []string, err error) {
	sums, err := d.Ledger.SlipBodies(ctx)
	if err != nil {
		return nil, err
	}
	for _, sum := range sums {
		b, err := d.Ledger.Body(ctx, sum)
		if err != nil {
			return nil, err
		}
		if b.Packed == nil { // it went since it was listed
			continue
		}
		out.Read++
		n, err := copyWithoutPayer(io.Discard, b, document)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			found = append(found, sum)
			out.Bodies++
			out.Records += n
		}
	}
	return found, nil
}

// findPublishedPayer returns the files of sets that identify payers and whose period has one of the days of these slips, which may
// show these payers.
func (d *Handler) findPublishedPayer(ctx context.Context, views []facts.SlipRow) ([]string, error) {
	days := make(map[ledger.Account][]ledger.Date)
	for i := range views {
		v := &views[i]
		days[v.Account] = append(days[v.Account], v.Issued, v.Due, v.PaidOn, v.CreditedOn)
	}
	out := []string{}
	for _, a := range slices.Sorted(maps.Keys(days)) {
		sets, err := d.Ledger.SetsOf(ctx, a.String())
		if err != nil {
			return nil, err
		}
		for _, s := range sets {
			in, err := export.ReadInputs(s.Inputs)
			if err != nil || !in.IdentifiesPayers() || !slices.ContainsFunc(days[a], s.Period.Contains) {
				continue
			}
			for i := range s.Files {
				if f := &s.Files[i]; export.MayShowPayers(report.Kind(f.Kind)) {
					out = append(out, f.Path)
				}
			}
		}
	}
	return out, nil
}

// parsePayer reads a document as slips name one. Its check digits need not hold: the service may have sent one that is wrong,
// and its payer is to be forgotten all the same.
func parsePayer(s string) (string, error) {
	bare := strings.ToUpper(strings.NewReplacer(".", "", "-", "", "/", "", " ", "").Replace(s))
	odd := strings.ContainsFunc(bare, func(r rune) bool { return (r < '0' || r > '9') && (r < 'A' || r > 'Z') })
	if odd || len(bare) != 11 && len(bare) != 14 {
		return "", &RequestError{
			Text: "the payer's document is neither a CPF of 11 digits nor a CNPJ of 14 characters",
			Hint: "for example --payer 123.456.789-09",
		}
	}
	return bare, nil
}

// maskPayer names a payer without saying who it is.
func maskPayer(document string) string {
	sum := sha256.Sum256([]byte(document))
	return "payer:" + hex.EncodeToString(sum[:])[:payerDigits]
}

// copyWithoutPayer writes a body without the payer and says in how many records it was.
func copyWithoutPayer(to io.Writer, b *ledger.Body, document string) (n int, err error) {
	from, into := io.Pipe()
	go func() {
		_, err := b.WriteTo(into)
		into.CloseWithError(err)
	}()
	n, err = api.ForgetPayer(to, from, document)
	// A writer that still waits is let go; nothing else holds it.
	_ = from.Close()
	if err != nil {
		return n, fmt.Errorf("body %s: %w", b.SHA256, err)
	}
	return n, nil
}
