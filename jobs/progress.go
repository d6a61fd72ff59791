package jobs

// Silent is a Progress that displays nothing.
type Silent struct{}

// Step, Advance and Done do nothing.
func (Silent) Step(string, int) {}
func (Silent) Advance(int)      {}
func (Silent) Done(string)      {}
