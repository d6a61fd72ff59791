package service

import (
	"encoding/base64"
	"errors"
	"mime"
	"net/http"
	"strings"
)

// webhookAuth registers and removes the Basic credential that goes with a client's notifications.
func (s *Service) webhookAuth(rw http.ResponseWriter, r *http.Request) {
	// Choice: the document demands this header on both methods; without it the answer is 400.
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		writeError(rw, http.StatusBadRequest, "Content-Type", "Content-Type deve ser application/json")
		return
	}
	if r.Method == http.MethodPost {
		s.registerCredential(rw, r)
	} else {
		s.removeCredential(rw, r)
	}
}

// credentialBody is the body of a registration.
type credentialBody struct {
	Basic string `json:"basic"`
}

// messageReply answers both methods.
type messageReply struct {
	Message string `json:"message"`
}

// errCredentialExists refuses a second credential: the first must be removed before.
var errCredentialExists = errors.New("a credential is registered already")

func (s *Service) registerCredential(rw http.ResponseWriter, r *http.Request) {
	var c credentialBody
	if !readJSON(rw, r, &c) {
		return
	}
	if why := badBasic(c.Basic); why != "" {
		writeError(rw, http.StatusBadRequest, "basic", why)
		return
	}
	user := callerOf(r).name
	err := s.state.changeState(func(d *stateData) error {
		if d.Credentials[user] != "" {
			return errCredentialExists
		}
		d.Credentials[user] = c.Basic
		return nil
	})
	switch {
	case errors.Is(err, errCredentialExists):
		writeError(rw, http.StatusBadRequest, "basic", "Já existe autenticação")
	case err != nil:
		writeInternalError(rw)
	default:
		writeJSON(rw, http.StatusCreated, messageReply{"Autenticação de webhook cadastrada com sucesso"})
	}
}

// removeCredential answers alike whether or not there was one. Choice: 200, so that removing twice is safe.
func (s *Service) removeCredential(rw http.ResponseWriter, r *http.Request) {
	user := callerOf(r).name
	err := s.state.changeState(func(d *stateData) error {
		delete(d.Credentials, user)
		return nil
	})
	if err != nil {
		writeInternalError(rw)
		return
	}
	writeJSON(rw, http.StatusOK, messageReply{"Autenticação de webhook removida com sucesso"})
}

// badBasic tells what is wrong with a credential, in the service's words; "" when nothing is. Choice: the
// scheme word is taken as written, with one space after it, and no content is no Base64.
func badBasic(basic string) string {
	content, ok := strings.CutPrefix(basic, "Basic ")
	switch {
	case basic == "":
		return "Campo basic é obrigatório"
	case !ok:
		return "Formato inválido"
	case !isBase64(content):
		return "Base64 inválido"
	}
	return ""
}

// isBase64 tells whether text is padded standard Base64 of at least a byte. The decoder skips line ends,
// which would let a header be split: they are refused here.
func isBase64(text string) bool {
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	return err == nil && len(b) > 0 && !strings.ContainsAny(text, "\r\n")
}

// webhookCredential is the Basic credential, scheme word and all, that goes with an account's
// notifications. Choice: of the clients that may use the account, one that names it comes first, then
// onboarded ones for every account, then the users of the options; the first with a credential counts.
func (s *Service) webhookCredential(account int64) (basic string, ok bool) {
	d := s.state.view()
	names := make([]string, 0, len(d.Clients)+len(s.users))
	for _, named := range []bool{true, false} {
		for _, c := range d.Clients {
			if named == (len(c.Accounts) > 0) && mayUse(c.Accounts, account) {
				names = append(names, c.UserName)
			}
		}
	}
	for _, u := range s.users {
		if mayUse(u.Accounts, account) {
			names = append(names, u.Name)
		}
	}
	for _, name := range names {
		if basic := d.Credentials[name]; basic != "" {
			return basic, true
		}
	}
	return "", false
}
