// The schemas and the documentation's tables against the files that are written. `npm run schemas` writes the schemas.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EventBody } from "@pi-chronicle/core/machine";
import { expect, it } from "vitest";
import { templateSchema } from "../../../../../scripts/definition-reference.ts";
import { eventSchema } from "../../../../../scripts/event-reference.ts";
import { ledgerFields, ledgerSchema } from "../../../../../scripts/ledger-reference.ts";
import { openFileStore } from "../../../src/local/ledger/index.ts";
import { checkout } from "../../harness/index.ts";
import { baseline, created, id, tell, value, visit } from "./sample-events.ts";

type Schema = {
	type?: string | string[];
	enum?: unknown[];
	const?: unknown;
	pattern?: string;
	minimum?: number;
	items?: Schema;
	oneOf?: Schema[];
	properties?: Record<string, Schema>;
	required?: string[];
	additionalProperties?: Schema | boolean;
};

/** What of `data` does not fit `schema`, by path. The part of JSON Schema that our schemas use. */
function misfits(data: unknown, schema: Schema, path = "$"): string[] {
	const type = data === null ? "null" : Array.isArray(data) ? "array" : typeof data;
	const wanted = schema.type === undefined ? undefined : [schema.type].flat();
	if (wanted && !wanted.includes(type)) return [`${path} is ${type}`];
	const found: string[] = [];
	if (schema.enum && !schema.enum.includes(data)) found.push(`${path} is ${data}`);
	if (schema.const !== undefined && schema.const !== data) found.push(`${path} is ${data}`);
	if (schema.pattern && !new RegExp(schema.pattern).test(String(data))) found.push(`${path} is ${data}`);
	if (schema.minimum !== undefined && Number(data) < schema.minimum) found.push(`${path} is ${data}`);
	if (Array.isArray(data))
		return [
			...found,
			...data.flatMap((item, index) => (schema.items ? misfits(item, schema.items, `${path}[${index}]`) : [])),
		];
	if (type !== "object") return found;
	const object = data as Record<string, unknown>;
	for (const name of schema.required ?? []) if (!Object.hasOwn(object, name)) found.push(`${path}.${name} is missing`);
	for (const [name, inner] of Object.entries(object)) {
		const known = schema.properties?.[name];
		if (known) found.push(...misfits(inner, known, `${path}.${name}`));
		else if (schema.properties && path === "$") found.push(`${path}.${name} is not in the schema`);
		else if (typeof schema.additionalProperties === "object")
			found.push(...misfits(inner, schema.additionalProperties, `${path}.${name}`));
	}
	return found;
}

it.each([
	["chronicle-template.schema.json", templateSchema],
	["chronicle-ledger.schema.json", ledgerSchema],
	["chronicle-event.schema.json", eventSchema],
])("schemas/%s is up to date", (name, schema) => {
	const path = join(checkout, "packages/pi-chronicle/schemas", name);
	const text = `${JSON.stringify(schema(), null, "\t")}\n`;
	if (process.env.UPDATE_SCHEMAS) writeFileSync(path, text);
	expect(JSON.parse(readFileSync(path, "utf8")), "run `npm run schemas`").toEqual(JSON.parse(text));
});

it("a ledger that the machine writes fits its schema, field by field and in the schema's order", async () => {
	const folder = mkdtempSync(join(tmpdir(), "reference-"));
	try {
		const store = openFileStore({ sessions: folder, clock: Date });
		const ledger = value(await store.create(created()));
		let run = await tell(ledger, ledger.run, baseline);
		const more: EventBody[] = [
			{ kind: "tool_started", visit: 1, attempt: 1, call: "c", tool: "bash", args: "{}" },
			{
				kind: "used",
				visit: 1,
				attempt: 1,
				spend: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, tokens: 10, costUsd: 0.1, unmeteredTokens: 0 },
			},
			{
				kind: "snapshot_updated",
				visit: 1,
				attempt: 1,
				by: "worker",
				data: { findings: [{ key: "port", text: "1" }], pendingTasks: [{ text: "t" }] },
			},
			{
				kind: "snapshot_updated",
				visit: 1,
				attempt: 1,
				by: "worker",
				data: { findings: [{ key: "port", text: "2" }] },
			},
			{ kind: "told", text: "hello" },
		];
		const [startUp, ...rest] = visit(run);
		for (const body of [...(startUp ? [startUp] : []), ...more, ...rest]) run = await tell(ledger, run, body);
		value(await ledger.checkpoint(run));
		await ledger.releaseLease();
		const written = JSON.parse(readFileSync(join(folder, `${id}.json`), "utf8"));
		expect(misfits(written, ledgerSchema() as Schema)).toEqual([]);
		expect(Object.keys(written).slice(0, 13)).toEqual(Object.keys(ledgerFields).slice(0, 13));
		const events = readFileSync(join(folder, `${id}.events.jsonl`), "utf8")
			.split("\n")
			.filter(Boolean);
		for (const line of events) {
			const event = JSON.parse(line) as Record<string, unknown>;
			const { properties, required, oneOf } = eventSchema() as Schema;
			const own = oneOf?.find((kind) => kind.properties?.kind?.const === event.kind);
			expect(
				misfits(event, {
					properties: { ...properties, ...own?.properties },
					required: [...(required ?? []), ...(own?.required ?? [])],
				}),
			).toEqual([]);
		}
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});
