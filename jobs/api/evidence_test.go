package api_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"concilia/jobs/api"
	"concilia/store/ledger"
)

// What is kept of an answer is the answer of its receipt, byte for byte but for card numbers, whatever was tried before.
func TestBodiesAreKept(t *testing.T) {
	t.Parallel()
	const id = "3fa85f64-5717-4562-b3fc-2c963f66afa6"
	open, masked := record("cardNumber", `"4111111111111111"`), record("cardNumber", `"411111******1111"`)
	slip := `{"id":"` + id + `","value":1,"dueDate":"2026-11-02","payerName":"Ana 4111111111111111"}`
	maskedSlip := strings.Replace(slip, "4111111111111111", "411111******1111", 1)
	cards := func(c *api.Client) (api.Receipt, error) {
		a, err := c.SearchInstallments(t.Context(), 1001, dayOne, dayOne, nil)
		return a.Receipt, err
	}
	for _, c := range []struct {
		name       string
		body, kept string
		ask        func(*api.Client) (api.Receipt, error)
	}{
		{"nothing to mask", "[" + record() + "]\r\n", "[" + record() + "]\r\n", cards},
		{"an empty list", " [ ] ", " [ ] ", cards},
		{"cards in the clear", "[" + open + "," + record() + "]", "[" + masked + "," + record() + "]", cards},
		{"a longer one", "[" + strings.Repeat(open+",", 2000) + open + "]", "[" + strings.Repeat(masked+",", 2000) + masked + "]", cards},
		{"a list of slips", "[" + slip + "]", "[" + maskedSlip + "]", func(c *api.Client) (api.Receipt, error) {
			a, err := c.ListSlips(t.Context(), ledger.SlipsCredit, 1001, dayOne, dayOne, ledger.Opt[int64]{})
			return a.Receipt, err
		}},
		{"the detail of a slip", slip, maskedSlip, func(c *api.Client) (api.Receipt, error) {
			a, err := c.ReadSlip(t.Context(), 1001, id)
			return a.Receipt, err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, inTurn(say(http.StatusInternalServerError, "[]"), hangUp(c.body[:len(c.body)/2]), say(200, c.body)))
			got, err := c.ask(f.client(t))
			if err != nil {
				t.Fatal(err)
			}
			var kept strings.Builder
			if _, err := got.Body.WriteTo(&kept); err != nil || kept.String() != c.kept {
				t.Errorf("kept %.300s…, error %v", kept.String(), err)
			}
			if sum := sha256.Sum256([]byte(c.body)); got.SHA256 != hex.EncodeToString(sum[:]) {
				t.Errorf("the hash of what arrived is %s, should be %x", got.SHA256, sum)
			}
			if got.Body.SHA256 != got.SHA256 || got.Body.Size != got.Bytes || got.Body.Changed() != (c.body != c.kept) {
				t.Errorf("%s of %d bytes, kept as %s of %d", got.SHA256, got.Bytes, got.Body.Kept, got.Body.Size)
			}
		})
	}
}

// BenchmarkKeep is what keeping costs a body of the usual size.
func BenchmarkKeep(b *testing.B) {
	body := "[" + strings.Repeat(record()+",", 10_000) + record() + "]"
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		packed, err := api.Keep(strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(body))/float64(len(packed.Packed)), "ratio")
	}
}
