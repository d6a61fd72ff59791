package console

import (
	"bytes"
	"context"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"concilia/cmd/concilia/view/caseview"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// LetterSource answers about letters to the service.
type LetterSource interface {
	// Letters are the letters, one an account, about the cases that are named, or else those of the filter that can be claimed.
	Letters(ctx context.Context, cases []string, f *CaseFilter, lang string) ([]caseview.Letter, error)
}

func letterRoutes() []route {
	return []route{
		{pattern: "GET /claims/letter", page: "letter", do: showLetter, under: "claims"},
	}
}

// letterPage is the letters about chosen cases, and the form that records that they were sent.
type letterPage struct {
	Letters  []letterLine
	Formats  []string
	Count    int
	Total    ledger.Amount
	ListLink string
	Dispute  *ActResult // what recording the claim would be; nil: it cannot be recorded
	Filter   string
	SHA256   string // of the letter, when it is one
}

// letterLine is a letter with where it is sent from.
type letterLine struct {
	caseview.Letter
	Links []chip
}

// showLetter shows the letters about the cases that the query names or, without any, that its filter chooses; with as= it sends one.
func showLetter(v *visit) error {
	query := v.r.URL.Query()
	f := newFields(query, v.lang)
	cases := f.list("case")
	if query.Get("all") != "" {
		cases = nil
	}
	filterText := query.Get("filter")
	if filterText == "" && len(cases) == 0 {
		filterText = query.Encode()
	}
	chosen, err := url.ParseQuery(filterText)
	if err != nil {
		return &badRequest{map[string]string{"filter": err.Error()}}
	}
	for _, own := range []string{"as", "all", "verb", "filter", "letter-of"} {
		chosen.Del(own)
	}
	filter, err := readCaseFilter(v, chosen)
	if err != nil {
		return err
	}
	if len(cases) > mostActedOn {
		f.refuse("case", "desk.choose_cases", "most", mostActedOn)
		return f.err()
	}
	letters, err := v.source.Letters(v.r.Context(), cases, filter, v.lang)
	if err != nil {
		return err
	}
	if format := query.Get("as"); format != "" {
		return sendLetter(v, letters, format, query.Get("letter-of"))
	}
	page := &letterPage{Formats: caseview.LetterFormats(), ListLink: v.c.Prefix + listOf(url.Values{"filter": {chosen.Encode()}}), Filter: chosen.Encode()}
	var all []string
	for i := range letters {
		l := &letters[i]
		page.Count, page.Total = page.Count+l.Items, page.Total+ledger.Amount(l.Total)
		all = append(all, l.Cases...)
		line := letterLine{Letter: *l}
		for _, format := range page.Formats {
			to := url.Values{"case": l.Cases, "as": {format}, "letter-of": {l.Account.String()}}
			line.Links = append(line.Links, chip{Label: format, Link: v.c.Prefix + "/claims/letter?" + to.Encode()})
		}
		page.Letters = append(page.Letters, line)
	}
	if len(letters) == 1 {
		if page.SHA256, err = letters[0].SHA256(); err != nil {
			return err
		}
	}
	if v.mayAct() && len(all) > 0 {
		if page.Dispute, err = previewDispute(v, all); err != nil {
			return err
		}
	}
	return v.render("letter", v.text("desk.letter"), page)
}

// previewDispute is what recording the claim of cases would come to; nil where one of them cannot be claimed.
func previewDispute(v *visit, cases []string) (*ActResult, error) {
	result, err := v.source.Act(v.r.Context(), &CaseAct{Accounts: v.accounts(), ActRequest: casework.ActRequest{
		Verb: ledger.Dispute, Cases: cases, Actor: v.person.Name, Reference: "-", DryRun: true,
	}}, v.lang)
	if errors.Is(err, ErrConflict) || errors.Is(err, ErrDone) {
		return nil, nil
	}
	return result, err
}

// sendLetter sends the letter of an account in a format: a page to be looked at and printed, the others to be kept.
func sendLetter(v *visit, letters []caseview.Letter, format, account string) error {
	i := slices.IndexFunc(letters, func(l caseview.Letter) bool { return l.Account.String() == account })
	if i < 0 || !slices.Contains(caseview.LetterFormats(), format) {
		return ErrNotFound
	}
	name, err := letters[i].FileName(format)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := letters[i].Write(&b, format); err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	if format == "html" {
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", pagePolicy)
	} else {
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	}
	v.w.WriteHeader(http.StatusOK)
	_, _ = v.w.Write(b.Bytes()) // who is gone needs no answer
	return nil
}
