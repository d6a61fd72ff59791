package store_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"concilia/export/words"
	"concilia/store"
	"concilia/store/bank"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// bodyOf packs a text as an answer that arrived as received, another text where something was masked.
func bodyOf(t testing.TB, received, kept string) *ledger.Body {
	t.Helper()
	p := ledger.NewBodyPacker()
	_, err := io.WriteString(p, kept)
	ok(t, err)
	sum := sha256.Sum256([]byte(received))
	b, err := p.Pack(hex.EncodeToString(sum[:]))
	ok(t, err)
	return b
}

// answer merges an answer without rows whose body is b, pulled on a business day.
func (n *night) answer(source ledger.Source, on ledger.Date, b *ledger.Body) *ledger.Pull {
	n.t.Helper()
	p := n.pull(source, day(1), day(1))
	p.On, p.SHA256, p.Bytes, p.Body = on, b.SHA256, b.Size, b
	if source == ledger.Cards {
		ok(n.t, n.l.MergeInstallments(n.t.Context(), p, nil, nil))
	} else {
		ok(n.t, n.l.MergeSlips(n.t.Context(), p, nil, nil))
	}
	return p
}

// text is the bytes that are kept of a body; "gone" when there are none.
func (n *night) text(sum string) string {
	n.t.Helper()
	b, err := n.l.Body(n.t.Context(), sum)
	ok(n.t, err)
	if b.Packed == nil {
		return "gone"
	}
	var s strings.Builder
	_, err = b.WriteTo(&s)
	ok(n.t, err)
	return s.String()
}

func bodies(t *testing.T, open func(*testing.T) *store.Ledger) {
	t.Run("a body is kept once, with its pull", func(t *testing.T) {
		n := begin(t, open(t))
		b := bodyOf(t, "[1]", "[*]")
		p := n.answer(ledger.Cards, day(20), b)
		n.answer(ledger.SlipsDue, day(22), b)
		n.answer(ledger.SlipsDue, day(21), b)
		equal(t, "kept", n.text(p.SHA256), "[*]")
		got, err := n.l.Body(t.Context(), p.SHA256)
		ok(t, err)
		equal(t, "differs from what arrived", got.Changed(), true)
		equal(t, "days", [2]ledger.Date{got.FirstOn, got.LastOn}, [2]ledger.Date{day(20), day(22)})
		pulls, err := n.l.FindPulls(t.Context(), p.ID)
		ok(t, err)
		equal(t, "its pull", pulls[0].SHA256+pulls[0].Window.Account.String(), b.SHA256+account.String())
		_, err = n.l.Body(t.Context(), "another")
		equal(t, "no such body", errors.Is(err, sqldb.ErrNotFound), true)
	})
	t.Run("a merge that fails keeps no body", func(t *testing.T) {
		n := begin(t, open(t))
		p := n.answer(ledger.Cards, day(20), bodyOf(t, "[1]", "[1]"))
		b := bodyOf(t, "[2]", "[2]")
		next := n.pull(ledger.Cards, day(1), day(1))
		next.SHA256, next.Body = p.SHA256, b
		if err := n.l.MergeInstallments(t.Context(), next, nil, nil); err == nil {
			t.Error("a body of another answer was kept")
		}
		_, err := n.l.Body(t.Context(), b.SHA256)
		equal(t, "not kept", errors.Is(err, sqldb.ErrNotFound), true)
	})
	t.Run("bytes go after their time, hashes stay, and what comes again is kept anew", func(t *testing.T) {
		n := begin(t, open(t))
		first, second := bodyOf(t, "[1]", "[*]"), bodyOf(t, "[2]", "[2]")
		n.answer(ledger.Cards, day(1), first)
		n.answer(ledger.Cards, day(2), second)
		for _, c := range []struct {
			since       ledger.Date
			gone        int64
			first, last string
		}{{day(1), 0, "[*]", "[2]"}, {day(2), 1, "gone", "[2]"}, {day(2), 0, "gone", "[2]"}, {day(3), 1, "gone", "gone"}} {
			gone, err := n.l.ExpireBodies(t.Context(), c.since, day(20))
			ok(t, err)
			equal(t, "deleted", gone, c.gone)
			equal(t, "kept", n.text(first.SHA256)+n.text(second.SHA256), c.first+c.last)
		}
		b, err := n.l.Body(t.Context(), first.SHA256)
		ok(t, err)
		equal(t, "hash as kept", b.Kept, first.Kept)
		equal(t, "noted under", b.ExpiredOn, day(20))
		n.answer(ledger.Cards, day(20), first)
		equal(t, "kept anew", n.text(first.SHA256), "[*]")
		b, err = n.l.Body(t.Context(), first.SHA256)
		ok(t, err)
		equal(t, "noted under", b.ExpiredOn, 0)
	})
	t.Run("a large file is kept part by part", func(t *testing.T) { keepLargeFile(t, open) })
	t.Run("a change of bodies is kept with its act, or not at all", func(t *testing.T) { changeBodies(t, open) })
}

