package casework

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"

	"concilia/jobs/api"
	"concilia/store/ledger"
	"concilia/store/results"
)

// forgetVerb is the verb of an erasure in the log of acts.
const forgetVerb ledger.Verb = "evidence forget"

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
	DryRun  bool   `json:"dry_run"`
}

// ErasePayer erases a payer's members in every kept body of slips and logs the act, in one transaction. Nothing is logged if
// no body holds the payer. Versions of slips and quarantined rows in the ledger are facts and are not changed; what the
// service sends again in another answer is kept again.
func (d *Handler) ErasePayer(ctx context.Context, e ErasureRequest) (ErasureSummary, error) {
	document, err := parsePayer(e.Document)
	if err != nil {
		return ErasureSummary{}, err
	}
	out := ErasureSummary{Subject: maskPayer(document), DryRun: e.DryRun}
	act := ledger.Act{Verb: forgetVerb, Stage: ledger.Done, Subject: out.Subject, Actor: e.Actor, Reason: e.Reason, At: d.Wall()}
	act.Person, act.Host = d.Person, d.Host
	if err := act.Valid(); err != nil {
		return out, &RequestError{Text: err.Error(), Hint: "--as and --reason take one line of plain text"}
	}
	sums, err := d.Ledger.SlipBodies(ctx)
	if err != nil {
		return out, err
	}
	var found []string
	for _, sum := range sums {
		b, err := d.Ledger.Body(ctx, sum)
		if err != nil {
			return out, err
		}
		if b.Packed == nil { // it went since it was listed
			continue
		}
		out.Read++
		n, err := copyWithoutPayer(io.Discard, b, document)
		if err != nil {
			return out, err
		}
		if n > 0 {
			found = append(found, sum)
			out.Bodies++
			out.Records += n
		}
	}
	if e.DryRun || len(found) == 0 {
		return out, nil
	}
	act.Parameters = results.EncodeActParameters(map[string]string{
		"bodies": strconv.Itoa(out.Bodies), "records": strconv.Itoa(out.Records),
	})
	return out, d.Ledger.ChangeBodies(ctx, found, act, func(b *ledger.Body) (*ledger.Body, error) {
		p := ledger.NewBodyPacker()
		if _, err := copyWithoutPayer(p, b, document); err != nil {
			return nil, err
		}
		return p.Pack(b.SHA256)
	})
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
