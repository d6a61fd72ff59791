//go:build linux

package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"concilia/cmd/concilia/demo"
)

// BenchmarkJournal holds the journal of a period in each format against the installments of the period as CSV: the processor time of the built
// program for a row, over CONCILIA_BENCH_ROWS installments (30,000) on CONCILIA_BENCH_DB (sqlite, postgres). A row of the journal is a
// line of an entry. x-installments is how many times a row of the installments' CSV it takes, x-csv how many times the same entries as CSV. The
// goal is 12 seconds for a million rows as CSV, 15 in the other formats.
func BenchmarkJournal(b *testing.B) {
	rows := 30_000
	if n, err := strconv.Atoi(os.Getenv("CONCILIA_BENCH_ROWS")); err == nil {
		rows = n
	}
	n := newBigNight(b, os.Getenv("CONCILIA_BENCH_DB"), rows, 9_999)
	addText(b, filepath.Join(n.dir, "concilia.yaml"), "movement: {enabled: true, from: "+n.service.first.String()+", formats: [csv]}\njournal: accounts.yaml\n")
	chart := strings.Replace(demo.Chart, "grain: day", "grain: row", 1)
	if err := os.WriteFile(filepath.Join(n.dir, "accounts.yaml"), []byte(chart), 0o600); err != nil {
		b.Fatal(err)
	}
	n.run(b)
	var installments, csv reportCost
	for _, of := range [][2]string{{"installments", "csv"}, {"journal", "csv"}, {"journal", "jsonl"}, {"journal", "beancount"}, {"journal", "hledger"}, {"journal", "dominio"}} {
		b.Run(of[0]+"/"+of[1], func(b *testing.B) {
			for b.Loop() {
				cost := benchmarkReport(b, n, of[0], of[1])
				switch {
				case of[0] == "installments":
					installments = cost
				case of[1] == "csv":
					csv = cost
				}
				if of[0] == "journal" && installments.lines > 0 && csv.lines > 0 {
					b.ReportMetric(cost.perLine()/installments.perLine(), "x-installments")
					b.ReportMetric(cost.cpu.Seconds()/csv.cpu.Seconds(), "x-csv")
				}
			}
		})
	}
}

// reportCost is what a report took, and how many lines it has.
type reportCost struct {
	cpu   time.Duration
	lines int
}

// perLine is the processor time of a line, in microseconds.
func (c reportCost) perLine() float64 { return float64(c.cpu.Microseconds()) / float64(c.lines) }

// benchmarkReport writes a kind in a format as an extract.
func benchmarkReport(b *testing.B, n *bigNight, kind, format string) reportCost {
	out := b.TempDir()
	cmd := exec.Command(n.program, "--config", filepath.Join(n.dir, "concilia.yaml"), "--quiet", "report", "--kind", kind, "--format", format,
		"--from", n.service.first.String(), "--to", (n.today - 1).String(), "--account", "1001", "--out", out)
	cmd.Env = append(os.Environ(), "CONCILIA_CLOCK="+n.today.String()+"T06:30:00-03:00")
	if text, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, text)
	}
	lines := 0
	err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasPrefix(d.Name(), kind+"_") {
			return err
		}
		n, err := countLines(path)
		lines += n
		return err
	})
	if err != nil || lines == 0 {
		b.Fatalf("%d lines below %s: %v", lines, out, err)
	}
	usage, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	cost := reportCost{cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), lines: lines}
	b.ReportMetric(cost.cpu.Seconds(), "cpu-s")
	b.ReportMetric(float64(lines), "lines")
	b.ReportMetric(cost.perLine(), "cpu-µs/line")
	b.ReportMetric(float64(usage.Maxrss)/1024, "peak-MiB")
	return cost
}

// countLines counts the lines of a file, however large. A process that holds much itself would have it counted as the peak of the next program it
// starts.
func countLines(path string) (n int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for buffer := make([]byte, 1<<16); ; {
		read, err := f.Read(buffer)
		n += bytes.Count(buffer[:read], []byte("\n"))
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
