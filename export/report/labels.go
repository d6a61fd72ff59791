package report

import "concilia/export/words"

// The Portuguese words for ids, as workbooks show them. Machine formats and the English workbook have the ids.
var (
	ProductLabels    = words.Labels("product")
	bandLabels       = words.Labels("band")
	CardClassLabels  = words.Labels("card_class")
	SlipClassLabels  = words.Labels("slip_class")
	slipStatusLabels = words.Labels("slip_status")
	feeLabels        = words.Labels("fee")
	basisLabels      = words.Labels("basis")
	verdictLabels    = words.Labels("verdict")
	memberLabels     = words.Labels("member")
	itemStatusLabels = words.Labels("item_status")
	listLabels       = words.Labels("list")
	sectionLabels    = words.Labels("section")
	unitLabels       = words.Labels("unit")
	CauseLabels      = words.Labels("cause")
)
