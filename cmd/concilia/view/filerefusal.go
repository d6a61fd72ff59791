package view

import (
	"fmt"
	"io"

	"concilia/export/words"
)

// FileRefusal is why a file of a bank or of a store was not taken in; JSON has it in English.
type FileRefusal struct {
	ID      string `json:"id"`
	Message string `json:"message"`
	Remedy  string `json:"remedy"`
	why     *words.Refusal
}

// FileRefusalOf describes a refusal.
func FileRefusalOf(why *words.Refusal) *FileRefusal {
	return &FileRefusal{why.ID, why.Message.In("en"), why.Remedy.In("en"), why}
}

// WriteText writes that a file was refused, why and what to do.
func (r *FileRefusal) WriteText(w io.Writer, file string, l Language) {
	fmt.Fprintf(w, "%s: %s: %s\n  %s: %s\n", file, words.Text(l, "bank_text.refused"), r.why.Message.In(string(l)), words.Text(l, "command.hint"), r.why.Remedy.In(string(l)))
}
