// Package html writes the night on one page: a single HTML5 file that needs nothing else, and reads its figures back.
//
// The page has no script, no link to anything outside, one inline style for light and dark, screen and A4, and charts
// as inline SVG with a title each. It reads from the top as finance asks: is it reconciled, how much is missing, what
// are the causes; then what to do, the bridge, the agenda ahead, the tables shortened, and the control part.
//
// A page that was published comes out the same for ever, so what later versions change of its looks stands behind its
// Layout: in the template by Since, in a style sheet of its own.
//
// The package knows no ledger and takes no decision: a Page is plain values, and who fills it answers for them. It
// answers for what people see of them:
//
//   - The same Page gives the same bytes: no clock, no locale, no order of maps, and no floating point number; charts are
//     drawn on a grid of whole units.
//   - Every text is escaped for the place where it stands, so that a name in the data is never markup.
//   - Every figure that is proven stands in a <data> element with its exact value and its name. Read, the second
//     witness, takes these again from the bytes: value and shown text must be one number, and a figure that stands
//     twice must say the same.
//   - Colour is never the only mark: a verdict has a sign and a word, a series has a pattern, a cause has its rank.
package html
