package cnab_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/export/cnab"
	"concilia/store/ledger"
)

// FuzzRead: no file upsets the reader or Inspect, and a file without fault comes back byte for byte unless its
// line ends were told to be unusual.
func FuzzRead(f *testing.F) {
	for _, name := range []string{
		"bank-collection.ret", "installments.ret", "statement.ret", "bank-084.ret", "bank-040.ret", "bank-101.ret",
	} {
		f.Add(sample(f, name))
	}
	f.Add([]byte("\x1a"))
	f.Add([]byte("\r\n"))
	f.Fuzz(func(t *testing.T, raw []byte) { readAnything(t, raw) })
}

// TestReaderOfDamagedFiles does the same with samples in which bytes were overwritten, dropped or repeated: the
// fuzzer rarely leaves enough of a file to get past its first line.
func TestReaderOfDamagedFiles(t *testing.T) {
	t.Parallel()
	files := [][]byte{sample(t, "bank-collection.ret"), sample(t, "installments.ret"), sample(t, "statement.ret")}
	rapid.Check(t, func(rt *rapid.T) {
		raw := bytes.Clone(rapid.SampledFrom(files).Draw(rt, "file"))
		for range rapid.IntRange(1, 6).Draw(rt, "damages") {
			from := rapid.IntRange(0, len(raw)-1).Draw(rt, "from")
			to := min(len(raw), from+rapid.SampledFrom([]int{1, 2, 15, 242, 484}).Draw(rt, "length"))
			switch rapid.SampledFrom([]string{"overwrite", "drop", "repeat"}).Draw(rt, "kind") {
			case "overwrite":
				raw[from] = rapid.Byte().Draw(rt, "byte")
			case "drop":
				raw = append(bytes.Clone(raw[:from]), raw[to:]...)
			case "repeat":
				raw = append(bytes.Clone(raw[:to]), raw[from:]...)
			}
			if len(raw) == 0 {
				break
			}
		}
		readAnything(rt, raw)
	})
}

func readAnything(t rapid.TB, raw []byte) {
	report, err := cnab.Inspect(bytes.NewReader(raw), io.Discard, cnab.InspectOptions{})
	if err != nil {
		t.Fatalf("inspect: %v", err)
	}
	again, file, err := reemit(raw)
	if err != nil {
		return
	}
	if !report.OK() {
		t.Errorf("read without fault, inspected with: %v", report.Faults)
	}
	for _, w := range file.Warnings.List {
		switch w.Code {
		case cnab.CodeLineEnd, cnab.CodeLastLine, cnab.CodeEndOfFile:
			return
		}
	}
	if file.Warnings.More == 0 && !bytes.Equal(again, raw) {
		t.Errorf("does not come back")
	}
}

// TestAnyTitlesComeBack writes any titles that hold together and reads them again.
func TestAnyTitlesComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		titles := rapid.SliceOfN(rapid.Custom(anyTitle), 0, 20).Draw(rt, "titles")
		profile := rapid.SampledFrom([]cnab.Profile{cnab.Febraban, cnab.BB}).Draw(rt, "profile")
		var out bytes.Buffer
		w, err := cnab.NewWriter(&out, cnab.Header{Account: shop, Profile: profile, AsOf: on(11, 20), NSA: 7})
		if err != nil {
			rt.Fatal(err)
		}
		for _, title := range titles {
			if err := w.WriteTitle(title); err != nil {
				rt.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			rt.Fatal(err)
		}
		again, file, err := reemit(out.Bytes())
		if err != nil {
			rt.Fatal(err)
		}
		if !bytes.Equal(again, out.Bytes()) {
			rt.Fatal("the file does not come back")
		}
		if d := cmp.Diff(w.Totals(), file.Totals); d != "" {
			rt.Fatal(d)
		}
		if len(titles) == 0 {
			titles = nil
		}
		if d := cmp.Diff(titles, file.Lotes[0].Titles); d != "" {
			rt.Fatal(d)
		}
	})
}

func anyTitle(rt *rapid.T) cnab.Title {
	cents := rapid.Custom(func(rt *rapid.T) ledger.Amount {
		return c(rapid.Int64Range(0, 1_000_000_000).Draw(rt, "cents"))
	})
	text := rapid.StringMatching(`([A-Z0-9][A-Z0-9 ]{0,12}[A-Z0-9])?`)
	days := rapid.Custom(func(rt *rapid.T) ledger.Date {
		return on(1, 1) + ledger.Date(rapid.IntRange(0, 700).Draw(rt, "day"))
	})
	title := cnab.Title{
		Movement:       rapid.SampledFrom([]cnab.Movement{2, 3, 6, 9, 17, 28}).Draw(rt, "movement"),
		TitleNumber:    rapid.StringMatching(`[0-9]{20}`).Draw(rt, "number"),
		Portfolio:      rapid.IntRange(1, 6).Draw(rt, "portfolio"),
		DocumentNumber: text.Draw(rt, "document"),
		CompanyUse:     text.Draw(rt, "use"),
		Due:            days.Draw(rt, "due"),
		EventDate:      days.Draw(rt, "event"),
		Payer: cnab.Payer{
			Document: rapid.SampledFrom([]ledger.Document{"", "52998224725", "12ABC34501DE35"}).Draw(rt, "payer"),
			Name:     text.Draw(rt, "name"),
		},
		Face: cents.Draw(rt, "face"), Fee: cents.Draw(rt, "fee"), Additions: cents.Draw(rt, "additions"),
	}
	if title.Movement == cnab.Paid || title.Movement == cnab.PaidLate {
		title.CreditDate = title.EventDate
		title.Discount = min(title.Face, cents.Draw(rt, "discount"))
		title.Paid = title.Face + title.Additions - title.Discount
		title.OtherCredits = title.Fee
		title.Net = title.Paid
	}
	for i := range rapid.IntRange(0, 3).Draw(rt, "shares") {
		title.Splits = append(title.Splits, cnab.SplitLine{
			Amount: cents.Draw(rt, "share"), Beneficiary: text.Draw(rt, "beneficiary"), Ordinal: i + 1,
			CreditDate: title.CreditDate,
		})
	}
	return title
}

// BenchmarkWriteTitles writes titles that are in memory: segments T and U, counted and summed.
func BenchmarkWriteTitles(b *testing.B) {
	w, err := cnab.NewWriter(io.Discard, cnab.Header{Account: shop, Profile: cnab.Febraban, AsOf: on(11, 20), NSA: 1})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetBytes(2 * (cnab.Width + 2))
	for i := 0; b.Loop(); i++ {
		if i%400_000 == 399_999 { // a file holds half a million
			w, _ = cnab.NewWriter(io.Discard, cnab.Header{Account: shop, Profile: cnab.Febraban, AsOf: on(11, 20), NSA: 1})
		}
		if err := w.WriteTitle(installments[3]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "titles/s")
}

func BenchmarkReadTitles(b *testing.B) {
	const titles = 10_000
	raw, _ := write(b, cnab.Header{Account: shop, Profile: cnab.Febraban, AsOf: on(11, 20), NSA: 1}, repeated(installments[3], titles)...)
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, err := cnab.Read(bytes.NewReader(raw), cnab.ReadOptions{OnTitle: func(int, cnab.Title) error { return nil }}); err != nil {
			b.Fatal(err)
		}
	}
}
