// Package mail writes what people get by mail: a page of sections, the same as text and as HTML, in a MIME message. It sends nothing.
//
// The HTML is one column of tables with inline styles, without image, script, form or address outside, as mail programs want it.
// Whatever a page says comes from data and is escaped; what could begin another line or header is a blank.
package mail
