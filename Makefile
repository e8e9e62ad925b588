# The two commands: `make run` and `make test`. `make help` lists the rest.

CARGO ?= cargo
CONSOLE := web/console/dist/index.html
CONSOLE_SOURCES := $(shell find web/console web/packages web/scripts -type f -not -path '*/dist/*' -not -path '*/node_modules/*')
OFFICIAL := crates/agui/tests/official
MCP_CLIENTS := crates/mcp/tests/clients
COPILOTKIT := examples/copilotkit
FUZZ_SECONDS ?= 60
FUZZ_TARGETS := sse json proto patch stream normalisation canvas citations documents

.PHONY: help run agent model tour build console release test test-web test-packages test-console test-copilotkit test-guides test-full lint format bench bench-reader bench-search bench-verdicts soak fuzz clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

run: build ## Build, and serve the agents with the sample library and the sample catalogue
	@target/release/pincite serve --samples

agent: run ## The same: the attribution agent at /agents/attribution and /api/v1/copilotkit

model: ## Fetch the sentence model all-MiniLM-L6-v2 (83 MB), for search by meaning in English
	scripts/fetch-model

tour: build ## Show what pincite does with the samples
	@scripts/tour target/release/pincite

build: console
	@echo "Building pincite: about 5 minutes the first time on 2 cores, seconds afterwards."
	$(CARGO) build --release --locked

# The web console, which the program contains. Without Node.js the program is built without it.
console:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory $(CONSOLE); \
	else echo "Node.js not found: building without the web console. Install Node.js 20 or newer to include it."; fi

$(CONSOLE): web/node_modules $(CONSOLE_SOURCES)
	cd web && npm run --silent build

web/node_modules: web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	@touch $@

release: console ## Build the optimised binary, target/dist/pincite (link-time optimisation: minutes longer)
	$(CARGO) build --profile dist --locked

test: $(OFFICIAL)/node_modules $(MCP_CLIENTS)/node_modules test-web ## Everything that must pass before a commit lands
	scripts/require-python
	scripts/require-tesseract
	scripts/fetch-model target/models/all-MiniLM-L6-v2
	$(CARGO) fmt --all --check
	$(CARGO) xtask tidy
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) test --workspace --locked
	$(MAKE) --no-print-directory test-packages
	$(MAKE) --no-print-directory test-console
	$(MAKE) --no-print-directory test-copilotkit
	$(MAKE) --no-print-directory test-guides

test-packages: $(CONSOLE) $(OFFICIAL)/node_modules ## Tests of the web packages and the examples with the real programs
	scripts/require-chromium
	scripts/require-python
	$(CARGO) build --workspace --bin pincite --profile test --locked
	cd web && npm run --silent test:programs

test-web: $(CONSOLE) ## Format, lint, types and unit tests of the web packages and the console
	cd web && npm run --silent check
	cd web && npm run --silent check:packages
	cd web && npm run --silent test

test-console: $(CONSOLE) ## Tests of the console in Chromium, against the real program
	scripts/require-chromium
	$(CARGO) build --workspace --bin pincite --profile test --locked
	cd web && npm run --silent test:browser -w console

test-copilotkit: $(COPILOTKIT)/node_modules ## CopilotKit's React components in Chromium, against the real program
	scripts/require-chromium
	$(CARGO) build --workspace --bin pincite --profile test --locked
	cd $(COPILOTKIT) && npm run --silent build && npm run --silent test

test-guides: ## The guides, tried from an empty folder
	scripts/require-python
	scripts/require-node
	scripts/require-chromium
	$(CARGO) build --workspace --bin pincite --profile test --locked
	scripts/try-guide docs/guides/gateway.md pydantic-ai 'A hand-written agent'
	scripts/try-guide docs/guides/show-citations.md 'Plain React' 'No framework'
	scripts/try-guide docs/guides/ci.md
	scripts/try-guide docs/guides/operate.md

test-full: test ## `make test`, then the property tests once more on fresh random cases, and guides that install more
	scripts/try-guide --setup docs/guides/gateway.md LangGraph
	PROPTEST_RNG_SEED=$$(date +%s) PROPTEST_CASES=1024 $(CARGO) test --workspace --locked

# The official AG-UI packages, for the differential tests.
$(OFFICIAL)/node_modules: $(OFFICIAL)/package-lock.json
	scripts/require-node
	cd $(OFFICIAL) && npm ci --no-audit --no-fund
	@touch $@

# The official clients of the Model Context Protocol.
$(MCP_CLIENTS)/node_modules: $(MCP_CLIENTS)/package-lock.json
	scripts/require-node
	cd $(MCP_CLIENTS) && npm ci --no-audit --no-fund
	@touch $@

$(COPILOTKIT)/node_modules: $(COPILOTKIT)/package-lock.json
	scripts/require-node
	cd $(COPILOTKIT) && npm ci --no-audit --no-fund --ignore-scripts
	@touch $@

lint: ## Licences, advisories and duplicates of the dependencies (installs cargo-deny)
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	@command -v cargo-deny >/dev/null || $(CARGO) install --locked cargo-deny
	$(CARGO) deny check bans licenses sources

format: ## Format the code
	$(CARGO) fmt --all

bench: ## Benchmarks with the peers beside us (about 20 minutes)
	scripts/require-node
	$(CARGO) run --profile dist --locked -p pincite-bench -- $(BENCH_ARGS)
	PINCITE_SOAK=long $(CARGO) test --release --locked -p pincite --test it soak::long_thread -- --nocapture
	scripts/require-chromium
	$(MAKE) --no-print-directory build
	cd web && PINCITE_BINARY=$(CURDIR)/target/release/pincite npm run --silent speed -w console

bench-search: ## nDCG@10 and speed of the search, beside bm25s, SQLite FTS5 and tantivy (SETS: folders in the layout of BEIR)
	scripts/require-python
	scripts/bench-search $(SETS)

bench-reader: ## Answers, refusals and speed of the reader, with the real program (SETS: folders with corpus.jsonl and questions.jsonl)
	scripts/require-python
	$(CARGO) build --profile dist --locked
	scripts/bench-reader target/dist/pincite $(SETS)

bench-verdicts: ## What pincite verify says of thousands of quotations from texts and real PDFs (VERDICTS_ARGS)
	$(CARGO) run --profile dist --locked -p pincite-bench --bin verdicts -- $(VERDICTS_ARGS)

soak: ## Kill the server 200 times, 1,000 streams for ten minutes, a full disk (about 15 minutes)
	PINCITE_SOAK=long $(CARGO) test --release --locked -p pincite --test it soak:: -- --nocapture --test-threads=1

fuzz: ## Fuzz each target for FUZZ_SECONDS (installs cargo-fuzz, needs a nightly toolchain)
	@command -v cargo-fuzz >/dev/null || $(CARGO) install --locked cargo-fuzz
	@for target in $(FUZZ_TARGETS); do \
		mkdir -p fuzz/found/$$target; \
		cargo +nightly fuzz run $$target fuzz/found/$$target fuzz/corpus/$$target -- \
			-max_total_time=$(FUZZ_SECONDS) || exit 1; \
	done

clean: ## Remove what was built
	$(CARGO) clean
	rm -rf $(OFFICIAL)/node_modules $(MCP_CLIENTS)/node_modules $(COPILOTKIT)/node_modules $(COPILOTKIT)/dist bench/peers/node/node_modules web/node_modules web/console/dist
