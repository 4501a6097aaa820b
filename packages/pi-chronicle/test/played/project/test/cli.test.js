import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

const cli = new URL("../src/cli.js", import.meta.url).pathname;
const file = new URL("../ops/expenses.csv", import.meta.url).pathname;

test("--top prints the largest categories", () => {
	const lines = execFileSync(process.execPath, [cli, "--top", "1", file], { encoding: "utf8" }).trim().split("\n");
	assert.match(lines[0], /^rent +1640\.00$/);
	assert.equal(lines.length, 2);
});
