package console

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"concilia/cmd/concilia/view/caseview"
	"concilia/export/words"
)

// FileSource answers about published files.
type FileSource interface {
	// Sets are the published sets of an account, digits or all, latest first; only the standing revision of each unless old.
	Sets(ctx context.Context, account string, old bool) ([]caseview.PublishedSet, error)
	// CopyFile writes the proven bytes of a published file to a new local file.
	CopyFile(ctx context.Context, sum, local string) error
}

func fileRoutes() []route {
	return []route{
		{pattern: "GET /files", page: "files", do: showFiles, menu: "desk.files"},
		{pattern: "GET /files/{sha256}/{name}", page: "file", do: sendFile, sends: true},
		{pattern: "GET /index.html", page: "files", do: leadToFiles},
	}
}

// filesPage is the published files, latest first.
type filesPage struct {
	Sets     []caseview.PublishedSet
	Accounts []string
	Kinds    []string
	Formats  []string
	Account  string
	Kind     string
	Basis    string
	Format   string
	Bases    []string
	Old      bool
	Payers   bool // the person may see payers in the clear
	lang     string
}

// NameReasons is what made the revision of a set follow the one before, in words; empty of a first one.
func (p *filesPage) NameReasons(s caseview.PublishedSet) string {
	var all []string
	for _, r := range s.Why {
		table, extension, isFile := strings.Cut(r.What, ".")
		what := nameOf(p.lang, "kinds", table)
		switch {
		case isFile:
			what += " " + nameOf(p.lang, "formats", extension)
		case what == table:
			what = words.Name(p.lang, "set_part", table)
		}
		if r.Change == "added" {
			what = words.Text(p.lang, "desk.why_added", "what", what)
		}
		all = append(all, what)
	}
	return strings.Join(all, ", ")
}

// showFiles lists the published sets.
func showFiles(v *visit) error {
	f := newFields(v.r.URL.Query(), v.lang)
	page := &filesPage{
		Account: f.text("account"), Kind: f.text("kind"), Basis: f.text("basis"), Format: f.text("format"), Old: f.text("old") != "", Payers: v.person.Payers, lang: v.lang,
	}
	if v.maySee("all") {
		page.Accounts = append(page.Accounts, "all")
	}
	for _, a := range v.head.Accounts {
		if v.maySee(a.Number.String()) {
			page.Accounts = append(page.Accounts, a.Number.String())
		}
	}
	if page.Account != "" && !slices.Contains(page.Accounts, page.Account) {
		return ErrNotFound
	}
	for _, account := range page.Accounts {
		if page.Account != "" && page.Account != account {
			continue
		}
		sets, err := v.source.Sets(v.r.Context(), account, page.Old)
		if err != nil {
			return err
		}
		for i := range sets {
			page.addSet(&sets[i])
		}
	}
	slices.SortStableFunc(page.Sets, func(a, b caseview.PublishedSet) int { return int(b.To - a.To) })
	for _, list := range []*[]string{&page.Kinds, &page.Formats, &page.Bases} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return v.render("files", v.text("desk.files"), page)
}

// addSet adds a set with those of its files that were asked for, and notes what there is to ask for.
func (p *filesPage) addSet(s *caseview.PublishedSet) {
	p.Bases = append(p.Bases, s.Basis)
	shown := *s
	shown.Files = nil
	for _, file := range s.Files {
		p.Kinds, p.Formats = append(p.Kinds, file.Kind), append(p.Formats, file.Format)
		if (p.Kind == "" || p.Kind == file.Kind) && (p.Format == "" || p.Format == file.Format) {
			shown.Files = append(shown.Files, file)
		}
	}
	if (p.Basis == "" || p.Basis == s.Basis) && len(shown.Files) > 0 {
		p.Sets = append(p.Sets, shown)
	}
}

// leadToFiles leads from the index of the share to its files here.
func leadToFiles(v *visit) error { return v.redirect("/files") }

// leadOn leads from the index that an account has on the share; any other address is not there.
func leadOn(v *visit) error {
	account, found := strings.CutSuffix(strings.TrimPrefix(v.r.URL.Path, v.c.Prefix+"/"), "/index.html")
	if !found || !v.maySee(account) {
		return ErrNotFound
	}
	return v.redirect("/files?account=" + account)
}

// errPayers refuses a file with payers in the clear to a person who may not see them.
var errPayers = errors.New("not for this person: payers")

// pagePolicy is what a published page may do: show its own style, and nothing else.
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; " +
	"frame-ancestors 'none'; sandbox allow-popups allow-top-navigation-by-user-activation"

// sendFile sends the bytes of a published file, once they are proven. No part of the address becomes a path: the hash is looked
// up among the sets that the person may see.
func sendFile(v *visit) error {
	sum, file, of := v.r.PathValue("sha256"), (*caseview.PublishedFile)(nil), (*caseview.PublishedSet)(nil)
	accounts := []string{"all"}
	for _, a := range v.head.Accounts {
		accounts = append(accounts, a.Number.String())
	}
	for _, account := range accounts {
		if !v.maySee(account) || file != nil {
			continue
		}
		sets, err := v.source.Sets(v.r.Context(), account, true)
		if err != nil {
			return err
		}
		of, file = findFile(sets, sum, v.r.PathValue("name"))
	}
	if file == nil {
		return ErrNotFound
	}
	if file.Payers && !v.person.Payers {
		v.c.Log.Warn().Str("person", v.person.Name).Str("address", v.r.RemoteAddr).Str("path", v.r.URL.Path).Msg("a file with payers was refused: the person may not see them")
		return errPayers
	}
	dir, err := os.MkdirTemp("", "concilia-file-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	local := filepath.Join(dir, "file")
	err = v.source.CopyFile(v.r.Context(), sum, local)
	if errors.Is(err, ErrGone) {
		return showGone(v, of, file)
	}
	if err != nil {
		return err
	}
	return sendLocal(v, file, local)
}

// showGone says what was published where its bytes are kept no more, or are other ones, and how its rows are rendered again.
func showGone(v *visit, of *caseview.PublishedSet, file *caseview.PublishedFile) error {
	v.c.Log.Warn().Str("file", file.Path).Str("sha256", file.SHA256).Msg("a published file is not in the archive as it was published")
	return v.renderAs(http.StatusGone, "fail", v.text("desk.gone"), failure{
		Title: v.text("desk.gone"), Text: v.text("desk.gone_text"), Detail: file.Path + "\nSHA-256 " + file.SHA256,
		Hint: v.text("desk.gone_hint"), Command: fmt.Sprintf("concilia report --as-of-run %s --account %s --basis %s --from %s --to %s --out DIR", of.Run, of.Account, of.Basis, of.From, of.To),
	})
}

// findFile finds a file, and the set that has it, by its hash and its name: files without rows of several accounts have the same bytes.
func findFile(sets []caseview.PublishedSet, sum, name string) (*caseview.PublishedSet, *caseview.PublishedFile) {
	for i := range sets {
		for j := range sets[i].Files {
			if f := &sets[i].Files[j]; f.SHA256 == sum && path.Base(f.Path) == name {
				return &sets[i], f
			}
		}
	}
	return nil, nil
}

// sendLocal sends a proven copy: a page to be looked at, everything else to be kept.
func sendLocal(v *visit, file *caseview.PublishedFile, local string) (err error) {
	from, err := os.Open(local)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	h := v.w.Header()
	h.Set("ETag", `"`+file.SHA256+`"`)
	if file.Format == "html" {
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", pagePolicy)
	} else {
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(file.Path)}))
	}
	http.ServeContent(v.w, v.r, "", time.Time{}, from)
	return nil
}
