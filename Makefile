# The commands a developer needs; `make help` lists them. CMake builds, this only says in which order.
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := build
.PHONY: build setup demo test bench check check-static check-asan check-tsan docs format clean help

# configure and build the preset $(1); CMake looks for new files by itself
compile = cmake --preset $(1) >build/$(1).log || { cat build/$(1).log; exit 1; }; cmake --build --preset $(1)
# .PHONY: build setup demo test bench check and run its tests against private servers
suite = $(call compile,$(1)) && tools/servers run -- ctest --preset $(1) -j2 --output-on-failure

build: | build/bin  ## build the library and the program (build/bin/rowq)
	@$(call compile,release)
	@ln -sfn ../release/bin/rowq build/bin/rowq

setup:  ## install the packages that every target needs
	@tools/setup check

demo:  ## build what is needed, then run the main job on SQLite and show the result
	@tools/setup build
	@$(MAKE) build
	@tools/demo

test: | build/bin  ## build everything, start the servers, run all tests
	@tools/setup test
	@$(call suite,dev)

bench: | build/bin  ## measure how many rows a second are worked off; servers run without fsync
	@tools/setup test
	@$(call compile,dev)
	@tools/servers run -- build/dev/bench/throughput

check: | build/bin  ## format, include directions, links, clang-tidy, and all tests under the sanitizers
	@tools/setup check
	@$(MAKE) check-static
	@$(MAKE) check-asan
	@$(MAKE) check-tsan

check-static: | build/bin
	@tools/check-format
	@tools/check-includes
	@tools/docs
	@$(call compile,dev)
	@tools/check-tidy

check-asan: | build/bin
	@$(call suite,asan)

check-tsan: | build/bin
	@$(call suite,tsan)

docs:  ## check the links and examples in the documentation
	@tools/setup docs
	@tools/docs

format:  ## rewrite the sources as clang-format writes them
	@tools/check-format --fix

clean:  ## delete everything that was built
	rm -rf build

help:  ## list these targets
	@sed -nE 's/^([a-z]+):[^#]*## (.*)/  make \1|\2/p' Makefile | while IFS='|' read -r name text; do printf '%-14s %s\n' "$$name" "$$text"; done

build/bin:
	@mkdir -p $@
