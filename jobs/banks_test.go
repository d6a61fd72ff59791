package jobs_test

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/world"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/verify"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/jobs/agreements"
	"concilia/jobs/bank"
	"concilia/jobs/bank/match"
	"concilia/jobs/jobstest"
	"concilia/jobs/othersides"
	"concilia/jobs/setpublish"
	bankstore "concilia/store/bank"
	"concilia/store/books"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/ledger/bookkeeping"
)

// bankedMerchant is a merchant with a bank account for each account, whose statements lie in inboxes.
func bankedMerchant(t *testing.T, on jobstest.Database) *merchant {
	t.Helper()
	return merchantPaidBy(t, on, world.BankOptions{})
}

// merchantPaidBy is a merchant whose service pays in a certain way.
func merchantPaidBy(t *testing.T, on jobstest.Database, o world.BankOptions) *merchant {
	t.Helper()
	m := newMerchant(t, world.Options{Days: 40, Plant: true, Bank: o})
	m.AskFar()
	m.SkipReports()
	m.Ledger, _ = on.Open(t)
	m.BankCalendar = jobstest.BankDays(t)(1001)
	for _, b := range m.World.Banks() {
		var accounts []ledger.Account
		for _, a := range b.Accounts {
			accounts = append(accounts, ledger.Account(a))
		}
		m.Banks = append(m.Banks, bank.Account{
			ID: b.ID, Bank: b.Bank, Branch: b.Branch, Number: b.Number, Accounts: accounts, Shift: 5,
			Since: m.Accounts[0].Since, Inbox: t.TempDir(), Done: t.TempDir(), Payers: []bank.Payer{{
				Name: "service", Match: bank.Pattern{Piece: "SERVICO PAGAMENTOS"}, Cards: true, Slips: true, Grain: match.Grain(b.Grain), NetOfTariff: true,
				Debits: []bank.MonthlyDebit{{Name: "conectividade", Amount: 12_9000}},
			}},
		})
	}
	return m
}

// drop puts a file into an inbox, old enough to be taken in at once: a young one may still grow.
func drop(t *testing.T, folder, name string, file []byte) {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
}

// dropStatements puts what a person would have downloaded by the world's morning into the inboxes: overlapping files in OFX, or
// one in CNAB 240.
func (m *merchant) dropStatements(t *testing.T) {
	t.Helper()
	first, _ := m.World.Days()
	last := m.World.AsOf() - 1
	for i, b := range m.World.Banks() {
		whole := world.StatementPeriod{From: first, To: last, Made: m.World.Now()}
		if b.Grain == "brand" {
			drop(t, m.Banks[i].Inbox, "extrato.ret", m.World.StatementCNAB(b, whole, true))
			continue
		}
		before := world.StatementPeriod{From: first, To: last - 15, Made: (last - 14).At(0)}
		drop(t, m.Banks[i].Inbox, "extrato 1.ofx", m.World.StatementOFX(b, before, true))
		whole.From = last - 25
		drop(t, m.Banks[i].Inbox, "extrato 2.ofx", m.World.StatementOFX(b, whole, true))
	}
}

