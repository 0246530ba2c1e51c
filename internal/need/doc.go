// Package need is what tests stand on: it names the programs a test cannot do
// without, and it proves that a package's tests left nothing behind.
//
// A missing program skips the test with the Debian package that brings it; with
// CI or VIBESPACE_REQUIRE set it fails instead, so that a suite that passed
// there has run whole. [Main] gives the tests of one package a temporary
// directory of their own, keeps the person's desktop and state out of their
// environment, and fails them for every process, X socket, lock, shared memory
// segment, temporary file or goroutine they leave.
//
// Tests alone may import it. It imports nothing of ours, so that every package
// can use it.
package need
