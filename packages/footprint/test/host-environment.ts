// A disk and environment in memory, and footprints as short lines of text: what table tests compare.
import { posix, win32 } from "node:path";
import { computeFootprint, type Footprint, type HostEnvironment, type MeasuredCall } from "../src/index.ts";

export interface Place {
	readonly cwd?: string;
	readonly home?: string;
	readonly platform?: NodeJS.Platform;
	readonly env?: { readonly [name: string]: string };
	/** Absolute paths: `file`, `directory`, or `-> target`. Parents are made. */
	readonly disk?: { readonly [path: string]: string };
}

/** The project that most tables stand in. */
export const project = "/home/me/project";

const ordinary: NonNullable<Place["disk"]> = {
	"/home/me/.ssh/id_rsa": "file",
	"/home/me/.ssh/config": "file",
	[`${project}/.git/HEAD`]: "file",
	[`${project}/.env`]: "file",
	[`${project}/.env.example`]: "file",
	[`${project}/README.md`]: "file",
	[`${project}/package.json`]: "file",
	[`${project}/package-lock.json`]: "file",
	[`${project}/server.pem`]: "file",
	[`${project}/script.sh`]: "file",
	[`${project}/a`]: "file",
	[`${project}/b`]: "file",
	[`${project}/src/one.ts`]: "file",
	[`${project}/src/two.ts`]: "file",
	[`${project}/src/deep/three.ts`]: "file",
	[`${project}/dist/out.js`]: "file",
	[`${project}/keys`]: "-> /home/me/.ssh",
	[`${project}/dangling`]: "-> ../later/file",
	"/tmp/build/x": "file",
	"/usr/bin/env": "file",
};

/** A host environment over a disk in memory. */
export function inMemory({
	cwd = project,
	home = "/home/me",
	platform = "linux",
	env = {},
	disk = ordinary,
}: Place = {}): HostEnvironment {
	const rules = platform === "win32" ? win32 : posix;
	const entries = new Map<string, string>();
	for (const [path, what] of Object.entries(disk)) {
		entries.set(path, what);
		for (let at = rules.dirname(path); !entries.has(at) && at !== rules.dirname(at); at = rules.dirname(at))
			entries.set(at, "directory");
		entries.set(rules.parse(path).root, "directory");
	}
	const link = (path: string) => {
		const what = entries.get(path);
		return what?.startsWith("-> ") ? what.slice(3) : undefined;
	};
	/** Follows links in every part; `undefined` where nothing is there. */
	const real = (path: string, budget = 20): string | undefined => {
		const { root } = rules.parse(path);
		let at = root;
		for (const part of path.slice(root.length).split(rules.sep)) {
			if (part === "" || part === ".") continue;
			at = part === ".." ? rules.dirname(at) : rules.join(at, part);
			const target = link(at);
			if (target !== undefined) {
				const followed = budget > 0 ? real(rules.resolve(rules.dirname(at), target), budget - 1) : undefined;
				if (followed === undefined) return undefined;
				at = followed;
			} else if (!entries.has(at)) return undefined;
		}
		return at;
	};
	const locate = (path: string) => {
		const parent = real(rules.dirname(path));
		return parent === undefined ? path : rules.join(parent, rules.basename(path));
	};
	return {
		cwd,
		home,
		temp: platform === "win32" ? "C:\\Temp" : "/tmp",
		platform,
		env: (name) => env[name] ?? (name === "HOME" ? home : undefined),
		isVolatile: (name) => name.startsWith("AGENT_"),
		kind(path) {
			const what = entries.get(path === rules.parse(path).root ? path : locate(path));
			if (what === undefined) return undefined;
			return what.startsWith("-> ") ? "link" : what === "directory" ? "directory" : "file";
		},
		realpath: (path) => real(path),
		readlink: (path) => link(locate(path)),
		names(path) {
			const folder = real(path);
			if (folder === undefined || entries.get(folder) !== "directory") return undefined;
			return [...entries.keys()]
				.filter((entry) => entry !== folder && rules.dirname(entry) === folder)
				.map((entry) => rules.basename(entry));
		},
		homeOf: (user) => ({ root: "/root", me: home })[user],
	};
}

/** The footprint of shell text in the ordinary project, or in `place`. */
export function shell(command: string, place?: Place): Footprint {
	return computeFootprint({ tool: "bash", input: { command } }, inMemory(place));
}

/** The footprint of a call in the ordinary project, or in `place`. */
export function measured(call: MeasuredCall, place?: Place): Footprint {
	return computeFootprint(call, inMemory(place));
}

/**
 * A footprint's touches as lines: the access, `!` where content is replaced, the path (short where it is in the project or at home),
 * `/**` where it reaches below, and the real path behind `=>` where it differs.
 */
export function accesses({ accesses: all }: Footprint): string[] {
	return all.map(({ kind, path, real, recursive, replaces }) => {
		const mark = replaces ? "!" : "";
		const reach = recursive ? "/**" : "";
		return `${kind}${mark} ${short(path)}${reach}${real === path ? "" : ` => ${short(real)}`}`;
	});
}

function short(path: string): string {
	if (path === project) return ".";
	if (path.startsWith(`${project}/`)) return path.slice(project.length + 1);
	return path === "/home/me" ? "~" : path.replace(/^\/home\/me\//, "~/");
}

/** The named harms of a footprint's runs, each once, sorted. */
export function harms({ runs }: Footprint): string[] {
	return [...new Set(runs.flatMap((run) => run.effects))].sort();
}

/** The kinds of a footprint's unknowns, each once, sorted. */
export function doubts({ unknowns }: Footprint): string[] {
	return [...new Set(unknowns.map(({ what }) => what))].sort();
}
