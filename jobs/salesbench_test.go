package jobs_test

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"concilia/jobs/othersides"
	"concilia/jobs/sales"
	"concilia/jobs/sales/table"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// BenchmarkTakeInSales takes in one CSV of CONCILIA_BENCH_ROWS payments (100,000) of a store over three months, whose ids ascend with time or
// are random, as those of orders that are UUIDs, and a ZIP of as many notes. The goal is a million of a CSV in 15 seconds, 100,000 notes in
// 15 seconds, and as much memory for ten times the rows.
func BenchmarkTakeInSales(b *testing.B) {
	rows := 100_000
	if n, err := strconv.Atoi(os.Getenv("CONCILIA_BENCH_ROWS")); err == nil {
		rows = n
	}
	for _, ids := range []string{"ascending", "random"} {
		benchmarkTakeInSales(b, ids, rows, func() string { return writeBenchSales(b, rows, ids == "random") })
	}
	benchmarkTakeInSales(b, sales.FormatNFe, rows, func() string { return writeBenchNotes(b, rows) })
}

// benchmarkTakeInSales takes a file in on each database, which is written once it is needed. name is what its ids are, or that it has notes.
func benchmarkTakeInSales(b *testing.B, name string, rows int, write func() string) {
	path := sync.OnceValue(write)
	s := &sales.Store{
		ID: "centro", Accounts: []ledger.Account{1001}, Format: name, Documents: []string{benchEmitter}, Zone: time.UTC,
		Brand: func(written string) (string, bool) { return written, true },
	}
	if name != sales.FormatNFe {
		s.Format = "neutral"
		s.Map, _ = table.Preset(s.Format)
	}
	b.Run(name+"/sqlite", func(b *testing.B) { benchmarkTakeIn(b, s, path(), rows, storetest.FreshSQLite) })
	b.Run(name+"/postgres", func(b *testing.B) { benchmarkTakeIn(b, s, path(), rows, storetest.FreshPostgres) })
}

func benchmarkTakeIn(b *testing.B, s *sales.Store, path string, rows int, fresh func(testing.TB) string) {
	for b.Loop() {
		b.StopTimer()
		l, err := store.Open(b.Context(), fresh(b))
		if err != nil {
			b.Fatal(err)
		}
		began := cpuTime("self")
		resetPeakMemory()
		b.StartTimer()
		_, done, err := othersides.TakeInSales(b.Context(), l, &othersides.SalesFile{Path: path, Store: s, Today: day("2027-01-01"), Actor: "a", At: day("2027-01-01").Time()})
		b.StopTimer()
		if err != nil || done.New != int64(rows) {
			b.Fatal(done.New, err)
		}
		b.ReportMetric((cpuTime("self") - began).Seconds(), "cpu-s")
		b.ReportMetric(float64(peakMemory())/(1<<20), "peak-MiB")
		if s.Format != sales.FormatNFe {
			exportAgain(b, l, s, path, rows)
		}
		_ = l.Close()
		b.StartTimer()
	}
}

// exportAgain takes in the same export with one more payment, in which all others are as they were.
func exportAgain(b *testing.B, l *store.Ledger, s *sales.Store, path string, rows int) {
	text, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	again := filepath.Join(b.TempDir(), "vendas.csv")
	text = append(text, "Z,1,2026-12-01T10:00:00,1.00,credit,1,visa,1,A,t,P,1,T\n"...)
	if err := os.WriteFile(again, text, 0o600); err != nil {
		b.Fatal(err)
	}
	began, cpu := time.Now(), cpuTime("self")
	_, done, err := othersides.TakeInSales(b.Context(), l, &othersides.SalesFile{Path: again, Store: s, Today: day("2027-01-01"), Actor: "a", At: day("2027-01-02").Time()})
	if err != nil || done.Same != int64(rows) || done.New != 1 {
		b.Fatal(done, err)
	}
	b.ReportMetric(time.Since(began).Seconds(), "again-s")
	b.ReportMetric((cpuTime("self") - cpu).Seconds(), "again-cpu-s")
}

// peakMemory is the most that the process had in memory since resetPeakMemory, SQLite's pages included; 0 where /proc does not tell.
func peakMemory() int64 {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, "VmHWM:"); found {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}

func resetPeakMemory() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o600)
}

// writeBenchSales writes a CSV of payments in order of time.
func writeBenchSales(b *testing.B, rows int, random bool) string {
	path := filepath.Join(b.TempDir(), "vendas.csv")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	_, _ = w.WriteString("sale_id,payment_no,sold_at,amount,method,installments,brand,nsu,auth,tid,reference,last4,terminal\n")
	at := day("2026-09-01").Time()
	draw := rand.New(rand.NewPCG(2026, 1))
	for i := range rows {
		id := fmt.Sprintf("P%08d", i)
		if random {
			id = fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", draw.Uint32(), draw.Uint32()>>16, draw.Uint32()>>20, draw.Uint32()>>16, draw.Uint64()>>16)
		}
		when := at.Add(time.Duration(i) * (91 * 24 * time.Hour / time.Duration(rows)))
		_, _ = fmt.Fprintf(w, "%s,1,%s,%d.%02d,credit,%d,visa,%012d,A%06d,tid%012d,PED-%d,%04d,T%02d\n", id, when.Format("2006-01-02T15:04:05"), 1+i%90, i%100, 1+i%6, i, i, i, i, i%10_000, i%9)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

// benchEmitter is the CNPJ that issues the notes.
const benchEmitter = "11222333000181"

// writeBenchNotes writes a ZIP of NFC-e of a payment by card each.
func writeBenchNotes(b *testing.B, rows int) string {
	path := filepath.Join(b.TempDir(), "notas.zip")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	z := zip.NewWriter(f)
	at := day("2026-09-01").Time()
	for i := range rows {
		key := fmt.Sprintf("352609%s65001%09d1%08d", benchEmitter, i+1, i*7919%100_000_000)
		key += noteDigit(key)
		when := at.Add(time.Duration(i) * (91 * 24 * time.Hour / time.Duration(rows)))
		w, err := z.Create(key + "-procNFe.xml")
		if err != nil {
			b.Fatal(err)
		}
		_, err = fmt.Fprintf(w, `<nfeProc xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00"><NFe><infNFe Id="NFe%s" versao="4.00"><ide><mod>65</mod><serie>1</serie><nNF>%d</nNF><dhEmi>%s</dhEmi><tpNF>1</tpNF><finNFe>1</finNFe><tpAmb>1</tpAmb></ide><emit><CNPJ>%s</CNPJ></emit><det nItem="1"><prod><cProd>%d</cProd><xProd>ARTIGO %d</xProd><NCM>61091000</NCM><qCom>1.0000</qCom><vProd>%d.00</vProd></prod></det><pag><detPag><tPag>03</tPag><vPag>%d.00</vPag><card><tpIntegra>1</tpIntegra><tBand>01</tBand><cAut>A%06d</cAut></card></detPag></pag></infNFe></NFe><protNFe><infProt><chNFe>%s</chNFe><cStat>100</cStat></infProt></protNFe></nfeProc>`,
			key, i+1, when.Format("2006-01-02T15:04:05-07:00"), benchEmitter, i%97, i%97, 1+i%90, 1+i%90, i, key)
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		b.Fatal(err)
	}
	return path
}

// noteDigit is the check digit of the key of a note.
func noteDigit(key string) string {
	sum := 0
	for i := range len(key) {
		sum += int(key[len(key)-1-i]-'0') * (2 + i%8)
	}
	if r := sum % 11; r > 1 {
		return strconv.Itoa(11 - r)
	}
	return "0"
}
