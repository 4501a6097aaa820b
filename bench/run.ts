// `npm run bench [-- names…] [--json | --markdown]`: runs the benchmarks of this folder in order and prints their figures with their
// bounds. Exit code 1 if one misses its bound or fails. `--markdown` generates docs/benchmarks.md.
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { endFile } from "../packages/pi-chronicle/test/harness/lifetime.ts";
import { type Bench, type Figures, type Row, reaches } from "./figure.ts";

const { values: options, positionals: wanted } = parseArgs({
	options: { json: { type: "boolean", default: false }, markdown: { type: "boolean", default: false } },
	allowPositionals: true,
});
// The other files are parts of benchmarks, or scripts that do their work as soon as they are imported.
const known = readdirSync(import.meta.dirname)
	.filter((file) => file.endsWith(".ts"))
	.filter((file) => /^export async function bench\b/m.test(readFileSync(join(import.meta.dirname, file), "utf8")))
	.map((file) => file.slice(0, -".ts".length))
	.sort();
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
	console.error(`Unknown benchmark: ${unknown.join(", ")}.`);
	process.exit(2);
}

const done: Figures[] = [];
let failed = false;
for (const name of wanted.length > 0 ? wanted : known) {
	const { bench } = (await import(`./${name}.ts`)) as { bench: Bench };
	try {
		process.stderr.write(`${name} …\n`);
		const figures = await bench();
		done.push(figures);
		if (options.markdown) console.log(markdown(figures));
		else if (!options.json) print(figures);
	} catch (error) {
		failed = true;
		console.error(`Benchmark ${name} failed:`, error);
	} finally {
		// Closes what the benchmark opened with the test harness.
		await endFile();
	}
}
failed ||= done.some(({ rows }) => rows.some((row) => reaches(row) === false));
const machine = `${process.platform} ${process.arch}, ${availableParallelism()} × ${cpus()[0]?.model ?? "unknown CPU"}, Node ${process.versions.node}`;
if (options.json) console.log(JSON.stringify({ machine, benches: done }, null, "\t"));
else console.log(`Measured on ${machine}.`);
process.exitCode = failed ? 1 : 0;

function print({ name, rows, how }: Figures): void {
	const width = Math.max(...rows.map(({ figure }) => figure.length));
	console.log(`\n${name}`);
	for (const row of rows) {
		const reached = reaches(row);
		const mark = reached === undefined ? " " : reached ? "✓" : "✗";
		console.log(`${mark} ${row.figure.padEnd(width)}  ${shown(row).padStart(14)}  ${bound(row)}`.trimEnd());
	}
	if (how) console.log(`  ${how}`);
}

function markdown({ name, rows, how }: Figures): string {
	const lines = rows.map((row) => {
		const reached = reaches(row);
		const mark = reached === undefined ? "" : reached ? " ✓" : " ✗";
		return `| ${row.figure.replaceAll("|", "\\|")} | ${shown(row)} | ${bound(row).replace("must be ", "")}${mark} |`;
	});
	return [
		`## ${name}`,
		"",
		...(how ? [how, ""] : []),
		"| figure | measured | bound |",
		"|---|---|---|",
		...lines,
		"",
	].join("\n");
}

function shown({ value, unit }: Row): string {
	const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 3;
	return `${value.toLocaleString("en-US", { maximumFractionDigits: digits })} ${unit}`;
}

function bound({ must }: Row): string {
	if (must === undefined) return "";
	return "most" in must ? `must be at most ${must.most}` : `must be at least ${must.least}`;
}
