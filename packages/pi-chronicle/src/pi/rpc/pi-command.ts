// Finds the program that starts another pi: always this process's own executable with pi's own entry file. Inside pi, that is the running
// pi; outside (the command line), it is the pi that the user names, the pi installed with this package, or the pi on PATH, which is found
// there but started by its own entry file. Only a program that names no entry file (a shim of volta, asdf or mise) is started itself.

import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Diagnostic } from "@pi-chronicle/core/definition";
import { propertiesOf } from "@pi-chronicle/core/definition";
import { jsonObject, realPathOf } from "../../disk/index.ts";
import { pathsNamedIn } from "./pi-on-path.ts";
import { isTooOld, OLDEST_PI, updatePiText } from "./supported-pi.ts";

/** A pi that can be started with `[command, ...args]` followed by pi's own options. */
export interface PiCommand {
	/** Absolute path. */
	readonly command: string;
	readonly args: readonly string[];
	/** Version in its package; `undefined` for a compiled binary. */
	readonly version: string | undefined;
}

/** The variable that names pi's entry file or binary; the option `--pi` overrides it. */
const PI_VARIABLE = "PI_CHRONICLE_PI";

export interface PiSearch {
	/** Value of `--pi`, if given: an entry file (`…/cli.js`), a package folder, or a binary. */
	readonly named?: string | undefined;
	readonly env: NodeJS.ProcessEnv;
	readonly execPath: string;
	readonly execArgv: readonly string[];
	/** The script this process runs, `process.argv[1]`. */
	readonly script: string | undefined;
	/** A file, as a path or URL, above which the peer package is looked for; normally one of this package. */
	readonly from: string;
}

const PACKAGE = "@earendil-works/pi-coding-agent";

/** Search parameters of this process. */
export function ownPiSearch(named?: string): PiSearch {
	return {
		named,
		env: process.env,
		execPath: process.execPath,
		execArgv: process.execArgv,
		script: process.argv[1],
		from: import.meta.url,
	};
}

/**
 * Finds pi in this order: the named one (option, then `PI_CHRONICLE_PI`), the pi that this process is, the pi installed with this package,
 * the pi on PATH. An unnamed pi that is too old is skipped. Returns a diagnostic if there is none.
 */
export function findPi(search: PiSearch): PiCommand | Diagnostic {
	const named = search.named ?? search.env[PI_VARIABLE];
	if (named) return supported(namedPi(search, resolve(named)));
	const candidates = function* () {
		yield runningPi(search);
		yield peerPi(search);
		yield* pisOnPath(search);
	};
	let tooOld: Diagnostic | undefined;
	for (const pi of candidates()) {
		if (!pi) continue;
		const found = supported(pi);
		if (isPiCommand(found)) return found;
		tooOld ??= found;
	}
	return (
		tooOld ??
		noPi(
			"",
			"pi was found neither next to this package nor on PATH.",
			`Install it (npm install -g ${PACKAGE}), or name pi's entry file with --pi or ${PI_VARIABLE}.`,
		)
	);
}

function supported(pi: PiCommand | Diagnostic): PiCommand | Diagnostic {
	if (!isPiCommand(pi) || pi.version === undefined || !isTooOld(pi.version)) return pi;
	const file = pi.args.at(-1) ?? pi.command;
	return {
		severity: "error",
		code: "pi-too-old",
		file,
		message: `pi-chronicle needs pi ${OLDEST_PI} or newer, but ${file} is pi ${pi.version}.`,
		remedy: `${updatePiText()}, or name a newer one with --pi or ${PI_VARIABLE}.`,
	};
}

/** The programs named `pi` on PATH that are pi; skips others of that name. */
function* pisOnPath(search: PiSearch): Generator<PiCommand> {
	for (const folder of (search.env.PATH ?? "").split(delimiter)) {
		if (folder === "") continue;
		for (const name of ["pi", "pi.exe", "pi.cmd"]) {
			const path = join(folder, name);
			const pi = piAt(search, path) ?? shimAt(search, path);
			if (pi) yield pi;
		}
	}
}

/** The program at `path` if it is pi, or the pi that it starts if it is a script. A script may start another one. */
function piAt(search: PiSearch, path: string, depth = 0): PiCommand | undefined {
	const real = realPathOf(path);
	if (real === undefined || !statSync(real).isFile()) return undefined;
	const home = packageOf(real);
	const isScript = /\.[cm]?[jt]s$/.test(real);
	if (home?.isPi && isScript) return byNode(search, real, home.version);
	const text = depth < 4 ? contentOf(real) : undefined;
	if (text === undefined) return home?.isPi ? { command: real, args: [], version: home.version } : undefined;
	// A wrapper names what it starts by its own place, which may be that of a link to it.
	const named = [real, path].flatMap((place) => pathsNamedIn(text, place));
	for (const other of named) {
		const pi = piAt(search, other, depth + 1);
		if (pi) return pi;
	}
	return undefined;
}

/** No script that starts pi is larger, bytes. */
const maxScript = 100_000;

