package wire

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
)

// CurrentPerson returns the name of the operating system's user who runs the program, or the number of one without a name.
// Variables such as USER, which anybody can set, do not count. Empty where the system knows no users.
func CurrentPerson() string {
	id := os.Getuid()
	if id < 0 { // the system has no numbers
		if u, err := user.Current(); err == nil {
			return u.Username
		}
		return ""
	}
	if u, err := user.LookupId(strconv.Itoa(id)); err == nil && u.Username != "" {
		return u.Username
	}
	return fmt.Sprint("uid ", id)
}
