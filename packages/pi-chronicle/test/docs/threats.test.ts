// The table of docs/threats.md: each row names tests that exist and are not skipped.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkout } from "../harness/index.ts";

const text = readFileSync(join(checkout, "docs", "threats.md"), "utf8");
const rows = text.split("\n").flatMap((line) => {
	const [, , claim = "", by = ""] = line.split("|").map((cell) => cell.trim());
	return /^(?:can|cannot) (?!or )/.test(claim) ? [{ claim, by }] : [];
});

describe("a claim about an engine's threats", () => {
	it("is one of many", () => expect(rows.length).toBeGreaterThan(12));
	it.each(rows)("names its test: $claim", ({ by }) => {
		const [, file = "", title = ""] = /^`([\w-]+)`: (.+)$/.exec(by) ?? [];
		const paths = ["test", "deep.test"].map((kind) =>
			join(checkout, "packages", "postgres", "test", `${file}.${kind}.ts`),
		);
		const path = paths.find((one) => existsSync(one)) ?? "";
		expect(path, by).not.toBe("");
		const tests = readFileSync(path, "utf8").split("\n");
		const found = tests.findIndex((line) => line.includes(title));
		expect(found, `${path} has no test "${title}"`).toBeGreaterThanOrEqual(0);
		const around = tests.slice(Math.max(0, found - 8), found + 1).join("\n");
		expect(around).toMatch(/\b(?:it|deepIt)(?:\.each|\.concurrent)?\(/);
		expect(around).not.toMatch(/\.(?:skip|todo|only|fails)\b/);
	});
});
