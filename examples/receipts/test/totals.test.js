import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTable } from "../src/format.js";
import { grandTotal, totalsByCategory } from "../src/totals.js";

const receipts = [
	{ date: "2026-03-02", category: "food", cents: 4180, shop: "" },
	{ date: "2026-03-04", category: "travel", cents: 1800, shop: "" },
	{ date: "2026-03-09", category: "food", cents: 1235, shop: "" },
];

test("adds up by category, the largest first", () => {
	assert.deepEqual(totalsByCategory(receipts), [
		{ category: "food", cents: 5415 },
		{ category: "travel", cents: 1800 },
	]);
});

test("adds up everything", () => {
	assert.equal(grandTotal(receipts), 7215);
});

test("lines the amounts up", () => {
	assert.deepEqual(formatTable([{ category: "food", cents: 5415 }, { category: "travel", cents: 1800 }]), [
		"food    54.15",
		"travel  18.00",
	]);
});
