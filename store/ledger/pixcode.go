package ledger

import (
	"errors"
	"fmt"
	"strings"
)

// PixCode is what a Pix "copia e cola" text (BR Code, an EMV merchant-presented QR code) says. Only ParsePixCode
// makes one.
type PixCode struct {
	Text         string      // the whole code as given
	Key          string      // the receiver's Pix key, of a static code; it may be a person's document
	Location     string      // the URL without scheme behind a dynamic code
	SingleUse    bool        // object 01 is 12: one payment only
	Amount       Opt[Amount] // absent: the payer chooses, or the URL tells
	MerchantName string
	MerchantCity string
	TxID         string // "***": none, or known only behind the URL
	CRC          string // the four hexadecimal digits at the end
}

// maxPixText bounds a code; the manual limits it to 512 characters.
const maxPixText = 512

// pixGUI names the Pix template among those of other arrangements; its case is free.
const pixGUI = "br.gov.bcb.pix"

// ParsePixCode takes a code apart and checks its CRC and the objects a Pix code has to have. Names longer than
// the format allows are taken, since such codes are paid every day. Errors name the object and what would be
// right; of contents they repeat the CRC and fixed codes only.
func ParsePixCode(s string) (PixCode, error) {
	if len(s) > maxPixText {
		return PixCode{}, fmt.Errorf("pix code: %d characters, at most %d", len(s), maxPixText)
	}
	objects, err := parseTLV(s)
	if err != nil {
		return PixCode{}, fmt.Errorf("pix code: %w", err)
	}
	p := PixCode{Text: s}
	if err := p.checkCRC(objects); err != nil {
		return PixCode{}, fmt.Errorf("pix code: %w", err)
	}
	if err := p.fill(objects); err != nil {
		return PixCode{}, fmt.Errorf("pix code: %w", err)
	}
	return p, nil
}

func (p *PixCode) checkCRC(objects []tlv) error {
	last := objects[len(objects)-1]
	if last.id != "63" || len(last.value) != 4 {
		return errors.New("does not end in a CRC (object 63, 4 characters)")
	}
	p.CRC = last.value
	if want := fmt.Sprintf("%04X", crc16(p.Text[:len(p.Text)-4])); p.CRC != want {
		return fmt.Errorf("crc is %q, should be %s", p.CRC, want)
	}
	return nil
}

func (p *PixCode) fill(objects []tlv) error {
	if v, _ := object(objects, "00"); v != "01" || objects[0].id != "00" {
		return errors.New("does not begin with object 00 of value 01")
	}
	for _, fixed := range []tlv{{"53", "986"}, {"58", "BR"}} {
		if v, ok := object(objects, fixed.id); !ok || v != fixed.value {
			return fmt.Errorf("object %s is %.8q, should be %s", fixed.id, v, fixed.value)
		}
	}
	if err := p.fillTemplate(objects); err != nil {
		return err
	}
	var ok bool
	if p.MerchantName, ok = object(objects, "59"); !ok {
		return errors.New("no merchant name (object 59)")
	}
	if p.MerchantCity, ok = object(objects, "60"); !ok {
		return errors.New("no merchant city (object 60)")
	}
	if v, ok := object(objects, "54"); ok {
		a, err := ParseAmount(v)
		if err != nil || strings.Trim(v, "0123456789.") != "" {
			return errors.New("object 54 is not an amount")
		}
		p.Amount = Some(a)
	}
	use, _ := object(objects, "01")
	p.SingleUse = use == "12"
	v, ok := object(objects, "62")
	if !ok {
		return nil
	}
	extra, err := parseTLV(v)
	if err != nil {
		return fmt.Errorf("object 62: %w", err)
	}
	p.TxID, _ = object(extra, "05")
	return nil
}

// fillTemplate finds the Pix template among the arrangements' templates, 26 to 51.
func (p *PixCode) fillTemplate(objects []tlv) error {
	for _, o := range objects {
		if o.id < "26" || o.id > "51" {
			continue
		}
		parts, err := parseTLV(o.value)
		if err != nil {
			return fmt.Errorf("object %s: %w", o.id, err)
		}
		if gui, _ := object(parts, "00"); !strings.EqualFold(gui, pixGUI) {
			continue
		}
		p.Key, _ = object(parts, "01")
		p.Location, _ = object(parts, "25")
		if (p.Key == "") == (p.Location == "") {
			return fmt.Errorf("object %s: has to hold either a key (01) or a location (25)", o.id)
		}
		return nil
	}
	return errors.New("no Pix template (objects 26 to 51)")
}

// tlv is one object: two digits of id, two of length, the value.
type tlv struct{ id, value string }

// parseTLV takes a text of at least one object apart; an id may stand once.
func parseTLV(s string) ([]tlv, error) {
	if s == "" {
		return nil, errors.New("empty")
	}
	var out []tlv
	for at := 0; at < len(s); {
		if len(s)-at < 4 {
			return nil, fmt.Errorf("ends inside an object, at character %d", at+1)
		}
		id := s[at : at+2]
		n, ok := digits(s[at+2 : at+4])
		if _, okID := digits(id); !ok || !okID {
			return nil, fmt.Errorf("no object id and length at character %d", at+1)
		}
		if at+4+n > len(s) {
			return nil, fmt.Errorf("object %s says %d characters, %d are left", id, n, len(s)-at-4)
		}
		if _, twice := object(out, id); twice {
			return nil, fmt.Errorf("object %s stands twice", id)
		}
		out = append(out, tlv{id, s[at+4 : at+4+n]})
		at += 4 + n
	}
	return out, nil
}

func object(objects []tlv, id string) (string, bool) {
	for _, o := range objects {
		if o.id == id {
			return o.value, true
		}
	}
	return "", false
}

// crc16 is CRC-16/CCITT-FALSE: polynomial 0x1021, initial 0xFFFF, nothing reflected, no final exclusive or.
func crc16(s string) uint16 {
	crc := uint16(0xFFFF)
	for i := range len(s) {
		crc ^= uint16(s[i]) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return crc
}
