package html

import (
	"concilia/store/ledger"
)

// Charts are drawn on whole units, ten to a pixel of a phone: 3600 is the width of its column. Nothing is measured in
// fractions, so the bytes are the same everywhere.
const (
	chartWidth = 3600
	rowHeight  = 440 // of a horizontal bar with its label above
	barTop     = 190
	plotHeight = 1400
)

// bar is a rectangle with the texts around it.
type bar struct {
	X, Y, W, H  int
	Label, Text string
	Class       string
	Hint        string
}

// chart is a drawing: its height, its bars, and labels under them.
type chart struct {
	Height int
	Bars   []bar
	Ticks  []bar
	Zero   int // the place of the base line
}

// scaleTo is the part of size that part is of whole, at least one unit when there is something to see.
func scaleTo(part, whole ledger.Amount, size int) int {
	if part <= 0 || whole <= 0 {
		return 0
	}
	// Both shrink alike when the product would not fit: a drawing needs no more than size steps.
	for whole > 1<<40 {
		part, whole = part>>1, whole>>1
	}
	return max(int(part*ledger.Amount(size)/whole), 1)
}

// drawWaterfall draws how the gross becomes the net: what is taken hangs where the step before ended.
func (v *pageView) drawWaterfall() chart {
	var top, at ledger.Amount
	for _, s := range v.Steps {
		if s.Total {
			at = s.Amount
		} else {
			at -= s.Amount
		}
		top = max(top, at)
	}
	c := chart{Height: len(v.Steps) * rowHeight}
	at = 0
	for i, s := range v.Steps {
		from, to, class := ledger.Amount(0), s.Amount, "total"
		sign := s.Amount
		if s.Total {
			at = s.Amount
		} else {
			from, to, class, sign = at-s.Amount, at, "taken", -s.Amount
			at = from
		}
		low, high := max(min(from, to), 0), max(from, to, 0)
		x := scaleTo(low, top, chartWidth)
		if s.Amount == 0 { // nothing to see
			c.Bars = append(c.Bars, bar{Y: i*rowHeight + barTop, Label: s.Label, Text: v.formatMoney(0)})
			continue
		}
		c.Bars = append(c.Bars, bar{
			X: min(x, chartWidth-30), Y: i*rowHeight + barTop, W: max(scaleTo(high, top, chartWidth)-x, 30), H: 170,
			Label: s.Label, Text: v.formatMoney(sign), Class: class,
		})
	}
	return c
}

// drawBars draws one horizontal bar per step; steps that are TextOnly have their label and amount without a bar.
func (v *pageView) drawBars(steps []Step) chart {
	var top ledger.Amount
	for _, s := range steps {
		if !s.TextOnly {
			top = max(top, s.Amount.Abs())
		}
	}
	c := chart{}
	for _, s := range steps {
		b := bar{Y: c.Height + barTop, H: 170, Label: s.Label, Text: v.formatMoney(s.Amount), Class: "total"}
		if s.Amount < 0 {
			b.Class = "taken"
		}
		if c.Height += rowHeight - b.H; !s.TextOnly {
			b.W = max(scaleTo(s.Amount.Abs(), top, chartWidth), 8)
			c.Height += b.H
		}
		c.Bars = append(c.Bars, b)
	}
	return c
}

// drawDayColumns draws two columns a day, side by side; what is negative hangs below the base line.
func (v *pageView) drawDayColumns(d Days) chart {
	var top, low ledger.Amount
	for _, day := range d.Days {
		top, low = max(top, day.First, day.Second), min(low, day.First, day.Second)
	}
	n := max(len(d.Days), 1)
	slot := chartWidth / max(n, 8)
	width := max(slot*2/5, 10)
	zero := scaleTo(top, top-low, plotHeight)
	c := chart{Height: plotHeight + 220, Zero: zero}
	every := (n + 6) / 7
	for i, day := range d.Days {
		for k, a := range []ledger.Amount{day.First, day.Second} {
			h := scaleTo(a.Abs(), top-low, plotHeight)
			y := zero - h
			if a < 0 {
				y = zero
			}
			name := []string{d.First, d.Second}[k]
			c.Bars = append(c.Bars, bar{
				X: i*slot + k*width, Y: y, W: width - width/8, H: h, Class: []string{"first", "second"}[k],
				Hint: day.Label + ", " + name + ": R$ " + v.formatMoney(a),
			})
		}
		if i%every == 0 {
			c.Ticks = append(c.Ticks, bar{X: i * slot, Y: plotHeight + 170, Text: day.Label})
		}
	}
	return c
}

// AgeLabels name the age groups.
func (v *pageView) AgeLabels() [Ages]string {
	return [...]string{v.lookUpText("page.pending"), "0–5", "6–10", "11–30", v.lookUpText("page.over_30")}
}

// drawAges draws a stacked bar per cause: the older, the darker and the denser.
func (v *pageView) drawAges() chart {
	top := ledger.Amount(0)
	for _, c := range v.Top() {
		top = max(top, c.Amount)
	}
	c := chart{Height: len(v.Top()) * rowHeight}
	for i, cause := range v.Top() {
		x := 0
		c.Ticks = append(c.Ticks, bar{Y: i*rowHeight + 130, Label: cause.Title, Text: v.formatMoney(cause.Amount)})
		for k, a := range cause.Ages {
			w := scaleTo(a, top, chartWidth)
			if w == 0 {
				continue
			}
			c.Bars = append(c.Bars, bar{
				X: x, Y: i*rowHeight + barTop, W: w, H: 170, Class: [...]string{"a0", "a1", "a2", "a3", "a4"}[k],
				Hint: cause.Title + ", " + v.AgeLabels()[k] + ": R$ " + v.formatMoney(a),
			})
			x += w
		}
	}
	return c
}

// shareOfMissing is how much of what is missing a cause is, on a scale of 1000.
func (v *pageView) shareOfMissing(a ledger.Amount) int {
	return scaleTo(a, v.Missing.Figures.Missing(), 1000)
}