// A night takes in what the inboxes hold, and finds at the banks what was planted there and nothing else. Lived again it finds
// nothing new, and a morning from nothing finds the same.
func TestNightFindsWhatWasPlantedAtTheBanks(t *testing.T) {
	t.Parallel()
	var all []string
	for _, on := range []jobstest.Database{jobstest.OnSQLite(), jobstest.OnPostgres()} {
		m := bankedMerchant(t, on)
		m.dropStatements(t)
		m.Movement = setpublish.MovementSettings{Enabled: true, From: m.Today() - 20, Sources: []bookkeeping.EventSource{bookkeeping.CardEvents, bookkeeping.SlipEvents}}
		s := m.RunNight(t)
		m.checkNoEntries(t)
		m.checkBankEntries(t)
		m.checkTies(t)
		planted := map[string]bool{}
		for _, p := range append(m.World.Planted(), m.World.PlantedAtBanks()...) {
			planted[p.Code+" "+p.Subject+" "+p.Impact] = true
		}
		if len(m.World.PlantedAtBanks()) < 9 {
			t.Fatalf("only %v is planted at the banks", m.World.PlantedAtBanks())
		}
		found := m.FoundDifferences(t)
		for line := range found {
			if !planted[line] {
				t.Errorf("%s: found, not planted: %s", on.Name, line)
			}
		}
		for line := range planted {
			if !found[line] {
				t.Errorf("%s: planted, not found: %s", on.Name, line)
			}
		}
		if len(s.Banks) != 2 || s.Banks[0].FilesNew != 2 || s.Banks[1].FilesNew != 1 || s.Banks[0].SettledTo != m.Today()-1 || s.Banks[0].Proven == 0 {
			t.Errorf("%s: the banks are %+v", on.Name, s.Banks)
		}
		for _, b := range m.Banks {
			if left, err := os.ReadDir(b.Inbox); err != nil || len(left) > 0 {
				t.Errorf("%s: in the inbox of %s: %v, %v", on.Name, b.ID, left, err)
			}
		}
		again, err := m.Reconcile(t.Context(), m.Today())
		if err != nil {
			t.Fatal(err)
		}
		if len(again.NewFindings) > 0 || len(m.FoundDifferences(t)) != len(found) {
			t.Errorf("%s: judged again, it finds %v", on.Name, again.NewFindings)
		}
		m.checkMatchedAnew(t, on.Name)
		m.checkMeasured(t, on.Name)
		if s.Record.Documents["banks"] == "" {
			t.Errorf("%s: the run does not say by which bank accounts it judged", on.Name)
		}
		all = append(all, bankHistory(t, m))
		m.evaluateStore(t)
		m.evaluateSandboxStores(t, on.Name)
		all[len(all)-1] += m.reportStores(t)
		if on.Name == jobstest.OnSQLite().Name {
			m.giveUp(t)
			m.nextDay()
			m.dropDay(t)
			m.RunNight(t)
			m.checkMatchedAnew(t, on.Name+", the next morning")
			m.checkGivenUp(t)
			m.checkBankEntries(t)
			m.checkTies(t)
			m.conciliateOwnStatements(t)
		}
	}
	if all[0] != all[1] {
		t.Errorf("SQLite:\n%s\nPostgreSQL:\n%s", all[0], all[1])
	}
}

// TestNightFindsWhatWasPlantedHoweverTheServicePays: by slip, by brand and product, all accounts together, in statements that are spelled
// in the odd ways of banks: a night finds what was planted and nothing else.
func TestNightFindsWhatWasPlantedHoweverTheServicePays(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	for _, o := range []world.BankOptions{
		{Grain: "slip", Quirks: true}, {Grain: "brand_product"}, {Grain: "day", Together: true, Quirks: true}, {Grain: "brand", Together: true, Quirks: true},
	} {
		m := merchantPaidBy(t, jobstest.OnSQLite(), o)
		m.dropStatements(t)
		s := m.RunNight(t)
		planted := map[string]bool{}
		for _, p := range append(m.World.Planted(), m.World.PlantedAtBanks()...) {
			planted[p.Code+" "+p.Subject+" "+p.Impact] = true
		}
		if d := cmp.Diff(planted, m.FoundDifferences(t)); d != "" {
			t.Errorf("%+v: planted (-), found (+):\n%s", o, d)
		}
		if len(m.World.PlantedAtBanks()) == 0 || len(s.Banks) != len(m.Banks) || s.Banks[0].SettledTo != m.Today()-1 || s.Banks[0].Proven == 0 || s.Banks[0].Residual != 0 {
			t.Errorf("%+v: %d are planted, the banks are %+v", o, len(m.World.PlantedAtBanks()), s.Banks)
		}
	}
}

// checkMeasured has the statements say how the payers pay, and leaves the bank accounts as they are. What makes no difference, as a credit
// for each of one account, is not decided.
func (m *merchant) checkMeasured(t *testing.T, when string) {
	t.Helper()
	banks := m.Banks
	defer func() { m.Banks = banks }()
	m.Banks = slices.Clone(banks)
	for i := range m.Banks {
		m.Banks[i].Payers = slices.Clone(banks[i].Payers)
		p := &m.Banks[i].Payers[0]
		p.Grain, p.Measured = match.Slip, []agreements.BankKey{agreements.BankGrain, agreements.BankPerAccount}
	}
	c, err := m.Calibrate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range c.Banks {
		isGrain, grain := k.Key == agreements.BankGrain, string(banks[i/2].Payers[0].Grain)
		if k.Bank != banks[i/2].ID || k.Decided != isGrain || isGrain && (k.Value != grain || k.Days < 10 || c.Profile.Banks.Value(k.Bank, k.Payer, k.Key) != grain) {
			t.Errorf("%s: measured %+v", when, k)
		}
	}
	if len(c.Banks) != 4 || !c.Undecided() {
		t.Errorf("%s: measured %+v", when, c.Banks)
	}
}