// keepLargeFile keeps a file that is 3 MiB when it is compressed, reads it back, and lets it go for its age.
func keepLargeFile(t *testing.T, open func(*testing.T) *store.Ledger) {
	n, ctx := begin(t, open(t)), t.Context()
	file, draw := make([]byte, 3<<20), rand.NewChaCha8([32]byte{7})
	_, _ = draw.Read(file)
	in := statementA.takeIn()
	in.Bytes = sha256.Sum256(file)
	in.WriteBody = func(w io.Writer) error {
		for piece := range slices.Chunk(file, 100_000) {
			if _, err := w.Write(piece); err != nil {
				return err
			}
		}
		return nil
	}
	_, err := n.l.TakeInStatements(ctx, []bank.TakeIn{in}, false)
	ok(t, err)
	b, err := n.l.Body(ctx, in.Bytes.String())
	ok(t, err)
	var back bytes.Buffer
	_, err = b.WriteTo(&back)
	ok(t, err)
	equal(t, "what is kept is the file", bytes.Equal(back.Bytes(), file), true)
	r, err := n.l.Check(ctx)
	ok(t, err)
	equal(t, "faults", words.JoinMessages("en", r.Faults), "")
	gone, err := n.l.ExpireBodies(ctx, b.LastOn+1, b.LastOn+1)
	ok(t, err)
	equal(t, "bodies past their time", gone, 1)
	kept, err := n.l.HasBody(ctx, in.Bytes.String())
	ok(t, err)
	equal(t, "it is still kept", kept, false)
}

