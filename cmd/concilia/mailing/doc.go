/*
Package mailing brings people the morning by mail, and alerts that are for them.

What is to be sent is kept in the queue of alerts first, one row a recipient, and sent from there: so a message waits for a server
that is away, and a process that was killed leaves nothing undone and nothing to do twice. A digest is about a night by its record;
whoever ends a run, and serve every quarter of an hour, looks whether there is one of the last night. Mail never changes what a run comes to.
*/
package mailing
