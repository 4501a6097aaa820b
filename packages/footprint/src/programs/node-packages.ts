// Package managers of JavaScript: which scripts of the project and which programs they run. Their table is in `packages.ts`.
import { jsonIn } from "../text.ts";
import { agentEntry, isAgentPackage } from "./agents.ts";
import { runModuleFile } from "./interpreters.ts";
import type { Call } from "./program-spec.ts";
import { rewritesText } from "./tasks.ts";

const fromAddress =
	/^(?:\w+@)?(?:git\+|https?:|git:|ssh:|github:|gitlab:|bitbucket:|gist:)|^git@|\s@\s*(?:git\+|https?:)/i;

/** `npx package args…`: runs a program of the project or of the registry. */
function executePackage(call: Call): void {
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
	else executePackage(call);
}

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
	const settings = jsonIn(text) as { scripts?: unknown } | null | undefined;
	const scripts = settings?.scripts;
	return typeof scripts === "object" && scripts !== null ? (scripts as Record<string, unknown>) : {};
}

/** `npm pkg set scripts.x=text`: defines a script that may run later. */
function setField(call: Call): void {
	for (const word of call.operands) {
		const text = /^scripts(?:\.|\[)[^=]*=(.*)$/s.exec(word)?.[1];
		if (text !== undefined) call.script(text);
	}
}

/** The verbs of npm, pnpm, yarn and bun, by what they do. */
export const nodeVerbs = {
	shows: `ls list ll la view info show search outdated why explain fund doctor ping whoami help help-search docs bugs repo root bin prefix
		licenses find-dupes query diff sbom completion v`,
	runs: "test t tst start stop restart run run-script build dev lint check format serve preview typecheck",
	installs: `install i in ins inst isntall add ci clean-install install-test it update up upgrade uninstall un remove rm r dedupe ddp prune
		rebuild rb shrinkwrap import patch patch-commit fetch`,
	publishes:
		"publish unpublish deprecate dist-tag owner access team org token adduser login logout star unstar hook profile",
};

const otherVerbs =
	"audit link ln unlink global exec x dlx init create pack version cache store pkg config get set workspaces workspace -w";
const knownVerbs = new Set([...Object.values(nodeVerbs), otherVerbs].flatMap((verbs) => verbs.split(/\s+/)));

/** `yarn eslint`, `pnpm rimraf x`: a word that the package manager doesn't know is a script of the project or an installed program. */
function runInstalled(call: Call): void {
	const words = call.operands[0] === "run" ? call.operands.slice(1) : call.operands;
	const at = words.findIndex((word) => !word.startsWith("-"));
	const [name, ...args] = words.slice(Math.max(0, at));
	if (name !== undefined && !knownVerbs.has(name) && call.isKnownProgram(name)) call.run([name, ...args]);
}

/** With a name, it runs the package that creates the project. */
function createProject(call: Call): void {
	if (call.operands.length > 0) call.unknown("program", call.text);
}

/** Changes the settings of the user, or `.npmrc` of the project. */
function configure(call: Call): void {
	if (call.values("--location -L").includes("project")) call.change("worktree");
	if (/^(?:script-shell|node-options|shell|git|editor|viewer|browser|onload-script)\b/.test(call.operands[0] ?? ""))
		call.effect("change-what-runs");
}

function bun(call: Call): void {
	runInstalled(call);
	for (const code of call.values("-e --eval -p --print")) call.applyRole("code", code);
	const [verb = "", file] = call.operands;
	const module = verb === "run" ? file : verb;
	if (module !== undefined && (module === "-" || /[/.]/.test(module))) runModuleFile(call, module);
	if (call.operands.some((word) => agentEntry.test(word))) call.effect("nested-agent");
}

/** The functions that the table refers to. */
export const nodeFunctions = {
	bun,
	configure,
	createProject,
	execute: executePackage,
	executeText,
	readScript,
	runInstalled,
	setField,
};