func changeBodies(t *testing.T, open func(*testing.T) *store.Ledger) {
	n, ctx := begin(t, open(t)), t.Context()
	card, one, two := bodyOf(t, "[0]", "[0]"), bodyOf(t, "[1]", "[1]"), bodyOf(t, "[2]", "[2]")
	n.answer(ledger.Cards, day(1), card)
	n.answer(ledger.SlipsDue, day(1), one)
	n.answer(ledger.SlipDetail, day(1), two)
	sums, err := n.l.SlipBodies(ctx)
	ok(t, err)
	equal(t, "bodies of slips", len(sums), 2)
	statement := statementA.takeIn()
	takeIn(t, n.l, statementA)
	statements, err := n.l.StatementBodies(ctx)
	ok(t, err)
	equal(t, "statements", strings.Join(statements, " "), statement.Bytes.String())
	sums = append(sums, statements...)

	act := ledger.Act{Verb: "blank", Stage: ledger.Done, Subject: "x", Actor: "ana", At: time.Unix(1, 0)}
	broken := errors.New("broken")
	err = n.l.ErasePayer(ctx, &caselog.Erasure{Bodies: sums, BlankBody: func(b *ledger.Body) (*ledger.Body, error) {
		if b.SHA256 == sums[1] {
			return nil, broken
		}
		return &ledger.Body{SHA256: b.SHA256, Size: b.Size, Kept: "k", Packed: []byte("p")}, nil
	}}, act)
	equal(t, "refused", errors.Is(err, broken), true)
	equal(t, "nothing changed", n.text(one.SHA256)+n.text(two.SHA256), "[1][2]")
	end, err := n.l.ActLogEnd(ctx, 0)
	ok(t, err)
	equal(t, "acts", end.Number, 0)

	blank := func(b *ledger.Body) (*ledger.Body, error) {
		p := ledger.NewBodyPacker()
		switch b.SHA256 {
		case one.SHA256:
		case statement.Bytes.String():
			_, _ = io.WriteString(p, strings.Repeat("*", int(b.Size)))
			return p.Pack(b.SHA256)
		default:
			return nil, nil
		}
		_, _ = io.WriteString(p, "[*]")
		return p.Pack(b.SHA256)
	}
	ok(t, n.l.ErasePayer(ctx, &caselog.Erasure{Bodies: sums, BlankBody: blank}, act))
	equal(t, "changed", n.text(one.SHA256)+n.text(two.SHA256), "[*][2]")
	b, err := n.l.Body(ctx, one.SHA256)
	ok(t, err)
	equal(t, "forgotten", b.Forgotten, act.At.UTC())
	end, err = n.l.ActLogEnd(ctx, 0)
	ok(t, err)
	equal(t, "acts", end.Number, 1)

	equal(t, "statement", strings.Trim(n.text(statement.Bytes.String()), "*"), "")
	equal(t, "the same statement again", takeIn(t, n.l, statementA).Known, true)
	equal(t, "statement", strings.Trim(n.text(statement.Bytes.String()), "*"), "")
	r, err := n.l.Check(ctx)
	ok(t, err)
	equal(t, "faults", words.JoinMessages("en", r.Faults), "")

	// The same answer comes again, while the bytes are there and when they are gone: what was forgotten stays so.
	n.answer(ledger.SlipsDue, day(2), one)
	equal(t, "kept", n.text(one.SHA256), "[*]")
	_, err = n.l.ExpireBodies(ctx, day(9), day(20))
	ok(t, err)
	n.answer(ledger.SlipsDue, day(20), one)
	equal(t, "not kept anew", n.text(one.SHA256), "gone")
}

// subjects checks what there is to show about one subject.
func subjects(t *testing.T, open func(*testing.T) *store.Ledger) {
	n := begin(t, open(t))
	a, b := row(day(1), "7", 1, 2), row(day(1), "7", 2, 2)
	n.merge(day(1), day(1), a, b, row(day(1), "8", 1, 1))
	n.merge(day(1), day(1), received(a, 90*ledger.Real), b, row(day(1), "8", 1, 1))
	versions := func(number int) []ledger.InstallmentVersion {
		all, err := n.l.SaleVersions(t.Context(), a.SaleKey(), number)
		ok(t, err)
		return all
	}
	equal(t, "versions of the sale", len(versions(0)), 3)
	equal(t, "versions of the installment", len(versions(1)), 2)
	equal(t, "the second", versions(1)[1].Received, ledger.Some(90*ledger.Real))
	equal(t, "the pull that brought it", versions(1)[1].FirstPull, "pull-0002")
	equal(t, "the splits in it", len(versions(1)[1].Splits), 1)

	v := ledger.SlipView{ID: "b1", List: ledger.SlipsDue, Value: 5 * ledger.Real, Due: day(3)}
	n.slips(ledger.SlipsDue, day(3), day(3), v)
	v.Status = ledger.Some[int64](ledger.BillOverdue)
	n.slips(ledger.SlipsDue, day(3), day(3), v)
	slips, err := n.l.SlipVersions(t.Context(), account, "b1")
	ok(t, err)
	equal(t, "versions of the slip", len(slips), 2)
	equal(t, "its status at last", slips[1].Status, ledger.Some[int64](ledger.BillOverdue))

	pulls, err := n.l.PullsByID(t.Context(), account, []string{"pull-0002", "no such"})
	ok(t, err)
	equal(t, "pulls by id", len(pulls), 1)
	equal(t, "window", pulls["pull-0002"].Window.Period.From, day(1))
	of, err := n.l.PullsOfDay(t.Context(), account, ledger.SlipsDue, day(3))
	ok(t, err)
	equal(t, "pulls of a day", len(of), 2)
	kept, err := n.l.HasBody(t.Context(), "no such")
	ok(t, err)
	equal(t, "a body nobody kept", kept, false)
}
