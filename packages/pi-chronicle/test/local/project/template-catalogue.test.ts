// Discovery of template files, and bad files among them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readTemplates } from "../../../src/local/project/template-catalogue.ts";
import { templateFolders } from "../../../src/local/project/template-files.ts";

let base: string;
const good = (name: string) => JSON.stringify({ name, states: { a: { persona: "A", next: ["done"] }, done: {} } });

beforeEach(() => {
	base = mkdtempSync(join(tmpdir(), "templates-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function write(path: string, text: string | Buffer): void {
	mkdirSync(join(base, path, ".."), { recursive: true });
	writeFileSync(join(base, path), text);
}
/** Without the package's own templates, unless a folder for them is given. */
const catalogue = (trusted = true, shipped?: string) =>
	readTemplates({
		...templateFolders({ cwd: join(base, "project"), agentFolder: join(base, "agent"), trusted }),
		shipped: shipped && join(base, shipped),
	});
const shown = (trusted = true, shipped?: string) =>
	[...catalogue(trusted, shipped).templates.values()].map(
		({ key, tier, read }) => `${key} ${tier} ${read?.template.name ?? "bad"}`,
	);
const project = "project/.pi/chronicle/workflows";
const personal = "agent/chronicle/workflows";

it("finds both folders; the project's wins for equal names", () => {
	write(`${project}/both.json`, good("Project's"));
	write(`${personal}/both.json`, good("Mine"));
	write(`${personal}/mine.yaml`, "states:\n  a: { persona: A, next: [done] }\n");
	expect(shown()).toEqual(["both project Project's", "mine personal mine"]);
	expect(shown(false)).toEqual(["both personal Mine", "mine personal mine"]);
});
it("a bad file is reported with its place and hides no good one", () => {
	write(`${project}/good.json`, good("Good"));
	write(`${project}/torn.json`, '{ "name": "x",\n "states": {');
	write(`${project}/bom.json`, `\ufeff${good("Bom")}`);
	write(`${project}/types.json`, '{ "states": [] }');
	write(`${project}/binary.json`, Buffer.from([0, 1, 2]));
	write(`${project}/directory.json/x`, "");
	write(`${project}/notes.txt`, "not a template");
	write(`${project}/.hidden.json`, "{");
	expect(shown()).toEqual([
		"binary project bad",
		"bom project Bom",
		"directory project bad",
		"good project Good",
		"torn project bad",
		"types project bad",
	]);
	const { diagnostics } = catalogue();
	const errors = diagnostics.filter(({ severity, file }) => severity === "error" && !file.includes("bom"));
	expect(errors.map(({ file }) => file.split("/").at(-1))).toEqual([
		"binary.json",
		"directory.json",
		"torn.json",
		"types.json",
	]);
	expect(errors.find(({ file }) => file.endsWith("torn.json"))?.line).toBe(2);
});
it("a bad file hides no good file of its name, in the user's folder or in another notation; the skipped one is reported", () => {
	write(`${project}/feature.json`, "{");
	write(`${personal}/feature.json`, good("Mine"));
	write(`${project}/bugs.json`, good("x").replace("done", "\u0000"));
	write(`${project}/bugs.yaml`, "name: Bugs\nstates:\n  a: { persona: A, next: [done] }\n");
	write(`${project}/lost.json`, "{");
	write(`${personal}/lost.yaml`, "states: []");
	expect(shown()).toEqual(["bugs project Bugs", "feature personal Mine", "lost project bad"]);
	const { templates, files, diagnostics } = catalogue();
	expect(templates.get("feature")?.inPlaceOf).toEqual([join(base, project, "feature.json")]);
	expect(templates.get("bugs")?.inPlaceOf).toEqual([join(base, project, "bugs.json")]);
	expect(templates.get("lost")?.inPlaceOf).toEqual([]);
	expect(files).toHaveLength(6);
	const errors = diagnostics
		.filter(({ severity }) => severity === "error")
		.map(({ file }) => file.slice(base.length + 1));
	expect(errors).toEqual([
		`${personal}/lost.yaml`,
		`${project}/bugs.json`,
		`${project}/feature.json`,
		`${project}/lost.json`,
	]);
});
it("warns about two files with one name, and about a name that no command can use", () => {
	write(`${project}/a.yaml`, "states:\n  a: { persona: A, next: [done] }\n");
	write(`${project}/a.json`, good("A"));
	write(`${project}/b c.json`, good("B"));
	expect(shown()).toEqual(["a project A", "b c project B"]);
	expect(catalogue().diagnostics.map(({ code, file }) => `${code} ${file.split("/").at(-1)}`)).toEqual(
		["same-name a.yaml", "bad-name b c.json"].sort((x, y) =>
			(x.split(" ")[1] ?? "").localeCompare(y.split(" ")[1] ?? ""),
		),
	);
});
it("a folder that is a file is reported", () => {
	write(project, "not a folder");
	expect(catalogue().diagnostics).toMatchObject([{ code: "no-folder", file: join(base, project), severity: "error" }]);
	expect(catalogue(false).diagnostics).toEqual([]);
});
it("the catalogue is empty if there are no folders", () => {
	expect(catalogue().templates.size).toBe(0);
	expect(catalogue().diagnostics).toEqual([]);
});

describe("a template of the package", () => {
	const theirs = "b shipped Theirs";
	it.each<[what: string, files: Record<string, string>, trusted: string, untrusted: string]>([
		["without another of its name", { [`${project}/c.json`]: good("C") }, theirs, theirs],
		["and one of the project", { [`${project}/b.yaml`]: good("Mine") }, "b project Mine", "none"],
		["and a bad one of the project", { [`${project}/b.json`]: "{" }, "b project bad", "none"],
		["and one of the user", { [`${personal}/b.json`]: good("Mine") }, "b personal Mine", "b personal Mine"],
		["and a bad one of the user", { [`${personal}/b.json`]: "{" }, "b personal bad", "b personal bad"],
		["and a file that is no template", { [`${project}/b.txt`]: "x", [`${project}/.b.json`]: "x" }, theirs, theirs],
	])("%s", (_what, files, trusted, untrusted) => {
		write("shipped/b.json", good("Theirs"));
		for (const [path, text] of Object.entries(files)) write(path, text);
		const selected = (isTrusted: boolean) => shown(isTrusted, "shipped").find((one) => one.startsWith("b "));
		expect([selected(true), selected(false) ?? "none"]).toEqual([trusted, untrusted]);
	});

	it("is listed after those of project and user, sorted, and is not checked as a file", () => {
		for (const name of ["d", "b", "c"]) write(`shipped/${name}.json`, good(name));
		write("shipped/a.yaml", good("a"));
		write(`${personal}/x.json`, good("x"));
		expect(shown(true, "shipped").map((one) => one.split(" ")[0])).toEqual(["x", "b", "c", "d", "a"]);
		expect(catalogue(true, "shipped").files.map(({ key }) => key)).toEqual(["x"]);
	});
});

describe("a template that others run as a child", () => {
	const use = (reference: string) => ({
		states: { work: { persona: "W", instructions: `Listen on {output.${reference}}.`, next: ["done"] } },
	});
	const giver = (run: unknown) => ({
		states: {
			plan: { persona: "P", output: { type: "object" }, next: ["build"] },
			idle: { persona: "P", next: ["build"] },
			build: { run, next: ["done"] },
		},
	});
	const bad = () =>
		catalogue()
			.diagnostics.filter(({ code }) => code === "bad-reference")
			.map(({ file }) => file.split("/").at(-1));
	const put = (name: string, template: object) => write(`${project}/${name}.json`, JSON.stringify(template));

	it.each([
		["its parent", () => put("outer", giver("part"))],
		[
			"a template around its parent",
			() => {
				put("outer", giver("middle"));
				put("middle", { states: { fan: { branches: { a: { run: "part" } }, next: ["done"] } } });
			},
		],
		["an inline template of another", () => put("outer", { states: { all: { run: giver("part"), next: ["done"] } } })],
	])("may use the data of %s", (_, around) => {
		around();
		put("part", use("plan.port"));
		expect(bad()).toEqual([]);
		expect(catalogue().templates.get("part")?.read).toBeDefined();
	});

	it("with data of its own may use that of its parent too, and may have a state with a similar name", () => {
		put("outer", giver("part"));
		const { work } = use("plan.port").states;
		put("part", { states: { plan2: { persona: "P", output: { type: "object" }, next: ["work"] }, work } });
		expect(bad()).toEqual([]);
		expect(catalogue().templates.get("part")?.read).toBeDefined();
	});

	it.each(["nothing.port", "idle.port", "plam.port"])(
		"is reported with {output.%s}, which nobody hands over",
		(reference) => {
			put("outer", giver("part"));
			put("part", use(reference));
			expect(bad()).toEqual(["part.json"]);
		},
	);

	it("is reported if no template runs it", () => {
		put("outer", giver("other"));
		put("part", use("plan.port"));
		expect(bad()).toEqual(["part.json"]);
	});
});
