package books

import (
	"cmp"
	"errors"
)

// ShareMovement marks the event of a share, which is a record of its own under that of its title.
const ShareMovement = "Y50"

// Limits of a file of CNAB 240: the counters of its records.
const (
	loteTitles  = 49_999
	loteDetails = 99_999
	fileRecords = 999_999
)

// placer counts the records of a file as its writer will lay them out, so that the place of an event is known before the file is
// written. The zero value is an empty file.
type placer struct {
	limit int // of records, when fewer than the file's counter holds; 0: fileRecords

	lote, titles, details int // the open lote and what is in it
	records               int // of the file, without the trailers
	last                  int // number in the lote of the record that was placed last
	shares                int // and of the last record of the title
}

// placeTitle places a title with so many records, shares included, or says that the file is full.
func (p *placer) placeTitle(records int) bool {
	full := p.lote == 0 || p.titles == loteTitles || p.details+records > loteDetails
	after := max(p.records, 1) + records + 2
	if full {
		after++
		if p.lote > 0 {
			after++
		}
	}
	if after > cmp.Or(p.limit, fileRecords) {
		return false
	}
	p.records = max(p.records, 1)
	if full {
		if p.lote > 0 {
			p.records++
		}
		p.lote, p.titles, p.details = p.lote+1, 0, 0
		p.records++
	}
	p.titles++
	p.last = p.details + 1
	p.details += records
	p.records += records
	p.shares = p.last + 1
	return true
}

// placeShare places the next share of the title that was placed last.
func (p *placer) placeShare() {
	p.shares++
	p.last = p.shares
}

// errNothingNew rolls a cut back that would have no event.
var errNothingNew = errors.New("nothing became known")

func isNothingNew(err error) bool { return errors.Is(err, errNothingNew) }