// dropDay puts what the bank shows of yesterday into the inboxes.
func (m *merchant) dropDay(t *testing.T) {
	t.Helper()
	last := m.World.AsOf() - 1
	for i, b := range m.World.Banks() {
		drop(t, m.Banks[i].Inbox, "ontem.ofx", m.World.StatementOFX(b, world.StatementPeriod{From: last - 1, To: last, Made: m.World.Now()}, true))
	}
}

// checkMatchedAnew matches all days of the bank accounts anew: the stored matches are those of nights that looked only at what moved, most days
// being closed.
func (m *merchant) checkMatchedAnew(t *testing.T, when string) {
	t.Helper()
	before := m.bankStands(t)
	m.Inputs.Full = true
	s, err := m.Reconcile(t.Context(), m.Today())
	m.Inputs.Full = false
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, m.bankStands(t)); d != "" || len(s.NewFindings) > 0 {
		t.Errorf("%s: what moved (-), everything (+), new cases %v:\n%s", when, s.NewFindings, d)
	}
	for _, b := range m.Banks {
		at := bankstore.Account{Home: b.Accounts[0], ID: b.ID}
		closed, err := m.Ledger.ClosedBankDays(t.Context(), at)
		open, openErr := m.Ledger.OpenDepositParts(t.Context(), at)
		if err != nil || openErr != nil || len(closed) < 10 || len(open) == 0 {
			t.Errorf("%s: at %s %d days are closed, and %d groups and lines are not: %v, %v", when, b.ID, len(closed), len(open), err, openErr)
		}
	}
}

