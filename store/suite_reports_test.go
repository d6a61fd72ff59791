package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/published"
	"concilia/store/reports"
	"concilia/store/results"
	"concilia/store/sqldb"
)

func reportRows(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	early, late := row(day(1), "9", 1, 1), row(day(1), "1", 1, 1)
	early.SoldAt = at(day(1), 8)
	visa := received(row(day(2), "5", 1, 1), 1)
	visa.Effective = day(9)
	gone := row(day(3), "6", 1, 1)
	n.merge(day(1), day(3), late, early, visa, gone)
	n.merge(day(1), day(3), late, early, visa)
	n.slips(ledger.SlipsDue, day(1), day(30), slip(ledger.SlipsDue, "b", day(5)), slip(ledger.SlipsDue, "a", day(6)), slip(ledger.SlipsDue, "c", day(5)))
	n.reconcile("a", func(r *results.ReconcileTx) {
		for _, s := range n.sales() {
			e := believe(s.Rows[0].Current(), ledger.Open, ledger.LineNotDue)
			if s.Key.NSU == "5" {
				e.Class, e.Brand = ledger.Received, "elo"
			}
			ok(t, r.ReplaceExpectation(&e))
		}
		ok(t, r.ReplaceSlipExpectation(&ledger.SlipExpectation{Account: account, ID: "a", Version: 1, Class: ledger.Open, DueAdjusted: day(7)}))
	})
	cards := func(q reports.Query) (list string) {
		ok(t, n.l.Installments(t.Context(), q, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
			list += v.NSU
			equal(t, "key", e.Key, v.Key())
			return nil
		}))
		return list
	}
	slips := func(q reports.Query) (list string) {
		ok(t, n.l.SlipRows(t.Context(), q, func(s *ledger.Slip, e *ledger.SlipExpectation) error {
			list += s.ID
			equal(t, "judged", e != nil, s.ID == "a")
			return nil
		}))
		return list
	}
	with := func(basis string, change func(*reports.Query)) reports.Query {
		q := november(basis)
		change(&q)
		return q
	}
	none := func(*reports.Query) {}
	for _, c := range []struct {
		name string
		q    reports.Query
		want string
	}{
		{"by instant of sale, without what vanished", with("operation", none), "915"},
		{"by credit", with("credit", none), "5"},
		{"by credit, the day before", with("credit", func(q *reports.Query) { q.Period.To = day(8) }), ""},
		{"of a brand", with("operation", func(q *reports.Query) { q.Brands = []string{"elo", "x"} }), "5"},
		{"of a class", with("operation", func(q *reports.Query) { q.Classes = []ledger.Class{ledger.Open} }), "91"},
	} {
		equal(t, c.name, cards(c.q), c.want)
	}
	equal(t, "slips by due date and id", slips(with("forecast", none)), "bca")
	equal(t, "slips by issue", slips(with("operation", none)), "abc")
	equal(t, "slips of a class", slips(with("forecast", func(q *reports.Query) { q.Classes = []ledger.Class{ledger.Open} })), "a")
	equal(t, "slips of a brand", slips(with("forecast", func(q *reports.Query) { q.Brands = []string{"visa"} })), "")
	if err := n.l.Installments(t.Context(), november("payment"), nil); err == nil {
		t.Error("cards have no payment basis")
	}
	for basis, want := range map[string][2]int64{"operation": {0, 0}, "credit": {2, 3}, "payment": {0, 3}} {
		c, s, err := n.l.LeftOut(t.Context(), november(basis))
		ok(t, err)
		equal(t, "left out of "+basis, [2]int64{c, s}, want)
	}
}

