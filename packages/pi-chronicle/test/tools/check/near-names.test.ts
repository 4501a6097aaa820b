// Every field of every file format, misspelled in each usual way: `check` names the field's place and the name that is meant. The fields are those of
// the published schemas, so a new field or a new object is tested without a change here, or fails for want of a row.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { editDistance } from "@pi-chronicle/core/definition";
import { beforeAll, expect, it } from "vitest";
import { openProject } from "../../../src/local/index.ts";
import { checkProject } from "../../../src/tools/check/index.ts";
import { openFolder } from "../../harness/folder.ts";
import { checkout } from "../../harness/index.ts";
import { patient } from "../../harness/patience.ts";

/** Where the fields of an object stand in a file: `@` in the text stands for the misspelled ones, indented as it is. */
interface Place {
	readonly folder: string;
	readonly text: string;
	/** Precedes each field. */
	readonly before?: string;
	/** Files beside it; `§` stands for the place's own name. */
	readonly beside?: Readonly<Record<string, string>>;
}

const template = (text: string): Place => ({ folder: ".pi/chronicle/workflows/§.yaml", text });
const state = (text: string): Place => template(`states:\n  a:\n    persona: P\n    next: [done]\n${text}`);
const flow = ".pi/workflows/§/workflow.yaml";
const head = "name: W\ncommandName: §\ninitialMessage: x\n";
const phaseHead = "---\nid: a\nname: A\nemoji: x\n";
const workflow = (text: string): Place => ({
	folder: flow,
	text,
	beside: { ".pi/workflows/§/a.md": `${phaseHead}---\nDo.\n` },
});
const phase = (text: string): Place => ({
	folder: ".pi/workflows/§/a.md",
	text: `${phaseHead}${text}---\nDo.\n`,
	beside: { [flow]: `${head}phases: [a.md]\n` },
});
const scenario = (text: string): Place => ({
	folder: ".pi/rehearsals/workflows/§.yaml",
	text,
	beside: { ".pi/workflows/§/a.md": `${phaseHead}---\nDo.\n`, [flow]: `${head}phases: [a.md]\n` },
});
const rules = (text: string): Place => ({ folder: ".pi/damage-control-rules.yaml", text });

/** By schema and path of the object in it. Objects with the same table of fields are tested once. */
const places: Readonly<Record<string, Readonly<Record<string, Place>>>> = {
	"chronicle-template": {
		"": template("states: { a: { persona: P, next: [done] } }\n@"),
		"/limits": template("states: { a: { persona: P, next: [done] } }\nlimits:\n  cost_usd: 1\n  @"),
		"/sandbox": template("states: { a: { persona: P, next: [done] } }\nsandbox:\n  use: required\n  @"),
		"/states/*": state("    @"),
		"/states/*/branches/*": template(
			"states:\n  a:\n    branches:\n      b:\n        run: other\n        @\n    next: [done]\n",
		),
		"/states/*/branches/* with description": template(
			"states:\n  a:\n    branches:\n      b:\n        persona: P\n        @\n    next: [done]\n",
		),
		"/states/*/for_each": template(
			"states:\n  a:\n    run: other\n    for_each:\n      file: a.md\n      @\n    next: [done]\n",
		),
		"/states/*/next": template(
			'states:\n  a:\n    persona: P\n    next:\n      when: "{output.a.b} > 1"\n      then: done\n      else: done\n      @',
		),
		"/states/*/limits": state("    limits:\n      calls: 1\n      @"),
		"/states/*/setup[]": template(
			"states:\n  a:\n    run: other\n    for_each: pendingTasks\n    setup:\n      - command: x\n        @\n    next: [done]\n",
		),
		"/states/*/cleanup[]": state("    cleanup:\n      - command: x\n        @"),
	},
	workflow: {
		"": workflow(`${head}phases: [a.md]\n@`),
		"/phases[]": { ...workflow(`${head}phases:\n  - a.md\n  @`), before: "- " },
		"/limits": workflow(`${head}phases: [a.md]\nlimits:\n  calls: 1\n  @`),
	},
	phase: {
		"": phase("@"),
		"/tools": phase("tools:\n  blacklist: [bash]\n  @"),
		"/tools with whitelist": phase("tools:\n  whitelist: [read]\n  @"),
		"/tools with allow": phase("tools:\n  allow: [read]\n  @"),
		"/gate": phase("gate:\n  command: x\n  @"),
		"/limits": phase("limits:\n  calls: 1\n  @"),
	},
	scenario: {
		"": scenario("phases: { a: [{ next: x }] }\n@"),
		"/idle[]": scenario("idle:\n  - say: x\n    @"),
		"/idle[]/go": scenario("idle:\n  - go:\n      to: x\n      @"),
		"/idle[]/sent": scenario("idle:\n  - sent:\n      to: x\n      @"),
		"/phases/*[]": scenario("phases:\n  a:\n    - next: x\n      @"),
		"/phases/*[]/go": scenario("phases:\n  a:\n    - go:\n        to: x\n        @"),
		"/phases/*[]/sent": scenario("phases:\n  a:\n    - sent:\n        to: x\n        @"),
	},
	agent: {
		"": { folder: ".pi/agents/§.md", text: "---\nname: §\ndescription: D\ntools: read\n@---\nYou look.\n" },
	},
	sequence: { "": { folder: ".pi/sequences/§.yaml", text: "steps: [Look.]\n@" } },
	"damage-control-rules": {
		"": rules("@"),
		"/bashToolPatterns[]": rules("bashToolPatterns:\n  - pattern: x\n    @"),
		"/zeroAccessPaths[]": rules("zeroAccessPaths:\n  - path: x\n    @"),
		"/effects": rules("effects:\n  @"),
		"/effects/recursive-delete": rules("effects:\n  recursive-delete:\n    decision: ask\n    @"),
	},
};

