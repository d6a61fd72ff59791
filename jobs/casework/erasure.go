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
	"concilia/jobs/bank"
	bankstore "concilia/store/bank"
	"concilia/store/caselog"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/sqldb"
)

// ForgetVerb is the verb of an erasure in the log of acts.
const ForgetVerb ledger.Verb = "evidence forget"

// payerDigits is how much of the SHA-256 of a payer's document the log has, in hex digits: enough to tell which of
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
	// Statements are the statements of banks that have the payer in their bytes.
	Statements int `json:"statements"`
	// Lines are the lines of banks whose text or document has the payer.
	Lines int `json:"lines"`
	// Published are the published files, and the archived ones, that may show the payer and are not changed.
	Published []string `json:"published"`
	DryRun    bool     `json:"dry_run"`
}

// Found reports whether the payer was anywhere.
func (s *ErasureSummary) Found() bool { return s.Bodies+s.Versions+s.Rows+s.Statements+s.Lines > 0 }

// ErasePayer erases a payer's members in every kept body of slips, the document and the names that slips give the payer in the kept
// bytes of banks' statements and in the texts of their lines, and the payer in the versions of slips and in the rows that could not be parsed, and logs the act, in
// one transaction. Nothing is logged if none holds the payer. Published files are named and not changed; what
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
		return out, NewRequestError("error.cause", "hint.plain_line", "cause", err)
	}
	blankRow := func(row []byte) []byte { return api.ForgetPayerInRow(row, document) }
	rows, err := d.Ledger.FindPayer(ctx, document, blankRow)
	if err != nil {
		return out, err
	}
	of := forgottenPayer{document: document, names: namesOf(rows.Views)}
	erasure := caselog.Erasure{Document: document, BlankRow: blankRow}
	if erasure.Bodies, err = d.findPayerBodies(ctx, &of, &out); err != nil {
		return out, err
	}
	erasure.BlankBody = func(b *ledger.Body) (*ledger.Body, error) {
		p := ledger.NewBodyPacker()
		if _, err := of.copyWithout(p, b); err != nil {
			return nil, err
		}
		return p.Pack(b.SHA256)
	}
	out.Versions, out.Rows = len(rows.Views), len(rows.Bad)
	blankLine := func(r *banking.Row) bool { return bank.ForgetPayerInRow(r, document, of.names) }
	if out.Lines, err = d.Ledger.CountPayerLines(ctx, blankLine); err != nil {
		return out, err
	}
	erasure.BlankLines = func(ctx context.Context, t *sqldb.Tx) error { return bankstore.ForgetPayer(ctx, t, blankLine) }
	if out.Published, err = d.findPublishedPayer(ctx, rows.Views); err != nil || e.DryRun || !out.Found() {
		return out, err
	}
	act.Parameters = caselog.EncodeActParameters(map[string]string{
		"bodies": strconv.Itoa(out.Bodies), "records": strconv.Itoa(out.Records),
		"versions": strconv.Itoa(out.Versions), "rows": strconv.Itoa(out.Rows),
		"statements": strconv.Itoa(out.Statements), "lines": strconv.Itoa(out.Lines),
	})
	return out, d.Ledger.ErasePayer(ctx, &erasure, act)
}

// forgottenPayer is whom an erasure looks for.
type forgottenPayer struct {
	document string
	names    []string
	// statements are the kept bytes that are statements of banks; all others are answers with slips.
	statements map[string]bool
}

// namesOf are the names that slips give a payer.
func namesOf(views []facts.SlipRow) []string {
	seen := make(map[string]bool)
	for i := range views {
		seen[views[i].PayerName] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// findPayerBodies returns the kept bodies of slips, and the statements, with the payer, and counts them.
func (d *Handler) findPayerBodies(ctx context.Context, of *forgottenPayer, out *ErasureSummary) (found []string, err error) {
	sums, err := d.Ledger.SlipBodies(ctx)
	if err != nil {
		return nil, err
	}
	statements, err := d.Ledger.StatementBodies(ctx)
	if err != nil {
		return nil, err
	}
	of.statements = make(map[string]bool, len(statements))
	for _, sum := range statements {
		of.statements[sum] = true
	}
	for _, sum := range append(sums, statements...) {
		b, err := d.Ledger.Body(ctx, sum)
		if err != nil {
			return nil, err
		}
		if b.Packed == nil { // it went since it was listed
			continue
		}
		n, err := of.copyWithout(io.Discard, b)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			found = append(found, sum)
		}
		switch {
		case of.statements[sum]:
			out.Statements += min(n, 1)
		default:
			out.Read++
			out.Bodies += min(n, 1)
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
		return "", NewRequestError("error.no_document", "hint.example", "example", "--payer 123.456.789-09")
	}
	return bare, nil
}

// maskPayer names a payer without saying who it is.
func maskPayer(document string) string {
	sum := sha256.Sum256([]byte(document))
	return "payer:" + hex.EncodeToString(sum[:])[:payerDigits]
}

// copyWithout writes a body without the payer and says in how many records it was.
func (of *forgottenPayer) copyWithout(to io.Writer, b *ledger.Body) (n int, err error) {
	from, into := io.Pipe()
	go func() {
		_, err := b.WriteTo(into)
		into.CloseWithError(err)
	}()
	if of.statements[b.SHA256] {
		n, err = bank.ForgetPayer(to, from, of.document, of.names)
	} else {
		n, err = api.ForgetPayer(to, from, of.document)
	}
	// A writer that still waits is let go; nothing else holds it.
	_ = from.Close()
	if err != nil {
		return n, fmt.Errorf("body %s: %w", b.SHA256, err)
	}
	return n, nil
}