func numbers(t *testing.T, open func(*testing.T) *store.Ledger) {
	t.Run("a title keeps its number, and takes its own when it can", func(t *testing.T) {
		l := open(t)
		own := map[string]string{
			"b": "17", "c": "00000000000000000002", "d": "9900000000017", "e": "x1", "f": "123456789012345678901", "g": "0",
			"0": "34990945037", "1": "34990945038",
		}
		ours := func(s string) string { return own[s] }
		want := map[string]string{
			"0": "34990945037",          // its own
			"1": "34990945038",          // its own
			"a": "34990945039",          // nothing of its own: derived, and the two before it have that and the next
			"b": "17",                   // its own
			"c": "00000000000000000002", // its own, as it is spelled
			"d": "17704250976",          // derived: the last digits of its own are taken by b
			"e": "34702598373",          // no digits
			"f": "55422110470",          // too long
			"g": "18017915829",          // zeros are no number
		}
		got, err := l.TitleNumbers(t.Context(), account, []string{"g", "f", "e", "d", "c", "b", "a", "a", "1", "0"}, ours)
		ok(t, err)
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		own = map[string]string{"a": "777"}
		again, err := l.TitleNumbers(t.Context(), account, []string{"a", "b", "new"}, ours)
		ok(t, err)
		if d := cmp.Diff(map[string]string{"a": "34990945039", "b": "17", "new": "98136951150"}, again); d != "" {
			t.Error(d)
		}
		other, err := l.TitleNumbers(t.Context(), account+1, []string{"a"}, nil)
		ok(t, err)
		equal(t, "another account has its own numbers", other["a"], "34990945037")
	})
	t.Run("what a restored ledger lost is taken back once, and its numbers are not given again", func(t *testing.T) {
		l := open(t)
		set := func(revision int) *published.Set {
			return &published.Set{
				Account: "1001", Basis: "credit", Period: ledger.Period{From: day(1), To: day(30)}, Revision: revision, Run: "a", AsOf: day(30),
				Digest: "digest", Manifest: published.File{Path: fmt.Sprint("1001/r", revision), SHA256: fmt.Sprint("sum ", revision)},
			}
		}
		ok(t, l.KeepSet(t.Context(), set(0), "place", time.Now()))
		_, _, err := l.ReserveEDI(t.Context(), account, "agreement", "first", []string{"kept"}, map[string]string{"kept": "17"})
		ok(t, err)
		lost := &published.Lost{
			Sets:  []*published.Set{set(0), set(1)},
			Files: []published.FileNumber{{Account: account, Agreement: "agreement", File: "first", Number: 900_001}, {Account: account, Agreement: "agreement", File: "lost", Number: 900_005}},
			Titles: []published.TitleNumber{
				{Account: account, Subject: "lost", Number: "00018"},
				{Account: account, Subject: "kept", Number: "19"},
				{Account: account, Subject: "other", Number: "17"},
			},
		}
		for range 2 {
			ok(t, l.TakeBack(t.Context(), lost, "place", time.Now()))
		}
		known, err := l.KnownManifests(t.Context())
		ok(t, err)
		if d := cmp.Diff(map[string]string{"r0": "sum 0", "r1": "sum 1"}, known); d != "" {
			t.Error(d)
		}
		a, err := l.ArchiveOf(t.Context())
		ok(t, err)
		equal(t, "publications", a.Publication, int64(2))
		waiting, err := l.WaitingSets(t.Context())
		ok(t, err)
		equal(t, "sets that wait", len(waiting), 1) // the one that was not lost
		nsa, numbers, err := l.ReserveEDI(t.Context(), account, "agreement", "next", []string{"kept", "lost", "other"}, nil)
		ok(t, err)
		equal(t, "the next file", nsa, 900_006)
		want := map[string]string{"kept": "17", "lost": "00018", "other": fmt.Sprintf("%011d", ledger.TitleNumber("other"))}
		if d := cmp.Diff(want, numbers); d != "" {
			t.Error(d)
		}
	})
	t.Run("a file's number is never given twice", func(t *testing.T) {
		l := open(t)
		const askers, each = 4, 5
		var mu sync.Mutex
		var wg sync.WaitGroup
		seen := make(map[int]bool)
		titles := make(map[string]string)
		for i := range askers {
			wg.Go(func() {
				for j := range each {
					subject := fmt.Sprint("s", (i+j)%each)
					nsa, numbers, err := l.ReserveEDI(t.Context(), account, "agreement", fmt.Sprint("file ", i, " ", j), []string{subject}, nil)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					if was := titles[subject]; was != "" && was != numbers[subject] {
						t.Errorf("%s has number %s and %s", subject, was, numbers[subject])
					}
					titles[subject], seen[nsa] = numbers[subject], true
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		equal(t, "numbers", len(seen), askers*each)
		next, err := l.ReserveNSA(t.Context(), account, "agreement", "one more file")
		ok(t, err)
		equal(t, "next", next, 900_000+askers*each+1)
		again, err := l.ReserveNSA(t.Context(), account, "agreement", "one more file")
		ok(t, err)
		equal(t, "a file that is written again", again, next)
		other, err := l.ReserveNSA(t.Context(), account, "another", "a file")
		ok(t, err)
		equal(t, "another agreement", other, 900_001)
	})
}

// publishedAt is when the sets of these tests are published.
var publishedAt = time.Date(2026, time.November, 18, 9, 0, 0, 0, time.UTC)

// keepSet publishes a revision, which is delivered at once.
func keepSet(t *testing.T, l *store.Ledger, s *published.Set) {
	t.Helper()
	ok(t, l.KeepSet(t.Context(), s, "out", publishedAt))
	ok(t, l.Delivered(t.Context(), s, "out", publishedAt))
	s.Waiting = false
}

func sets(t *testing.T, open func(*testing.T) *store.Ledger) {
	l := open(t)
	p := ledger.Period{From: day(1), To: day(30)}
	s := &published.Set{
		Account: "all", Basis: "credit", Period: p, Run: "r", AsOf: day(20), Digest: "d", Inputs: `{"language":"en"}`,
		Tables:   map[string]string{"summary": "x"},
		Files:    []published.File{{Path: "a.csv", Kind: "summary", Format: "csv", SHA256: "aa", Bytes: 3, Archived: 2, Rows: 1, NSA: 2, LayoutVersion: 1}},
		Manifest: published.File{Path: "a.manifest.json", SHA256: "bb", Bytes: 4, Archived: 5},
	}
	find := func() (*published.Set, error) { return l.StandingSet(t.Context(), "all", "credit", p, "") }
	if _, err := find(); !errors.Is(err, sqldb.ErrNotFound) {
		t.Errorf("nothing was published: %v", err)
	}
	keepSet(t, l, s)
	again := *s
	if err := l.KeepSet(t.Context(), &again, "out", publishedAt); !errors.Is(err, published.ErrKept) {
		t.Errorf("one revision was kept twice: %v", err)
	}
	filtered := *s
	filtered.Filter, filtered.Digest = "brand=visa", "f"
	keepSet(t, l, &filtered)
	got, err := find()
	ok(t, err)
	if d := cmp.Diff(s, got); d != "" {
		t.Error(d)
	}
	equal(t, "numbers of publication", fmt.Sprint(s.Number, filtered.Number), "1 2")
	next := *s
	next.Revision, next.Files = 1, nil
	keepSet(t, l, &next)
	got, err = find()
	ok(t, err)
	equal(t, "standing revision", got.Revision, 1)
	whereFilesAre(t, l, s, &next)
}

// whereFilesAre: what may change of a revision is whether its target has it and whether its files are gone, for it alone.
func whereFilesAre(t *testing.T, l *store.Ledger, s, next *published.Set) {
	last := *next
	last.Revision, last.Run = 2, "s"
	ok(t, l.KeepSet(t.Context(), &last, "out", publishedAt))
	later := last
	later.Account = "1001"
	ok(t, l.KeepSet(t.Context(), &later, "out", publishedAt))
	numbers := func(sets []*published.Set, err error) string {
		ok(t, err)
		out := ""
		for _, s := range sets {
			out += fmt.Sprintf("%d%s ", s.Revision, s.Filter)
		}
		return out
	}
	equal(t, "revisions", numbers(l.Revisions(t.Context(), "all", "credit", s.Period, "", "")), "2 1 0 ")
	equal(t, "revisions up to a run", numbers(l.Revisions(t.Context(), "all", "credit", s.Period, "", "r")), "1 0 ")
	waiting, err := l.WaitingSets(t.Context())
	ok(t, err)
	equal(t, "waiting, in the order of publication", fmt.Sprint(len(waiting), waiting[0].Account, waiting[1].Account, waiting[0].Waiting), "2all1001true")
	equal(t, "published", numbers(l.PublishedSets(t.Context(), "all")), "1 0 0brand=visa ")
	ok(t, l.Delivered(t.Context(), &last, "elsewhere", publishedAt)) // the target was changed meanwhile
	ok(t, l.Delivered(t.Context(), &last, "elsewhere", publishedAt))
	ok(t, l.Delivered(t.Context(), &later, "out", publishedAt))
	equal(t, "there", numbers(l.DeliveredSets(t.Context(), "elsewhere")), "2 ")
	equal(t, "at the first target", numbers(l.DeliveredSets(t.Context(), "out")), "0 0brand=visa 1 2 ")
	partly := *s
	partly.Files = append([]published.File{{Path: "b.csv", RetiredOn: day(24)}}, s.Files...)
	ok(t, l.Retire(t.Context(), &partly, 0))
	got, err := l.PublishedSets(t.Context(), "all")
	ok(t, err)
	equal(t, "some are gone", fmt.Sprint(got[2].Files[0].RetiredOn, " ", got[2].Files[1].RetiredOn), fmt.Sprint(day(24), " ", ledger.Date(0)))
	ok(t, l.Retire(t.Context(), s, day(25)))
	equal(t, "waiting for nothing", numbers(l.WaitingSets(t.Context())), "")
	equal(t, "at the first target less one", numbers(l.DeliveredSets(t.Context(), "out")), "0brand=visa 1 2 ")
	equal(t, "published less one", numbers(l.PublishedSets(t.Context(), "all")), "2 1 0brand=visa ")
	sets, err := l.Revisions(t.Context(), "all", "credit", s.Period, "", "")
	ok(t, err)
	equal(t, "gone since", sets[2].RetiredOn, day(25))
	ok(t, l.Retire(t.Context(), s, 0))
	equal(t, "back", numbers(l.PublishedSets(t.Context(), "all")), "2 1 0 0brand=visa ")
}

// archives: a ledger has one id for ever, whichever process asks first, and remembers the place of its archive.
func archives(t *testing.T, open func(*testing.T) *store.Ledger) {
	l, other := open(t), open(t)
	ids := make([]string, 4)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			a, err := l.ArchiveOf(t.Context())
			if err != nil {
				t.Error(err)
			}
			ids[i] = a.Ledger
		})
	}
	all.Wait()
	for _, id := range ids {
		equal(t, "the ledger's id", id, ids[0])
	}
	a, err := other.ArchiveOf(t.Context())
	ok(t, err)
	if a.Ledger == ids[0] || a.Ledger == "" || a.Place != "" || a.Publication != 0 {
		t.Errorf("another ledger begins with %+v", a)
	}
	ok(t, l.SetArchivePlace(t.Context(), "/srv/archive"))
	keepSet(t, l, &published.Set{Account: "1", Basis: "credit", Period: ledger.Period{From: day(1), To: day(2)}, Run: "r"})
	a, err = l.ArchiveOf(t.Context())
	ok(t, err)
	equal(t, "the archive", fmt.Sprint(a), fmt.Sprint(published.Archive{Ledger: ids[0], Place: "/srv/archive", Publication: 1}))
}
