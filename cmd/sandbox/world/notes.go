package world

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
)

// unusedEvery is after how many notes two numbers stay unused.
const unusedEvery = 97

// numberNotes gives each sale the number of its note, in order of time. Now and then two numbers stay unused.
func (b *storeBook) numberNotes() {
	next := 1
	for i := range b.sales {
		if next%unusedEvery == 0 {
			next += 2
		}
		b.sales[i].number = next
		next++
	}
}

// Means of payment and brands as notes number them.
var (
	noteMeans  = map[string]string{byCredit: "03", byDebit: "04", byPix: "17", byCash: "01"}
	noteBrands = map[string]string{"visa": "01", "mastercard": "02", "amex": "03", "elo": "06", "hipercard": "07"}
)

// serviceDocument is the CNPJ of the service, which notes name as the card's institution.
const serviceDocument = "11444777000161"

// What notes name of their issue: the state, the series, and who received them at the tax office.
const (
	noteState   = "35"
	noteSeries  = 1
	noteVersion = "SP_NFCE_PL_009_V400"
)

// exportNotes is a ZIP of what the tax office returned for the notes of some days: the notes, the events that void some, and the
// numbers that stay unused.
func (b *storeBook) exportNotes(from, to Date) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	made := (to + 1).At(5 * 60 * 60)
	write := func(name, text string) {
		f, _ := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: made}) // into memory
		_, _ = io.WriteString(f, xml.Header+text)
	}
	last := 0
	for i := range b.sales {
		o := &b.sales[i]
		unused := o.number - last - 1
		last = o.number
		if o.day < from || o.day > to {
			continue
		}
		if unused > 0 {
			first := o.number - unused
			write(fmt.Sprintf("%s-%d-inut.xml", o.day, first), b.unusedXML(o.day, first, o.number-1))
		}
		key := b.noteKey(o)
		write(key+"-procNFe.xml", b.noteXML(o, key))
		if o.cancelledOn != 0 {
			write(key+"-110111-procEventoNFe.xml", b.cancellationXML(o, key))
		}
	}
	_ = z.Close()
	return out.Bytes()
}

// noteKey is a note's key of access: state, month, issuer, model, series, number, form of issue, a number of its own, check digit.
func (b *storeBook) noteKey(o *ownSale) string {
	day := o.day.String()
	k := fmt.Sprintf("%s%s%s%s65%03d%09d1%08d", noteState, day[2:4], day[5:7], b.store.Document, noteSeries, o.number, o.number*7_654_321%100_000_000)
	return k + noteKeyDigit(k)
}

// noteKeyDigit is the check digit of a key: weights 2 to 9 from the right, modulo 11.
func noteKeyDigit(k string) string {
	sum := 0
	for i := range len(k) {
		sum += int(k[len(k)-1-i]-'0') * (2 + i%8)
	}
	if r := sum % 11; r >= 2 {
		return strconv.Itoa(11 - r)
	}
	return "0"
}
