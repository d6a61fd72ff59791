package entries

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

const (
	reversalText    = "ESTORNO "
	referenceBefore = " REF "
	maxText         = 480 // what is put before and after it has room in 512
)

// textOf says what an entry is in the words of an accountant's books: upper case, ASCII, nothing of the payer.
func textOf(kind bookkeeping.EntryType, t *bookkeeping.TitleState) string {
	var text string
	if c := t.Card; c != nil {
		text = fmt.Sprintf("%s %s %d/%d NSU %s", wordOf(kind), c.Brand, c.Number, c.Count, c.NSU)
	} else {
		s := t.Slip
		reference := s.Reference
		if reference == "" {
			reference = s.OurNumber
		}
		text = wordOf(kind) + " " + reference
	}
	return cleanText(text)
}

// cleanText is a text in upper case and ASCII, without what a format gives a meaning of its own.
func cleanText(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' || r == '|' || r == ';' {
			return ' '
		}
		return r
	}, strings.ToUpper(text))
	text = strings.Join(strings.Fields(text), " ")
	return text[:min(len(text), maxText)]
}

// wordOf names an entry in its text.
func wordOf(kind bookkeeping.EntryType) string {
	switch kind {
	case bookkeeping.EntrySale:
		return "VENDA"
	case bookkeeping.EntryFees:
		return "TAXAS"
	case bookkeeping.EntrySettled:
		return "RECEB"
	case bookkeeping.EntrySplit:
		return "SPLIT"
	case bookkeeping.EntryCancelled:
		return "CANCEL"
	case bookkeeping.EntryChargedBack:
		return "CHARGEBACK"
	case bookkeeping.EntryTakenBack:
		return "DEVOLVIDO"
	case bookkeeping.EntryClaimWrittenOff:
		return "PERDA"
	case bookkeeping.EntrySlipIssued:
		return "BOLETO EMITIDO"
	case bookkeeping.EntrySlipPaid:
		return "BOLETO PAGO"
	case bookkeeping.EntrySlipCredited:
		return "BOLETO CREDITADO"
	case bookkeeping.EntrySlipCancelled:
		return "BOLETO CANCELADO"
	case bookkeeping.EntryBank:
		return "BANCO"
	}
	return "SALDO ANTERIOR"
}

// referenceText ends the text of an entry that is posted on another day than its own.
func referenceText(day ledger.Date) string {
	return referenceBefore + day.Brazilian()
}

func withoutReference(text string) string {
	if at := len(text) - len(referenceBefore+"00/00/0000"); at > 0 && strings.HasPrefix(text[at:], referenceBefore) {
		return text[:at]
	}
	return text
}

// DayText says what all entries of a day are that say the same, and how many they are.
func DayText(kind bookkeeping.EntryType, reversal bool, brand string, rows int64) string {
	text := wordOf(kind)
	if reversal {
		text = reversalText + text
	}
	if brand != "" {
		text += " " + cleanText(brand)
	}
	return fmt.Sprintf("%s %d LINHAS", text, rows)
}

// DayID is the key of all entries of a day that say the same, in one set.
func DayID(a ledger.Account, posted ledger.Date, kind bookkeeping.EntryType, reversal bool, brand string, p ledger.Product, set int) string {
	mark := ""
	if reversal {
		mark = "R"
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{
		a.String(), posted.String(), string(kind), mark, brand, string(p), strconv.Itoa(set),
	}, "\n")))
	return hex.EncodeToString(sum[:8])
}
