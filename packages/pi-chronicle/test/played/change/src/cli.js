#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { parseArgs } from "../vendor/tiny-args/index.js";
import { reportLines } from "./format.js";
import { between } from "./filter.js";
import { parseExpenses } from "./parse.js";
import { sum, totals } from "./totals.js";

const { options, rest } = parseArgs(process.argv.slice(2), { top: "number", since: "text", until: "text" });
if (rest.length === 0) {
	console.error("usage: tally [--top <n>] [--since <date>] [--until <date>] <file>…");
	process.exit(2);
}
try {
	const all = rest.flatMap((file) => parseExpenses(readFileSync(file, "utf8")));
	const expenses = between(all, options.since, options.until);
	const categories = totals(expenses).slice(0, options.top ?? Infinity);
	for (const line of reportLines(categories, sum(expenses))) console.log(line);
} catch (error) {
	console.error(error.message);
	process.exit(1);
}
