//go:build linux

package main

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// BenchmarkNight runs whole nights of the built program, publication included: a first night of CONCILIA_BENCH_ROWS rows (100,000), about
// CONCILIA_BENCH_PER_DAY of them a sale day (9,999), the same night again, in which nothing has changed, and the next morning.
// CONCILIA_BENCH_DB is sqlite (the default) or postgres, and CONCILIA_BENCH_FORMATS the formats of the reports (csv). CONCILIA_BASELINE is a
// command that does the same job on as many records in another way; it runs in turn with the first nights, and the ratios of the medians of
// time and of the most memory are reported. Each figure is logged, with the load around it.
func BenchmarkNight(b *testing.B) {
	rows, perDay := 100_000, 9_999
	if n, err := strconv.Atoi(os.Getenv("CONCILIA_BENCH_ROWS")); err == nil {
		rows = n
	}
	if n, err := strconv.Atoi(os.Getenv("CONCILIA_BENCH_PER_DAY")); err == nil {
		perDay = n
	}
	db := "sqlite"
	if os.Getenv("CONCILIA_BENCH_DB") == "postgres" {
		db = "postgres"
	}
	baseline := os.Getenv("CONCILIA_BASELINE")
	if baseline == "" {
		b.Log("CONCILIA_BASELINE names no command: there is no ratio")
	}
	build(b) // is not timed
	var nights, baselines []time.Duration
	var peaks, baselinePeaks []int64 // KiB
	for b.Loop() {
		before := loadAverage()
		n := newBigNight(b, db, rows, perDay)
		first, unchanged := n.run(b), n.run(b)
		n.morrow()
		next := n.run(b)
		nights, peaks = append(nights, first.took), append(peaks, first.peak)
		b.ReportMetric(first.cpu.Seconds()*1e6/float64(n.rows), "first-cpu-µs/row")
		b.ReportMetric(unchanged.cpu.Seconds()*1e6/float64(n.rows), "unchanged-cpu-µs/row")
		b.ReportMetric(unchanged.steps["publish"], "unchanged-publish-s")
		b.ReportMetric(next.cpu.Seconds()*1e6/float64(next.New), "next-cpu-µs/new-row")
		b.ReportMetric(float64(first.peak>>10), "first-peak-MiB")
		b.Logf("%s, %d rows: first night %s, CPU %s, publication %.1f s; unchanged %s, CPU %s, publication %.1f s; next %s, CPU %s, publication %.1f s",
			db, n.rows, first.took, first.cpu, first.steps["publish"], unchanged.took, unchanged.cpu, unchanged.steps["publish"],
			next.took, next.cpu, next.steps["publish"])
		if baseline != "" {
			took, peak := runBaseline(b, baseline)
			baselines, baselinePeaks = append(baselines, took), append(baselinePeaks, peak)
			b.Logf("baseline %s, at most %d MiB", took, peak>>10)
		}
		b.Logf("load before: %s, after: %s", before, loadAverage())
	}
	if len(baselines) > 0 {
		b.ReportMetric(median(nights).Seconds()/median(baselines).Seconds(), "night/baseline")
		b.ReportMetric(float64(median(peaks))/float64(median(baselinePeaks)), "night/baseline-memory")
	}
}

// runBaseline runs a command of a person and returns how long it took, and the most memory of any of its processes in KiB.
func runBaseline(b *testing.B, command string) (took time.Duration, peak int64) {
	b.Helper()
	cmd := exec.Command("sh", "-c", command)
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%s: %v\n%s", command, err, out)
	}
	took = time.Since(began)
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		b.Fatal("no resource usage on this system")
	}
	return took, usage.Maxrss
}

func median[N ~int64](all []N) N {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// loadAverage is how busy the machine is.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return string(text[:len(text)-1])
}
