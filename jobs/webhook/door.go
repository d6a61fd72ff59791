package webhook

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
)

// door knows the hashes of what a sender must show. Comparing hashes takes the same time whatever is shown, its length
// included.
type door struct {
	wantsKey, wantsPair bool
	key, user, password [sha256.Size]byte
}

func newDoor(accessKey, user, password string) door {
	return door{
		wantsKey: accessKey != "", wantsPair: user != "",
		key: hashOf(accessKey), user: hashOf(user), password: hashOf(password),
	}
}

// opens says whether the request shows everything that is wanted. Everything is compared, whatever comes first.
func (d *door) opens(r *http.Request) bool {
	key := hashOf(r.Header.Get("Access-Key"))
	user, password, _ := r.BasicAuth()
	userHash, passwordHash := hashOf(user), hashOf(password)
	keyFits := subtle.ConstantTimeCompare(key[:], d.key[:]) & one(len(r.Header.Values("Access-Key")) == 1)
	pairFits := subtle.ConstantTimeCompare(userHash[:], d.user[:]) &
		subtle.ConstantTimeCompare(passwordHash[:], d.password[:]) & one(len(r.Header.Values("Authorization")) == 1)
	return (keyFits|one(!d.wantsKey))&(pairFits|one(!d.wantsPair)) == 1
}

func hashOf(s string) [sha256.Size]byte { return sha256.Sum256([]byte(s)) }

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
