// Package match holds what stores say they sold by card and slip against what the service knows. It pairs one payment with one sale, never one
// with many, level by level from the surest key to the weakest, and only where a key names exactly one of each side. It looks at every
// row a fixed number of times, and reads and writes nothing.
package match
