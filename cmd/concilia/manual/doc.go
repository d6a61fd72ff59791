/*
Package manual writes manual pages in the language of man(7): of each command from its help, in section 1, and of each topic of the
handbook from its Markdown, in section 7. A page has no date, so that equal programs write equal pages.
*/
package manual
