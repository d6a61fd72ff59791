package verify

import (
	"cmp"
	"path/filepath"
	"slices"

	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/report/othersides"
	"concilia/export/table"
)

// movementSet is a set of the movement as CheckTree found it.
type movementSet struct {
	path, folder string // of its manifest
	sum          string // SHA-256 of it
	manifest     *manifest.Manifest
	events       []string
}

// movementChain are the sets of the movement that were found.
type movementChain struct {
	*faultList
	sets []movementSet
}

// recordSet keeps what the chain of the movement is checked by, and checks the set by itself. whole says that none of its files was taken
// away.
func (v *movementChain) recordSet(path, sum string, c *setContents, whole bool) {
	m := c.manifest
	if m.Basis != report.ByMovement || m.Extract {
		return
	}
	if m.Chain == nil {
		v.addFault(path, "verify_fault.has_no_chain_a_set")
		return
	}
	set := movementSet{path: path, folder: chainFolder(path), sum: sum, manifest: m}
	for _, t := range []*table.Table{othersides.CardEventsTable, othersides.SlipEventsTable} {
		read := c.events[t.ID]
		if read == nil {
			continue
		}
		set.events = append(set.events, read.IDs...)
		for n := range read.Sets {
			if n != int64(m.Chain.Set) {
				v.addFault(path, "verify_fault.has_events_of_set_the", "id", t.ID, "n", n, "set", m.Chain.Set)
			}
		}
		v.checkTitlesOf(path, t, read, m)
	}
	if n := len(set.events); n != sumCounts(m.Chain.Events) && whole && len(c.events) > 0 {
		v.addFault(path, "verify_fault.has_events_the_chain_says", "n", n, "events", sumCounts(m.Chain.Events))
	}
	v.sets = append(v.sets, set)
}

// chainFolder is the folder of the account's sets of the movement: year and month lie below it.
func chainFolder(path string) string { return filepath.Dir(filepath.Dir(filepath.Dir(path))) }

func sumCounts(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// checkTitlesOf compares the events that have a movement with the titles of the EDI files: with what is left out they are all.
func (v *movementChain) checkTitlesOf(path string, t *table.Table, read *othersides.EventsReader, m *manifest.Manifest) {
	var titles int64
	found := false
	for i := range m.Files {
		f := &m.Files[i]
		if f.Format == report.EDI && string(f.Kind) == t.ID {
			found, titles = true, titles+f.Rows
			if f.NSA != nil && !slices.Contains(m.Chain.NSA, *f.NSA) {
				v.addFault(path, "verify_fault.has_nsa_which_the_chain", "path", f.Path, "nsa", *f.NSA)
			}
		}
	}
	if found && titles != read.Titles {
		v.addFault(path, "verify_fault.events_stand_in_its_edi", "id", t.ID, "events", read.Titles, "titles", titles)
	}
}

// checkOrder walks the chain of each account: every set follows the one before, by number, NSA and the hash of its manifest, and no
// event is there twice. A set whose files were taken away for their age has its place by its manifest.
func (v *movementChain) checkOrder() {
	slices.SortFunc(v.sets, func(a, b movementSet) int {
		return cmp.Or(cmp.Compare(a.manifest.Account, b.manifest.Account), cmp.Compare(a.folder, b.folder),
			cmp.Compare(a.manifest.Chain.Set, b.manifest.Chain.Set))
	})
	firstIn := make(map[string]string)
	for i := range v.sets {
		s := &v.sets[i]
		m := s.manifest
		var before *movementSet
		if i > 0 && v.sets[i-1].manifest.Account == m.Account && v.sets[i-1].folder == s.folder {
			before = &v.sets[i-1]
		} else {
			clear(firstIn)
		}
		for _, id := range s.events {
			if first := firstIn[id]; first != "" {
				v.addFault(s.path, "verify_fault.tells_event_again_after", "id", id, "first", first)
			}
			firstIn[id] = m.ManifestName()
		}
		v.checkLink(s, before)
	}
}

// checkLink checks that a set follows the one before, which is nil when it is the first one here.
func (v *movementChain) checkLink(s, before *movementSet) {
	chain := s.manifest.Chain
	switch {
	case before == nil && chain.Set > 1 && !v.flat:
		v.addFault(s.path, "verify_fault.set_is_the_first_one", "set", chain.Set, "n", chain.Set-1)
	case before == nil && chain.Set == 1 && chain.Previous != nil:
		v.addFault(s.path, "verify_fault.set_1_has_a_set")
	case before == nil:
	case before.manifest.Chain.Set != chain.Set-1:
		if !v.flat {
			v.addFault(s.path, "verify_fault.set_follows_set_those_between", "set", chain.Set, "before", before.manifest.Chain.Set)
		}
	case chain.Previous == nil || chain.Previous.ManifestSHA256 != before.sum:
		v.addFault(s.path, "verify_fault.does_not_follow_the_set", "sum", before.sum)
	}
	v.checkNumbers(s, before)
}

// checkNumbers checks that the NSA go on without a gap.
func (v *movementChain) checkNumbers(s, before *movementSet) {
	last := 0
	if before != nil && before.manifest.Chain.Set == s.manifest.Chain.Set-1 && len(before.manifest.Chain.NSA) > 0 {
		last = slices.Max(before.manifest.Chain.NSA)
	}
	for _, n := range s.manifest.Chain.NSA {
		if last != 0 && n != last+1 && n != 1 { // under another agreement they begin again
			v.addFault(s.path, "verify_fault.has_nsa_after_the_numbers", "n", n, "last", last)
		}
		last = n
	}
}

// hasLater reports whether a set of the movement that follows is here.
func (v *movementChain) hasLater(m *manifest.Manifest) bool {
	return slices.ContainsFunc(v.sets, func(s movementSet) bool {
		return s.manifest.Account == m.Account && s.manifest.Chain != nil && m.Chain != nil && s.manifest.Chain.Set > m.Chain.Set
	})
}