// bankStands lists all current conclusions on the bank accounts, a line each.
func (m *merchant) bankStands(t *testing.T) (out []string) {
	t.Helper()
	say := func(what any) { out = append(out, fmt.Sprintf("%+v", what)) }
	for _, b := range m.Banks {
		q := bankstore.Concluded{Home: b.Accounts[0], Run: "~", Period: ledger.Period{From: 1, To: 1 << 30}}
		err := m.Ledger.Deposits(t.Context(), q, func(d *banking.Deposit) error { say(*d); return nil })
		if err == nil {
			err = m.Ledger.SeenBankDays(t.Context(), q, func(d *banking.SeenDay) error { say(*d); return nil })
		}
		bridge, bridgeErr := m.Ledger.BankBridge(t.Context(), q)
		proofs, proofErr := m.Ledger.BankProofs(t.Context(), q.Home)
		if err != nil || bridgeErr != nil || proofErr != nil {
			t.Fatal(err, bridgeErr, proofErr)
		}
		say(bridge)
		say(proofs)
		at := bankstore.Account{Home: b.Accounts[0], ID: b.ID}
		if err := m.Ledger.TakenBackAtBank(t.Context(), at, func(x *banking.TakenBack) error { say(*x); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// checkBankEntries compares the entries of the journal with what was matched at the banks: as much came, and is off what the service says
// it paid. What came before the first day of the movement is in the opening balance.
func (m *merchant) checkBankEntries(t *testing.T) {
	t.Helper()
	m.bookBoth(t)
	for _, b := range m.Banks {
		a := b.Accounts[0]
		cuts, err := m.Ledger.Cuts(t.Context(), a)
		if err != nil || len(cuts) == 0 {
			t.Fatal(cuts, err)
		}
		var came, declared, booked, tariffs, service ledger.Amount
		before := 0
		err = m.Ledger.Matches(t.Context(), a, cuts[len(cuts)-1].ToRun, func(d *banking.Deposit) error {
			if d.Day < m.Movement.From {
				before++
				return nil
			}
			came, declared = came+d.Credited.V, declared+d.Declared
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		err = m.Ledger.Entries(t.Context(), &books.JournalQuery{Account: a, Method: bookkeeping.Cash}, func(e *bookkeeping.Entry) error {
			for _, l := range e.Lines {
				switch {
				case e.Type != bookkeeping.EntryBank:
				case l.Role == bookkeeping.RoleBank:
					booked += l.Amount
				case l.Role == bookkeeping.RoleBankTariffs:
					tariffs += l.Amount
				default:
					service += l.Amount
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if came == 0 || before == 0 || booked != came || tariffs != declared || service != -came-declared {
			t.Errorf("at %s came %s and declared debits of %s, %d before the first day; the journal has %s, %s, %s", b.ID, came, declared, before, booked, tariffs, service)
		}
		if err := m.Ledger.CheckMovement(t.Context(), a, jobstest.ReportFault(t)); err != nil {
			t.Fatal(err)
		}
	}
}

// checkNoEntries looks for entries of the journal, of which a night makes none where it is off.
func (m *merchant) checkNoEntries(t *testing.T) {
	t.Helper()
	for _, a := range m.accountNumbers() {
		for _, method := range bookkeeping.Methods() {
			if n, err := m.Ledger.CountEntries(t.Context(), &books.JournalQuery{Account: a, Method: method}); err != nil || n != 0 {
				t.Errorf("account %s: %d entries by %s without a journal: %v", a, n, method, err)
			}
		}
	}
}

// bankHistory lists the events of all cases of bank accounts.
func bankHistory(t *testing.T, m *merchant) string {
	t.Helper()
	var lines []string
	for line := range m.FoundDifferences(t) {
		if strings.HasPrefix(line, "BANK_") || strings.Contains(line, ":bank.") || strings.Contains(line, " group:") {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// A file of an inbox that is no statement of the account hinders no other, is reported, and is over once it is gone. A file that is
// being written, a hidden one and a part are left alone.
func TestInboxTellsOfWhatItRefuses(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := bankedMerchant(t, jobstest.OnSQLite())
	m.dropStatements(t)
	inbox := m.Banks[0].Inbox
	drop(t, inbox, "fatura.ofx", []byte("<OFX><CREDITCARDMSGSRSV1><CCSTMTTRNRS><CCSTMTRS></CCSTMTRS></CCSTMTTRNRS></CREDITCARDMSGSRSV1></OFX>"))
	drop(t, inbox, "outra.ofx", m.World.StatementOFX(m.World.Banks()[1], world.StatementPeriod{From: m.World.AsOf() - 3, To: m.World.AsOf() - 1, Made: m.World.Now()}, true))
	drop(t, inbox, ".oculto.ofx", []byte("x"))
	drop(t, inbox, "extrato.ofx.part", []byte("x"))
	shelf := m.openStore(t, m.Today()-12)
	stop := m.growFile(t, inbox, m.World.StatementOFX(m.World.Banks()[0], world.StatementPeriod{From: m.World.AsOf() - 3, To: m.World.AsOf() - 1, Made: m.World.Now()}, true))
	s := m.RunNight(t)
	stop()
	if taken := m.ownFiles(t); len(taken) != 1 || !m.FoundDifferences(t)["SALE_FILE_MISSING file:1001:own.centro/vendas.pdf "] || s.Findings["SALE_FILE_MISSING"] < 5 {
		t.Errorf("of the store's inbox %v is taken in: %v", taken, s.Findings)
	}
	if s.Findings["BANK_FILE_MISMATCH"] != 2 || s.Banks[0].FilesNew != 2 {
		t.Errorf("found %v, banks %+v", s.Findings, s.Banks)
	}
	if s.ExitCode() != jobs.ExitIncomplete {
		t.Errorf("a statement of another account ends with %d", s.ExitCode())
	}
	for _, want := range []string{"file:1001:bank.bb-1001/fatura.ofx", "file:1001:bank.bb-1001/outra.ofx"} {
		if !m.FoundDifferences(t)["BANK_FILE_MISMATCH "+want+" "] {
			t.Errorf("nothing is told of %s", want)
		}
	}
	for _, path := range []string{filepath.Join(inbox, "outra.ofx"), filepath.Join(shelf, "vendas.pdf")} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if again, err := m.Reconcile(t.Context(), m.Today()); err != nil || again.Findings["BANK_FILE_MISMATCH"] != 2 {
		t.Errorf("a reconcile, which reads no inbox, says %v, %v", again.Findings, err)
	}
	m.readStoreBy(t, "preset: neutral\ncolumns: {sale_id: Pedido}\n") // which the file in the inbox is not for
	if s = m.RunNight(t); s.Findings["BANK_FILE_MISMATCH"] != 1 {
		t.Errorf("once a file is gone: %v", s.Findings)
	}
	if m.FoundDifferences(t)["SALE_FILE_MISSING file:1001:own.centro/vendas.csv "] {
		t.Error("a file that another map read is refused because this one does not read it")
	}
	if m.FoundDifferences(t)["SALE_FILE_MISSING file:1001:own.centro/vendas.pdf "] || len(m.ownFiles(t)) != 1 {
		t.Errorf("once a file of the store is gone: %v", s.Findings)
	}
	m.Banks[0].Inbox = filepath.Join(inbox, "gone")
	m.readStoreBy(t, "preset: neutral\nvalues: {method: {pix: other}}\n")
	if s = m.RunNight(t); !m.FoundDifferences(t)["BANK_FILE_MISMATCH file:1001:bank.bb-1001/. "] {
		t.Errorf("a folder that is not there: %v", s.Findings)
	}
	const unknown = "ENUM_UNMAPPED value:1001:own.centro:brand:Tupi "
	if words := m.ownWords(t); !slices.Equal(words, []string{"other ", "other "}) || len(m.ownFiles(t)) != 1 || !m.FoundDifferences(t)[unknown] {
		t.Errorf("read anew by the map that was mended: %q, %v", words, s.Findings)
	}
	m.nameBrand(t, "Tupi")
	m.RunNight(t)
	if words := m.ownWords(t); !slices.Equal(words, []string{"other tupi", "other "}) || len(m.ownFiles(t)) != 1 || m.FoundDifferences(t)[unknown] {
		t.Errorf("read anew once its brand is known: %q", words)
	}
}

// growFile puts a statement into an inbox that grows until it is stopped, and is gone then. It grows by each look at the clock: a night looks
// at a file, then at the clock, and at the file again, however long it takes.
func (m *merchant) growFile(t *testing.T, inbox string, statement []byte) (stop func()) {
	t.Helper()
	path := filepath.Join(inbox, "cresce.ofx")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = file.Write(statement)
	wall := m.Wall
	m.Wall = func() time.Time {
		_, _ = file.WriteString("\n")
		return wall()
	}
	return func() {
		m.Wall = wall
		if err := errors.Join(file.Close(), os.Remove(path)); err != nil {
			t.Error(err)
		}
	}
}

// TestBankKindSaysWhatTheLedgerSays: a night publishes what came to the bank accounts, on both databases byte for byte, and says of
// the service what it says without them; Render refuses a set whose rows, sums or identities differ. The bridge of every month closes,
// the same morning again writes nothing, and the digest can be computed again.
func TestBankKindSaysWhatTheLedgerSays(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	var lives []map[string]string
	for _, on := range []jobstest.Database{jobstest.OnSQLite(), jobstest.OnPostgres()} {
		path := notePath(&on)
		m := bankedMerchant(t, on)
		m.Reports.Kinds, m.Reports.Bases = []report.Kind{report.SummaryKind, report.SlipsKind, report.BankKind, report.ControlKind, report.InstallmentsKind}, []report.Basis{report.ByCredit}
		m.Reports.Formats = []report.Format{report.CSV, report.CSVBR, report.JSONL, report.XLSX, report.HTML}
		m.dropStatements(t)
		m.RunNight(t)
		if on.Name == "sqlite" {
			without := jobstest.OnSQLite()
			at := notePath(&without)
			w := bankedMerchant(t, without)
			w.Reports, w.Banks = m.Reports, nil
			w.Reports.Kinds = []report.Kind{report.InstallmentsKind}
			w.RunNight(t)
			before, after := w.unbanked(t, *at), m.unbanked(t, *path)
			if d := cmp.Diff(before, after); d != "" || len(before) < 20 {
				t.Errorf("the same night without bank accounts (-) and with them (+), %d tables, cases and files:\n%s", len(before), d)
			}
		}
		for _, f := range m.RunNight(t).Files {
			if f.New {
				t.Errorf("%s: the same morning again wrote %s", on.Name, f.Path)
			}
		}
		if v, err := verify.CheckTree(t.Context(), m.Out, nil); err != nil || len(v.Faults) > 0 {
			t.Error(on.Name, err, v.Faults)
		}
		m.offerPublished(t)
		deposits, days := m.published(t, "bank_1001_*_r0.csv"), m.published(t, "bank-days_1001_*_r0.csv")
		if strings.Count(deposits, ",credited,") < 10 || !strings.Contains(deposits, ",missing,") || !strings.Contains(deposits, "BANK_CREDIT_MISSING") || strings.Count(days, ",proven,")+strings.Count(days, ",covered,") < 30 {
			t.Errorf("%s:\n%s\n%s", on.Name, deposits, days)
		}
		for _, line := range []string{"bb-1001,statements_read,", "bb-1001,other_lines,", "bb-1001,early_items,", "bb-1001,undated_items,", "bb-1001,scheduled_lines,", "bb-1001 service,reading,", "bb-1001 pass 1,pass_matches,", "bb-1001 pass 8,pass_credited,"} {
			if !strings.Contains(m.published(t, "control_1001_*_r0.csv"), ",bank,"+line) {
				t.Errorf("%s: control does not say %s", on.Name, line)
			}
		}
		m.checkBankColumns(t, on.Name, deposits)
		bridge := 0
		for line := range strings.Lines(m.published(t, "control_1001_*_r0.csv")) {
			if !strings.Contains(line, ",bank,bb-1001 2") {
				continue
			}
			if bridge++; strings.Contains(line, ",booked,") && !strings.Contains(line, ",0.0000,") {
				t.Errorf("%s: %s", on.Name, line)
			}
		}
		if bridge < 6 || !strings.Contains(m.published(t, "settlement_1001_*_r0.html"), "comprovados no banco até") {
			t.Errorf("%s: the bridge has %d lines, or the page does not say what is proven", on.Name, bridge)
		}
		if both := m.published(t, "bank_all_*_r0.csv"); strings.Count(both, "\n") != strings.Count(deposits+m.published(t, "bank_1002_*_r0.csv"), "\n")-2 {
			t.Errorf("%s: the set of all has\n%s", on.Name, both)
		}
		for _, account := range []string{"1001", "1002", manifest.AllAccounts} {
			for _, set := range m.recorded(t, account) {
				if digest, err := m.RecomputeDigest(t.Context(), set, t.TempDir()); err != nil || digest != set.Digest {
					t.Errorf("%s: %s %s: the digest is %s, %v, was %s", on.Name, account, set.Period, digest, err, set.Digest)
				}
			}
		}
		lives = append(lives, m.hashPublished(t))
		if on.Name == "sqlite" {
			m.checkContradictedBank(t)
		}
	}
	if d := cmp.Diff(lives[0], lives[1]); d != "" || len(lives[0]) < 20 {
		t.Errorf("two lives, on SQLite (-) and on PostgreSQL (+), published %d files:\n%s", len(lives[0]), d)
	}
}

// sumColumns adds up columns of the rows of CSV files that have a day, and that a column is a value of, where one is named.
func sumColumns(t *testing.T, text, day, of, value string, columns ...string) (sum ledger.Amount) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := func(id string) int {
		if i := slices.Index(rows[0], id); i >= 0 {
			return i
		}
		t.Fatalf("no column %s in %v", id, rows[0])
		return 0
	}
	for _, row := range rows[1:] {
		for _, id := range columns {
			if row[0] == rows[0][0] || row[at(day)] == "" || row[at(id)] == "" || of != "" && row[at(of)] != value {
				continue // the head of another file, or nothing to add
			}
			a, err := ledger.ParseAmount(row[at(id)])
			if err != nil {
				t.Fatal(err)
			}
			sum += a
		}
	}
	return sum
}

// checkBankColumns: summaries by day say how much of what they show came to the bank, and lack as much as the deposits of those days do.
// Days of which no statement is known to be whole say nothing, nor do sets of another basis. Every format has the columns, and a set of
// one brand says of it what the whole set says of it.
func (m *merchant) checkBankColumns(t *testing.T, when, deposits string) {
	t.Helper()
	cards, slips := m.published(t, "summary_1001_credit_*_r0.csv"), m.published(t, "slips-summary_1001_credit_*_r0.csv")
	lacking, came := ledger.Amount(0), ledger.Amount(0)
	for _, text := range []string{cards, slips} {
		lacking += sumColumns(t, text, "base_date", "", "", "bank_difference")
		came += sumColumns(t, text, "base_date", "", "", "bank_credited")
	}
	if want := sumColumns(t, deposits, "credit_date", "", "", "difference"); lacking != want || lacking == 0 || came == 0 {
		t.Errorf("%s: by the summaries %s of what was paid did not come to the bank and %s did, by the deposits %s did not", when, lacking, came, want)
	}
	all := sumColumns(t, m.published(t, "summary_all_credit_*_r0.csv"), "base_date", "", "", "bank_credited")
	if both := cards + m.published(t, "summary_1002_credit_*_r0.csv"); all != sumColumns(t, both, "base_date", "", "", "bank_credited") {
		t.Errorf("%s: over all accounts the summary says otherwise", when)
	}
	for file, want := range map[string]string{
		"summary_1001_credit_*_r0.br.csv": "Creditado no banco;Diferença no banco", "slips-summary_1001_credit_*_r0.br.csv": "Creditado no banco;Diferença no banco",
		"summary_1001_credit_*_r0.jsonl": `"bank_credited":`, "settlement_1001_credit_*_r0.html": "Creditado no banco",
	} {
		if !strings.Contains(m.published(t, file), want) {
			t.Errorf("%s: %s does not say %q", when, file, want)
		}
	}
	book := m.published(t, "settlement_1001_credit_*_r0.xlsx") // which ends with the last workbook that is published
	sheets, err := zip.NewReader(strings.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatal(err)
	}
	with := 0
	for _, part := range sheets.File {
		text, err := fs.ReadFile(sheets, part.Name)
		if err != nil {
			t.Fatal(err)
		}
		with += strings.Count(string(text), "Diferença no banco")
	}
	if with < 1 {
		t.Errorf("%s: no sheet of the workbook has the columns", when)
	}
	must(t, m.requested(t, jobs.ReportRequest{Basis: "credit", Kinds: []string{"summary"}, Brands: []string{"visa"}, Formats: []string{"csv"}, Period: m.days()}))
	filtered := m.published(t, "summary_1001_credit_*_f*_r0.csv")
	for _, column := range []string{"bank_credited", "bank_difference"} {
		got, want := sumColumns(t, filtered, "base_date", "", "", column), sumColumns(t, cards, "base_date", "brand", "visa", column)
		if got != want || got == 0 {
			t.Errorf("%s: of visa alone %s is %s, of visa among all %s", when, column, got, want)
		}
	}
}

// checkContradictedBank: once a balance of the bank contradicts its lines, the rows of its account are withheld and summaries say nothing
// of the bank. What they say of the service stays.
func (m *merchant) checkContradictedBank(t *testing.T) {
	t.Helper()
	b, last := m.World.Banks()[0], m.World.AsOf()-1
	right := world.StatementPeriod{From: last - 8, To: last - 3, Made: m.World.Now()}
	drop(t, m.Banks[0].Inbox, "right.ofx", m.World.StatementOFX(b, right, true))
	wrong := m.World.StatementOFX(b, world.StatementPeriod{From: last - 12, To: last - 6, Made: m.World.Now()}, true)
	drop(t, m.Banks[0].Inbox, "wrong.ofx", regexp.MustCompile(`<BALAMT>[^<]*`).ReplaceAll(wrong, []byte("<BALAMT>1.00")))
	if s := m.RunNight(t); s.Findings["BANK_STATEMENT_GAP"] != 1 || s.Banks[0].Verdict != ledger.Incomplete || s.Banks[1].Verdict == ledger.Incomplete {
		t.Errorf("a balance that contradicts the lines: %v, %+v", s.Findings, s.Banks)
	}
	if deposits := m.published(t, "bank_1001_credit_*_r1.csv"); strings.Contains(deposits, "bb-1001") {
		t.Errorf("rows of a bank account with a critical case are published:\n%s", deposits)
	}
	before, after := m.published(t, "summary_1001_credit_*_r0.csv"), m.published(t, "summary_1001_credit_*_r1.csv")
	if got := sumColumns(t, after, "base_date", "", "", "bank_credited", "bank_difference"); got != 0 || !strings.Contains(after, "bank_credited") {
		t.Errorf("with a critical case the summary still says %s of the bank", got)
	}
	if was, is := sumColumns(t, before, "base_date", "", "", "received"), sumColumns(t, after, "base_date", "", "", "received"); was < is || is == 0 {
		t.Errorf("of the service it said %s, and says %s", was, is)
	}
}

// offerPublished offers what was published as statements of the bank: each is recognized as our own by its bytes.
func (m *merchant) offerPublished(t *testing.T) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(m.Out, "1001", "*", "*", "bank_1001_*_r0.csv"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		file, err := bank.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		own := othersides.StatementFile{File: file, Name: "extrato.csv", Accounts: m.Banks, At: m.Wall(), Calendar: m.BankCalendar}
		var refusal *words.Refusal
		if _, _, err := othersides.TakeInStatements(t.Context(), m.Ledger, &own); !errors.As(err, &refusal) || refusal.ID != "own" {
			t.Errorf("%s is taken for a bank's: %v", filepath.Base(path), err)
		}
		_ = file.Close()
	}
}

// notePath has the database note where the last ledger that it opens is.
func notePath(d *jobstest.Database) *string {
	path, fresh := new(string), d.Fresh
	d.Fresh = func(t testing.TB) string {
		dsn := fresh(t)
		*path = strings.TrimPrefix(dsn, "sqlite:")
		return dsn
	}
	return path
}

// unbanked is what a night wrote of the service alone, by table and file: facts, what is expected of them, the cases but those of bank
// accounts, and a kind of report. Runs and pulls are named without their ids, which no two nights share.
func (m *merchant) unbanked(t *testing.T, path string) map[string]string {
	t.Helper()
	out, id, read := map[string]string{}, regexp.MustCompile(`(^|\|)20\d{6}[-T]\d{4,6}[^|]*`), sqliteReader(path)
	for _, name := range []string{
		"installment", "slip", "quarantine", "expectation", "slip_expectation", "bridge", "continuity", "forecast", "forecast_part", "forecast_day", "waiting",
	} {
		lines := read(t, "SELECT * FROM "+name)
		for i := range lines {
			lines[i] = id.ReplaceAllString(lines[i], "${1}id")
		}
		slices.Sort(lines)
		out[name] = fmt.Sprintf("%d rows %x", len(lines), sha256.Sum256([]byte(strings.Join(lines, "\n"))))
	}
	for found := range m.FoundDifferences(t) {
		if !strings.HasPrefix(found, "BANK_") && !strings.HasPrefix(found, "SLIP_BANK_") && !strings.HasPrefix(found, "SLIP_TARIFF_") {
			out[found] = "found"
		}
	}
	for name, sum := range m.hashPublished(t) {
		if strings.HasPrefix(filepath.Base(name), "installments_") {
			out[name] = sum
		}
	}
	return out
}

// hashPublished are the hashes of the published files by path, but of those in which runs and times are named: control and manifest.
func (m *merchant) hashPublished(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(m.Out, func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		if err != nil || d.IsDir() || strings.HasPrefix(name, "control") || strings.HasPrefix(name, "set_") {
			return err
		}
		b, err := os.ReadFile(path)
		within, _ := filepath.Rel(m.Out, path)
		out[within] = fmt.Sprintf("%x", sha256.Sum256(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// published is the text of all published files with such a name, by name.
func (m *merchant) published(t *testing.T, pattern string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(m.Out, func(path string, d fs.DirEntry, err error) error {
		if matched, _ := filepath.Match(pattern, filepath.Base(path)); err != nil || !matched || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out.Write(b)
		return err
	})
	if err != nil || out.Len() == 0 {
		t.Fatalf("nothing is published as %s: %v", pattern, err)
	}
	return out.String()
}
