// A worker's brief: the start fails unless it is complete and of this version.
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
	type Adoption,
	BRIEF_VARIABLE,
	readAdoption,
	readBrief,
	type WorkerBrief,
	writeBrief,
} from "../../../src/local/worker/brief.ts";

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "brief-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const brief: WorkerBrief = {
	version: 2,
	run: "r",
	state: "build",
	launch: { visit: 2, attempt: 1, launch: 3 },
	targets: ["test"],
	tools: {
		tools: ["read"],
		requested: [{ written: "Lint", otherwise: undefined }],
		extensionTools: "named",
		hoped: [],
		restrictions: { denied: ["bash"], only: undefined },
	},
	rules: { hash: "h", text: "{}", files: 1 },
	sandbox: "off",
};

/** Every way to spoil one field of `value`: to leave it out, and to give it another type. Fields in `optional` may be absent. */
function spoiled(value: object, optional: readonly string[], path = ""): [string, object][] {
	return Object.entries(value).flatMap(([key, inner]): [string, object][] => {
		const name = `${path}${key}`;
		const wrong = { ...value, [key]: typeof inner === "string" || inner === undefined ? 7 : "x" };
		const absent = optional.includes(name) || inner === undefined ? [] : [[`${name} absent`, without(value, key)]];
		const below = typeof inner === "object" && inner !== null ? spoiled(inner, optional, `${name}.`) : [];
		return [
			[`${name} of another type`, wrong],
			...(absent as [string, object][]),
			...below.map(([what, part]): [string, object] => [
				what,
				{ ...value, [key]: Array.isArray(inner) ? Object.values(part) : part },
			]),
		];
	});
}

function without(value: object, key: string): object {
	if (Array.isArray(value)) return { ...value, [key]: null };
	return Object.fromEntries(Object.entries(value).filter(([other]) => other !== key));
}

function read(data: unknown): WorkerBrief {
	const path = join(folder, "brief.json");
	writeFileSync(path, typeof data === "string" ? data : JSON.stringify(data));
	return readBrief({ [BRIEF_VARIABLE]: path });
}

describe("a worker's brief", () => {
	it("is private, round-trips unchanged, and its path is removed from the environment", () => {
		const path = join(folder, "1.1.brief.json");
		writeBrief(path, brief);
		expect(statSync(path).mode & 0o077).toBe(0);
		const env = { [BRIEF_VARIABLE]: path };
		expect(readBrief(env)).toEqual(JSON.parse(JSON.stringify(brief)));
		expect(env).toEqual({});
	});

	const optional = ["allowance.costUsd", "tools"];
	it.each(spoiled(brief, optional))("with %s is refused", (_, data) => {
		expect(() => read(data)).toThrow(/damaged or was written by another version/);
	});

	it.each([["null"], ["[]"], ["7"], ["{"], [""], ['{"version":2}']])("with the content %s is refused", (data) => {
		expect(() => read(data)).toThrow();
	});

	it("is required: without its path in the environment nothing starts", () => {
		expect(() => readBrief({})).toThrow(/only in a process started by a chronicle/);
	});
});

describe("a worker's adoption", () => {
	const adoption: Adoption = {
		launch: { visit: 2, attempt: 1, launch: 3 },
		allowance: { costUsd: 1.5, tokens: 9, requests: 8, calls: 7, countCacheReads: false },
	};

	it("is read as it was written", () => {
		expect(readAdoption(JSON.stringify(adoption))).toEqual(adoption);
	});

	const optional = ["costUsd", "tokens", "requests", "calls"].map((name) => `allowance.${name}`);
	it.each(spoiled(adoption, optional))("with %s is not accepted", (_, data) => {
		expect(readAdoption(JSON.stringify(data))).toBeUndefined();
	});
});
