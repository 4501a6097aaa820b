// Builds, tests, linters, formatters: programs that run or rewrite the project's own code. The project decides what they do.
import { isBlank } from "../text.ts";
import { describe } from "./notation.ts";
import type { Call } from "./program-spec.ts";

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

function make(call: Call): void {
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
}

/** Recipes of a justfile that is no file: those of files are the project's own. */
function runRecipes(call: Call): void {
	const named = call.values("-f --justfile").filter((file) => file === "-" || file.startsWith("/dev/"));
	for (const text of named.map((file) => call.content(file) ?? call.stdin))
		for (const [, command = ""] of text.matchAll(/^[ \t]+[@-]*(.+)$/gm)) call.script(command);
}

function prettify(call: Call): void {
	if (!call.has("--write -w -i --in-place")) return;
	for (const file of call.operands) if (call.exists(file)) call.applyRole("write", file);
}

export const builds = describe(
	`
make gmake remake | ?project @make | -C --directory: directory | -f --file --makefile: run \
		| -I --include-dir -o --old-file -W --what-if: text | --eval -E: text | -j --jobs -l --load-average -O --output-sync ? \
		| -n --dry-run --just-print --recon -q --question -p --print-data-base > unchanged
just | ?project @runRecipes | -f --justfile -d --working-directory: text
swift | ?project | -e: code
ghc | read* ?project dash | -o -outputdir: replace | -e: code
task ninja meson bazel bazelisk buck2 scons rake thor invoke inv fab nox tox doit ant gradle sbt mill lein xmake cmake ctest \
		cpack autoconf automake autoreconf configure xcodebuild swiftc fastlane pod carthage msbuild turbo nx lage moon rush gulp \
		grunt webpack rollup vite esbuild parcel tsup swc babel next nuxt astro remix svelte-kit gatsby vue vue-cli-service ember \
		storybook hugo jekyll eleventy mkdocs sphinx-build docusaurus vitepress electron electron-builder tauri react-native flutter \
		dart latexmk pdflatex typst | ?project
jest vitest mocha ava tap jasmine karma cypress playwright wdio c8 nyc pytest py.test unittest nose2 behave coverage rspec minitest \
		cucumber phpunit pest busted bats gotestsum ginkgo k6 locust ab lighthouse percy stryker mutmut | ?project \
		| --junitxml --junit-xml --outputFile --output-file: replace
tsc vue-tsc tsgo flow mypy pyright pyre pytype pylint flake8 pycodestyle pydocstyle bandit vulture radon semgrep jsonlint markdownlint \
		markdownlint-cli2 textlint vale cspell codespell golangci-lint staticcheck golint revive gosec govulncheck errcheck rubocop \
		brakeman phpstan psalm phpcs php-cs-fixer sqlfluff tflint checkov kubeconform stylelint eslint oxlint xo standard tslint publint \
		attw knip depcheck madge size-limit cppcheck clang-tidy cpplint detekt ktlint credo hlint ansible-lint actionlint commitlint \
		lint-staged husky pre-commit lefthook license-checker npm-check npm-check-updates ncu snyk trivy gitleaks | in:operands ?project \
		| --fix --fix-only --write -w --autofix -a -A --auto-correct --autocorrect --autocorrect-all --update -u -i --in-place --apply > \
		~worktree
gofmt goimports gofumpt shfmt | read* in:operands | -r -local -lang -modpath -i -ln: text | --write -w > write* ~worktree
clang-format | read* in:operands dash | -style --style -assume-filename: text | -i > write* ~worktree
prettier prettierd autopep8 yapf autoflake | in:operands ?project @prettify | --write -w -i --in-place > ~worktree \
		| --check -c --list-different -l > harmless
taplo black isort rustfmt stylua dprint buf swiftformat djlint nixfmt pyupgrade | ~worktree in:operands ?project \
		| --check --check-only -c --diff --dry-run --lint --list-different -l > harmless
biome | in:operands ?project | --write --fix --apply --apply-unsafe --unsafe > ~worktree
ruff | in:operands
	check lint | ?project | --fix --fix-only --write --apply --unsafe-fixes > ~worktree
	format | ~worktree ?project | --check --diff > unchanged
	* | ?project
gcc g++ cc c++ clang clang++ rustc javac kotlinc scalac ld gfortran zig nim crystal v nvcc tcc | read* ?project \
		| -o --output --out-dir: replace \
		| -I -L -D -l -std -x -include -target -T -MF -MT -isystem --edition --crate-type --crate-name -C -d: text
ldd | read* ?script
shellcheck hadolint yamllint | read* | -s --shell -f --format -S --severity -e --exclude -i --include -o --enable -W --wiki-link-count \
		-d --config-data -t --failure-threshold --ignore: text | --rcfile -c --config --config-file: read
pandoc | read* | -o --output: replace | -d --defaults -F --filter -L --lua-filter --data-dir: load | -f --from -t --to -s --template --css -M -V --metadata --variable: text
protoc openapi-generator quicktype graphql-codegen prisma sqlc | ~worktree in:directory ?project
dotnet | in:operands
	--info --list-sdks --list-runtimes help list
	nuget | ~packages in:anywhere ?project
	tool workload | ~packages in:anywhere
	add remove restore | ~packages
	format new | ~worktree
	* | ?project
mix rebar3 stack cabal dune opam gleam
	help version deps.tree list
	new init | ~worktree in:operands
	* | ?project
rails ng
	new n | ~worktree in:operands
	* | ?project
flask uvicorn gunicorn hypercorn celery streamlit jupyter puma artisan symfony wp drush | ?project
ffmpeg | replace* dash | -i: read | -c -f -vf -af -ss -t -to -r -b -s -map -codec -preset -crf: text
ffprobe identify | read* dash | -o --LogFile: replace
convert magick sips mogrify cwebp pngquant optipng svgo | read* ~worktree in:operands
objdump nm readelf size otool | read* | --plugin: load
django-admin
	startproject startapp | ~worktree in:operands
	help version check
	* | ?project
`,
	{ make, prettify, runRecipes },
);
