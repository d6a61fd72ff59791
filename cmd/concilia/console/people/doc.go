// Package people is who may sign in at the console: the file of people, which the commands of console user write and a console reads
// again when it changes, their roles, and their passwords, which are kept as argon2id alone. It knows nothing of pages or sessions.
package people
