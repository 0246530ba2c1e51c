# `make` lists the targets. Each is one command on a fresh Debian 12 machine.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -X main.version=$(VERSION)
# The commit is stamped by VERSION; go's own stamp fails in a checkout that
# belongs to somebody else, as containers make them.
GOBUILD := go build -trimpath -buildvcs=false -ldflags '$(LDFLAGS)'
# The desktop app alone wants cgo. Its flags are those of internal/need, which
# builds it for its test: the toolkit takes a minute, and other flags another.
# Without animations it draws nothing while nothing happens: a blinking caret
# alone redraws the whole window sixty times a second.
DESKTOP := -tags gles,no_animations
COMMANDS := $(filter-out vibespace-desktop,$(notdir $(wildcard cmd/*)))

# How much runs at once. Tests start real toolkits and browsers: more packages
# at a time than cores makes them wait for each other, not finish sooner.
TEST_P ?= 2
TEST_TIMEOUT ?= 25m
TEST_PKGS ?= ./...
FUZZ_TIME ?= 60s

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## install the Debian packages that are missing (packaging/packages.txt)
	@scripts/setup

.PHONY: build
build: programs ## the programs, into bin/
	CGO_ENABLED=1 $(GOBUILD) $(DESKTOP) -o bin/ ./cmd/vibespace-desktop

# All but the desktop app: what goes without a C compiler, in a few seconds.
.PHONY: programs
programs:
	@mkdir -p bin
	CGO_ENABLED=0 $(GOBUILD) -o bin/ $(addprefix ./cmd/,$(COMMANDS))

.PHONY: demo
demo: setup programs ## a real editor, driven through its tree on a display of its own
	bin/vibespace demo

.PHONY: test
test: setup lint ## everything: setup, linters, vet, all tests with the race detector; nothing is skipped
	VIBESPACE_REQUIRE=1 go test -race -p $(TEST_P) -timeout $(TEST_TIMEOUT) $(TEST_PKGS)

.PHONY: lint
lint: ## the linters and the house rules (scripts/lint), go vet among them
	scripts/lint

.PHONY: check
check: ## before a commit: linters and tests, without installing anything; what is missing is skipped
	scripts/lint
	go test -p $(TEST_P) -timeout $(TEST_TIMEOUT) $(TEST_PKGS)

.PHONY: fuzz
fuzz: ## each fuzz target for FUZZ_TIME (60s)
	FUZZ_TIME=$(FUZZ_TIME) scripts/fuzz

# Standard output carries the JSON lines of the bench and nothing else.
.PHONY: bench
bench: ## measure against the peers: a JSON object a line, and docs/performance.md
	@scripts/setup
	@$(MAKE) -s programs >&2
	@go run ./internal/bench -bin bin -report docs/performance.md

.PHONY: docs
docs: ## write docs/api.md, docs/cli.md and docs/configuration.md anew from the source
	go run ./internal/archtest/docgen

.PHONY: clean
clean: ## take bin/ away
	rm -rf bin
