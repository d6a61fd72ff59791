package main

import "github.com/prometheus/client_golang/prometheus"

// descs are the metrics of the ledger and the inbox.
type descs struct {
	up, coverage, oldest, cases, impact, explained, tolerated, vanished, units *prometheus.Desc // of the ledger
	waiting, lag, unlinked                                                     *prometheus.Desc // of notifications
	duration, ended, exit, verdict, ticks                                      *prometheus.Desc // of runs
}

// newDescs names them. Every label is bounded: accounts by the configuration, codes by the rules, the rest by words.
func newDescs() descs {
	name := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("concilia_"+name, help, labels, nil)
	}
	return descs{
		up: name("ledger_up", "Whether the ledger could be read: 1, or 0."),
		coverage: name("coverage_age_seconds",
			"Time since the last pull of the source that arrived whole was begun.", "account", "source"),
		oldest: name("oldest_open_case_age_seconds",
			"Time since the oldest open case of the account opened; 0 when none is open.", "account"),
		cases:  name("open_cases", "Open and reopened cases, by code and severity (C, E, W, I).", "account", "code", "severity"),
		impact: name("open_cases_impact_reais", "What the open and reopened cases cost the merchant, in reais; negative where he gained.", "account", "code", "severity"),
		explained: name("value_explained_ratio",
			"Part of the differences between contract and receipts that a rule explains, by side (cards, slips).", "account", "side"),
		tolerated: name("tolerance_used_reais",
			"Differences that a rule let pass as rounding in the newest month, in reais.", "account", "code"),
		vanished: name("vanished_rows", "Rows that the service has shown and shows no more, by side.", "account", "side"),
		units: name("units",
			"Units of work of the run that holds the account, or held it last, by kind and state.", "account", "kind", "state"),
		waiting:  name("webhook_waiting", "Notifications that no run has taken over yet."),
		lag:      name("webhook_lag_seconds", "Time since the first notification arrived that no run has taken over yet; 0 when none waits."),
		unlinked: name("webhook_unlinked", "Notifications whose installment is not known.", "account"),
		ticks: name("schedule_occurrences",
			"Occurrences of the schedules in the last 30 days, by job and what became of them.", "job", "state"),
		duration: name("run_duration_seconds", "How long the last run of the kind that ended took.", "kind"),
		ended:    name("run_ended_timestamp_seconds", "When the last run of the kind ended.", "kind"),
		exit:     name("run_exit_code", "Exit code of the last run of the kind, of one that stopped before its end, too.", "kind"),
		verdict:  name("run_verdict", "Verdict of the last run of the kind that ended: 1 for the one that holds, 0 for the others.", "kind", "verdict"),
	}
}

func (d *descs) all() []*prometheus.Desc {
	return []*prometheus.Desc{
		d.up, d.coverage, d.oldest, d.cases, d.impact, d.explained, d.tolerated, d.vanished, d.units, d.waiting, d.lag,
		d.unlinked, d.duration, d.ended, d.exit, d.verdict, d.ticks,
	}
}
