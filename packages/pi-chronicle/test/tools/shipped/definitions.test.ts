// The shipped definitions: each loads, names existing agents, has limits and a scenario, and yields to any definition of the project or user.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readTemplates } from "../../../src/local/project/template-catalogue.ts";
import { templateFolders } from "../../../src/local/project/template-files.ts";
import { loadAgentRegistry, resolvePersona } from "../../../src/persona/index.ts";
import { planChronicle } from "../../../src/tools/rehearsal/chronicle.ts";
import { planWorkflow } from "../../../src/tools/rehearsal/workflow.ts";
import { copyShipped, shippedFolder, shippedNames, shippedWorkflows } from "../../../src/tools/shipped/index.ts";
import { loadCatalogue, workflowRoots } from "../../../src/workflow/definitions/index.ts";
import { openFolder } from "../../harness/index.ts";

const ofTemplates = ["comments", "coverage", "feature", "migration", "refactor", "review", "spec", "triage", "upgrade"];
const all = [...ofTemplates, "bug-hunt", "docs", "incident", "release"].sort();

/** A project and an agent folder with these files; paths that begin with `agent/` are the user's own. */
function placeWith(files: Record<string, string> = {}) {
	return placeIn(openFolder({ "project/a.txt": "", "agent/a.txt": "", ...files }));
}

function placeIn(folder: string) {
	const [cwd, agentFolder] = [join(folder, "project"), join(folder, "agent")];
	return {
		cwd,
		agentFolder,
		templates: (trusted = true) => readTemplates(templateFolders({ cwd, agentFolder, trusted })),
		workflows: (trusted = true) => loadCatalogue(workflowRoots({ cwd, agentDir: agentFolder, trusted })),
		agents: () => loadAgentRegistry({ cwd, agentFolder, home: agentFolder, project: "trusted" }),
	};
}

/** Nothing of it exists. */
const empty = placeIn(join(tmpdir(), "no-such-folder-of-pi-chronicle"));
const templates = [...empty.templates().templates.values()];
const workflows = [...empty.workflows().definitions.values()];

