// The shape of the bundle: one file per entry point; pi's packages are imported lazily, and never by the command line.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { checkout, openFolder, packageUnderTest, run } from "./harness/index.ts";

interface Bundled {
	now: string[];
	later: string[];
	/** Imported later, by the import that the start keeps. */
	byPi: string[];
	hosted: boolean;
}

let dist: string;
let files: Map<string, Bundled>;

beforeAll(() => {
	dist = join(packageUnderTest().root, "dist");
	if (!existsSync(dist)) {
		dist = join(openFolder(), "dist");
		run(checkout, [process.execPath, "scripts/build.mjs", dist]);
	}
	const names = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".mjs"));
	files = new Map(
		names.map((name) => {
			const code = readFileSync(join(dist, name), "utf8");
			const targets = (pattern: RegExp) =>
				[...code.matchAll(pattern)].map(([, path = ""]) => relative(dist, resolve(dirname(join(dist, name)), path)));
			const bundled = {
				now: targets(/(?:from|import)"(\.[^"]+\.mjs)"/g),
				later: targets(/(?:import|\$later)\("(\.[^"]+\.mjs)"\)/g),
				byPi: targets(/\$import\(new URL\("(\.[^"]+\.mjs)"/g),
				hosted: /(?:from|import)"(?:@earendil-works\/|typebox["/])/.test(code),
			};
			return [name, bundled];
		}),
	);
});

/** A file and all that it imports at once. */
function closure(name: string, seen = new Set<string>()): Set<string> {
	if (!seen.has(name)) {
		seen.add(name);
		for (const other of files.get(name)?.now ?? []) closure(other, seen);
	}
	return seen;
}
const needsPi = (name: string) => [...closure(name)].some((file) => files.get(file)?.hosted);

describe("the bundle", () => {
	it("contains every file that it imports", () => {
		const imported = [...files].flatMap(([name, { now, later, byPi }]) =>
			[...now, ...later, ...byPi].map((path) => ({ name, path })),
		);
		expect(imported.length).toBeGreaterThan(files.size);
		expect(imported.filter(({ path }) => !files.has(path))).toEqual([]);
	});

	it.each(["start", "worker-start"])("starts from one file that imports only Node's modules: %s", (name) => {
		const [start = "", ...more] = [...files.keys()].filter((file) => file.replace(/-[0-9a-f]{8}\.mjs$/, "") === name);
		expect(more).toEqual([]);
		expect([...closure(start)]).toEqual([start]);
		expect(needsPi(start)).toBe(false);
		// What is imported later is imported through the file of the package's root that pi loads.
		expect(readFileSync(join(dist, start), "utf8")).not.toMatch(/\bimport\("\./);
		expect(files.get(start)?.later.length).toBeGreaterThan(0);
	});

	it("declares a module-private symbol in one file only, because two copies would not recognize each other's symbols", () => {
		const symbolsOf = (name: string) => readFileSync(join(dist, name), "utf8").match(/\bSymbol\((?:"[^"]*")?\)/g) ?? [];
		const inPi = [...files.keys()].filter((name) => !name.startsWith("cli"));
		for (const start of inPi.filter((name) => !name.startsWith("later"))) {
			const others = new Set(inPi.filter((name) => name.startsWith("later")).flatMap(symbolsOf));
			expect(symbolsOf(start).filter((symbol) => others.has(symbol))).toEqual([]);
		}
	});

	it("retries a lazy file that failed to load, and caches one that loaded", async () => {
		const [start = ""] = [...files.keys()].filter((file) => file.startsWith("start-"));
		const { loadWith, startSession } = (await import(pathToFileURL(join(dist, start)).href)) as {
			loadWith(load: (path: string) => Promise<unknown>): void;
			startSession(pi: unknown, agentDir: string, version: string): Promise<void>;
		};
		const handlers = new Map<string, () => Promise<unknown>>();
		const registered = (name: string, { handler }: { handler(args: string, ctx: unknown): Promise<unknown> }) =>
			handlers.set(name, () => handler("", {}));
		const nothing = () => () => {};
		const given: Record<string, unknown> = { registerCommand: registered, events: { emit: nothing, on: nothing } };
		await startSession(new Proxy({}, { get: (_, word) => given[String(word)] ?? nothing }), "/nowhere", "1.6.0");
		let busy = true;
		const asked: string[] = [];
		loadWith(async (path) => {
			asked.push(path);
			if (busy) throw new Error("too many open files");
			return { runHandoffCommand: async () => {}, openHandoff: () => ({}) };
		});
		await expect(handlers.get("handoff")?.()).rejects.toThrow("too many open files");
		busy = false;
		await handlers.get("handoff")?.();
		await handlers.get("handoff")?.();
		const of = (name: string) => asked.filter((path) => path.endsWith(name)).length;
		expect([of("handoff-command.mjs"), of("handoff-session.mjs")]).toEqual([2, 1]);
	});

	it("imports files that need pi's packages through pi, from files that Node imports by itself", () => {
		const entries = [...files.keys()].filter((name) => !name.includes("/"));
		const left = [...files].filter(([name]) => !entries.includes(name) && !needsPi(name));
		const wrong = left.flatMap(([name, { later }]) => later.filter(needsPi).map((path) => `${name}: ${path}`));
		expect(wrong).toEqual([]);
		expect([...files.values()].flatMap(({ byPi }) => byPi)).not.toEqual([]);
		for (const { byPi } of files.values()) for (const path of byPi) expect(needsPi(path), path).toBe(true);
	});

	it("runs the command line without pi's packages", () => {
		const verbs = [
			...closure("cli.mjs"),
			...closure("later/tools-rehearsal-command-line.mjs"),
			...closure("later/tools-doctor-doctor.mjs"),
			...closure("later/ui-cli-command-line.mjs"),
		];
		expect(verbs.filter((name) => files.get(name)?.hosted)).toEqual([]);
	});
});
