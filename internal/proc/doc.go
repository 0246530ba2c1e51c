// Package proc starts, watches, finds and ends processes. It is the only place
// of the product where a child process is made.
//
// A process started here leads a group of its own, gets exactly the environment
// it is given and nothing else, and may outlive us: there is no parent-death
// signal, because displays must survive the death of the daemon that made them.
// What was started is therefore known by pid and start time together (Ident),
// and everything that is killed is killed through a pidfd whose start time was
// compared after it was opened, so that a reused pid is never hit.
//
// The package may import the standard library and golang.org/x/sys. It knows
// nothing of displays, buses or applications, and it never signals by name.
package proc
