package world

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"time"
)

// StoreFile is a file that a store exported.
type StoreFile struct {
	Name string
	// From and To are the days that it has whole; zero: it has notes, whose numbers say it.
	From, To Date
	Bytes    []byte
}

// StoreFiles are what a store has exported of some days by the morning of the business clock: tables as CSV, with the silent day
// between two of them, or notes in a ZIP. planted puts the differences of PlantedInStores in them.
func (w *World) StoreFiles(store Store, from, to Date, planted bool) []StoreFile {
	b := w.bookOf(&store, planted)
	to = min(to, DateOf(w.Now())-1)
	if store.Notes {
		name := fmt.Sprintf("notas-%s.zip", to)
		return []StoreFile{{Name: name, Bytes: b.exportNotes(from, to)}}
	}
	periods := [][2]Date{{from, to}}
	if b.silent >= from && b.silent <= to {
		periods = [][2]Date{{from, b.silent - 1}, {b.silent + 1, to}}
	}
	var all []StoreFile
	for _, p := range periods {
		if p[0] <= p[1] {
			all = append(all, StoreFile{Name: fmt.Sprintf("vendas-%s.csv", p[1]), From: p[0], To: p[1], Bytes: b.exportTable(p[0], p[1])})
		}
	}
	return all
}

// exportTable is the sales of some days as CSV, a payment a line.
func (b *storeBook) exportTable(from, to Date) []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	write := func(fields ...string) { _ = w.Write(fields) } // into memory
	write("sale_id", "sold_at", "amount", "method", "installments", "brand", "nsu", "auth", "reference", "payment_id", "last4", "terminal",
		"interest", "slip_id", "our_number", "status", "cancelled_at")
	for i := range b.sales {
		o := &b.sales[i]
		if o.day < from || o.day > to {
			continue
		}
		count, interest, status, cancelledAt := "", "", "paid", ""
		if o.count > 0 {
			count = strconv.Itoa(o.count)
		}
		if o.interest != 0 {
			interest = o.interest.Cents()
		}
		if o.cancelledOn != 0 {
			status, cancelledAt = "cancelled", o.cancelledOn.String()
		}
		write(o.id, o.day.At(o.second).Format("2006-01-02 15:04:05"), o.amount.Cents(), o.method, count, o.brand, o.nsu, o.auth, o.reference, o.webID,
			o.last4, o.terminal, interest, o.slipID, o.slipNo, status, cancelledAt)
	}
	w.Flush()
	return out.Bytes()
}

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

const noteSeries = 1

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
			write(key+"-110111-procEventoNFe.xml", cancellationXML(key, o.cancelledOn))
		}
	}
	_ = z.Close()
	return out.Bytes()
}

// noteKey is a note's key of access: state, month, issuer, model, series, number, form of issue, a number of its own, check digit.
func (b *storeBook) noteKey(o *ownSale) string {
	day := o.day.String()
	k := fmt.Sprintf("35%s%s%s65%03d%09d1%08d", day[2:4], day[5:7], b.store.Document, noteSeries, o.number, o.number*7_654_321%100_000_000)
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

// isoTime is an instant as notes write it.
func isoTime(t time.Time) string { return t.In(zone).Format("2006-01-02T15:04:05-07:00") }

// noteXML is an authorized note as far as it tells how it was paid. Customers of a counter are not named.
func (b *storeBook) noteXML(o *ownSale, key string) string {
	paid := fmt.Sprintf("<tPag>%s</tPag><vPag>%s</vPag>", noteMeans[o.method], (o.amount + o.change).Cents())
	if o.brand != "" {
		paid += fmt.Sprintf("<card><tpIntegra>1</tpIntegra><CNPJ>%s</CNPJ><tBand>%s</tBand><cAut>%s</cAut><idTermPag>%s</idTermPag></card>",
			serviceDocument, noteBrands[o.brand], o.auth, o.terminal)
	}
	paid = "<detPag>" + paid + "</detPag>"
	if o.change > 0 {
		paid += "<vTroco>" + o.change.Cents() + "</vTroco>"
	}
	issued, total := isoTime(o.day.At(o.second)), o.amount.Cents()
	return `<nfeProc xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00"><NFe><infNFe versao="4.00" Id="NFe` + key + `">` +
		fmt.Sprintf("<ide><cUF>35</cUF><cNF>%s</cNF><natOp>VENDA</natOp><mod>65</mod><serie>%d</serie><nNF>%d</nNF><dhEmi>%s</dhEmi><tpNF>1</tpNF>"+
			"<idDest>1</idDest><tpEmis>1</tpEmis><cDV>%s</cDV><tpAmb>1</tpAmb><finNFe>1</finNFe><indFinal>1</indFinal><indPres>1</indPres></ide>",
			key[35:43], noteSeries, o.number, issued, key[43:]) +
		fmt.Sprintf("<emit><CNPJ>%s</CNPJ></emit><total><ICMSTot><vProd>%s</vProd><vNF>%s</vNF></ICMSTot></total><pag>%s</pag></infNFe></NFe>",
			b.store.Document, total, total, paid) +
		fmt.Sprintf(`<protNFe versao="4.00"><infProt><tpAmb>1</tpAmb><chNFe>%s</chNFe><dhRecbto>%s</dhRecbto><cStat>100</cStat></infProt></protNFe></nfeProc>`, key, issued)
}

// cancellationXML is the registered event that voids a note.
func cancellationXML(key string, on Date) string {
	return fmt.Sprintf(`<procEventoNFe xmlns="http://www.portalfiscal.inf.br/nfe" versao="1.00"><evento><infEvento><chNFe>%s</chNFe><dhEvento>%s</dhEvento>`+
		`<tpEvento>110111</tpEvento></infEvento></evento><retEvento><infEvento><cStat>135</cStat><chNFe>%s</chNFe><tpEvento>110111</tpEvento></infEvento>`+
		`</retEvento></procEventoNFe>`, key, isoTime(on.At(23*60*60+30*60)), key)
}

// unusedXML is the registered declaration that numbers stay unused.
func (b *storeBook) unusedXML(day Date, first, last int) string {
	infos := fmt.Sprintf("<ano>%s</ano><CNPJ>%s</CNPJ><mod>65</mod><serie>%d</serie><nNFIni>%d</nNFIni><nNFFin>%d</nNFFin>",
		day.String()[2:4], b.store.Document, noteSeries, first, last)
	return `<ProcInutNFe xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00"><inutNFe><infInut>` + infos + `</infInut></inutNFe><retInutNFe><infInut><cStat>102</cStat>` +
		infos + `</infInut></retInutNFe></ProcInutNFe>`
}
