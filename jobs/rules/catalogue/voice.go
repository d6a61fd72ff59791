package catalogue

import "strings"

// Voice is how the texts are worded: in which language, and what they call the payment service.
type Voice struct {
	Language string // "pt-BR", or else English
	Service  string // what people call it; empty: "a operadora", "the service"
}

// language is that of the texts.
func (v Voice) language() language { return languageOf(v.Language) }

// fillService is a text whose only placeholders are the forms of the service's name.
func (v Voice) fillService(s text) string {
	return fillPlaceholders(s.inLanguage(v.language()), v.addServiceWords(nil))
}

// addServiceWords adds the forms of the service's name that texts ask for: {service}, {of_service} and so on.
func (v Voice) addServiceWords(values map[string]string) map[string]string {
	if values == nil {
		values = map[string]string{}
	}
	forms := words().Service.Unnamed
	if v.Service != "" {
		forms = words().Service.Named
	}
	name := strings.ReplaceAll(v.Service, "–", "-") // that dash means an unknown figure
	for form, s := range forms {
		values[form] = fillPlaceholders(s.inLanguage(v.language()), map[string]string{"name": name})
	}
	return values
}
