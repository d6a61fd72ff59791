// Package catalogue puts the rules of all families together (All, Find, Versions) and holds their texts for people, in English
// and Brazilian Portuguese: the page of a rule (Show), its title and next step (Title, PlainWords), the sentence of a finding
// (Explain), its arithmetic (Formula) and what would close its case (DescribeEnding).
//
// The texts are files: rules.yaml by code, words.yaml for the words that several rules share. Who corrects a sentence corrects
// it there; the tests list what is missing in a language and figures that only one of them names.
//
// CardOwners and SlipOwners list, line by line, the rules that may own a bracket of the bridge. A rule without a line has no
// impact, explains nothing and is explained by nothing.
package catalogue
