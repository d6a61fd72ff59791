// Package signin is who is signed in at the console, and who tries passwords too often. A secret is kept as its hash alone, another
// password ends the sessions of its person, and tries are slowed down by name and by address. It knows nothing of pages or cookies.
package signin
