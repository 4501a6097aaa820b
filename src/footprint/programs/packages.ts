// Package managers: what they install, what they only show, and which scripts of the project they run.
import { agentEntry, findAgentPackage, isAgentPackage } from "./agents.ts";
import { afterDashes, changesUnless, runsProject, wraps } from "./common-specs.ts";
import { runModuleFile } from "./interpreters.ts";
import type { Call, ProgramSpec, ProgramSpecs } from "./program-spec.ts";

const installs: ProgramSpec = { changes: ["packages"] };
const systemInstalls: ProgramSpec = {
	changes: ["system"],
	when: { "-s --simulate --dry-run --just-print --print-uris": { harmless: true } },
};
const publishes: ProgramSpec = {
	changes: ["remote"],
	effects: ["publish"],
	when: { "--dry-run -n": { harmless: true } },
};

const fromAddress =
	/^(?:\w+@)?(?:git\+|https?:|git:|ssh:|github:|gitlab:|bitbucket:|gist:)|^git@|\s@\s*(?:git\+|https?:)/i;

/** `npx package args…`: runs a program of the project or of the registry. */
function execute(call: Call): void {
	const given = call.values("-p --package --from --with --spec");
	for (const text of call.values("-c --call")) call.script(text);
	const [name, ...args] = call.operands;
	if (name === undefined) return;
	if ([name, ...given].some(isAgentPackage)) call.effect("nested-agent");
	// From a repository or URL, not from a registry.
	if ([name, ...given].some((word) => fromAddress.test(word))) call.effect("run-download");
	const plain = name.replace(/^(@[^/]+\/[^@]+|[^@]+)@.*$/, "$1").replace(/^@[^/]+\//, "");
	if (name.startsWith("@")) call.unknown("program", call.text);
	call.run([plain, ...args]);
}

/** `yarn exec "text"`, `pnpm -c exec "text"`: one word may be a whole command line. */
function executeText(call: Call): void {
	const [text, ...more] = call.operands;
	if (text !== undefined && more.length === 0 && /\s/.test(text.trim())) call.script(text);
	else execute(call);
}

/** `npm run x`, `yarn x`: a script of the project. */
const runScript: ProgramSpec = { opaque: "project", optionsFirst: true };

const executes: ProgramSpec = {
	optionsFirst: true,
	options: { "-p --package --from --with --spec -c --call -w --workspace --python --loglevel": "text" },
	custom: execute,
};

const nodeCommon: { readonly [names: string]: ProgramSpec } = {
	"ls list ll la view info show search outdated why explain fund doctor ping whoami help help-search docs bugs repo root bin prefix licenses find-dupes query diff sbom completion v":
		{},
	audit: {
		when: { "--fix": { changes: ["packages"] } },
		custom: (call) => {
			if (call.operands[0] === "fix") call.change("packages");
		},
	},
	"test t tst start stop restart run run-script build dev lint check format serve preview typecheck": runScript,
	"install i in ins inst isntall add ci clean-install install-test it update up upgrade uninstall un remove rm r unlink link ln dedupe ddp prune rebuild rb shrinkwrap import patch patch-commit fetch":
		installs,
	"publish unpublish deprecate dist-tag owner access team org token adduser login logout star unstar hook profile":
		publishes,
	exec: { ...executes, custom: executeText },
	"x dlx": executes,
	"init create": { changes: ["worktree"], opaque: "program" },
	pack: { changes: ["worktree"], when: { "--dry-run": { harmless: true } } },
	version: { changes: ["worktree", "repository"] },
	"cache store": changesUnless("ls list verify path dir status", "packages"),
	pkg: { subcommands: { get: {}, set: { changes: ["worktree"], custom: setField }, "*": { changes: ["worktree"] } } },
	config: changesUnless("get list ls", "system"),
	get: {},
	set: { changes: ["system"] },
	"workspaces workspace -w": { subcommands: { "list info": {}, "*": runScript } },
	"*": runScript,
};

const nodeVerbs = new Set(Object.keys(nodeCommon).flatMap((names) => names.split(" ")));

/** `yarn eslint`, `pnpm rimraf x`: a word that the package manager doesn't know is a script of the project or an installed program. */
function runInstalled(call: Call): void {
	const words = call.operands[0] === "run" ? call.operands.slice(1) : call.operands;
	const [name, ...args] = words.slice(
		Math.max(
			0,
			words.findIndex((word) => !word.startsWith("-")),
		),
	);
	if (name !== undefined && !nodeVerbs.has(name) && call.isKnownProgram(name)) call.run([name, ...args]);
}

const nodeOptions = {
	"-C --dir --prefix --cwd": "directory",
	"-w --workspace -F --filter --registry --loglevel --userconfig --reporter": "text",
} as const;

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

/** `npm pkg set scripts.x=text`: defines a script that may run later. */
function setField(call: Call): void {
	for (const word of call.operands) {
		const text = /^scripts(?:\.|\[)[^=]*=(.*)$/s.exec(word)?.[1];
		if (text !== undefined) call.script(text);
	}
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
	npm: { options: nodeOptions, subcommands: nodeCommon },
	pnpm: { options: nodeOptions, subcommands: nodeCommon, custom: runInstalled },
	yarn: {
		options: nodeOptions,
		custom: runInstalled,
		subcommands: {
			...nodeCommon,
			node: { optionsFirst: true, custom: (call) => call.run(["node", ...call.operands]) },
		},
		withoutSubcommand: { changes: ["packages"] },
	},
	bun: {
		options: { ...nodeOptions, "-e --eval -p --print": "text" },
		subcommands: {
			...nodeCommon,
			"test build run": runScript,
			pm: changesUnless("ls bin hash cache version whoami", "packages"),
			x: executes,
			repl: { opaque: "script" },
			"*": { opaque: "script" },
		},
		custom: (call) => {
			runInstalled(call);
			for (const code of call.values("-e --eval -p --print")) call.applyRole("code", code);
			const [verb = "", file] = call.operands;
			const module = verb === "run" ? file : verb;
			if (module !== undefined && (module === "-" || /[/.]/.test(module))) runModuleFile(call, module);
			if (call.operands.some((word) => agentEntry.test(word))) call.effect("nested-agent");
		},
	},
	"npx pnpx bunx uvx": executes,
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
				when: { "--dry-run": { harmless: true } },
			},
			"download wheel": { changes: ["worktree"], options: { "-r -c": "read", "-d --dest -w --wheel-dir": "make" } },
			"*": installs,
		},
	},
	pipx: { subcommands: { "list environment": {}, run: executes, "*": { changes: ["system"] } } },
	uv: {
		options: { "--directory --project": "directory", "--python -p --config-file": "text" },
		subcommands: {
			"tree help": {},
			version: setsVersion,
			run: {
				optionsFirst: true,
				options: { "--with --python -p --extra --group --env-file --package --with-requirements --index": "text" },
				custom: (call) => (call.has("-m --module") ? call.unknown("project", "uv run -m") : call.run(call.operands)),
			},
			pip: {
				subcommands: {
					"list show freeze check tree": {},
					compile: { operands: "read", options: { "-o --output-file": "replace" } },
					"*": installs,
				},
			},
			tool: { subcommands: { "list dir": {}, run: executes, "*": { changes: ["system"] } } },
			python: changesUnless("list find dir", "system"),
			cache: changesUnless("dir", "packages"),
			publish: publishes,
			build: { ...runsProject, changes: ["worktree"] },
			"init venv": { changes: ["worktree"] },
			"*": installs,
		},
	},
	"poetry pdm pipenv hatch rye": {
		options: { "-C --directory -P --project": "directory" },
		subcommands: {
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
		subcommands: {
			"show info outdated validate why why-not depends prohibits licenses search audit diagnose status check-platform-reqs help list about":
				{},
			"run run-script exec test": runScript,
			"*": installs,
		},
	},
	cargo: {
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
			"new init": { changes: ["worktree"], operands: { first: ["make"] } },
			"*": runsProject,
		},
	},
	go: {
		custom: findAgentPackage,
		subcommands: {
			"version env list doc help vet": { when: { "-w -u": { changes: ["system"] } } },
			"build test run generate tool": runsProject,
			fmt: { changes: ["worktree"] },
			install: { changes: ["system"], opaque: "program" },
			get: installs,
			mod: changesUnless("graph verify why", "packages"),
			work: { changes: ["worktree"] },
			clean: { changes: ["packages"] },
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
	"semantic-release np release-it changeset lerna standard-version auto": {
		opaque: "project",
		changes: ["repository"],
		when: { "--dry-run": { harmless: true } },
		custom: (call) => {
			const [verb = "", ...words] = call.operands;
			if (/^(semantic-release|np|release-it|auto)$/.test(call.name) || verb === "publish") call.effect("publish");
			if (call.name === "lerna" && verb === "exec" && words.length > 0) call.script(words.join(" "));
		},
	},
	"vsce ovsx": { subcommands: { "ls show search": {}, package: { changes: ["worktree"] }, "*": publishes } },
	"mvn maven": {
		opaque: "project",
		dashes: "one",
		when: { "-version -v --version -help -h": { harmless: true } },
		custom: (call) => {
			if (call.operands.includes("deploy")) call.effect("publish");
		},
	},
	"create-react-app create-vite create-next-app degit cookiecutter copier yo": {
		changes: ["worktree"],
		opaque: "program",
	},
	"sfdx ionic expo eas": runsProject,
};
