#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { parseArgs } from "../vendor/tiny-args/index.js";
import { reportLines } from "./format.js";
import { parseExpenses } from "./parse.js";
import { sum, totals } from "./totals.js";

const { options, rest } = parseArgs(process.argv.slice(2), { top: "number" });
if (rest.length === 0) {
	console.error("usage: tally [--top <n>] <file>…");
	process.exit(2);
}
try {
	const expenses = rest.flatMap((file) => parseExpenses(readFileSync(file, "utf8")));
	const categories = totals(expenses).slice(0, options.top ?? Infinity);
	for (const line of reportLines(categories, sum(expenses))) console.log(line);
} catch (error) {
	console.error(error.message);
	process.exit(1);
}
