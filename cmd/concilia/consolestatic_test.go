package main

import (
	"net/http"
	"testing"
)

// A browser that has the style sheet, the script or the icon is not sent it again with each page, and what is not the one that there
// is is sent.
func TestConsoleSendsStaticFilesOnce(t *testing.T) {
	t.Parallel()
	d := openTestDesk(t)
	ask := func(path, has string) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.URL+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if has != "" {
			req.Header.Set("If-None-Match", has)
		}
		res, err := d.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Body.Close(); err != nil {
			t.Fatal(err)
		}
		return res
	}
	seen := map[string]bool{}
	for _, path := range []string{"/static/style.css", "/static/desk.js", "/static/icon.svg"} {
		first := ask(path, "")
		tag := first.Header.Get("ETag")
		if first.StatusCode != http.StatusOK || first.ContentLength <= 0 || tag == "" || seen[tag] {
			t.Errorf("%s: %s, %d bytes, tag %s", path, first.Status, first.ContentLength, tag)
		}
		seen[tag] = true
		if again := ask(path, tag); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s, asked for by its tag: %s", path, again.Status)
		}
		if other := ask(path, `"another"`); other.StatusCode != http.StatusOK {
			t.Errorf("%s, asked for by another tag: %s", path, other.Status)
		}
	}
	if none := ask("/static/none.css", ""); none.StatusCode != http.StatusNotFound || none.Header.Get("ETag") != "" {
		t.Errorf("a file that is not there: %s, tag %s", none.Status, none.Header.Get("ETag"))
	}
}
