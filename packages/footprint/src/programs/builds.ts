// Builds, tests, linters, formatters: programs that run or rewrite the project's own code. The project decides what they do.
import { isBlank } from "../text.ts";
import { describe } from "./notation.ts";
import type { Call } from "./program-spec.ts";

/** Recipes and `$(shell …)` of a makefile. */
function runMakefile(call: Call, text: string, dry: boolean): void {
	if (text !== "" && isBlank(text)) call.script(text);
	for (const line of text.split("\n").slice(0, 500)) {
		const recipe = /^\t[@+-]*(.+)/.exec(line)?.[1] ?? /^[^\s#=:][^#=]*:[^=;]*;\s*[@+-]*(.+)/.exec(line)?.[1];
		if (recipe !== undefined && !dry) call.script(recipe.replaceAll("$$", "$"));
		for (const [, command = ""] of line.matchAll(/\$[({]shell\s+([^()]{1,1000})[)}]/g)) call.script(command);
		const assigned = /^[\w.-]+\s*!=\s*(.+)/.exec(line)?.[1];
		if (assigned !== undefined) call.script(assigned);
	}
}

function make(call: Call): void {
	// A dry run still expands `$(shell …)`.
	const dry = call.has("-n --dry-run --just-print --recon -q --question");
	const named = call.values("-f --file --makefile");
	const files = named.length > 0 ? named : ["GNUmakefile", "makefile", "Makefile"];
	const texts = [...call.values("--eval -E"), ...files.map((file) => call.content(file) ?? "")];
	for (const text of texts) runMakefile(call, text, dry);
	for (const assigned of dry ? [] : call.operands) {
		// Every recipe is run by this program.
		const shell = /^SHELL\s*:{0,3}[?+]?=(.+)$/s.exec(assigned)?.[1];
		if (shell !== undefined) call.script(`${shell} -c ''`);
	}
	if (dry) return;
	if (call.operands.some((target) => /^(install|uninstall)(-|$)/.test(target))) call.change("system");
	if (call.operands.some((target) => /^(deploy|publish|release)(-|$)/.test(target))) call.change("remote");
}

/** Recipes of a justfile that is no file: those of files are the project's own. */
function runRecipes(call: Call): void {
	const named = call.values("-f --justfile").filter((file) => file === "-" || file.startsWith("/dev/"));
	for (const text of named.map((file) => call.content(file) ?? call.stdin))
		for (const [, command = ""] of text.matchAll(/^[ \t]+[@-]*(.+)$/gm)) call.script(command);
}

export const builds = describe(
	`
make | ?project @make | -C --directory: directory | -f --file --makefile: run \
		| -I --include-dir -o --old-file -W --what-if: text | --eval -E: text | -j --jobs -l --load-average -O --output-sync ? \
		| -n --dry-run --just-print --recon -q --question -p --print-data-base > unchanged
just | ?project @runRecipes | -f --justfile -d --working-directory: text
swift | ?project | -e: code
ghc | read* ?project dash | -o -outputdir: replace | -e: code
task ninja meson bazel rake invoke nox tox gradle sbt mill lein cmake ctest configure xcodebuild fastlane pod msbuild turbo nx \
		lage moon gulp grunt webpack rollup vite esbuild parcel tsup swc babel next nuxt astro remix hugo jekyll mkdocs sphinx-build \
		docusaurus electron tauri flutter dart flask uvicorn gunicorn celery jupyter puma artisan wp drush expo eas ionic flit goreleaser | ?project
jest vitest mocha tap jasmine karma cypress playwright c8 nyc pytest unittest coverage rspec cucumber phpunit k6 ab | ?project \
		| --junitxml --junit-xml --outputFile --output-file: replace
tsc flow mypy pyright pylint flake8 bandit semgrep markdownlint markdownlint-cli2 cspell codespell golangci-lint staticcheck \
		revive rubocop phpstan psalm php-cs-fixer kubeconform stylelint eslint oxlint standard attw knip depcheck clang-tidy ktlint \
		ansible-lint actionlint commitlint lint-staged husky pre-commit lefthook npm-check-updates trivy gitleaks | in:operands ?project \
		| --fix --fix-only --write -w --autofix -a -A --auto-correct --autocorrect --autocorrect-all --update -u -i --in-place --apply -F --format > \
		~worktree
gofmt goimports gofumpt shfmt | read* in:operands | -r -local -lang -modpath -i -ln: text | --write -w > write* ~worktree
clang-format | read* in:operands dash | -style --style -assume-filename: text | -i > write* ~worktree
prettier autopep8 | in:operands ?project | --write -w -i --in-place > write* ~worktree \
		| --check -c --list-different -l > harmless
taplo black isort rustfmt | ~worktree in:operands ?project \
		| --check --check-only -c --diff --dry-run --lint --list-different -l > harmless
biome | in:operands ?project | --write --fix --apply --apply-unsafe --unsafe > ~worktree
ruff | in:operands
	check lint | ?project | --fix --fix-only --write --apply --unsafe-fixes > ~worktree
	format | ~worktree ?project | --check --diff > unchanged
gcc g++ cc c++ clang clang++ rustc javac kotlinc gfortran zig v tcc | read* ?project \
		| -o --output --out-dir: replace | -wrapper -specs: load \
		| -I -L -D -l -std -x -include -target -T -MF -MT -isystem --edition --crate-type --crate-name -C -d: text
ldd | read* ?file
shellcheck hadolint yamllint | read* | -s --shell -f --format -S --severity -e --exclude -i --include -o --enable -W --wiki-link-count \
		-d --config-data -t --failure-threshold --ignore: text | --rcfile -c --config --config-file: read
pandoc | read* | -o --output: replace | -d --defaults -F --filter -L --lua-filter --data-dir: load | -f --from -t --to -s --template --css -M -V --metadata --variable: text
protoc prisma | ~worktree in:directory ?project
dotnet | in:operands
	--info --list-sdks --list-runtimes help list
	nuget | ~packages in:anywhere ?project
	tool workload | ~packages in:anywhere
	add remove restore | ~packages
	format new | ~worktree
	* | ?project
mix rebar3 stack cabal opam rails ng django-admin
	help version deps.tree list
	new init n startproject startapp | ~worktree in:operands
	* | ?project
ffmpeg | replace* dash | -i: read | -c -f -vf -af -ss -t -to -r -b -s -map -codec -preset -crf: text
ffprobe identify | read* dash | -o --LogFile: replace
convert magick mogrify svgo | read* ~worktree in:operands
objdump nm readelf size javap xsv | read* | --plugin: load
`,
	{ make, runRecipes },
);
