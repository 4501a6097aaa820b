import assert from "node:assert/strict";
import { test } from "node:test";
import { parseExpenses } from "../src/parse.js";

test("a line is a date, a category and an amount", () => {
	assert.deepEqual(parseExpenses("2026-01-03,food,54.5\n"), [{ date: "2026-01-03", category: "food", cents: 5450 }]);
});

test("comments and empty lines are skipped", () => {
	assert.deepEqual(parseExpenses("# nothing\n\n"), []);
});

test("a mistake names its line", () => {
	assert.throws(() => parseExpenses("2026-01-03,food,1\nyesterday,food,1"), /line 2: not a date: yesterday/);
	assert.throws(() => parseExpenses("2026-01-03,food,much"), /line 1: not an amount: much/);
});
