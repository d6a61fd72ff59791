package control

import (
	"concilia/export/report"
)

// PageFile is the name of the page in staging; it is published as settlement_….html.
const PageFile = string(report.Settlement) + ".html"

// CausesID is the id of the causes among the tables of a page.
const CausesID = "causes"

// ByCauseID is the id of the totals by cause among the tables of a page.
const ByCauseID = "restatement-causes"

// ExcessOf is the suffix of the measure of a line's excess, which has a separate row.
const ExcessOf = " excess"

// The rows of control that record the last act of each log. A published file can't be changed by writing to the ledger, so
// CheckTree finds a log whose last acts were deleted.
const (
	ActLogItem         = "acts " // followed by the account
	MeasureLastAct     = "last_act"
	MeasureLastActHash = "last_act_hash"
)

// The measures of the rows of control that list deleted files, in section files of its own file.
const (
	MeasureRetired      = "retired"
	MeasureRetiredSince = "retired_since"
)
