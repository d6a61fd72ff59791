package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/store/ledger"
)

const (
	pixStatic    = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D"
	pixDynamic   = "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4"
	pixComposite = "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80740014br.gov.bcb.pix2552pix.example.com/rec/2353c790eefb11eaadc10242ac1200026304FB42"
	pixMulti     = "00020104141234567890123426580014BR.GOV.BCB.PIX0136123e4567-e12b-12d1-a456-42665544000027300012BR.COM.OUTRO011001234567895204000053039865406123.455802BR5917NOME DO RECEBEDOR6008BRASILIA61087007490062190515RP12345678-201980390012BR.COM.OUTRO01190123.ABCD.3456.WXYZ6304AD38"
	pixLongCity  = "00020126580014br.gov.bcb.pix0136bee05743-4291-4f3c-9259-595df1307ba1520400005303986540510.005802BR5914Alexandre Lima6019Presidente Prudente62180514Um-Id-Qualquer6304D475"
)

func TestParsePixCode(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why, in string
		want    ledger.PixCode
	}{
		{"static, amount left to the payer", pixStatic, ledger.PixCode{
			Key: "123e4567-e12b-12d1-a456-426655440000", MerchantName: "Fulano de Tal", MerchantCity: "BRASILIA", TxID: "***", CRC: "1D3D",
		}},
		{"dynamic, single use", pixDynamic, ledger.PixCode{
			SingleUse: true,
			Location:  "pix.example.com/8b3da2f39a4140d1a91abd93113bd441", MerchantName: "Fulano de Tal", MerchantCity: "BRASILIA", TxID: "***", CRC: "64E4",
		}},
		{"composite, with a recurrence beside the charge", pixComposite, ledger.PixCode{
			SingleUse: true,
			Location:  "pix.example.com/8b3da2f39a4140d1a91abd93113bd441", MerchantName: "Fulano de Tal", MerchantCity: "BRASILIA", TxID: "***", CRC: "FB42",
		}},
		{"several arrangements", pixMulti, ledger.PixCode{
			Key: "123e4567-e12b-12d1-a456-426655440000", MerchantName: "NOME DO RECEBEDOR", MerchantCity: "BRASILIA",
			Amount: ledger.Some(parsedAmount(t, "123.45")), TxID: "RP12345678-2019", CRC: "AD38",
		}},
		{"a city longer than allowed is taken", pixLongCity, ledger.PixCode{
			Key: "bee05743-4291-4f3c-9259-595df1307ba1", MerchantName: "Alexandre Lima", MerchantCity: "Presidente Prudente",
			Amount: ledger.Some(parsedAmount(t, "10.00")), TxID: "Um-Id-Qualquer", CRC: "D475",
		}},
	} {
		got, err := ledger.ParsePixCode(tc.in)
		tc.want.Text = tc.in
		if err != nil {
			t.Errorf("%s: %v", tc.why, err)
		} else if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("%s:\n%s", tc.why, d)
		}
	}
}

// The check value that every description of the algorithm gives.
func TestCRC16CheckValue(t *testing.T) {
	t.Parallel()
	if got := ledger.CRC16("123456789"); got != 0x29B1 {
		t.Errorf("CRC-16/CCITT-FALSE of 123456789 is %04X, should be 29B1", got)
	}
}

func TestParsePixCodeRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ why, in, want string }{
		{"a wrong CRC", strings.Replace(pixStatic, "1D3D", "1D3E", 1), `pix code: crc is "1D3E", should be 1D3D`},
		{"a CRC in lower case", strings.Replace(pixStatic, "1D3D", "1d3d", 1), `pix code: crc is "1d3d", should be 1D3D`},
		{"a changed name", strings.Replace(pixStatic, "Fulano", "Sicano", 1), `pix code: crc is "1D3D", should be 4C63`},
		{"cut off", pixStatic[:len(pixStatic)-2], "pix code: object 63 says 4 characters, 2 are left"},
		{"cut off before the CRC", pixStatic[:len(pixStatic)-8], "pix code: does not end in a CRC (object 63, 4 characters)"},
		{"empty", "", "pix code: empty"},
		{"not a code", "hello world", "pix code: no object id and length at character 1"},
		{"too long", strings.Repeat("0", 600), "pix code: 600 characters, at most 512"},
		{"another currency", sealed("0002015204000053038405802BR5901A6001B"), `pix code: object 53 is "840", should be 986`},
		{"no Pix template", sealed("00020126160012br.com.outro5204000053039865802BR5901A6001B"), "pix code: no Pix template (objects 26 to 51)"},
		{"neither key nor location", sealed("00020126180014br.gov.bcb.pix5204000053039865802BR5901A6001B"), "pix code: object 26: has to hold either a key (01) or a location (25)"},
		{"an amount with a sign", sealed("00020126230014br.gov.bcb.pix0101x52040000530398654051e1.05802BR5901A6001B"), "pix code: object 54 is not an amount"},
		{"no city", sealed("00020126230014br.gov.bcb.pix0101x5303986" + "5802BR5901A"), "pix code: no merchant city (object 60)"},
		{"an object twice", "000201000201", "pix code: object 00 stands twice"},
		{"a first object other than 00", sealed("5303986"), "pix code: does not begin with object 00 of value 01"},
	} {
		_, err := ledger.ParsePixCode(tc.in)
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s: error %v, want %q", tc.why, err, tc.want)
		}
	}
}

func FuzzParsePixCode(f *testing.F) {
	for _, s := range []string{pixStatic, pixDynamic, pixComposite, pixMulti, pixLongCity, "000201", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ledger.ParsePixCode(s)
		if err != nil {
			return
		}
		if p.Text != s || !strings.HasSuffix(s, "6304"+p.CRC) || p.MerchantName != "" && !strings.Contains(s, p.MerchantName) {
			t.Errorf("%q reads as something it does not say", s)
		}
	})
}

// sealed ends a code with the CRC it needs, found from the reader's own complaint about a wrong one.
func sealed(s string) string {
	_, err := ledger.ParsePixCode(s + "6304XXXX")
	var want string
	if _, scanErr := fmt.Sscanf(err.Error(), `pix code: crc is "XXXX", should be %s`, &want); scanErr != nil {
		panic(err)
	}
	return s + "6304" + want
}

func parsedAmount(t *testing.T, s string) ledger.Amount {
	t.Helper()
	a, err := ledger.ParseAmount(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
