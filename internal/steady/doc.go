// Command steady runs `go test` and tells a fault from chance.
//
// Tests that drive real desktops fall to a busy machine now and then. What they
// show then is worth mending, and is no reason to refuse a change that has
// nothing to do with it. So a few tests that failed, and nothing else that went
// wrong with them, are run again by themselves: each must pass several times in
// a row. A fault that is there every second time is still found seven times in
// eight; every failure is printed in full, and the last lines name the tests
// that were not steady.
//
// What is never run again: a package that did not build, a data race, a panic, a
// test that took too long, anything that was left behind, more failures than a
// few.
package main
