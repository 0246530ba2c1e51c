package api

// Setting is one key of the daemon's configuration.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"` // as it is set now
	// Running is what the daemon runs with: what is set counts from its next
	// start.
	Running string `json:"running"`
	Default string `json:"default"`
	// From is where the value stands: "default", a file and line, a variable, or
	// "flags".
	From string `json:"from"`
	// Fixed says that it is set by a variable or a flag, which go over the file.
	Fixed bool `json:"fixed"`
	// Personal says that it is a matter of taste: the desktop app shows those.
	Personal bool   `json:"personal"`
	Doc      string `json:"doc"`
}

// ConfigRequest asks for the settings of the daemon.
type ConfigRequest struct {
	Common
}

// ConfigAnswer lists them, and the file they are kept in.
type ConfigAnswer struct {
	OK       bool      `json:"ok"`
	File     string    `json:"file"`
	Settings []Setting `json:"settings"`
}

// ConfigSetRequest changes one setting in the file.
type ConfigSetRequest struct {
	Common
	Key   string `json:"key"`
	Value string `json:"value"`
}

// ConfigSetAnswer is the setting as it is now.
type ConfigSetAnswer struct {
	OK      bool    `json:"ok"`
	File    string  `json:"file"`
	Setting Setting `json:"setting"`
}
