package world

import (
	"crypto/sha1" // by which notes are signed
	"encoding/base64"
	"fmt"
	"strings"
	"time"
)

// xmlElement is an element of a document with what is in it. Attributes are written behind the name of an element.
func xmlElement(name string, parts ...string) string {
	closing, _, _ := strings.Cut(name, " ")
	return "<" + name + ">" + strings.Join(parts, "") + "</" + closing + ">"
}

// isoTime is an instant as notes write it.
func isoTime(t time.Time) string { return t.In(zone).Format("2006-01-02T15:04:05-07:00") }

// taxOffice is the name space of documents of the tax office.
const taxOffice = ` xmlns="http://www.portalfiscal.inf.br/nfe"`

// noteXML is an authorized note in the public layout 4.00, its elements in their order. Customers of a counter are not named, and what was sold is
// one article.
func (b *storeBook) noteXML(o *ownSale, key string) string {
	issued := isoTime(o.day.At(o.second))
	body := b.noteHead(o, key, issued) + b.noteGoods(o) + b.notePayment(o)
	return xmlElement("nfeProc"+taxOffice+` versao="4.00"`,
		xmlElement("NFe"+taxOffice, xmlElement(`infNFe versao="4.00" Id="NFe`+key+`"`, body),
			xmlElement("infNFeSupl", xmlElement("qrCode", fmt.Sprintf("https://nfce.example/qrcode?p=%s|2|1|1|%040X", key, sha1.Sum([]byte(key)))),
				xmlElement("urlChave", "https://nfce.example/consulta")),
			noteSignature("NFe"+key, body)),
		xmlElement(`protNFe versao="4.00"`, xmlElement("infProt", xmlElement("tpAmb", "1"), xmlElement("verAplic", noteVersion), xmlElement("chNFe", key),
			xmlElement("dhRecbto", issued), xmlElement("nProt", noteProtocol(key)), xmlElement("digVal", digestOf(body)), xmlElement("cStat", "100"),
			xmlElement("xMotivo", "Autorizado o uso da NF-e"))))
}

// noteHead says what note it is, who issued it and who bought.
func (b *storeBook) noteHead(o *ownSale, key, issued string) string {
	return xmlElement("ide", xmlElement("cUF", noteState), xmlElement("cNF", key[35:43]), xmlElement("natOp", "VENDA"), xmlElement("mod", "65"),
		xmlElement("serie", fmt.Sprint(noteSeries)), xmlElement("nNF", fmt.Sprint(o.number)), xmlElement("dhEmi", issued), xmlElement("tpNF", "1"),
		xmlElement("idDest", "1"), xmlElement("cMunFG", "3550308"), xmlElement("tpImp", "4"), xmlElement("tpEmis", "1"), xmlElement("cDV", key[43:]),
		xmlElement("tpAmb", "1"), xmlElement("finNFe", "1"), xmlElement("indFinal", "1"), xmlElement("indPres", "1"), xmlElement("procEmi", "0"),
		xmlElement("verProc", "loja 1.0")) +
		xmlElement("emit", xmlElement("CNPJ", b.store.Document), xmlElement("xNome", strings.ToUpper(b.store.ID)),
			xmlElement("enderEmit", xmlElement("xLgr", "RUA DO COMERCIO"), xmlElement("nro", "100"), xmlElement("xBairro", "CENTRO"),
				xmlElement("cMun", "3550308"), xmlElement("xMun", "SAO PAULO"), xmlElement("UF", "SP"), xmlElement("CEP", "01001000")),
			xmlElement("IE", "111111111111"), xmlElement("CRT", "1")) +
		xmlElement("dest", xmlElement("CPF", customerDocument), xmlElement("xNome", customerName), xmlElement("indIEDest", "9"), xmlElement("email", customerMail))
}

// noteGoods says what was sold, and what it comes to.
func (b *storeBook) noteGoods(o *ownSale) string {
	total := o.amount.Cents()
	article := xmlElement("prod", xmlElement("cProd", "1"), xmlElement("cEAN", "SEM GTIN"), xmlElement("xProd", "ARTIGO"), xmlElement("NCM", "61091000"),
		xmlElement("CFOP", "5102"), xmlElement("uCom", "UN"), xmlElement("qCom", "1.0000"), xmlElement("vUnCom", total), xmlElement("vProd", total),
		xmlElement("cEANTrib", "SEM GTIN"), xmlElement("uTrib", "UN"), xmlElement("qTrib", "1.0000"), xmlElement("vUnTrib", total), xmlElement("indTot", "1"))
	taxes := xmlElement("imposto", xmlElement("ICMS", xmlElement("ICMSSN102", xmlElement("orig", "0"), xmlElement("CSOSN", "102"))),
		xmlElement("PIS", xmlElement("PISNT", xmlElement("CST", "07"))), xmlElement("COFINS", xmlElement("COFINSNT", xmlElement("CST", "07"))))
	var sums strings.Builder
	for _, name := range strings.Fields("vBC vICMS vICMSDeson vFCP vBCST vST vFCPST vFCPSTRet vProd vFrete vSeg vDesc vII vIPI vIPIDevol vPIS vCOFINS vOutro vNF") {
		value := "0.00"
		if name == "vProd" || name == "vNF" {
			value = total
		}
		sums.WriteString(xmlElement(name, value))
	}
	return xmlElement(`det nItem="1"`, article, taxes) + xmlElement("total", xmlElement("ICMSTot", sums.String())) +
		xmlElement("transp", xmlElement("modFrete", "9"))
}