interface Schema {
	readonly $ref?: string;
	readonly $defs?: Readonly<Record<string, Schema>>;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly additionalProperties?: Schema | boolean;
	readonly items?: Schema;
	readonly anyOf?: readonly Schema[];
	readonly oneOf?: readonly Schema[];
}

/** The fields of each object of a schema by its path. One whose fields another one has, in any order, is left out. */
function objectsOf(root: Schema): ReadonlyMap<string, readonly string[]> {
	const found = new Map<string, string[]>();
	const seen = new Set<Schema>();
	// Breadth first: an object has its shortest path.
	const open: (readonly [Schema, string])[] = [[root, ""]];
	for (const [written, path] of open) {
		const schema = written.$ref === undefined ? written : (root.$defs?.[written.$ref.replace("#/$defs/", "")] ?? {});
		if (seen.has(schema)) continue;
		seen.add(schema);
		const { properties = {}, additionalProperties, items, anyOf = [], oneOf = [] } = schema;
		const own = Object.keys(properties);
		if (own.length > 0) found.set(found.has(path) ? `${path} with ${own[0]}` : path, own);
		open.push(...Object.entries(properties).map(([key, inner]) => [inner, `${path}/${key}`] as const));
		if (typeof additionalProperties === "object") open.push([additionalProperties, `${path}/*`]);
		if (items) open.push([items, `${path}[]`]);
		open.push(...[...anyOf, ...oneOf].map((each) => [each, path] as const));
	}
	const tables = new Set<string>();
	return new Map(
		[...found].filter(([, fields]) => {
			const table = fields.toSorted().join(" ");
			return tables.size < tables.add(table).size;
		}),
	);
}

/** `maxCost`, `max_cost`, `max-cost` → `max`, `cost`. */
const wordsOf = (name: string) =>
	name
		.replace(/([a-z])([A-Z])/g, "$1_$2")
		.toLowerCase()
		.split(/[_-]/);

/** The name with a letter dropped, doubled, replaced or swapped with the next one, and in other styles of case. Two letters leave nothing to recognize. */
function misspellings(name: string): readonly string[] {
	const at = Math.floor(name.length / 2);
	const [before, letter, after] = [name.slice(0, at), name[at], name.slice(at + 1)];
	const words = wordsOf(name);
	const slips = [
		before + after,
		before + letter + letter + after,
		`${name.slice(0, at - 1)}${letter}${name[at - 1]}${after}`,
	];
	const camel = words.map((word, index) => (index === 0 ? word : word[0]?.toUpperCase() + word.slice(1))).join("");
	const styles = [camel, words.join("_"), words.join("-"), name.toUpperCase()];
	return [...(name.length > 3 ? slips : name.length > 2 ? slips.slice(1) : []), ...styles];
}

/** Agent files have no schema: other programs read them too. */
const agentFields = ["model", "models", "thinking", "skills", "readonly"];

const schemaNamed = (name: string): Schema =>
	name === "agent"
		? { properties: Object.fromEntries(agentFields.map((field) => [field, {}])) }
		: (JSON.parse(
				readFileSync(join(checkout, "packages/pi-chronicle/schemas", `${name}.schema.json`), "utf8"),
			) as Schema);

