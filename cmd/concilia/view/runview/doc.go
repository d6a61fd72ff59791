// Package runview is what commands and pages show of runs: what a run came to (Summary, Run, RunDiff), what a night or a backfill would
// ask for (Plan, DryRun, Backfill), which days are complete (Coverage), when jobs start (Schedule), and the state of all of it on one
// screen (Status). It keeps to the rules of package view.
package runview