// notePayment says how it was paid.
func (b *storeBook) notePayment(o *ownSale) string {
	card, change := "", ""
	if o.brand != "" {
		card = xmlElement("card", xmlElement("tpIntegra", "1"), xmlElement("CNPJ", serviceDocument), xmlElement("tBand", noteBrands[o.brand]),
			xmlElement("cAut", o.auth), xmlElement("idTermPag", o.terminal))
	}
	if o.change > 0 {
		change = xmlElement("vTroco", o.change.Cents())
	}
	return xmlElement("pag", xmlElement("detPag", xmlElement("tPag", noteMeans[o.method]), xmlElement("vPag", (o.amount+o.change).Cents()), card), change)
}

// cancellationXML is the registered event that voids a note.
func (b *storeBook) cancellationXML(o *ownSale, key string) string {
	at := isoTime(o.cancelledOn.At(23*60*60 + 30*60))
	id := "ID110111" + key + "01"
	body := xmlElement("cOrgao", noteState) + xmlElement("tpAmb", "1") + xmlElement("CNPJ", b.store.Document) + xmlElement("chNFe", key) +
		xmlElement("dhEvento", at) + xmlElement("tpEvento", "110111") + xmlElement("nSeqEvento", "1") + xmlElement("verEvento", "1.00") +
		xmlElement(`detEvento versao="1.00"`, xmlElement("descEvento", "Cancelamento"), xmlElement("nProt", noteProtocol(key)),
			xmlElement("xJust", "VENDA DESFEITA NO BALCAO"))
	return xmlElement("procEventoNFe"+taxOffice+` versao="1.00"`,
		xmlElement(`evento versao="1.00"`, xmlElement(`infEvento Id="`+id+`"`, body), noteSignature(id, body)),
		xmlElement(`retEvento versao="1.00"`, xmlElement("infEvento", xmlElement("tpAmb", "1"), xmlElement("verAplic", noteVersion), xmlElement("cOrgao", noteState),
			xmlElement("cStat", "135"), xmlElement("xMotivo", "Evento registrado e vinculado a NF-e"), xmlElement("chNFe", key), xmlElement("tpEvento", "110111"),
			xmlElement("nSeqEvento", "1"), xmlElement("dhRegEvento", at), xmlElement("nProt", noteProtocol(key)))))
}

// unusedXML is the registered declaration that numbers stay unused.
func (b *storeBook) unusedXML(day Date, first, last int) string {
	year := day.String()[2:4]
	infos := xmlElement("ano", year) + xmlElement("CNPJ", b.store.Document) + xmlElement("mod", "65") + xmlElement("serie", fmt.Sprint(noteSeries)) +
		xmlElement("nNFIni", fmt.Sprint(first)) + xmlElement("nNFFin", fmt.Sprint(last))
	id := fmt.Sprintf("ID%s%s%s65%03d%09d%09d", noteState, year, b.store.Document, noteSeries, first, last)
	body := xmlElement("tpAmb", "1") + xmlElement("xServ", "INUTILIZAR") + xmlElement("cUF", noteState) + infos + xmlElement("xJust", "NUMEROS PULADOS PELO CAIXA")
	return xmlElement("ProcInutNFe"+taxOffice+` versao="4.00"`,
		xmlElement(`inutNFe versao="4.00"`, xmlElement(`infInut Id="`+id+`"`, body), noteSignature(id, body)),
		xmlElement(`retInutNFe versao="4.00"`, xmlElement("infInut", xmlElement("tpAmb", "1"), xmlElement("verAplic", noteVersion), xmlElement("cStat", "102"),
			xmlElement("xMotivo", "Inutilizacao de numero homologado"), xmlElement("cUF", noteState), infos,
			xmlElement("dhRecbto", isoTime(day.At(23*60*60))), xmlElement("nProt", noteProtocol(id)))))
}

// noteSignature has the shape of a signature of what is named by an id. It is not signed: no key of a store is known here.
func noteSignature(id, signed string) string {
	const rules = "http://www.w3.org/2000/09/xmldsig#"
	const canonical = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
	empty := func(name, algorithm string) string { return xmlElement(name + ` Algorithm="` + algorithm + `"`) }
	return xmlElement(`Signature xmlns="`+rules+`"`,
		xmlElement("SignedInfo", empty("CanonicalizationMethod", canonical), empty("SignatureMethod", rules+"rsa-sha1"),
			xmlElement(`Reference URI="#`+id+`"`, xmlElement("Transforms", empty("Transform", rules+"enveloped-signature"), empty("Transform", canonical)),
				empty("DigestMethod", rules+"sha1"), xmlElement("DigestValue", digestOf(signed)))),
		xmlElement("SignatureValue", digestOf(id)),
		xmlElement("KeyInfo", xmlElement("X509Data", xmlElement("X509Certificate", digestOf("")))))
}

// digestOf is the SHA-1 of a text in Base64.
func digestOf(text string) string {
	sum := sha1.Sum([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// noteProtocol is the number that the tax office gave what is named by a text: fifteen digits.
func noteProtocol(of string) string {
	sum := sha1.Sum([]byte(of))
	n := 0
	for _, b := range sum[:5] {
		n = n<<8 | int(b)
	}
	return fmt.Sprintf("135%012d", n%1_000_000_000_000)
}
