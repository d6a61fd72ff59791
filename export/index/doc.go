// Package index writes the page that leads to the sets of a target: one for each account, and one for all of them. It is part of
// no set.
package index
