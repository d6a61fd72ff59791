package config

import _ "embed"

//go:embed example.yaml
var example string

// Example is a commented configuration file with every key and its default. What is required is empty in it: Load
// names that and nothing else.
func Example() string { return example }
