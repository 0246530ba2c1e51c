// Package archtest holds what the repository says about itself and checks by
// machine: who may import whom, what builds without cgo, how long a file and a
// function may be, and what no file may contain. It is all tests; the tables in
// them are the reference.
//
// Nothing imports it, and it imports nothing of ours.
package archtest
