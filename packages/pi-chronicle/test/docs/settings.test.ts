// The page of settings is complete: it has each setting and variable that another page shows, and each default setting of runs.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkout } from "../harness/index.ts";

const folder = join(checkout, "docs");
const page = (name: string): string => readFileSync(join(folder, name), "utf8");
const others = readdirSync(folder)
	.filter((name) => name.endsWith(".md") && name !== "settings.md")
	.map((name) => page(name))
	.join("\n");
const rows = page("settings.md")
	.split("\n")
	.filter((line) => line.startsWith("| `"));
const named = new Set(
	rows.flatMap((row) => [...(row.split(" | ")[0] ?? "").matchAll(/`(\w+)/g)].map(([, name]) => name)),
);

it("the page of settings has each setting that a page shows as JSON", () => {
	const shown = [...others.matchAll(/```json file=[^\n]*settings\.json\n([\s\S]*?)```/g)].flatMap(([, text = ""]) =>
		Object.keys((JSON.parse(text) as { chronicle?: object }).chronicle ?? {}),
	);
	expect(shown.length).toBeGreaterThan(5);
	expect(shown.filter((name) => !named.has(name))).toEqual([]);
});

it("the page of settings has each variable of the environment that a page names for the user to set", () => {
	const set = [...others.matchAll(/\b(?:PI_)?CHRONICLE_[A-Z]+\b/g)].map(([name]) => name);
	const ours = /^PI_CHRONICLE_(RUN|NOTICE)/;
	expect(set.length).toBeGreaterThan(5);
	expect(set.filter((name) => !ours.test(name) && !named.has(name))).toEqual([]);
});
