package metrics

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// TestWatchKit: the rules of Prometheus and the board of Grafana ask for metrics that there are, and promtool reads the rules.
func TestWatchKit(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	described := make(chan *prometheus.Desc, 200)
	d := newDescs()
	for _, desc := range d.listMetrics() {
		described <- desc
	}
	m := NewMeters()
	for _, c := range []prometheus.Collector{m.notifications, m.connections, m.requests, m.durations, m.deliveries, m.pages, m.pageSeconds, m.signIns} {
		c.Describe(described)
	}
	close(described)
	for desc := range described {
		known[regexp.MustCompile(`fqName: "(\w+)"`).FindStringSubmatch(desc.String())[1]] = true
	}
	text, err := os.ReadFile("../deploy/grafana-dashboard.json")
	if err != nil || !json.Valid(text) {
		t.Fatalf("the board: %v", err)
	}
	rules, err := os.ReadFile("../deploy/prometheus-rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	asked := regexp.MustCompile(`\bconcilia_\w+`).FindAllString(string(text)+string(rules), -1)
	if len(asked) < 20 {
		t.Errorf("only %d metrics are asked for", len(asked))
	}
	for _, name := range asked {
		if !known[strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_count")] {
			t.Errorf("there is no metric %s", name)
		}
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not here: only the names were held against the program")
	}
	if said, err := exec.Command(promtool, "check", "rules", "../deploy/prometheus-rules.yaml").CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, said)
	}
}
