package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"concilia/jobs/api"
)

func TestForgetPayer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in, want string
		changed        int
	}{
		{
			"every member of the payer, and no other",
			`[{"id":"12345678909","payerDocument":"12345678909","payerName":"Ana","payerStreetAndNumber":"Rua 1, 2","payerZipCode":"01310100","payerCity":"São","payerCityState":"SP","payerNeighborhood":"B","payerPhoneNumber":"119","value":1.00}]`,
			`[{"id":"12345678909","payerDocument":"***********","payerName":"***","payerStreetAndNumber":"********","payerZipCode":"********","payerCity":"****","payerCityState":"**","payerNeighborhood":"*","payerPhoneNumber":"***","value":1.00}]`, 1,
		},
		{
			"others stay", `[{"payerDocument":"11144477735","payerName":"Eva"}, {"payerName":"Ana","payerDocument":"123.456.789-09"}]`,
			`[{"payerDocument":"11144477735","payerName":"Eva"}, {"payerName":"***","payerDocument":"**************"}]`, 1,
		},
		{"names in capitals, and blanks", "[ {\"PayerDocument\" : \"12345678909\",\n\"PayerName\":\"A\"} ]\r\n", "[ {\"PayerDocument\" : \"***********\",\n\"PayerName\":\"*\"} ]\r\n", 1},
		{"a detail", `{"success":true,"payerDocument":"12345678909","payerName":"A"}`, `{"success":true,"payerDocument":"***********","payerName":"*"}`, 1},
		{"escapes", `[{"payerDocument":"1234567890\u0039","payerName":"A \"B\\\" \u00e9"}]`, `[{"payerDocument":"****************","payerName":"****************"}]`, 1},
		{"a number without quotes", `[{"payerDocument":12345678909,"payerPhoneNumber":null}]`, `[{"payerDocument":***********,"payerPhoneNumber":null}]`, 1},
		{"texts within a value", `[{"payerDocument":"12345678909","payerName":["Ana",{"x":"B","n":12}]}]`, `[{"payerDocument":"***********","payerName":["***",{"*":"*","*":**}]}]`, 1},
		{"a brace in a text", `[{"payerName":"}{","payerDocument":"12345678909"}]`, `[{"payerName":"**","payerDocument":"***********"}]`, 1},
		{"nothing", `[]`, `[]`, 0},
		{"no document", `[{"payerName":"Ana","payerDocument":null},{"payerName":"Ana","payerDocument":""}]`, `[{"payerName":"Ana","payerDocument":null},{"payerName":"Ana","payerDocument":""}]`, 0},
	} {
		var b strings.Builder
		changed, err := api.ForgetPayer(&b, strings.NewReader(c.in), "123.456.789-09")
		if err != nil || b.String() != c.want || changed != c.changed {
			t.Errorf("%s: %d changed, error %v\n got %s\nwant %s", c.name, changed, err, b.String(), c.want)
		}
		var again strings.Builder
		if changed, err := api.ForgetPayer(&again, strings.NewReader(c.want), "12345678909"); err != nil || changed != 0 || again.String() != c.want {
			t.Errorf("%s, again: %d changed, error %v", c.name, changed, err)
		}
	}
	if _, err := api.ForgetPayer(&strings.Builder{}, strings.NewReader(`[{"a":1`), "12345678909"); err == nil {
		t.Error("a body that is cut passed for whole")
	}
}

// The length stays, nothing is left to forget, and the records of others say what they said.
func FuzzForgetPayer(f *testing.F) {
	f.Add([]byte(`[{"payerDocument":"12345678909","payerName":"A\"b"},{"payerDocument":"1","payerName":"C"}]`))
	f.Add([]byte(`[{"payerDocument":12345678909,"payerCity":{"a":["\u0031",2]}}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var list []map[string]any
		if len(body) >= 1<<14 || json.Unmarshal(body, &list) != nil {
			return
		}
		var b, again strings.Builder
		changed, err := api.ForgetPayer(&b, strings.NewReader(string(body)), "12345678909")
		if err != nil || b.Len() != len(body) || (changed == 0) != (b.String() == string(body)) {
			t.Fatalf("%d bytes became %d, %d changed, error %v", len(body), b.Len(), changed, err)
		}
		left, err := api.ForgetPayer(&again, strings.NewReader(b.String()), "12345678909")
		if err != nil || left != 0 {
			t.Fatalf("%d left, error %v in %q", left, err, b.String())
		}
	})
}
