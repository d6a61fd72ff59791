package config

import _ "embed"

//go:embed example.yaml
var example string

// Example is a commented configuration file with every key and its default. Required keys are empty: Load reports them
// and nothing else.
func Example() string { return example }
