#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { formatTable } from "./format.js";
import { parseReceipts } from "./parse.js";
import { grandTotal, totalsByCategory } from "./totals.js";

const [file] = process.argv.slice(2);
if (!file) {
	console.error("usage: receipts <file.csv>");
	process.exit(2);
}

const receipts = parseReceipts(readFileSync(file, "utf8"));
const rows = [...totalsByCategory(receipts), { category: "total", cents: grandTotal(receipts) }];
console.log(formatTable(rows).join("\n"));
