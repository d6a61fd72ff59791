/*
Package serving has the commands that run until they are stopped (serve, worker, console), and what belongs to them: the people of the console,
and the mail of the morning.

What they do is in package daemon; pages are in package console.
*/
package serving
