// Package catalogue puts the rules of all families together (All, Find, Versions) and holds their texts for people: the page
// of a rule (Show), its title and next step (Title, PlainWords), the sentence of a finding (Explain), its arithmetic (Formula)
// and what would close its case (DescribeEnding), in English and Brazilian Portuguese.
//
// CardOwners and SlipOwners list, line by line, the rules that may own a bracket of the bridge. A rule without a line has no
// impact, explains nothing and is explained by nothing.
package catalogue
