// The field `host` of a state: its labels, and each mistake with its place and what was meant.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { templateSchema } from "../../../../scripts/definition-reference.ts";
import { openSource } from "../../src/definition/index.ts";
import { compileDefinition, readTemplate } from "../../src/template/index.ts";

const worker = { persona: "P", next: ["done"] };

function read(states: object, file = "/t.json") {
	const text = JSON.stringify({ name: "t", states }, null, 1);
	const { read: found, diagnostics } = readTemplate(openSource(file, text), "t");
	const lines = text.split("\n");
	const problems = diagnostics.map(({ severity, code, line, message, remedy }) => {
		const at = lines[(line ?? 1) - 1]?.trim().replace(/[,:].*$/, "");
		return `${severity} ${code} at ${at}: ${message} ${remedy}`;
	});
	return { host: found?.template.states.get("train")?.host, problems };
}

describe("host", () => {
	it("names the labels of a state with a worker, with children, and of a branch", () => {
		expect(read({ train: { ...worker, host: ["gpu", "big_disk"] } })).toEqual({
			host: ["gpu", "big_disk"],
			problems: [],
		});
		const branches = { one: { persona: "P", host: ["gpu"] }, two: { persona: "Q" } };
		expect(read({ train: { branches, host: ["linux"], next: ["done"] } })).toEqual({ host: ["linux"], problems: [] });
	});

	it.each<[string, object, RegExp]>([
		["a lone label", { host: "gpu" }, /^error wrong-type at "host": .*must be a list of labels.* Write `\["gpu"\]`\.$/],
		["labels in one text", { host: "gpu, Big" }, /Write `\["gpu", "big"\]`\.$/],
		["an object", { host: { labels: ["gpu"] } }, /Write `\["gpu"\]`\.$/],
		["a number", { host: 4 }, /must be a list of labels.*Write `\["gpu"\]`\.$/],
		["capitals", { host: ["GPU"] }, /^error bad-value at "GPU": .*Did you mean `gpu`\? Write `"gpu"`\.$/],
		["a space", { host: ["big disk"] }, /Did you mean `big-disk`\?/],
		["a path", { host: ["a/b"] }, /^error bad-value at "a\/b": .*digits, - and _\. Choose another label\.$/],
		["a text that is too long", { host: ["x".repeat(41)] }, /error bad-value/],
		["a list within", { host: [["gpu"]] }, /^error wrong-type at "gpu"|^error wrong-type at \[/],
		["nothing", { host: null }, /^error .* at "host"/],
		["the plural", { hosts: ["gpu"] }, /^error unknown-key at "hosts": .*`host`/],
		["capitals in the key", { Host: ["gpu"] }, /^error unknown-key at "Host": .*`host`/],
		["a label twice", { host: ["gpu", "gpu"] }, /^warning named-twice at "gpu": .*`gpu` twice/],
		["another word", { cost: 4 }, /^warning unknown-key at "cost"/],
	])("of %s is reported with its place", (_name, more, problem) => {
		const { problems } = read({ train: { ...worker, ...more } });
		expect(problems).toHaveLength(1);
		expect(problems[0]).toMatch(problem);
	});

	it("has no effect in a state without work", () => {
		const { host, problems } = read({ plan: { persona: "P", next: ["train"] }, train: { next: [], host: ["gpu"] } });
		expect(host).toBe(undefined);
		expect(problems).toEqual([expect.stringMatching(/^warning no-effect at "host": Nothing is done in `train`/)]);
	});

	it("of a ledger's template is ignored if it is not a list of labels", () => {
		const hostIn = (host: unknown) =>
			compileDefinition({ name: "t", states: { train: { ...worker, host } } }, "t")?.states.get("train")?.host ?? null;
		expect(hostIn(["gpu"])).toEqual(["gpu"]);
		for (const host of ["gpu", 4, null, { a: 1 }, ["A B"]]) expect(hostIn(host) ?? []).toEqual([]);
	});

	it("is in the schema", () => {
		const { $defs } = templateSchema() as { $defs: { state: { properties: Record<string, object> } } };
		expect($defs.state.properties.host).toMatchObject({ type: "array", uniqueItems: true });
	});
});

describe("requires", () => {
	const problems = (requires: string) => {
		const text = JSON.stringify({ name: "t", requires, states: { train: worker } });
		return readTemplate(openSource("/t.json", text), "t").diagnostics.map(({ message }) => message);
	};

	it.each([">=0.2", ">=0.2.0 <1", "^0.2.0", "~0.2", ">=0.3", "^0.3.0"])(
		"takes %s: what ran before runs here",
		(range) => {
			expect(problems(range)).toEqual([]);
		},
	);

	it.each([">=0.4", "^0.1.0", "<0.2", ">=99"])("refuses %s, and says which version this is", (range) => {
		const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
		expect(problems(range)).toEqual([
			`The template requires pi-chronicle \`${range}\`, but this is ${version.replace(/-dev$/, "")}.`,
		]);
	});
});
