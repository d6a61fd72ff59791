package manual

import (
	"fmt"
	"io"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	table "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"concilia/cmd/concilia/view"
)

// TopicName is the name of a topic's page.
func TopicName(topic string) string { return "concilia-" + topic }

// WriteTopic writes the page of a topic of the handbook, whose Markdown begins with its title.
func WriteTopic(w io.Writer, topic, markdown string) error {
	source := []byte(markdown)
	p := &topicPage{source: source}
	title, _, _ := strings.Cut(strings.TrimPrefix(markdown, "# "), "\n")
	fmt.Fprintf(&p.b, ".TH %s 7 \"\" %s \"Handbook\"\n", quoteRoff(strings.ToUpper(TopicName(topic))), quoteRoff("concilia "+view.ReadBuildFacts().Version))
	fmt.Fprintf(&p.b, ".SH NAME\n%s \\- %s\n.SH DESCRIPTION\n", escapeRoff(TopicName(topic)), escapeRoff(title))
	p.writeBlocks(goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(source)), ".PP")
	p.b.WriteString(".SH SEE ALSO\n\\fBconcilia\\fR(1)\n")
	_, err := io.WriteString(w, p.b.String())
	return err
}

// topicPage is a page that is being written.
type topicPage struct {
	source []byte
	b      strings.Builder
}

// writeBlocks writes the blocks below a node. A paragraph begins with an order: .PP, or in an item of a list what keeps its margin.
func (p *topicPage) writeBlocks(parent ast.Node, paragraph string) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			switch n.Level {
			case 1: // the title
			case 2:
				p.writeOrder(".SH " + quoteRoff(p.plainText(n)))
			default:
				p.writeOrder(".SS " + quoteRoff(p.plainText(n)))
			}
		case *ast.Paragraph:
			p.writeOrder(paragraph)
			p.writeLines(p.inlineText(n))
		case *ast.TextBlock:
			p.writeLines(p.inlineText(n))
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			p.writeLiteral(n)
		case *ast.List:
			p.writeList(n)
		case *table.Table:
			p.writeTable(n)
		default:
			p.writeBlocks(n, paragraph)
		}
	}
}

func (p *topicPage) writeOrder(order string) { p.b.WriteString(order + "\n") }

// writeLines writes text whose signs are escaped already. No line of it is taken for an order.
func (p *topicPage) writeLines(text string) {
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if strings.HasPrefix(line, ".") {
			line = `\&` + line
		}
		p.b.WriteString(line + "\n")
	}
}

// writeLiteral writes a block of commands, or of a file, as it is.
func (p *topicPage) writeLiteral(n ast.Node) {
	p.writeOrder(".RS\n.nf")
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		p.b.WriteString(escapeRoff(strings.TrimRight(string(line.Value(p.source)), "\n")) + "\n")
	}
	p.writeOrder(".fi\n.RE")
}

// writeList writes the items of a list with bullets or numbers.
func (p *topicPage) writeList(list *ast.List) {
	number := list.Start
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		mark := `\(bu 2`
		if list.IsOrdered() {
			mark = fmt.Sprintf("%d. 4", number)
			number++
		}
		p.writeOrder(".IP " + mark)
		p.writeItem(item)
	}
	p.writeOrder(".PP")
}

// writeItem writes an item of a list: its first paragraph follows its mark, and what else it has is indented.
func (p *topicPage) writeItem(item ast.Node) {
	first := item.FirstChild()
	if first == nil {
		return
	}
	p.writeLines(p.inlineText(first))
	if first.NextSibling() == nil {
		return
	}
	item.RemoveChild(item, first)
	p.writeOrder(".RS")
	p.writeBlocks(item, ".PP")
	p.writeOrder(".RE")
}

// writeTable writes a row as a term, which is its first cell, and what is said of it.
func (p *topicPage) writeTable(n *table.Table) {
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			if text := strings.TrimSpace(p.inlineText(cell)); text != "" {
				cells = append(cells, text)
			}
		}
		if len(cells) == 0 {
			continue
		}
		if _, heads := row.(*table.TableHeader); heads {
			p.writeOrder(".PP")
			p.writeLines(strings.Join(cells, " | "))
			continue
		}
		p.writeOrder(".TP")
		p.writeLines(cells[0])
		p.writeLines(strings.Join(cells[1:], " | "))
	}
	p.writeOrder(".PP")
}

// inlineText is the text below a block, its signs escaped and with orders for bold and italic letters.
func (p *topicPage) inlineText(parent ast.Node) string {
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			b.WriteString(escapeSigns(string(n.Value(p.source))))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte('\n')
			}
		case *ast.String:
			b.WriteString(escapeSigns(string(n.Value)))
		case *ast.CodeSpan:
			b.WriteString(`\fB` + strings.ReplaceAll(p.inlineText(n), "\n", " ") + `\fR`)
		case *ast.Emphasis:
			font := `\fI`
			if n.Level > 1 {
				font = `\fB`
			}
			b.WriteString(font + p.inlineText(n) + `\fR`)
		case *ast.AutoLink:
			b.WriteString(escapeSigns(string(n.URL(p.source))))
		default: // of a link its text
			b.WriteString(p.inlineText(n))
		}
	}
	return b.String()
}

// plainText is the text below a node without any orders.
func (p *topicPage) plainText(parent ast.Node) string {
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if t, ok := n.(*ast.Text); ok {
			b.Write(t.Value(p.source))
			continue
		}
		b.WriteString(p.plainText(n))
	}
	return b.String()
}
