package people

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"concilia/export/words"
)

// The cost of a password: 19 MiB, 2 passes, 1 lane.
const (
	passwordMemory = 19 << 10
	passwordPasses = 2
	passwordLanes  = 1
	saltLength     = 16
	keyLength      = 32
)

var errCommonPassword = words.NewFault("error.password_common", "")

// CheckNewPassword says why a password is refused for a person, or nothing.
func CheckNewPassword(name, password string) error {
	length := utf8.RuneCountInString(password)
	common := []string{"123456789012", "1234567890123", "password1234", "passwordpassword", "qwertyuiop12", "senha1234567", "senhasenha12", "abcdefghijkl", "111111111111", "000000000000", "administrator"}
	switch {
	case length < 12 || length > 128:
		return words.NewFault("error.password_length", "")
	case strings.EqualFold(password, name):
		return words.NewFault("error.password_name", "")
	case slices.Contains(common, strings.ToLower(password)), strings.Trim(password, password[:1]) == "":
		return errCommonPassword
	}
	return nil
}

// HashPassword is what the file keeps of a password.
func HashPassword(password string) string {
	salt := make([]byte, saltLength)
	_, _ = rand.Read(salt) // never fails
	key := argon2.IDKey([]byte(password), salt, passwordPasses, passwordMemory, passwordLanes, keyLength)
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, passwordMemory, passwordPasses, passwordLanes, encode(salt), encode(key))
}

// keptPassword is a parsed PHC string.
type keptPassword struct {
	memory, passes uint32
	lanes          uint8
	salt, key      []byte
}

func parsePassword(text string) (p keptPassword, err error) {
	bad := words.NewFault("error.no_hash", "")
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return p, bad
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.memory, &p.passes, &p.lanes); err != nil {
		return p, bad
	}
	p.salt, err = base64.RawStdEncoding.DecodeString(parts[4])
	key, wrong := base64.RawStdEncoding.DecodeString(parts[5])
	p.key = key
	if err != nil || wrong != nil || len(p.salt) < 8 || len(p.key) < 16 || len(p.key) > 64 || p.passes < 1 || p.passes > 16 ||
		p.lanes < 1 || p.lanes > 4 || p.memory < 8<<10 || p.memory > 256<<10 {
		return p, bad
	}
	return p, nil
}

// matches computes a password and compares it.
func (p *keptPassword) matches(password string) bool {
	key := argon2.IDKey([]byte(password), p.salt, p.passes, p.memory, p.lanes, uint32(len(p.key)))
	return subtle.ConstantTimeCompare(key, p.key) == 1
}
