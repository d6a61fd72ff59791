package mask

import "bytes"

// Text is a text with the card numbers in it masked.
func Text(s string) string {
	FreeText(&s)
	return s
}

// Body masks a body as it is masked on its way in, written in pieces of n bytes.
func Body(body []byte, n int) []byte {
	var b bytes.Buffer
	m := NewBodyWriter(&b)
	for len(body) > 0 {
		n := min(n, len(body))
		_, _ = m.Write(body[:n])
		body = body[n:]
	}
	_ = m.Close()
	return b.Bytes()
}

// BodyByText is Body, of the whole at once, without passing over what needs no mask.
func BodyByText(body []byte) []byte {
	var b bytes.Buffer
	texts := &textWriter{to: &b}
	m := newMemberWriter(texts)
	_, _ = m.Write(body)
	_, _ = m.Close(), texts.Close()
	return b.Bytes()
}
