import assert from "node:assert/strict";
import { test } from "node:test";
import { sum, totals } from "../src/totals.js";

const expenses = [
	{ date: "2026-01-03", category: "food", cents: 500 },
	{ date: "2026-01-04", category: "rent", cents: 82000 },
	{ date: "2026-01-05", category: "food", cents: 250 },
];

test("categories are summed, the largest first", () => {
	assert.deepEqual(totals(expenses), [
		{ category: "rent", cents: 82000 },
		{ category: "food", cents: 750 },
	]);
});

test("the sum has every expense", () => {
	assert.equal(sum(expenses), 82750);
});
