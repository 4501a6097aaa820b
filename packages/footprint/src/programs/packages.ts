// Package managers: what they install, what they only show, and which scripts of the project they run.
import { findAgentPackage } from "./agents.ts";
import { nodeFunctions, nodeVerbs } from "./node-packages.ts";
import { describe } from "./notation.ts";
import { afterDashes, type Call } from "./program-spec.ts";

/** `apt -o DPkg::Pre-Invoke::=text`: settings whose value is a command. */
function runHooks(call: Call): void {
	for (const word of call.args) {
		const [, name = "", text = ""] = /^(?:-o|--option=)?(\w+::[^=\s]*)=(.*)$/s.exec(word) ?? [];
		if (/invoke|hook|::(?:pre|post)|options::|proxy-auto|pager|editor|exec/i.test(name)) call.script(text);
	}
	if (call.has("-c --config-file")) call.unknown("script", call.text);
}

/** `cargo watch -x "test --lib" -- command`. */
function watched(call: Call): void {
	for (const text of call.values("-x --exec")) call.script(`cargo ${text}`);
	const command = afterDashes(call);
	if (command) call.run(command);
}

/** `uv version` shows, `uv version 1.2` and `--bump` set. */
function setVersion(call: Call): void {
	if (call.operands.length > 0 && !call.has("--dry-run -n")) call.change("worktree");
}

/** `go list -mod=mod` writes what it finds to `go.mod`. */
function goModules(call: Call): void {
	if (call.args.includes("-mod=mod")) call.change("packages");
}

/** `go run module@version` runs code of another project. */
function runGo(call: Call): void {
	call.unknown(call.operands.some((word) => word.includes("@")) ? "program" : "project", call.text);
}

function runUvModule(call: Call): void {
	if (call.has("-m --module")) call.unknown("project", "uv run -m");
	else call.run(call.operands);
}

/** `nvm exec 20 command` */
function withVersion(call: Call): void {
	call.run(call.operands.filter((word, index) => index > 0 || !/^v?\d/.test(word)));
}

/** Package managers whose verb is their first option; one that is not listed changes the system. */
const byOption = (looks: RegExp) => (call: Call) => {
	const verb = call.args.find((arg) => arg.startsWith("-"));
	if (verb === undefined ? call.args.length > 0 || /^(yay|paru)$/.test(call.name) : !looks.test(verb))
		call.change("system");
};

function nix(call: Call): void {
	findAgentPackage(call);
	const at = call.args.findIndex((arg) => arg === "-c" || arg === "--command");
	if (at >= 0) call.run(call.args.slice(at + 1));
}