/** The text of a shell script or command file; `undefined` for anything else. */
function contentOf(path: string): string | undefined {
	try {
		if (statSync(path).size > maxScript) return undefined;
		const text = readFileSync(path, "latin1");
		return text.startsWith("#!") || /\.(?:cmd|bat|ps1)$/i.test(path)
			? Buffer.from(text, "latin1").toString()
			: undefined;
	} catch {
		return undefined;
	}
}

/** Milliseconds for a shim to start pi, which may have to load a tool's settings first. */
const shimMs = 20_000;

/** The program at `path` if it answers as pi does: a shim of a version manager, which says nowhere what it starts. */
function shimAt({ env }: PiSearch, path: string): PiCommand | undefined {
	try {
		accessSync(path, constants.X_OK);
		if (!statSync(path).isFile()) return undefined;
	} catch {
		return undefined;
	}
	const ask = (option: string) =>
		spawnSync(path, [option], { encoding: "utf8", env, timeout: shimMs, stdio: ["ignore", "pipe", "ignore"] }).stdout;
	const version = /^\d+\.\d+\.\d+\S*$/m.exec(ask("--version") ?? "")?.[0];
	const isPi = version !== undefined && (ask("--help") ?? "").includes("_CODING_AGENT_DIR");
	return isPi ? { command: path, args: [], version } : undefined;
}

/** Whether `findPi` found a pi. */
export function isPiCommand(found: PiCommand | Diagnostic): found is PiCommand {
	return "command" in found;
}

function namedPi(search: PiSearch, path: string): PiCommand | Diagnostic {
	const real = realPathOf(path);
	if (real === undefined)
		return noPi(
			path,
			`The file ${path}, named as pi, does not exist.`,
			`Name pi's entry file, its package folder or its binary with --pi or ${PI_VARIABLE}, or leave that out.`,
		);
	if (statSync(real).isDirectory())
		return (
			packagePi(search, real) ??
			noPi(
				path,
				`The folder ${path} is not a pi package.`,
				`Name pi's entry file, its package folder (${PACKAGE}) or its binary.`,
			)
		);
	// Not its real path: a version manager has one program for all its shims.
	if (!/\.[cm]?[jt]s$/.test(real)) return { command: path, args: [], version: undefined };
	return byNode(search, real, packageOf(real)?.version);
}

/** This process, if it is pi: its script is in pi's package, or it is pi compiled to a binary. */
function runningPi(search: PiSearch): PiCommand | undefined {
	const { script } = search;
	if (!script) return undefined;
	if (script.includes("$bunfs") || script.includes("~BUN"))
		return { command: search.execPath, args: [], version: undefined };
	const real = realPathOf(script);
	if (real === undefined) return undefined;
	const home = packageOf(real);
	if (!home?.isPi) return undefined;
	// The RPC entry prepends its own mode; the ordinary entry takes every option.
	return basename(real).startsWith("rpc-entry") ? packagePi(search, home.folder) : byNode(search, real, home.version);
}

function peerPi(search: PiSearch): PiCommand | undefined {
	const from = search.from.startsWith("file:") ? fileURLToPath(search.from) : search.from;
	for (let at = dirname(from); ; at = dirname(at)) {
		const folder = join(at, "node_modules", PACKAGE);
		// A checkout's compiled sources lie beside a stand-in of pi's package, without pi.
		const pi = existsSync(join(folder, "package.json")) ? packagePi(search, realpathSync(folder)) : undefined;
		if (pi) return pi;
		if (at === dirname(at)) return undefined;
	}
}

function packagePi(search: PiSearch, folder: string): PiCommand | undefined {
	const home = packageOf(join(folder, "package.json"));
	if (!home?.isPi || !home.entry) return undefined;
	const entry = join(home.folder, home.entry);
	return existsSync(entry) ? byNode(search, entry, home.version) : undefined;
}

function byNode(search: PiSearch, entry: string, version: string | undefined): PiCommand {
	// Only one process can hold a debugger's port.
	const inherited = search.execArgv.filter((option) => !option.startsWith("--inspect"));
	return { command: search.execPath, args: [...inherited, entry], version };
}

interface Home {
	readonly folder: string;
	readonly isPi: boolean;
	readonly version: string | undefined;
	/** Path of its `pi` command, relative to the folder. */
	readonly entry: string | undefined;
}

/** The nearest package above a file. `piConfig` in the manifest identifies a renamed distribution of pi. */
function packageOf(file: string): Home | undefined {
	for (let folder = dirname(file); ; folder = dirname(folder)) {
		const manifest = jsonObject(join(folder, "package.json"));
		if (manifest && "name" in manifest) return homeOfPackage(folder, manifest);
		if (folder === dirname(folder)) return undefined;
	}
}

function homeOfPackage(folder: string, manifest: { readonly [key: string]: unknown }): Home {
	const { name, version, bin, piConfig } = manifest;
	const entries = typeof bin === "string" ? [bin] : Object.values(propertiesOf(bin));
	const entry = entries.find((value) => typeof value === "string");
	return {
		folder,
		isPi: name === PACKAGE || (typeof piConfig === "object" && piConfig !== null),
		version: typeof version === "string" ? version : undefined,
		entry: typeof entry === "string" ? entry : undefined,
	};
}

function noPi(file: string, message: string, remedy: string): Diagnostic {
	return { severity: "error", code: "pi-not-found", file, message, remedy };
}
