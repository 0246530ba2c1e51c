# `make` lists the targets. Each is one command on a fresh Debian 12 machine.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# What --version says: the commit, behind a tag if there is one, and its date.
# The date is the commit's, not the build's: the same source gives the same
# programs, to the byte.
GIT := git -c safe.directory=$(CURDIR)
COMMIT := $(shell $(GIT) describe --tags --always --long --dirty 2>/dev/null || echo unknown)
DATE := $(shell TZ=UTC0 $(GIT) log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd 2>/dev/null || echo 1970-01-01T00:00:00Z)
LDFLAGS := -s -w -X "main.version=$(COMMIT) ($(DATE))"
# Go's own stamp fails in a checkout that belongs to somebody else, as
# containers make them; git is told that this one is meant.
GOBUILD := go build -trimpath -buildvcs=false -ldflags '$(LDFLAGS)'
# Where programs and packages go.
BIN ?= bin
# How the package is compressed; xz is small and takes its time.
DEB_COMPRESS ?= -Zxz
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
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## install what is missing: Debian packages (packaging/packages.txt), the tests' npm package
	@scripts/setup

.PHONY: build
build: programs ## the programs, into bin/
	CGO_ENABLED=1 $(GOBUILD) $(DESKTOP) -o $(BIN)/ ./cmd/vibespace-desktop

# All but the desktop app: what goes without a C compiler, in a few seconds.
.PHONY: programs
programs:
	@mkdir -p $(BIN)
	CGO_ENABLED=0 $(GOBUILD) -o $(BIN)/ $(addprefix ./cmd/,$(COMMANDS))

.PHONY: deb
deb: build ## a Debian package of the programs, their manual pages and completions, into bin/
	scripts/deb $(BIN) '$(COMMIT)' '$(DATE)' $(DEB_COMPRESS)

.PHONY: deb-test
deb-test: setup deb ## that package in a fresh Debian: installed, at work, removed without a trace (root, network)
	scripts/deb-test $(BIN)

.PHONY: demo
demo: setup programs ## a real editor, driven through its tree on a display of its own
	bin/vibespace demo

.PHONY: test
test: setup lint ## everything: setup, linters, vet, all tests with the race detector; nothing is skipped
	VIBESPACE_REQUIRE=1 go run ./internal/steady -race -p $(TEST_P) -timeout $(TEST_TIMEOUT) -- $(TEST_PKGS)

# The window tests over the other rung, and what is that rung's own.
.PHONY: rung-test
rung-test: export VIBESPACE_TEST_RUNG = xpra
rung-test: setup ## the tests of the xpra rung, real xpra with them, and the window tests over it
	VIBESPACE_REQUIRE=1 go test -race -p 1 -timeout $(TEST_TIMEOUT) ./xpra ./internal/display
	VIBESPACE_REQUIRE=1 go test -race -timeout $(TEST_TIMEOUT) \
		-run 'Xpra|Moved|AttachHere|TestFixture|TestXterm|TestMousepad|TestFeatherpad|TestZenity|TestTakeover|TestOnlyShown' ./internal/acceptance

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

MUTANTS ?=

.PHONY: mutants
mutants: ## take the mends of docs/cases.md out, one at a time: a test must fail (MUTANTS=C05,lease)
	go run ./internal/mutant -only '$(MUTANTS)'

# Standard output carries the JSON lines of the bench and nothing else.
.PHONY: bench
bench: ## measure against the peers: a JSON object a line, and docs/performance.md
	@scripts/setup
	@$(MAKE) -s build >&2
	@go run ./internal/bench -bin bin -report docs/performance.md

# Each fault has a daemon of its own, and is held to its bound: nothing else
# should be busy meanwhile. Some are made by root alone, and named where not.
.PHONY: chaos
chaos: ## break every part on purpose, each in its turn; writes docs/reliability.md
	@scripts/setup
	CHAOS=all CHAOS_REPORT=$(CURDIR)/docs/reliability.md VIBESPACE_REQUIRE=1 \
		go test -run '^TestChaos$$' -count 1 -timeout 30m -v ./internal/acceptance | grep -v '^=== '

# The nightly form is SOAK_TIME=10m. SOAK_SEED repeats a run's choices, SOAK_FAULT is the time between two faults.
SOAK_TIME ?= 1h
.PHONY: soak
soak: ## drive ten windows and browsers at random for SOAK_TIME (1h), breaking things; writes docs/reliability.md
	@scripts/setup
	@go vet -tags soak ./internal/acceptance
	SOAK_TIME=$(SOAK_TIME) SOAK_REPORT=$(CURDIR)/docs/reliability.md VIBESPACE_REQUIRE=1 \
		go test -tags soak -run '^TestSoak$$' -count 1 -timeout 24h -v ./internal/acceptance

.PHONY: docs
docs: ## write docs/api.md, cases.md, cli.md, configuration.md and doctor.md anew from the source
	go run ./internal/archtest/docgen
	go run ./internal/mutant -docs docs/cases.md

# Taken while a test does what the tutorial says, then made small.
.PHONY: pictures
pictures: ## take the pictures of docs/tutorial.md anew
	@mkdir -p docs/pictures
	VIBESPACE_KEEP_PICTURES=$(CURDIR)/docs/pictures go test -count 1 -run 'TestTutorial$$' ./internal/acceptance
	mogrify +dither -resize '960x>' -colors 128 -strip -define png:compression-level=9 docs/pictures/*.png

# Each is a screen of the app with every look, language and size: no test can
# say whether they are good. The first are drawn by the toolkit's software
# driver, the last by the app itself, with real windows.
.PHONY: screens
screens: ## pictures of all of the desktop app's screens, into bin/screens/, for a person to look at
	@mkdir -p $(BIN)/screens/app
	VIBESPACE_KEEP_PICTURES=$(abspath $(BIN))/screens go test -count 1 -timeout 20m -run '^TestScreens$$' ./gui
	VIBESPACE_KEEP_PICTURES=$(abspath $(BIN))/screens/app go test -count 1 -timeout 20m -run '^TestDesktopPictures$$' ./internal/acceptance

.PHONY: clean
clean: ## take bin/ away
	rm -rf bin
