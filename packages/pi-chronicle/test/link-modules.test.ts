// The link step of a checkout's start: one module that does what its parts did.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { openFolder } from "./harness/index.ts";

const { linkModules } = (await import("../../../scripts/link-modules.mjs" as string)) as {
	linkModules(entry: string, outside: readonly string[]): Promise<void>;
};

const parts = {
	"outside.mjs": "export const given = [];\nexport const give = (what) => void given.push(what);\n",
	"deep/names.mjs": [
		'import { give } from "../outside.mjs";',
		"export const one = 1;",
		"export function two() { return one + 1; }",
		"export async function three() { return two() + 1; }",
		"export function* four() { yield await_; }",
		"export class Five {}",
		"const await_ = 4;",
		"const six = 6;",
		"export { six as half, await_ };",
		'give("names");',
		"export const place = import.meta.url;",
		"",
	].join("\n"),
	"deep/list.mjs": 'export { one as first, two } from "./names.mjs";\nexport * as names from "./names.mjs";\n',
	"entry.mjs": [
		'import { basename as nameOf, join } from "node:path";',
		'import * as fs from "node:fs";',
		'import { first, names } from "./deep/list.mjs"; import { three, four, Five, half } from "./deep/names.mjs";',
		"const await_ = 3;",
		"export const all = [first, names.two(), await_, [...four()][0], new Five() instanceof names.Five, half];",
		'export const read = () => [nameOf(join("a", "b")), typeof fs.readFileSync, three, names.place];',
		'export const later = () => import("./deep/names.mjs");',
		'export { given } from "./outside.mjs";',
		"",
	].join("\n"),
};

async function linked(files: Record<string, string>) {
	const folder = openFolder(files);
	const entry = join(folder, "entry.mjs");
	const load = async (query: string) => import(`${pathToFileURL(entry).href}?${query}`);
	const before = await load("before").catch(() => undefined);
	await linkModules(entry, [join(folder, "outside.mjs")]);
	return { folder, before, after: await load("after"), text: readFileSync(entry, "utf8") };
}

describe("linked modules", () => {
	it("export what the entry exported, from one module that imports only packages and what stays outside", async () => {
		const { folder, before, after, text } = await linked(parts);
		expect(Object.keys(after).sort()).toEqual(Object.keys(before).sort());
		expect(after.all).toEqual(before.all);
		expect(after.all).toEqual([1, 2, 3, 4, true, 6]);
		const [name, kind, three, place] = after.read();
		expect([name, kind, await three()]).toEqual(["b", "function", 3]);
		expect(place).toBe(pathToFileURL(join(folder, "deep/names.mjs")).href);
		expect(await after.later()).toHaveProperty("half", 6);
		const imports = [...text.matchAll(/^import .* from "([^"]+)";$/gm)].map(([, from]) => from);
		expect(imports.sort()).toEqual(["./outside.mjs", "node:fs", "node:path"]);
	});

	it("share what stays outside with the files that are imported later, and run once each", async () => {
		const { folder, after } = await linked(parts);
		const outside = await import(pathToFileURL(join(folder, "outside.mjs")).href);
		// Once alone before it was linked, once in the link's own check, once here.
		expect(after.given).toBe(outside.given);
		expect(outside.given).toEqual(["names", "names", "names"]);
	});

	it.each([
		["export * from", 'export * from "./deep/names.mjs";\n'],
		["a default import", 'import names from "./deep/names.mjs";\n'],
		["a default export", "export default 1;\n"],
		["an import for its effects", 'import "./deep/names.mjs";\n'],
		["await at the top", "await 1;\n"],
	])("are refused with %s, which is not understood", async (_what, code) => {
		const folder = openFolder({ ...parts, "entry.mjs": code });
		await expect(linkModules(join(folder, "entry.mjs"), [])).rejects.toThrow();
	});
});
