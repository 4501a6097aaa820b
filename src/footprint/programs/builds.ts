// Builds, tests, linters, formatters: programs that run or rewrite the project's own code. The project decides what they do.
import { isBlank } from "../text.ts";
import { runsProject, startsProject } from "./common-specs.ts";
import type { Call, ProgramSpec, ProgramSpecs } from "./program-spec.ts";

/** Recipes and `$(shell …)` of a makefile. */
function runMakefile(call: Call, text: string): void {
	if (text !== "" && isBlank(text)) call.script(text);
	for (const line of text.split("\n").slice(0, 500)) {
		const recipe = /^\t[@+-]*(.+)/.exec(line)?.[1] ?? /^[^\s#=:][^#=]*:[^=;]*;\s*[@+-]*(.+)/.exec(line)?.[1];
		if (recipe !== undefined) call.script(recipe.replaceAll("$$", "$"));
		for (const [, command = ""] of line.matchAll(/\$[({]shell\s+([^()]{1,1000})[)}]/g)) call.script(command);
		const assigned = /^[\w.-]+\s*!=\s*(.+)/.exec(line)?.[1];
		if (assigned !== undefined) call.script(assigned);
	}
}

/** Rewrites files only with this option. */
const rewrites = (option: string): ProgramSpec => ({
	opaque: "project",
	changesIn: "operands",
	when: { [option]: { changes: ["worktree"] } },
});

/** Recipes of a justfile that is no file: those of files are the project's own. */
function runRecipes(call: Call): void {
	const named = call.values("-f --justfile").filter((file) => file === "-" || file.startsWith("/dev/"));
	for (const text of named.map((file) => call.content(file) ?? call.stdin))
		for (const [, command = ""] of text.matchAll(/^[ \t]+[@-]*(.+)$/gm)) call.script(command);
}

export const builds: ProgramSpecs = {
	just: { ...runsProject, options: { "-f --justfile -d --working-directory": "text" }, custom: runRecipes },
	swift: { ...runsProject, options: { "-e": "code" } },
	"make gmake remake": {
		options: {
			"-C --directory": "directory",
			"-f --file --makefile": "run",
			"-I --include-dir -o --old-file -W --what-if": "text",
			"--eval -E": "text",
		},
		attached: "-j --jobs -l --load-average -O --output-sync",
		opaque: "project",
		when: { "-n --dry-run --just-print --recon -q --question -p --print-data-base": { unchanged: true } },
		custom: (call) => {
			// A dry run still expands `$(shell …)`.
			if (call.has("-n --dry-run --just-print --recon -q --question")) return;
			const named = call.values("-f --file --makefile");
			const files = named.length > 0 ? named : ["GNUmakefile", "makefile", "Makefile"];
			const texts = [...call.values("--eval -E"), ...files.map((file) => call.content(file) ?? "")];
			for (const text of texts) runMakefile(call, text);
			for (const assigned of call.operands) {
				// Every recipe is run by this program.
				const shell = /^SHELL\s*:{0,3}[?+]?=(.+)$/s.exec(assigned)?.[1];
				if (shell !== undefined) call.script(`${shell} -c ''`);
			}
			if (call.operands.some((target) => /^(install|uninstall)(-|$)/.test(target))) call.change("system");
			if (call.operands.some((target) => /^(deploy|publish|release)(-|$)/.test(target))) call.change("remote");
		},
	},
	"task ninja meson bazel bazelisk buck2 scons rake thor invoke inv fab nox tox doit ant gradle sbt mill lein waf xmake premake5 cmake ctest cpack autoconf automake autoreconf configure xcodebuild swiftc fastlane pod carthage msbuild nmake turbo nx lage moon rush gulp grunt webpack rollup vite esbuild parcel tsup swc babel snowpack next nuxt astro remix svelte-kit gatsby vue vue-cli-service ember storybook hugo jekyll eleventy mkdocs sphinx-build docusaurus vitepress hexo zola electron electron-builder tauri react-native flutter dart":
		runsProject,
	"jest vitest mocha ava tap jasmine karma cypress playwright nightwatch testcafe wdio uvu c8 nyc pytest py.test unittest nose2 behave coverage rspec minitest cucumber phpunit pest codecept busted bats shunit2 gotestsum ginkgo k6 artillery locust ab wrk hey siege lighthouse pa11y backstop percy robot gauge newman stryker mutmut hypothesis":
		{ ...runsProject, options: { "--junitxml --junit-xml --outputFile --output-file": "replace" } },
	"tsc vue-tsc tsgo flow mypy pyright pyre pytype pylint flake8 pycodestyle pydocstyle bandit vulture radon semgrep jsonlint markdownlint markdownlint-cli2 textlint vale write-good alex cspell codespell golangci-lint staticcheck golint revive gosec govulncheck errcheck clippy-driver rubocop reek brakeman phpstan psalm phpcs php-cs-fixer sqlfluff tflint checkov kubeval kubeconform kube-linter htmlhint stylelint eslint eslint_d oxlint xo standard jshint tslint publint attw knip depcheck madge dependency-cruiser size-limit bundlesize cppcheck clang-tidy cpplint detekt ktlint checkstyle spotbugs pmd credo dialyzer hlint ansible-lint actionlint commitlint lint-staged husky pre-commit lefthook license-checker npm-check npm-check-updates ncu snyk trivy grype syft gitleaks trufflehog detect-secrets":
		{
			...rewrites(
				"--fix --fix-only --write -w --autofix -a -A --auto-correct --autocorrect --autocorrect-all --update -u -i --in-place --apply",
			),
		},
	"gofmt goimports gofumpt shfmt": {
		changesIn: "operands",
		options: { "-r -local -lang -modpath -i -ln": "text" },
		operands: "read",
		when: { "--write -w": { operands: "write", changes: ["worktree"] } },
	},
	"clang-format": {
		dashes: "one",
		changesIn: "operands",
		options: { "-style --style -assume-filename": "text" },
		operands: "read",
		when: { "-i": { operands: "write", changes: ["worktree"] } },
	},
	"prettier prettierd autopep8 yapf autoflake xmlformat": {
		opaque: "project",
		changesIn: "operands",
		when: {
			"--write -w -i --in-place": { changes: ["worktree"] },
			"--check -c --list-different -l": { harmless: true },
		},
		custom: (call) => {
			if (call.has("--write -w -i --in-place"))
				for (const file of call.operands) if (call.exists(file)) call.applyRole("write", file);
		},
	},
	"taplo black blue isort pyupgrade rustfmt stylua dprint buf fourmolu ormolu scalafmt google-java-format swiftformat djlint nixfmt alejandra":
		{
			opaque: "project",
			changes: ["worktree"],
			changesIn: "operands",
			when: { "--check --check-only -c --diff --dry-run --lint --list-different -l": { harmless: true } },
		},
	biome: {
		// Its formatter only prints the result, unless an option makes it write.
		opaque: "project",
		changesIn: "operands",
		when: { "--write --fix --apply --apply-unsafe --unsafe": { changes: ["worktree"] } },
	},
	ruff: {
		changesIn: "operands",
		subcommands: {
			"check lint": {
				opaque: "project",
				when: { "--fix --fix-only --write --apply --unsafe-fixes": { changes: ["worktree"] } },
			},
			format: { opaque: "project", changes: ["worktree"], when: { "--check --diff": { unchanged: true } } },
			"*": { opaque: "project" },
		},
	},
	"gcc g++ cc c++ clang clang++ rustc ocamlc javac kotlinc scalac nasm ld ar-x as fpc gfortran zig nim crystal v odin dmd emcc nvcc tcc":
		{
			operands: "read",
			options: {
				"-o --output --out-dir": "replace",
				"-I -L -D -l -std -x -include -target -T -MF -MT -isystem --edition --crate-type --crate-name -C -d": "text",
			},
			opaque: "project",
		},
	ghc: { operands: "read", options: { "-o -outputdir": "replace", "-e": "code" }, dashes: "one", opaque: "project" },
	"objdump nm readelf size otool dwarfdump c++filt addr2line": { operands: "read" },
	// It may run the file it inspects.
	ldd: { operands: "read", opaque: "script" },
	// They read files and run no code of the project.
	"shellcheck hadolint yamllint": {
		operands: "read",
		options: {
			"-s --shell -f --format -S --severity -e --exclude -i --include -o --enable -W --wiki-link-count -d --config-data -t --failure-threshold --ignore":
				"text",
			"--rcfile -c --config --config-file": "read",
		},
	},
	strip: { operands: "write", options: { "-o": "replace" } },
	pandoc: {
		operands: "read",
		options: { "-o --output": "replace", "-f --from -t --to -s --template --css -M -V --metadata --variable": "text" },
	},
	"latex pdflatex xelatex lualatex latexmk bibtex typst asciidoctor": {
		operands: "read",
		changes: ["worktree"],
		changesIn: "directory",
		opaque: "project",
	},
	"protoc thrift flatc openapi-generator quicktype graphql-codegen prisma sqlc": {
		opaque: "project",
		changes: ["worktree"],
		changesIn: "directory",
	},
	dotnet: {
		changesIn: "operands",
		subcommands: {
			"--info --list-sdks --list-runtimes help list": {},
			nuget: { opaque: "project", changes: ["packages"], changesIn: "anywhere" },
			"tool workload": { changes: ["packages"], changesIn: "anywhere" },
			"add remove restore": { changes: ["packages"] },
			"format new": { changes: ["worktree"] },
			"*": runsProject,
		},
	},
	"mix rebar3 stack cabal dune opam gleam": {
		subcommands: { "help version deps.tree list": {}, "new init": startsProject, "*": runsProject },
	},
	rails: { subcommands: { new: startsProject, "*": runsProject } },
	"django-admin django-admin.py": {
		subcommands: { "startproject startapp": startsProject, "help version check": {}, "*": runsProject },
	},
	ng: { subcommands: { "new n": startsProject, "*": runsProject } },
	"flask uvicorn gunicorn hypercorn celery streamlit jupyter nbconvert rackup puma unicorn artisan symfony wp drush":
		runsProject,
	"serve http-server live-server": {},
	"json-server": { operands: "write" },
	caddy: {
		subcommands: {
			"version list-modules validate adapt environ help file-server respond": {},
			fmt: { operands: "read", when: { "-w --overwrite": { operands: "write" } } },
			"*": { opaque: "program" },
		},
	},
	"dot mermaid mmdc plantuml d2": {
		operands: "read",
		options: { "-o --output": "replace" },
		attached: "-T -K -G -N -E",
	},
	ffmpeg: {
		options: { "-i": "read", "-c -f -vf -af -ss -t -to -r -b -s -map -codec -preset -crf": "text" },
		dashes: "one",
		operands: "replace",
	},
	"ffprobe identify mediainfo": { operands: "read", dashes: "one", options: { "-o --LogFile": "replace" } },
	exiftool: {
		operands: "read",
		changesIn: "operands",
		dashes: "one",
		options: { "-o -out -W -w -textOut": "replace", "-config": "read", "-if -p -d -ext -x": "text" },
		custom: (call) => {
			// A tag with a value is set in the files.
			if (
				!call.args.some((word) =>
					/^-(?:\w[\w:-]*[+-]?<?=|tagsFromFile|geotag|delete_original|restore_original|overwrite_original)/i.test(word),
				)
			)
				return;
			for (const file of call.operands) call.applyRole("write", file);
			call.change("worktree");
		},
	},
	"convert magick sips mogrify cwebp pngquant optipng svgo": {
		operands: "read",
		changes: ["worktree"],
		changesIn: "operands",
	},
};
