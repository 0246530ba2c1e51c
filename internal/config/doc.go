// Package config reads what the daemon is told: the configuration file, then
// VIBESPACE_… variables, then flags, the later over the earlier. The result is
// one plain struct; nothing else of the project knows where a value came from.
//
// A key that is not one, and a value that is none, are errors that name the
// key and, for the file, the line: a misspelt setting that is silently ignored
// is worse than none.
//
// The daemon's program alone imports it, for viper's sake. It imports
// internal/api and viper.
package config
