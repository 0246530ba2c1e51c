// Mutant takes mends out of the product, one at a time, and runs the test that
// must notice: a mend whose absence no test sees is a mend that the next change
// may take away. The rows are the .toml files beside it; docs/cases.md is written
// from them.
//
//	go run ./internal/mutant                      every row
//	go run ./internal/mutant -only C05,lease:key  the rows whose name begins so
//	go run ./internal/mutant -trust               without running the tests with every mend in place first
//	go run ./internal/mutant -list                what there is, without running it
//	go run ./internal/mutant -docs docs/cases.md  write the page
//
// The checkout is not touched: what is taken out goes to the go command as an
// overlay, in GOFLAGS, so that programs which a test builds for itself are
// without the mend as well. A row passes when its test passes with the mend, and
// what is left compiles without it and the test fails. The exit status is 1 when
// a mend was taken out and nothing noticed.
package main
