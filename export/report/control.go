package report

import (
	"slices"

	"concilia/export/table"
)

// StatementDefinition is the statement in EDI, which has no table and is written by package render.
var StatementDefinition = &Definition{Kind: StatementKind, OnDemand: true, Bases: []Basis{ByCredit}, Formats: ediAlone, FollowsFromRows: true}

// ControlDefinition is the proof of a set, which package render writes after every other file.
var ControlDefinition = &Definition{
	Kind: ControlKind, Tables: []*table.Table{ControlTable}, Bases: append(slices.Clone(allBases), ByMovement, ByPosting), Formats: ExceptEDI,
	FollowsFromRows: true,
}

// ControlTable is the proof of a set: one row per figure, in order of section, item and measure as listed.
var ControlTable = &table.Table{ID: "control", Sheet: "Controle", SheetEN: "Control", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText},
	{ID: "section", Header: "Seção", HeaderEN: "Section", Type: table.TypeEnum, Labels: sectionLabels},
	{ID: "item", Header: "Item", HeaderEN: "Item", Type: table.TypeText},
	{ID: "measure", Header: "Medida", HeaderEN: "Measure", Type: table.TypeText},
	{ID: "unit", Header: "Unidade", HeaderEN: "Unit", Type: table.TypeEnum, Labels: unitLabels},
	{ID: "value", Header: "Valor", HeaderEN: "Value", Type: table.TypeValue, Null: "the three figures stand instead"},
	{ID: "ledger", Header: "Banco de dados", HeaderEN: "Ledger", Type: table.TypeNumber, Decimals: 4, Null: "not a tied figure"},
	{ID: "writer", Header: "Na gravação", HeaderEN: "Writer", Type: table.TypeNumber, Decimals: 4, Null: "not a tied figure"},
	{ID: "file", Header: "Relido do arquivo", HeaderEN: "File read back", Type: table.TypeNumber, Decimals: 4, Null: "not a tied figure"},
	{ID: "residual", Header: "Diferença", HeaderEN: "Residual", Type: table.TypeNumber, Decimals: 4, Null: "nothing to compare"},
	{ID: "note", Header: "Observação", HeaderEN: "Note", Type: table.TypeText, Null: "none"},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}