interface Slip {
	readonly where: string;
	readonly field: string;
	readonly written: string;
	/** What `check` says of its line. */
	said: string;
}

/** A file with misspelled fields: below the folder of its project, and the line of each. */
interface Spoiled {
	readonly path: string;
	readonly files: Readonly<Record<string, string>>;
	readonly slips: ReadonlyMap<number, Slip>;
}

/** A file for some of the fields of an object: problems of one file are listed up to a number. */
function spoil(
	where: string,
	number: number,
	fields: readonly string[],
	all: readonly string[],
	place: Place,
): Spoiled {
	const name = `${where.replace(/\W+/g, "-").replace(/-+$/, "")}-${number}`;
	const misspelled = new Map(
		fields.flatMap((field) => misspellings(field).map((written) => [written, field] as const)),
	);
	for (const field of all) misspelled.delete(field);
	const [, indent = ""] = /( *)@/.exec(place.text) ?? [];
	const text = place.text.replace(
		"@",
		[...misspelled.keys()].map((key) => `${place.before ?? ""}${key}: 1\n`).join(indent),
	);
	const first = place.text.slice(0, place.text.indexOf("@")).split("\n").length;
	const files = Object.entries({ ...place.beside, [place.folder]: text }).map(
		([path, content]) => [path.replace("§", name), content.replaceAll("§", name)] as const,
	);
	const slips = [...misspelled].map(
		([written, field], at) => [first + at, { where, field, written, said: "" }] as const,
	);
	return { path: place.folder.replace("§", name), files: Object.fromEntries(files), slips: new Map(slips) };
}

async function check({ files }: Pick<Spoiled, "files">, spoiled: readonly Spoiled[]): Promise<void> {
	const cwd = openFolder(files);
	const pi = { command: process.execPath, args: [], version: undefined };
	const elsewhere = { home: join(cwd, "no-home"), agentFolder: join(cwd, "no-agent-folder") };
	const { findings, further } = await checkProject(openProject({ cwd, ...elsewhere, trust: "trusted", pi }), []);
	for (const { file, line = 0, message, remedy } of [
		...findings.flatMap(({ diagnostics }) => diagnostics),
		...further,
	]) {
		const slip = spoiled.find(({ path }) => join(cwd, path) === file)?.slips.get(line);
		if (slip) slip.said += `${message} ${remedy}\n`;
	}
}

const untested: string[] = [];
let slips: readonly Slip[] = [];

beforeAll(async () => {
	const spoiled = Object.entries(places).flatMap(([schema, rows]) =>
		[...objectsOf(schemaNamed(schema))].flatMap(([path, written]) => {
			const fields = written.filter((field) => field !== "$schema");
			const place = rows[path];
			if (!place) untested.push(`${schema}${path}`);
			const groups = Array.from({ length: Math.ceil(fields.length / 4) }, (_, n) => fields.slice(4 * n, 4 * n + 4));
			return place ? groups.map((group, n) => spoil(`${schema}${path}`, n, group, fields, place)) : [];
		}),
	);
	const isRule = ({ path }: Spoiled): boolean => path === rules("").folder;
	// A project has one file of rules.
	for (const each of spoiled.filter(isRule)) await check(each, [each]);
	const rest = spoiled.filter((each) => !isRule(each));
	await check({ files: Object.assign({}, ...rest.map(({ files }) => files)) }, rest);
	slips = spoiled.flatMap((each) => [...each.slips.values()]);
}, patient(30_000));

const plain = (name: string) => wordsOf(name).join("");

/** Whether the sentence names the field, or another one that is as near; keys of rules and agents may have another case, and are read. */
function isNamed({ where, field, written, said }: Slip): boolean {
	const meant = [...said.matchAll(/[Dd]id you mean `([\w-]+)`/g)].map(([, name = ""]) => name);
	const far = (name: string) => editDistance(plain(written), plain(name));
	const isRead =
		/^(?:agent|damage-control-rules)$/.test(where) && plain(written.toLowerCase()) === plain(field).toLowerCase();
	return meant.some((name) => name === field || far(name) <= far(field)) || (isRead && said.includes(`\`${written}\``));
}

it("every object of the file formats is tested", () => {
	expect(untested).toEqual([]);
	expect(slips.length).toBeGreaterThan(900);
});

it("every misspelled field is reported at its line, with the name that is meant", () => {
	expect(
		slips.filter((slip) => !isNamed(slip)).map(({ where, written, said }) => `${where} ${written}: ${said}`),
	).toEqual([]);
});
