package service

// Routes are the "METHOD path" pairs a service answers.
func (s *Service) Routes() []string { return s.routes }

// Subscription and WebhookCredential are what deliveries go by.
func (s *Service) Subscription(account int64) (url, basicAuth string, ok bool) {
	return s.subscriptions.subscriptionOf(account)
}

// WebhookCredential is the credential of an account's deliveries.
func (s *Service) WebhookCredential(account int64) (string, bool) {
	return s.subscriptions.webhookCredential(account)
}

// ParseCNPJ checks a company's number.
var ParseCNPJ = parseCNPJ
