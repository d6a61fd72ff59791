// Package proof proves on planted worlds what the engine finds, and that it finds nothing else. It has tests alone:
//
//   - recall: every rule has mutants, each one difference put into a clean world to the cent; a night on either database must find
//     exactly the case that the mutant names (mutants_*_test.go, recall.golden);
//   - no false alarms: clean worlds and honest shops of many sizes over a year raise nothing that is not explained (alarms.golden,
//     natural.golden);
//   - properties: whatever rows say, in whichever order and windows they come, bridge and continuity close to the cent;
//   - closed months: what changes after a close is restated, to the cent, and what was published stays;
//   - calibration: a world that answers an open question of the service in another way is found out;
//   - the plan: every settlement is seen in time, whatever a shop's customers do.
//
// The tests here ask a counter, which answers the service's requests from rows that a test writes by hand, or the sandbox. Jobs one by
// one, their failures, repetitions and reports are tested in package jobs.
package proof
