package config

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"concilia/export/words"
)

// Webhook is how notifications are received: the listening address, the public address, and what authenticates the
// sender.
type Webhook struct {
	// Listen is host:port to receive notifications on; an empty host is every address. Defaults to :8443.
	Listen string `yaml:"listen" env:"LISTEN"`
	// PublicURL is the address by which the service reaches this program; its path is kept. Defaults to empty:
	// subscribing then requires naming an address. See AccountURL.
	PublicURL string `yaml:"public_url" env:"PUBLIC_URL"`
	// CertFile and KeyFile are the certificate and key of TLS, PEM. Default to none: a proxy in front does TLS.
	CertFile string `yaml:"cert_file" env:"CERT_FILE" path:"input"`
	KeyFile  string `yaml:"key_file" env:"KEY_FILE" path:"input"`
	// AccessKeyFile, or CONCILIA_WEBHOOK_ACCESS_KEY, holds the Access-Key issued by the operator, which every
	// notification carries. Defaults to none.
	AccessKeyFile string `yaml:"access_key_file" env:"ACCESS_KEY_FILE" path:"input"`
	AccessKey     Secret `yaml:"access_key" env:"ACCESS_KEY"`
	// BasicUser and its password, from BasicPasswordFile or CONCILIA_WEBHOOK_BASIC_PASSWORD, are the Basic credential
	// that is registered with the service and that notifications then carry. Default to none.
	BasicUser         string `yaml:"basic_user" env:"BASIC_USER"`
	BasicPasswordFile string `yaml:"basic_password_file" env:"BASIC_PASSWORD_FILE" path:"input"`
	BasicPassword     Secret `yaml:"basic_password" env:"BASIC_PASSWORD"`
	// TrustedProxies are addresses or networks (10.0.0.0/8) of proxies whose forwarded client address is used. Defaults
	// to none.
	TrustedProxies []string `yaml:"trusted_proxies" env:"TRUSTED_PROXIES"`
}

// AccountURL is the address of an account's notifications, or empty if PublicURL is.
func (w Webhook) AccountURL(account int64) string {
	if w.PublicURL == "" {
		return ""
	}
	return strings.TrimRight(w.PublicURL, "/") + "/notifications/" + strconv.FormatInt(account, 10)
}

// checkWebhook checks the section even if no server listens, since a command that only subscribes uses it too.
func checkWebhook(v *validator, w *Webhook) {
	v.checkListen("webhook.listen", w.Listen, words.NewMessage("want.listen", "example", words.Either([]string{":8443", "127.0.0.1:8443"})))
	v.checkAddress("webhook.public_url", w.PublicURL, words.NewMessage("want.the_access_key"), false)
	switch {
	case w.CertFile != "" && w.KeyFile == "":
		v.addMissing("webhook.key_file", words.NewMessage("want.key_of_cert"))
	case w.CertFile == "" && w.KeyFile != "":
		v.addMissing("webhook.cert_file", words.NewMessage("want.cert_of_key"))
	}
	if !headerText(w.AccessKey.Reveal()) {
		v.addProblem(v.secretKey("webhook.access_key"), "", words.NewMessage("want.access_key"))
	}
	checkBasic(v, w)
	v.checkNetworks("webhook.trusted_proxies", w.TrustedProxies)
}

// checkBasic checks the Basic pair. A colon would end the name early (RFC 7617, 2), and neither may hold control characters.
func checkBasic(v *validator, w *Webhook) {
	const user, file = "webhook.basic_user", "webhook.basic_password_file"
	switch {
	case strings.Contains(w.BasicUser, ":") || strings.ContainsFunc(w.BasicUser, unicode.IsControl):
		v.addProblem(user, w.BasicUser, words.NewMessage("want.basic_name"))
	case w.BasicUser != "" && w.BasicPassword.Empty() && !v.offline && !v.hasProblem[file]:
		v.addMissing(file, words.NewMessage("want.basic_password", "variable", variableName("webhook.basic_password")))
	case w.BasicUser == "" && !w.BasicPassword.Empty():
		v.addMissing(user, words.NewMessage("want.basic_user"))
	}
	if strings.ContainsFunc(w.BasicPassword.Reveal(), unicode.IsControl) {
		v.addProblem(v.secretKey("webhook.basic_password"), "", words.NewMessage("want.one_line_password"))
	}
}

func portNumber(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && strconv.FormatUint(n, 10) == text
}

// headerText reports whether text can be sent in a header unchanged: visible ASCII, blanks only inside.
func headerText(text string) bool {
	return strings.TrimSpace(text) == text && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// schemeAndHost reports whether u is an http or https address with a host and nothing after its path.
func schemeAndHost(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}
