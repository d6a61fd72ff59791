/*
Package daemon is what serve and worker do until they are stopped: Serve starts the jobs of the schedule, receives notifications,
delivers what waits, and serves the console and the metrics; Work takes units of work from the runs of other processes.

daemon.go begins and ends the parts; schedule.go and job.go run the jobs that are due, receive.go takes notifications, console.go
serves the desk in the browser, health.go says whether the process can work.
*/
package daemon