describe("the shipped definitions", () => {
	it("are thirteen, with names unique across workflows and chronicles", () => {
		expect(shippedNames()).toEqual(all);
		expect([...templates.map(({ key }) => key), ...shippedWorkflows()].sort()).toEqual(all);
	});

	it.each(templates)(
		"$key loads without a diagnostic, and each state has an agent, a list of tools or the right to write, and no command",
		(found) => {
			expect(found).toMatchObject({ tier: "shipped", diagnostics: [] });
			const states = [...(found.read?.template.states.values() ?? [])];
			expect(states.length).toBeGreaterThan(3);
			const { limits, description } = found.read?.template ?? {};
			expect(description).toMatch(/^[a-z].{20,}/);
			expect(limits?.costUsd).toBeLessThanOrEqual(10);
			expect(limits?.activeMs).toBeLessThanOrEqual(180 * 60_000);
			const roles = states.flatMap(({ model }) => (model === undefined ? [] : [model]));
			expect(roles.filter((role) => role !== "cheap" && role !== "strong")).toEqual([]);
			for (const state of states) expect([state.cleanup, state.children?.setup ?? []]).toEqual([[], []]);
		},
	);

	it("run the project's tests by a command wherever a state may change code", () => {
		const states = ({ read }: (typeof templates)[number]) => [...(read?.template.states.values() ?? [])];
		const changing = templates.filter((found) =>
			states(found).some(({ persona, tools }) => persona !== undefined && tools === undefined),
		);
		// What `spec` writes is a text.
		expect(changing.map(({ key }) => key)).toEqual([
			"comments",
			"coverage",
			"feature",
			"migration",
			"refactor",
			"spec",
			"upgrade",
		]);
		for (const found of changing.filter(({ key }) => key !== "spec"))
			expect([found.key, states(found).filter(({ command }) => command !== undefined).length]).toEqual([found.key, 1]);
	});

	it.each(workflows)("$key loads without a diagnostic, has limits, and a phase that cannot write", (workflow) => {
		expect(empty.workflows().diagnostics).toEqual([]);
		expect(workflow).toMatchObject({ tier: "shipped", commandName: workflow.key });
		expect(workflow.limits?.requests).toBeLessThanOrEqual(120);
		expect(workflow.entries.filter((entry) => entry.kind === "phase" && entry.tools.kind !== "free")).not.toEqual([]);
	});

	it.each(all)("%s has a scenario with a script for each of its parts", (name) => {
		const request = { name, task: "", scenario: undefined };
		const planned = planWorkflow(request, empty) ?? planChronicle(request, empty);
		if (planned?.kind !== "playable") throw new Error(`${name} cannot be played.`);
		const { scenario, diagnostics, expected, kind } = planned.program;
		expect(scenario).toBe(join(shippedFolder(`${kind} scenarios`), `${name}.yaml`));
		expect(diagnostics).toEqual([]);
		const text = readFileSync(scenario ?? "", "utf8");
		for (const { id } of expected) expect(text).toMatch(new RegExp(`^ {2}${id}:$`, "m"));
	});

	it("follow no scenario where a player answers: their commands succeed", () => {
		const commands = (scenario: false | undefined) => {
			const planned = planChronicle({ name: "feature", task: "", scenario }, empty);
			return planned?.kind === "playable" ? planned.config.commands : undefined;
		};
		expect(commands(undefined)?.tests?.exit).toBe(1);
		expect(commands(false)?.tests?.exit).toBe(0);
	});

	it("name each shipped agent, and only those", () => {
		const named = new Set(readdirSync(shippedFolder("agents")).map((file) => file.replace(/\.md$/, "")));
		const cast = empty.agents();
		const used = new Set<string>();
		const look = (
			states: Iterable<{
				persona?: { kind: string; name: string } | undefined;
				tools?: readonly string[] | undefined;
				children?: unknown;
			}>,
		) => {
			for (const { persona, tools } of states) {
				if (!persona) continue;
				used.add(persona.name);
				expect(persona.kind).toBe("agent");
				const found = resolvePersona({ kind: "agent", name: persona.name, listsTools: tools !== undefined }, cast);
				expect(found, persona.name).toMatchObject({ kind: "persona", notices: [], persona: { name: persona.name } });
			}
		};
		for (const { read } of templates)
			for (const state of read?.template.states.values() ?? []) {
				look([state]);
				for (const { template } of state.children?.branches ?? [])
					if (template.kind === "inline") look(template.template.states.values());
			}
		expect([...used].sort()).toEqual([...named].sort());
	});
});

describe("precedence", () => {
	const template = '{ "states": { "only": { "persona": "Own", "next": ["done"] }, "done": {} } }';
	const workflow = (command: string) => `name: Own\ncommandName: ${command}\ninitialMessage: x\nphases: [a.md]\n`;
	const phase = "---\nid: a\nname: A\nemoji: x\n---\nDo it.\n";

	it.each([
		["the project's", "project/.pi/chronicle/workflows/feature.json", "project"],
		["the user's", "agent/chronicle/workflows/feature.yaml", "personal"],
	])("%s template of the same name is used", (_, path, tier) => {
		const found = placeWith({ [path]: template }).templates();
		expect(found.templates.get("feature")).toMatchObject({ tier, inPlaceOf: [] });
		expect(found.files.map((file) => file.tier)).toEqual([tier]);
	});

	it("a template of the same name that does not load is not replaced", () => {
		const found = placeWith({ "project/.pi/chronicle/workflows/feature.json": "{" }).templates();
		expect(found.templates.get("feature")).toMatchObject({ tier: "project", read: undefined });
	});

	it.each([
		["the project's workflow of the same key", "project/.pi/workflows/docs", "docs", "project"],
		["the user's workflow of the same key", "agent/workflows/docs", "docs", "global"],
		["a workflow with another key and the same command", "project/.pi/workflows/mine", "docs", "project"],
	])("%s is used, without a warning", (_, folder, command, tier) => {
		const found = placeWith({ [`${folder}/workflow.yaml`]: workflow(command), [`${folder}/a.md`]: phase }).workflows();
		expect(found.commands.get("docs")).toMatchObject({ tier, name: "Own" });
		expect(found.diagnostics).toEqual([]);
	});

	it("a workflow of the same key that does not load is not replaced", () => {
		const found = placeWith({ "project/.pi/workflows/docs/workflow.yaml": "name: 1\n" }).workflows();
		expect(found.commands.get("docs")).toBeUndefined();
		expect(found.rejected.get("docs")).toMatchObject({ tier: "project" });
	});

	it("in a project that is not trusted, the package's definitions are used unless the project has one of that name", () => {
		const place = placeWith({
			"project/.pi/chronicle/workflows/feature.json": template,
			"project/.pi/workflows/docs/workflow.yaml": workflow("docs"),
			"project/.pi/workflows/docs/a.md": phase,
		});
		expect([...place.templates(false).templates.keys()]).toEqual(ofTemplates.filter((name) => name !== "feature"));
		expect([...place.workflows(false).commands.keys()]).toEqual(["bug-hunt", "incident", "release"]);
	});

	it("a shipped agent is found by `agent` and its exact name alone, and gives way to a file of that name", () => {
		const cast = empty.agents();
		expect(cast.agents).toEqual([]);
		for (const name of ["Feature Planner", "planner", "../agents/feature-planner"])
			expect(resolvePersona({ kind: "agent", name }, cast).kind).toBe("none");
		const words = resolvePersona({ kind: "persona", name: "feature-planner" }, cast);
		expect(words).toMatchObject({ kind: "persona", persona: { origin: { kind: "inline" } } });
		const own = placeWith({
			"project/.pi/agents/feature-planner.md": "---\nname: feature-planner\ntools: read\n---\nOwn.\n",
		});
		const found = resolvePersona({ kind: "agent", name: "feature-planner" }, own.agents());
		expect(found).toMatchObject({ persona: { prompt: "Own.", origin: { tier: "project" } } });
	});
});

