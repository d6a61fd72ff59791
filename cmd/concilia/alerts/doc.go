/*
Package alerts reports how runs go to people and machines outside: pings when a run begins and ends, alerts for what should not
wait until somebody looks, and a watch for the night that never came. None of it changes the result of a run.

RunWatched puts a run between its pings and its alerts.
*/
package alerts
