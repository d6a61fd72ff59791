package wire

import (
	"io"
	"time"

	"github.com/rs/zerolog"

	"concilia/cmd/concilia/metrics"
	"concilia/cmd/concilia/view"
)

// Process is how a process of the program was started, as far as it decides what is opened and what a run record says of it.
type Process struct {
	ConfigPath string // path of the configuration file
	Lookup     func(string) (string, bool)
	Stderr     io.Writer
	Wall       func() time.Time
	Quiet      bool
	Language   view.Language   // that people are spoken to in
	Logger     *zerolog.Logger // of serve and worker; nil: a person reads the output
	Meters     *metrics.Meters // of serve and worker; nil: nothing is counted
	Command    string          // as it is typed, without the program; empty: unknown
	// parameters are the flags of the command that were given, for the run record.
	Parameters map[string]string
	BuildID    string  // of this program; empty: unknown
	Rate       float64 // requests a second, in place of the configured; 0: as configured
	Readers    int     // connections that read a ledger of SQLite; 0: as many as a night needs
}