describe("init", () => {
	it.each(all)("copies %s with its agents and scenario, and the copy is used and valid", (name) => {
		const place = placeWith();
		const copied = copyShipped(name, place.cwd);
		if ("message" in copied) throw new Error(copied.message);
		expect(copied.kept).toEqual([]);
		for (const file of copied.written) {
			const shipped = file.replace(join(place.cwd, ".pi"), join(shippedFolder("agents"), ".."));
			expect(readFileSync(file, "utf8")).toBe(readFileSync(shipped, "utf8"));
		}
		const found =
			copied.kind === "chronicle" ? place.templates().templates.get(name) : place.workflows().commands.get(name);
		expect(found).toMatchObject({ tier: "project" });
		const agents = copied.written.filter((file) => file.includes(join(".pi", "agents")));
		expect(place.agents().agents.map(({ name: agent }) => agent)).toHaveLength(agents.length);
		expect(agents.length > 0).toBe(copied.kind === "chronicle");
		const planned = (copied.kind === "chronicle" ? planChronicle : planWorkflow)(
			{ name, task: "", scenario: undefined },
			place,
		);
		expect(planned).toMatchObject({
			shipped: false,
			program: { scenario: expect.stringContaining(place.cwd), diagnostics: [] },
		});
	});

	it("changes no file of the project: it is refused for an existing definition, and keeps an existing agent", () => {
		const agent = "---\nname: feature-planner\ntools: read\n---\nMine.\n";
		const place = placeWith({ "project/.pi/agents/feature-planner.md": agent });
		expect(copyShipped("feature", place.cwd)).toMatchObject({
			kept: [join(place.cwd, ".pi/agents/feature-planner.md")],
		});
		expect(readFileSync(join(place.cwd, ".pi/agents/feature-planner.md"), "utf8")).toBe(agent);
		expect(copyShipped("feature", place.cwd)).toMatchObject({ message: expect.stringContaining("exists already") });
		const other = placeWith({ "project/.pi/chronicle/workflows/review.json": "{" });
		expect(copyShipped("review", other.cwd)).toMatchObject({ message: expect.stringContaining("review.json") });
		expect(existsSync(join(other.cwd, ".pi/agents"))).toBe(false);
		expect(copyShipped("reviw", other.cwd)).toMatchObject({
			message: expect.stringContaining("Did you mean `review`?"),
		});
		for (const name of ["../feature", "", ".", "agents"]) expect(copyShipped(name, other.cwd)).toHaveProperty("remedy");
	});
});
