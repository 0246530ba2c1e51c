// Package mcp is the face for agents that speak the Model Context Protocol:
// each verb is a tool of the same name, a refusal is an error with its code,
// message, hint and details, a picture is image content, and a request that is
// cancelled is cancelled in the daemon.
//
// It is a thin layer over package client, through which everything goes, and
// imports internal/api, internal/client and the official SDK alone. It decides
// nothing, keeps nothing, and reads no file but a picture the daemon has just
// made for it.
package mcp
