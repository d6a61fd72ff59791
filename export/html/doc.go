// Package html renders the night as one page, a single self-contained HTML5 file, and reads its figures back.
//
// The page has no script, no link to anything outside, one inline style for light and dark, screen and A4, and charts
// as inline SVG with a title each. Its order is that of a finance team's questions: is everything reconciled, how much is
// missing, what are the causes; then what to do, the bridge, the agenda ahead, the shortened tables, and the control part.
//
// The package reads no ledger and evaluates nothing: a Page is plain values computed by the caller. The package is
// responsible for their presentation:
//
//   - The same Page gives the same bytes: no clock, no locale, no map order, and no floating point number; charts are
//     drawn on a grid of whole units.
//   - Every text is escaped for its context, so that a name in the data is never markup.
//   - Every proven figure is a <data> element with its exact value and its name. Read parses these from the bytes,
//     independently of Write: value and shown text must be the same number, and so must repeated figures.
//   - Nothing is shown by colour alone: a verdict has a sign and a word, a series has a pattern, a cause has its rank.
package html
