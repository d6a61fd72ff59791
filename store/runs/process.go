package runs

import (
	"crypto/rand"
	"os"
	"strconv"
	"strings"

	"concilia/store/machine"
)

// process is who holds leases, units and occurrences. Host names and process numbers are not unique: containers share both.
type process struct {
	token string // random, no other process has it
	host  string // for people
	id    int
	space string // within which id names one process until a restart: boot id and PID namespace; empty where neither is known
}

// newProcess is this process under a new token.
func newProcess() process {
	host, _ := os.Hostname() // only people miss it
	return process{token: rand.Text(), host: host, id: os.Getpid(), space: machine.ProcessSpace()}
}

// hasEnded reports whether p is known to have ended: a process that here could see if it were alive.
func (p process) hasEnded(here process) bool {
	return p.space != "" && p.space == here.space && !machine.IsProcessAlive(p.id)
}

// String is the process as the worker of a unit. A host name and a space have no blanks.
func (p process) String() string {
	return strings.Join([]string{p.host, strconv.Itoa(p.id), p.space, p.token}, " ")
}

// parseProcess reads what String wrote. Any other text is a process that nothing is known of.
func parseProcess(text string) process {
	parts := strings.Split(text, " ")
	if len(parts) != 4 {
		return process{}
	}
	id, err := strconv.Atoi(parts[1])
	if err != nil {
		return process{}
	}
	return process{host: parts[0], id: id, space: parts[2], token: parts[3]}
}
