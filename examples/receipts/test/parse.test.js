import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAmount, parseReceipts } from "../src/parse.js";

test("reads one receipt per line", () => {
	assert.deepEqual(parseReceipts("2026-03-02,Food,41.80,Market hall\n"), [
		{ date: "2026-03-02", category: "food", cents: 4180, shop: "Market hall" },
	]);
});

test("skips comments and empty lines", () => {
	assert.deepEqual(parseReceipts("# date,category,amount,shop\n\n"), []);
});

test("takes amounts with a currency sign", () => {
	assert.equal(parseAmount("€ 12.50"), 1250);
});

test("names the line that is incomplete", () => {
	assert.throws(() => parseReceipts("2026-03-02,food,1.00,x\n2026-03-03\n"), /line 2/);
});
