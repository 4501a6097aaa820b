// Package managers of JavaScript: what they install, what they only show, and which scripts of the project they run.

import { agentEntry, isAgentPackage } from "./agents.ts";
import { changesUnless } from "./common-specs.ts";
import { runModuleFile } from "./interpreters.ts";
import type { Call, ProgramSpec, ProgramSpecs } from "./program-spec.ts";
import { rewritesText } from "./tasks.ts";

export const installs: ProgramSpec = { changes: ["packages"], when: { "--dry-run": { harmless: true } } };
export const publishes: ProgramSpec = {
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
	if (name.startsWith("@") || !call.isKnownProgram(plain)) call.unknown("program", call.text);
	call.run([plain, ...args]);
}

/** `yarn exec "text"`, `pnpm -c exec "text"`: one word may be a whole command line. */
function executeText(call: Call): void {
	const [text, ...more] = call.operands;
	if (text !== undefined && more.length === 0 && /\s/.test(text.trim())) call.script(text);
	else execute(call);
}

/** `npm run x`, `yarn x`: a script of the project. */
export const packageScript: ProgramSpec = { opaque: "project", optionsFirst: true, custom: readScript };

const runsScript = /\b(?:npm|pnpm|yarn|bun)(?: run(?:-script)?)? ([\w:.-]+)/g;

/** A script of the package changes the project if its text, or that of a script that it runs, rewrites files. */
function readScript(call: Call): void {
	const words = call.args.filter((word) => !word.startsWith("-") && word !== "run" && word !== "run-script");
	const folder = call.findUp("package.json");
	const name = words.find((word) => /^[\w:.-]+$/.test(word)) ?? (call.args.length === 0 ? "test" : undefined);
	if (folder === undefined || name === undefined) return;
	const scripts = scriptsIn(call.fileText(`${folder}/package.json`) ?? "");
	const reached = new Set([`pre${name}`, name, `post${name}`]);
	for (const each of reached) {
		const text = Object.hasOwn(scripts, each) ? scripts[each] : undefined;
		if (typeof text !== "string") continue;
		if (rewritesText(text)) call.change("worktree");
		for (const [, inner = ""] of text.matchAll(runsScript)) reached.add(inner);
	}
}

function scriptsIn(text: string): Readonly<Record<string, unknown>> {
	try {
		const { scripts } = JSON.parse(text) as { scripts?: unknown };
		return typeof scripts === "object" && scripts !== null ? (scripts as Record<string, unknown>) : {};
	} catch {
		return {};
	}
}

export const executes: ProgramSpec = {
	optionsFirst: true,
	options: { "-p --package --from --with --spec -c --call -w --workspace --python --loglevel": "text" },
	custom: execute,
};

/** Changes the settings of the user, or `.npmrc` of the project. */
const setsConfiguration: ProgramSpec = {
	changes: ["system"],
	options: { "--location -L": "text" },
	custom: (call) => {
		if (call.values("--location -L").includes("project")) call.change("worktree");
	},
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
	"test t tst start stop restart run run-script build dev lint check format serve preview typecheck": packageScript,
	"install i in ins inst isntall add ci clean-install install-test it update up upgrade uninstall un remove rm r dedupe ddp prune rebuild rb shrinkwrap import patch patch-commit fetch":
		installs,
	// A link leads through the packages of the user.
	"link ln unlink": { ...installs, changesIn: "anywhere" },
	global: { changes: ["system"] },
	"publish unpublish deprecate dist-tag owner access team org token adduser login logout star unstar hook profile":
		publishes,
	exec: { ...executes, custom: executeText },
	"x dlx": executes,
	"init create": {
		changes: ["worktree"],
		custom: (call) => {
			// With a name, it runs the package that creates the project.
			if (call.operands.length > 0) call.unknown("program", call.text);
		},
	},
	pack: {
		changes: ["worktree"],
		options: { "--pack-destination": "make" },
		when: { "--dry-run": { harmless: true }, "--pack-destination": { unchanged: true } },
	},
	version: { changes: ["worktree", "repository"] },
	"cache store": { ...changesUnless("ls list verify path dir status", "packages"), changesIn: "anywhere" },
	pkg: { subcommands: { get: {}, set: { changes: ["worktree"], custom: setField }, "*": { changes: ["worktree"] } } },
	config: { subcommands: { "get list ls": {}, "*": setsConfiguration } },
	get: {},
	set: setsConfiguration,
	"workspaces workspace -w": { subcommands: { "list info": {}, "*": packageScript } },
	"*": packageScript,
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

/** A package manager of JavaScript: it works in the folder of its project, unless an option names the packages of the user. */
const inProject = {
	options: nodeOptions,
	optionsAnywhere: true,
	changesIn: "directory",
	when: { "-g --global --location": { changesIn: "anywhere" } },
} as const satisfies ProgramSpec;

/** `npm pkg set scripts.x=text`: defines a script that may run later. */
function setField(call: Call): void {
	for (const word of call.operands) {
		const text = /^scripts(?:\.|\[)[^=]*=(.*)$/s.exec(word)?.[1];
		if (text !== undefined) call.script(text);
	}
}

export const nodePackages: ProgramSpecs = {
	npm: { ...inProject, subcommands: nodeCommon },
	pnpm: { ...inProject, subcommands: nodeCommon, custom: runInstalled },
	yarn: {
		...inProject,
		custom: runInstalled,
		subcommands: {
			...nodeCommon,
			node: { optionsFirst: true, custom: (call) => call.run(["node", ...call.operands]) },
		},
		withoutSubcommand: { changes: ["packages"] },
	},
	bun: {
		...inProject,
		options: { ...nodeOptions, "-e --eval -p --print": "text" },
		subcommands: {
			...nodeCommon,
			"test build run": packageScript,
			pm: { ...changesUnless("ls bin hash cache version whoami", "packages"), changesIn: "anywhere" },
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
};
