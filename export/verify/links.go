package verify

import (
	"context"
	"html"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"concilia/export/index"
	"concilia/export/publish"
)

// maxLinked bounds what is read of a page for its links.
const maxLinked = 64 << 20

var (
	linkPattern   = regexp.MustCompile(`\shref="([^"]*)"`)
	anchorPattern = regexp.MustCompile(`\sid="([^"]*)"`)
)

// checkLinks adds a fault for each link of an index or of a page of a set that leads to no file, or to no place in one. A link that
// leads out of the path that is verified is left, and so is one of a set's page to an index: sets may be copied without their index, and
// an index leads to what there is today.
func (v *verifier) checkLinks(ctx context.Context) {
	anchors := make(map[string]map[string]bool) // of the pages that were read, by path
	indexes := v.indexFolders()
	for _, path := range v.present {
		isIndex := filepath.Base(path) == index.FileName("") && indexes[filepath.Dir(path)]
		if filepath.Ext(path) != ".html" || !isIndex && !v.listed[path] {
			continue
		}
		body, err := readLinked(ctx, path)
		if err != nil {
			v.addError(path, err)
			continue
		}
		if isIndex {
			v.report.Files++
		}
		var dead []string
		for _, m := range linkPattern.FindAllStringSubmatch(body, -1) {
			if !isIndex && strings.Contains(m[1], index.FileName("")) {
				continue
			}
			if to := v.findDead(ctx, path, html.UnescapeString(m[1]), anchors); to != "" && !slices.Contains(dead, to) {
				dead = append(dead, to)
				v.addFault(path, "verify_fault.links_to_which_is_not", "to", to)
			}
		}
	}
}

// indexFolders are the folders in which an index of the sets that were found may be: of their account and of their target.
func (v *verifier) indexFolders() map[string]bool {
	out := make(map[string]bool)
	for path := range v.listed {
		account := filepath.Dir(filepath.Dir(filepath.Dir(path)))
		out[account], out[filepath.Dir(account)] = true, true
	}
	return out
}

// findDead returns what a link of a page leads to and is not there: the file, or the link whole if only the place in the file is not;
// empty if all is there.
func (v *verifier) findDead(ctx context.Context, page, link string, anchors map[string]map[string]bool) string {
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	if u.IsAbs() || u.Host != "" {
		return ""
	}
	path := page
	if u.Path != "" {
		path = filepath.Join(filepath.Dir(page), filepath.FromSlash(u.Path))
	}
	if rel, err := filepath.Rel(v.root, path); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return ""
	}
	if _, err := os.Lstat(path); err != nil {
		return u.Path
	}
	if u.Fragment == "" {
		return ""
	}
	if anchors[path] == nil {
		anchors[path] = make(map[string]bool)
		body, err := readLinked(ctx, path)
		if err != nil {
			return link
		}
		for _, m := range anchorPattern.FindAllStringSubmatch(body, -1) {
			anchors[path][html.UnescapeString(m[1])] = true
		}
	}
	if anchors[path][u.Fragment] {
		return ""
	}
	return link
}

func readLinked(ctx context.Context, path string) (string, error) {
	var body []byte
	err := publish.ReadRegular(ctx, path, maxLinked, func(in io.Reader) (err error) {
		body, err = io.ReadAll(in)
		return err
	})
	return string(body), err
}
