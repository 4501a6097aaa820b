// The schema and the starter file match the reader. `npm run schemas` writes the schema.
import { readFileSync, writeFileSync } from "node:fs";
import { effects } from "@pi-chronicle/footprint";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { guardTables, ruleFileSchema } from "../../../../../scripts/guard-reference.ts";
import { ownKeys } from "../../../src/safety/guard/rules/keys.ts";
import { classicRules, starterRules } from "./guarded-project.ts";

const file = new URL("../../../schemas/damage-control-rules.schema.json", import.meta.url);

it("schemas/damage-control-rules.schema.json is up to date", () => {
	const fresh = `${JSON.stringify(ruleFileSchema(), null, "\t")}\n`;
	if (process.env.UPDATE_SCHEMAS) writeFileSync(file, fresh);
	expect(readFileSync(file, "utf8").replaceAll(/\s/g, "")).toBe(fresh.replaceAll(/\s/g, ""));
});

it("every key and every effect of rule files is explained", () => {
	const { keys, effects: lines } = guardTables();
	for (const key of Object.keys(ownKeys))
		expect(keys.find((line) => line.startsWith(`| \`${key}\``))).toMatch(/\| .{5,} \| .{10,} \|$/);
	expect(lines).toHaveLength(Object.keys(effects).length + 2);
});

it("the starter file and classic files use known keys and effects only", () => {
	const { properties } = ruleFileSchema() as { properties: Record<string, { properties?: object }> };
	for (const text of [starterRules, classicRules]) {
		const rules = parse(text) as Record<string, object>;
		expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(rules)));
		expect(Object.keys(properties.effects?.properties ?? {})).toEqual(
			expect.arrayContaining(Object.keys(rules.effects ?? {})),
		);
	}
});
