package cnab

// Profile chooses the edition a file says it is of, and the quirks its readers insist on.
type Profile string

const (
	// Febraban is edition 10.6 of the standard.
	Febraban Profile = "febraban"
	// BB is for readers that verify every constant of Banco do Brasil's files; bank 001 only.
	BB Profile = "bb"
)

// edition is a set of version numbers that belong together, and the tape density, which some readers verify.
type edition struct {
	file, lote                   string // of cobrança files
	statementFile, statementLote string // of extrato files
	density                      string
	blankRemark                  bool // readers want columns 172 to 240 of the file header blank
}

var editions = map[Profile]edition{
	Febraban: {file: fileVersion, lote: cobrancaVersion, statementFile: fileVersion, statementLote: extratoVersion, density: "01600"},
	BB:       {file: "084", lote: "043", statementFile: "089", statementLote: "032", density: "06250", blankRemark: true},
}

// The version numbers of edition 10.6. Those of other editions and banks are read with a warning.
const (
	fileVersion     = "103"
	cobrancaVersion = "060"
	extratoVersion  = "033"
)
