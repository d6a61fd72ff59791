package console

import (
	"bytes"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// HandbookSource answers about the handbook.
type HandbookSource interface {
	Handbook(topic, lang string) (string, error)
	HandbookTopics() []string
}

func handbookRoutes() []route {
	return []route{
		{pattern: "GET /handbook", page: "handbook", do: showHandbook, menu: "desk.handbook", rarer: true},
		{pattern: "GET /handbook/{topic}", page: "topic", do: showTopic, under: "handbook"},
	}
}

// handbookPage is a list of topics, or one of them.
type handbookPage struct {
	Topics []handbookTopic
	Body   template.HTML // of the page that is asked for; empty: the list alone
}

type handbookTopic struct {
	ID    string
	Title string
	On    bool
}

func showHandbook(v *visit) error {
	topics, err := handbookTopics(v, "")
	if err != nil {
		return err
	}
	return v.render("handbook", v.text("desk.handbook"), &handbookPage{Topics: topics})
}

// showTopic is a page of the handbook.
func showTopic(v *visit) error {
	id := v.r.PathValue("topic")
	if !slices.Contains(v.source.HandbookTopics(), id) {
		return ErrNotFound
	}
	topics, err := handbookTopics(v, id)
	if err != nil {
		return err
	}
	text, err := v.source.Handbook(id, v.lang)
	if err != nil {
		return err
	}
	body, err := renderMarkdown(text)
	if err != nil {
		return err
	}
	return v.render("handbook", headingOf(text), &handbookPage{Topics: topics, Body: body})
}

func handbookTopics(v *visit, on string) ([]handbookTopic, error) {
	var out []handbookTopic
	for _, id := range v.source.HandbookTopics() {
		text, err := v.source.Handbook(id, v.lang)
		if err != nil {
			return nil, err
		}
		out = append(out, handbookTopic{id, headingOf(text), id == on})
	}
	return out, nil
}

// headingOf is the first line of a page, without its mark.
func headingOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimPrefix(line, "# ")
}

// pageLink is a link from one page of the handbook to another, which are files of one folder.
var pageLink = regexp.MustCompile(`href="(?:\.\./[\w-]+/)?([\w-]+)\.md(#[^"]*)?"`)

// renderMarkdown turns a page of the handbook into HTML. Raw HTML in it is left out.
func renderMarkdown(text string) (template.HTML, error) {
	var b bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.Table)).Convert([]byte(text), &b); err != nil {
		return "", err
	}
	return template.HTML(pageLink.ReplaceAllString(b.String(), `href="$1$2"`)), nil
}
