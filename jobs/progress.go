package jobs

// Progress displays how a run proceeds. It is called from several goroutines at once.
type Progress interface {
	// Step begins a step of total parts; 0 when it is not known.
	Step(name string, total int)
	// Advance reports that n more parts are done.
	Advance(n int)
	// Done ends the step with one line on what it did.
	Done(result string)
}

// Silent is a Progress that displays nothing.
type Silent struct{}

// Step, Advance and Done do nothing.
func (Silent) Step(string, int) {}
func (Silent) Advance(int)      {}
func (Silent) Done(string)      {}
