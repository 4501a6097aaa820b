// Package managers other than those of JavaScript (`node-packages.ts`): what they install, what they only show, and which scripts of the project they run.
import { findAgentPackage } from "./agents.ts";
import { afterDashes, changesUnless, runsProject, startsProject, wraps } from "./common-specs.ts";
import { executes, installs, nodePackages, packageScript, publishes } from "./node-packages.ts";
import type { Call, ProgramSpec, ProgramSpecs } from "./program-spec.ts";

const systemInstalls: ProgramSpec = {
	changes: ["system"],
	when: { "-s --simulate --dry-run --just-print --print-uris": { harmless: true } },
};
/** `uv version` shows, `uv version 1.2` and `--bump` set. */
const setsVersion: ProgramSpec = {
	when: { "--bump": { changes: ["worktree"] } },
	custom: (call) => {
		if (call.operands.length > 0 && !call.has("--dry-run -n")) call.change("worktree");
	},
};

/** `flatpak run --command=sh app words`: runs in the application's sandbox, which may include the home folder. */
function runSandboxed(call: Call): void {
	const [command] = call.values("--command");
	if (command !== undefined) call.run([command, ...call.operands.slice(1)]);
}

/** `apt -o DPkg::Pre-Invoke::=text`: settings whose value is a command. */
function runHooks(call: Call): void {
	for (const setting of call.values("-o --option")) {
		const [, name = "", text = ""] = /^([^=]*)=(.*)$/s.exec(setting) ?? [];
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

/** Package managers whose verb is their first option; one that is not listed changes the system. */
const byOptions = (looks: RegExp): ProgramSpec => ({
	custom: (call) => {
		const [verb] = call.args.filter((arg) => arg.startsWith("-"));
		if (verb === undefined ? call.args.length > 0 || call.name === "yay" || call.name === "paru" : !looks.test(verb))
			call.change("system");
	},
});

export const packages: ProgramSpecs = {
	...nodePackages,
	corepack: installs,
	"nvm fnm volta n asdf mise rtx nodenv pyenv rbenv sdk rustup ghcup jenv tfenv goenv": {
		subcommands: {
			"ls list current which versions version show list-all ls-remote where env plugin-list doctor whence help root prefix commands":
				{},
			"target component toolchain": changesUnless("list", "packages"),
			exec: {
				optionsFirst: true,
				custom: (call) => call.run(call.operands.filter((word, index) => index > 0 || !/^v?\d/.test(word))),
			},
			"x run": { opaque: "project" },
			"*": installs,
		},
	},
	"pip pip2 pip3": {
		options: { "--python --log --proxy": "text" },
		subcommands: {
			"list show freeze check search index help debug inspect hash": { options: { "-r": "read" } },
			config: changesUnless("list get debug", "system"),
			cache: changesUnless("dir info list", "packages"),
			install: {
				...installs,
				options: {
					"-r --requirement -c --constraint": "read",
					"-e --editable": "list",
					"-t --target -d --dest --prefix --root": "make",
					"-i --index-url --extra-index-url -f --find-links": "text",
				},
				when: {
					"--dry-run": { harmless: true },
					"-t --target --prefix --root": { unchanged: true },
				},
			},
			"download wheel": {
				changes: ["worktree"],
				changesIn: "directory",
				options: { "-r -c": "read", "-d --dest -w --wheel-dir": "make" },
				when: { "-d --dest -w --wheel-dir": { unchanged: true } },
			},
			"*": installs,
		},
	},
	pipx: { subcommands: { "list environment": {}, run: executes, "*": { changes: ["system"] } } },
	uv: {
		options: { "--directory --project": "directory", "--python -p --config-file": "text" },
		optionsAnywhere: true,
		changesIn: "directory",
		subcommands: {
			"tree help": {},
			version: setsVersion,
			run: {
				optionsFirst: true,
				options: { "--with --python -p --extra --group --env-file --package --with-requirements --index": "text" },
				custom: (call) => (call.has("-m --module") ? call.unknown("project", "uv run -m") : call.run(call.operands)),
			},
			pip: {
				changesIn: "anywhere",
				subcommands: {
					"list show freeze check tree": {},
					compile: { operands: "read", options: { "-o --output-file": "replace" } },
					"*": installs,
				},
			},
			tool: { subcommands: { "list dir": {}, run: executes, "*": { changes: ["system"] } } },
			python: changesUnless("list find dir", "system"),
			cache: { ...changesUnless("dir", "packages"), changesIn: "anywhere" },
			publish: publishes,
			build: { ...runsProject, changes: ["worktree"] },
			"init venv": { changes: ["worktree"], changesIn: "operands" },
			"*": installs,
		},
	},
	"poetry pdm pipenv hatch rye": {
		options: { "-C --directory -P --project": "directory" },
		optionsAnywhere: true,
		changesIn: "directory",
		when: { "-g --global": { changesIn: "anywhere" } },
		subcommands: {
			// Of the user, in any folder.
			"config self python py cache tools toolchain plugin": { ...installs, changesIn: "anywhere" },
			"show check list about search graph info help": {},
			env: changesUnless("info list show find activate", "packages"),
			version: setsVersion,
			"run shell test": wraps(),
			publish: publishes,
			build: runsProject,
			"*": installs,
		},
	},
	"conda mamba micromamba": {
		subcommands: {
			"list info search": {},
			run: wraps("-n --name -p --prefix"),
			env: {
				subcommands: {
					list: {},
					export: { options: { "-f --file": "replace", "-n --name -p --prefix": "text" } },
					"*": installs,
				},
			},
			"*": installs,
		},
	},
	"gem bundle bundler": {
		subcommands: {
			"list query search info contents dependency environment which help show outdated check platform licenses doctor specification":
				{},
			config: changesUnless("get list", "system"),
			exec: wraps(),
			"push yank": publishes,
			"*": installs,
		},
		withoutSubcommand: { changes: ["packages"] },
	},
	composer: {
		options: { "-d --working-dir": "directory" },
		optionsAnywhere: true,
		changesIn: "directory",
		when: { "-g --global": { changesIn: "anywhere" } },
		subcommands: {
			"global self-update selfupdate clear-cache clearcache": { ...installs, changesIn: "anywhere" },
			"show info outdated validate why why-not depends prohibits licenses search audit diagnose status check-platform-reqs help list about":
				{},
			"run run-script exec test": packageScript,
			"*": installs,
		},
	},
	cargo: {
		options: { "--manifest-path": "manifest", "-C": "directory" },
		optionsAnywhere: true,
		changesIn: "directory",
		subcommands: {
			"metadata tree search version help locate-project read-manifest pkgid verify-project info": {},
			watch: {
				...runsProject,
				options: {
					"-s --shell": "script",
					"-w --watch -i --ignore -d --delay -C --workdir -E --env --features": "text",
					"-x --exec": "text",
				},
				custom: watched,
			},
			"check clippy build b test t bench run r doc d rustc rustdoc nextest expand llvm-cov tarpaulin miri criterion flamegraph asm bloat udeps deny audit outdated machete":
				runsProject,
			"fmt fix": { changes: ["worktree"], opaque: "project", when: { "--check": { unchanged: true } } },
			clean: { changes: ["worktree"] },
			"publish yank owner login logout": publishes,
			"install uninstall": { changes: ["system"] },
			"add remove rm update fetch generate-lockfile vendor upgrade": installs,
			"new init": { changes: ["worktree"], changesIn: "operands", operands: { first: ["make"] } },
			"*": runsProject,
		},
	},
	go: {
		custom: findAgentPackage,
		options: { "-C": "directory" },
		optionsAnywhere: true,
		changesIn: "directory",
		subcommands: {
			"version env list doc help vet": { when: { "-w -u": { changes: ["system"] } } },
			"build test run generate tool": runsProject,
			fmt: { changes: ["worktree"], changesIn: "operands" },
			install: { changes: ["system"], opaque: "program" },
			get: installs,
			mod: changesUnless("graph verify why", "packages"),
			work: { changes: ["worktree"] },
			clean: { changes: ["packages"], changesIn: "anywhere" },
			"*": runsProject,
		},
	},
	brew: {
		subcommands: {
			"list ls info search outdated deps uses config doctor leaves home log desc cat options tap-info shellenv commands formulae casks":
				{},
			"*": systemInstalls,
		},
	},
	flatpak: {
		subcommands: {
			"list search info remotes remote-ls remote-info history ps config help": { operands: "text" },
			run: { opaque: "program", optionsFirst: true, options: { "--command": "text" }, custom: runSandboxed },
			"*": systemInstalls,
		},
	},
	"apt apt-get aptitude dnf yum zypper apk snap port pkg choco winget scoop": {
		options: { "-o --option -c --config-file -t --target-release --default-release --setopt": "text" },
		custom: runHooks,
		subcommands: {
			"list search show info policy depends rdepends madison changelog check-update provides whatprovides repolist help query find version outdated contents installed remotes status which audit stats":
				{ operands: "text" },
			"*": systemInstalls,
		},
	},
	"apt-cache dpkg-query": {},
	"apt-file": { subcommands: { "search find list show": { operands: "text" }, "*": { changes: ["system"] } } },
	"apt-mark": changesUnless("showmanual showauto showhold showinstall", "system"),
	// Their verbs are options.
	"pacman yay paru": byOptions(
		/^(-Q\w*|-S[sigl]+|-F(?!.*y)\w*|-T|-V|-h|--(query|search|info|list|deptest|version|help|groups|files)\b.*)$/,
	),
	"xbps-query xbps-install": byOptions(/^(-[lsSfxXR]+|-M|--\w+=.*|-n|--dry-run)$/),
	emerge: byOptions(/^(-s|-S|-p\w*|--(search|searchdesc|pretend|info|version|help|list-sets|check-news))$/),
	"nix-env": byOptions(/^(-q\w*|--query|--list-generations|--dry-run|--version)$/),
	dpkg: byOptions(
		/^(-[lLsSpIcCVf]|--(list|listfiles|status|search|print-avail|info|contents|audit|verify|field|version|help|print-architecture|print-foreign-architectures|get-selections|compare-versions|yet-to-unpack))$/,
	),
	rpm: byOptions(/^(-q\w*|-V\w*|-K|-E|--(query|verify|checksig|eval|version|help|showrc|querytags))$/),
	nix: {
		subcommands: {
			"eval search show-derivation path-info flake-show log why-depends": {},
			"run shell develop build": {
				opaque: "project",
				custom: (call) => {
					findAgentPackage(call);
					const at = call.args.findIndex((arg) => arg === "-c" || arg === "--command");
					if (at >= 0) call.run(call.args.slice(at + 1));
				},
			},
			"*": { changes: ["system"] },
		},
	},
	twine: { subcommands: { check: { operands: "read" }, "*": publishes } },
	flit: { subcommands: { publish: publishes, "*": runsProject } },
	goreleaser: { subcommands: { "check healthcheck completion help jsonschema": {}, "*": runsProject } },
	lerna: {
		subcommands: {
			"ls list la ll changed diff info": {},
			exec: { ...runsProject, custom: (call) => call.script(call.operands.join(" ")) },
			"version publish": { changes: ["repository"], changesIn: "directory", opaque: "project" },
			"*": runsProject,
		},
		custom: (call) => {
			if (call.operands[0] === "publish") call.effect("publish");
		},
	},
	"semantic-release np release-it changeset standard-version auto": {
		opaque: "project",
		changes: ["repository"],
		changesIn: "directory",
		when: { "--dry-run": { harmless: true } },
		custom: (call) => {
			const [verb] = call.operands;
			if (/^(semantic-release|np|release-it|auto)$/.test(call.name) || verb === "publish") call.effect("publish");
		},
	},
	"vsce ovsx": {
		subcommands: { "ls show search": {}, package: { changes: ["worktree"], changesIn: "directory" }, "*": publishes },
	},
	"mvn maven": {
		opaque: "project",
		dashes: "one",
		when: { "-version -v --version -help -h": { harmless: true } },
		custom: (call) => {
			if (call.operands.includes("deploy")) call.effect("publish");
		},
	},
	virtualenv: { ...startsProject, operands: "make" },
	"pip-compile pip-sync": { operands: "read", options: { "-o --output-file": "replace" } },
	"create-react-app create-vite create-next-app degit cookiecutter copier yo": {
		changes: ["worktree"],
		opaque: "program",
	},
	"sfdx ionic expo eas": runsProject,
};
