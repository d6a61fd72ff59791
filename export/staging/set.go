package staging

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"concilia/export"
	"concilia/export/edi"
	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/export/report/kindlist"
	"concilia/export/table"
	"concilia/store/ledger"
)

// Set is the state of one set between the steps of its rendering: what was read, and what was written to the staging folder.
type Set struct {
	Job    *export.Job
	Source export.ReportSource
	Dir    string // the staging folder
	Result export.Result

	Tables map[string]*Table // by id
	Report *report.Set
	// The contents that workbook and page show in their own parts; nil if the set has none.
	Summary     *report.Summary
	SlipsByDay  *report.Slips
	Exceptions  *asof.Exceptions
	Agenda      *asof.Agenda
	Forecast    *asof.Forecast
	Restatement *report.Restatement

	Files             []*File // in order of publication
	EDIOmissions      []EDIOmissions
	WithoutDate       map[string]int64 // rows without a date of the basis, by side
	Identities        []report.Identity
	ChangedStatements []string // sets of earlier statements to issue again

	Verdict  ledger.Verdict        // of the set
	Accounts []export.AccountFacts // Job.Facts.Accounts with their verdicts of the set

	// written are the hashes of the files that were written there, by path.
	written    map[string]FileHash
	reading    sync.WaitGroup         // of files that are read while they are written
	ledgerSums map[string]report.Sums // its own figures, asked for once
}

// EDIOmissions are the rows that one EDI file leaves out.
type EDIOmissions struct {
	File string
	edi.OmittedRows
}

// New returns the empty set with a folder of its own below the staging directory. drop closes its tables and removes the folder.
func New(job *export.Job, source export.ReportSource, below string) (s *Set, drop func() error, err error) {
	dir, err := os.MkdirTemp(below, "set-")
	if err != nil {
		return nil, nil, fmt.Errorf("staging: %w", err)
	}
	s = &Set{Job: job, Source: source, Dir: dir, Tables: make(map[string]*Table), written: make(map[string]FileHash), ledgerSums: make(map[string]report.Sums)}
	return s, func() error {
		err := s.CloseTables()
		s.WaitForReaders()
		return errors.Join(err, os.RemoveAll(dir))
	}, nil
}

// WrittenHash returns the hash and the size of what was written to a file by CreateFile.
func (s *Set) WrittenHash(path string) FileHash { return s.written[path] }

// Path returns the path of a file of the staging folder.
func (s *Set) Path(name string) string { return filepath.Join(s.Dir, name) }

// TablesOf are the tables of a kind as the set has them.
func (s *Set) TablesOf(k report.Kind) []*table.Table { return kindlist.TablesIn(k, s.Job.BankColumns) }

// ContentOf returns the content that a table belongs to; nil for control.
func (s *Set) ContentOf(t *table.Table) report.Content {
	if d := kindlist.DefinitionOfTable(t); d != nil {
		return s.Report.Content(d.Kind)
	}
	return nil
}

// LedgerSumsOf asks the ledger for the sums of a table, once.
func (s *Set) LedgerSumsOf(ctx context.Context, t *table.Table) (report.Sums, error) {
	if sums, ok := s.ledgerSums[t.ID]; ok {
		return sums, nil
	}
	sums, err := s.Source.Sums(ctx, t.ID)
	if err != nil {
		return report.Sums{}, fmt.Errorf("sums of %s: %w", t.ID, err)
	}
	if c := s.ContentOf(t); c != nil {
		sums = c.LedgerSums(t, sums)
	}
	s.ledgerSums[t.ID] = sums
	return sums, nil
}

// DistinctTotals returns the totals of a table's columns that count distinct values.
func (s *Set) DistinctTotals(t *table.Table) map[string]int64 {
	if c := s.ContentOf(t); c != nil {
		return c.DistinctTotals(t)
	}
	return nil
}
