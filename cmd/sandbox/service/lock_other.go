//go:build !unix || aix || solaris

package service

import "errors"

// lockFile is only made for systems with flock; elsewhere the state lives in memory.
func lockFile(string) (unlock func(), err error) {
	return nil, errors.New("state files need flock, which this system lacks; leave --state out")
}