export const packages = describe(
	`
$installs | ~packages | --dry-run > harmless
# A dry run builds the package.
$publishes | ~remote +publish | --dry-run -n > harmless ?project
$script | ?project first @readScript
$executes | first @execute | -p --package --from --with --spec -c --call -w --workspace --python --loglevel: text
$starts | ~worktree in:operands
$system | ~system | -s --simulate --dry-run --just-print --print-uris > harmless
# It works in the folder of its project, unless an option names the packages of the user.
$node | in:directory anywhere | -C --dir --prefix --cwd: directory \
		| -w --workspace -F --filter --registry --loglevel --reporter: text | --userconfig --globalconfig: load | -g --global --location > in:anywhere
	${nodeVerbs.shows.replace(/\s+/g, " ")}
	audit | text* | --fix > ~packages
		fix | ~packages
	${nodeVerbs.installs.replace(/\s+/g, " ")} | =installs
	# A link leads through the packages of the user.
	link ln unlink | =installs in:anywhere
	${nodeVerbs.publishes} | =publishes
	exec | =executes @executeText
	x dlx | =executes
	init create | ~worktree @createProject
	pack | ~worktree | --pack-destination: make | --dry-run > harmless ?project | --pack-destination > unchanged
	version | ~worktree ~repository
	pkg
		get
		set | ~worktree @setField
		* | ~worktree
	config
		get list ls
		* | ~system @configure | --location -L: text
	set | ~system @configure | --location -L: text
	* | =script
npm | =node
pnpm | =node @runInstalled
yarn | =node @runInstalled | bare > ~packages
bun | =node @bun | -e --eval -p --print: text
	test build run | =script
	* | ?file
npx pnpx bunx uvx | =executes
nvm fnm volta n asdf mise nodenv pyenv rbenv rustup
	ls list current which versions version show list-all ls-remote where env plugin-list doctor whence help root prefix commands
	target component toolchain
		list
		* | ~packages
	exec | first @withVersion
	x run | ?project
	* | =installs
pip pip2 pip3 | anywhere | --python: load | --log: write | --cache-dir: make | --proxy: text
	list show freeze check search index help debug inspect hash | -r: read
	config
		list get debug
		* | ~system
	cache
		dir info list
		* | ~packages
	install | ~packages | -r --requirement -c --constraint: read | -e --editable: list | -t --target -d --dest --prefix --root: make \
			| -i --index-url --extra-index-url -f --find-links: text | --dry-run > harmless ?program | -t --target --prefix --root > unchanged
	uninstall | =installs
	download wheel | ~worktree in:directory | -r -c: read | -d --dest -w --wheel-dir: make | -d --dest -w --wheel-dir > unchanged
pipx
	run | =executes
	* | ~system
uv | in:directory anywhere | --directory --project: directory | --python -p --config-file: load
	tree help
	version | @setVersion | --bump > ~worktree
	run | first @runUvModule | --with --python -p --extra --group --env-file --package --with-requirements --index: text
	pip | in:anywhere
		list show freeze check tree
		* | =installs
	tool
		list dir
		run | =executes
		* | ~system
	publish | =publishes
	build | ~worktree ?project
	init venv | ~worktree in:operands
	* | =installs
poetry pdm pipenv hatch rye | in:directory anywhere | -C --directory -P --project: directory | -g --global > in:anywhere
	config self python py cache tools toolchain plugin | =installs in:anywhere
	show check list about search graph info help
	env
		info list show find activate
		* | ~packages
	version | @setVersion | --bump > ~worktree
	run shell test | command first
	publish | =publishes
	* | =installs
conda mamba micromamba
	run | command first | -n --name -p --prefix: text
	env
		list
		export | -f --file: replace | -n --name -p --prefix: text
		* | =installs
	* | =installs
gem bundle bundler | bare > ~packages
	list query search info contents dependency environment which help show outdated check platform licenses doctor specification | --gemfile: load
	config
		get list
		* | ~system
	exec | command first
	push yank | =publishes
	* | =installs
composer | in:directory anywhere | -d --working-dir: directory | -g --global > in:anywhere
	global self-update selfupdate clear-cache clearcache | =installs in:anywhere
	show info outdated validate why why-not depends prohibits licenses search audit diagnose status check-platform-reqs help list about
	run run-script exec test | =script
	* | =installs
cargo | in:directory anywhere | --manifest-path: manifest | -C: directory
	metadata tree search version help locate-project read-manifest pkgid verify-project info
	watch | ?project @watched | -s --shell: script | -w --watch -i --ignore -d --delay -C --workdir -E --env --features: text \
			| -x --exec: text
	fmt fix | ~worktree ?project | --check > unchanged
	clean | ~worktree
	publish yank owner login logout | =publishes
	install uninstall | ~system
	add remove rm update fetch generate-lockfile vendor upgrade | =installs
	new init | make ~worktree in:operands
	* | ?project
go | in:directory anywhere @findAgentPackage | -C: directory
	version env list doc help vet | dash @goModules | -toolexec -vettool: script | -overlay -modfile: load | -w -u > ~system | -fix > ~worktree
	run | @runGo
	fmt | ~worktree in:operands
	install | ~system ?program
	get | =installs
	mod
		graph verify why
		* | ~packages
	work | ~worktree
	* | ?project dash | -toolexec -vettool -exec: script | -overlay -modfile: load | -run -bench: text
brew
	list ls info search outdated deps uses config doctor leaves home log desc cat options tap-info shellenv commands formulae casks
	* | =system
apt apt-get aptitude dnf yum zypper apk snap port pkg choco winget scoop | @runHooks \
		| -o --option -c --config-file -t --target-release --default-release --setopt: text
	list search show info policy depends rdepends madison changelog check-update provides whatprovides repolist help query find version \
			outdated contents installed remotes status which audit stats | text*
	* | =system
pacman | @pacman
dpkg | @dpkg
rpm | @rpm | --pipe: script | --define -D --load --rcfile --macros: load
nix
	run shell develop build | ?project @nix
	* | ~system
twine vsce ovsx
	check | read*
	* | =publishes
semantic-release np changeset auto | ~repository in:directory ?project | --dry-run > harmless ?project
mvn maven | ?project dash | -version -v --version -help -h > harmless
virtualenv | make* ~worktree in:operands
create-react-app create-vite create-next-app degit cookiecutter | ~worktree ?program
pip-compile | read* | ~worktree in:directory | -o --output-file: replace | -o --output-file > unchanged | -n --dry-run > harmless
pip-sync | read* | ~packages in:directory | -n --dry-run > harmless
`,
	{
		...nodeFunctions,
		dpkg: byOption(
			/^(-[lLsSpIcCVf]|--(list|listfiles|status|search|print-avail|info|contents|audit|verify|version|help|print-architecture|compare-versions))$/,
		),
		findAgentPackage,
		goModules,
		nix,
		pacman: byOption(
			/^(-Q\w*|-S[sigl]+|-F(?!.*y)\w*|-T|-V|-h|--(query|search|info|list|version|help|groups|files)\b.*)$/,
		),
		runGo,
		rpm: byOption(/^(-q\w*|-V\w*|-K|-E|--(query|verify|checksig|eval|version|help|showrc|querytags))$/),
		runHooks,
		runUvModule,
		setVersion,
		watched,
		withVersion,
	},
);
