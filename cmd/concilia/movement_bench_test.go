//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// BenchmarkMovement tells CONCILIA_BENCH_ROWS installments (100,000) as events, by the same night run again with the movement on. It runs the
// night a third time, on which nothing became known, and on the morning after, whose set has no event, on CONCILIA_BENCH_DB (sqlite,
// postgres). The goal is 200,000 events cut and written in ten seconds, as much memory for ten times the events, and a fifth of a second where
// nothing became known.
func BenchmarkMovement(b *testing.B) {
	rows := 100_000
	if n, err := strconv.Atoi(os.Getenv("CONCILIA_BENCH_ROWS")); err == nil {
		rows = n
	}
	for b.Loop() {
		n := newBigNight(b, os.Getenv("CONCILIA_BENCH_DB"), rows, 9_999)
		n.run(b)
		addText(b, filepath.Join(n.dir, "concilia.yaml"), "movement: {enabled: true, from: "+n.service.first.String()+", formats: [csv, edi]}\n")
		told, quiet := n.run(b), n.run(b)
		n.today++
		still := n.run(b)
		events := countToldEvents(b, n)
		b.ReportMetric(float64(events), "events")
		b.ReportMetric(told.steps["movement"], "told-s")
		b.ReportMetric((told.cpu - quiet.cpu).Seconds(), "told-cpu-s")
		b.ReportMetric(float64((told.cpu-quiet.cpu).Microseconds())/float64(events), "cpu-µs/event")
		b.ReportMetric(quiet.steps["movement"], "quiet-s")
		b.ReportMetric(still.steps["movement"], "next-quiet-s")
		b.ReportMetric((still.cpu - quiet.cpu).Seconds(), "next-quiet-cpu-s")
		b.ReportMetric(float64(told.peak>>10), "peak-MiB")
		b.Logf("load: %s", loadAverage())
	}
}

// countToldEvents is how many events the sets of a merchant tell.
func countToldEvents(b *testing.B, n *bigNight) (events int) {
	b.Helper()
	out, err := exec.Command(n.program, "--config", filepath.Join(n.dir, "concilia.yaml"), "--json", "movement", "list").Output()
	if err != nil {
		b.Fatal(err)
	}
	for sets := json.NewDecoder(bytes.NewReader(out)); ; {
		var set struct{ Events map[string]int }
		if err := sets.Decode(&set); errors.Is(err, io.EOF) {
			return events
		} else if err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		for _, count := range set.Events {
			events += count
		}
	}
}
