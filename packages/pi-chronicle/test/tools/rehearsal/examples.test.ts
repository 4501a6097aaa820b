// The example project: everything in it loads without a single diagnostic, and the scenarios fit the definitions they are for.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openSource } from "@pi-chronicle/core/definition";
import { readTemplate, type StatePlan, type Template } from "@pi-chronicle/core/template";
import { describe, expect, it } from "vitest";
import { loadAgentRegistry, resolvePersona } from "../../../src/persona/index.ts";
import { readScenarioFile } from "../../../src/tools/rehearsal/scenario-file.ts";
import { loadCatalogue, type WorkflowDefinition, workflowRoots } from "../../../src/workflow/definitions/index.ts";
import { checkout } from "../../harness/index.ts";

const folder = join(checkout, "examples", "receipts");
const agentDir = join(folder, "no-agent-folder");
const catalogue = loadCatalogue({ ...workflowRoots({ agentDir, cwd: folder, trusted: true }), shippedRoot: undefined });
const cast = loadAgentRegistry({ cwd: folder, project: "trusted", home: agentDir, agentFolder: agentDir });
const names = (path: string) => readdirSync(join(folder, path)).sort();

/** Ids of all phases of a workflow, each with the workflow that contains it. */
function phasesOf(definition: WorkflowDefinition): string[] {
	return definition.entries.flatMap((entry) => {
		if (entry.kind === "phase") return [`${definition.key}/${entry.id}`];
		const inner = catalogue.definitions.get(entry.key);
		return inner ? phasesOf(inner) : [];
	});
}

describe("workflows", () => {
	it("load without a diagnostic", () => {
		expect(catalogue.diagnostics).toEqual([]);
		expect([...catalogue.definitions.keys()].sort()).toEqual(["bug-hunt", "build-and-review", "docs-pass", "feature"]);
	});

	it("show nesting, a bounded loop, and phases that may not write", () => {
		expect(phasesOf(definition("feature"))).toEqual([
			"feature/plan",
			"build-and-review/build",
			"build-and-review/review",
			"feature/wrap-up",
		]);
		expect(definition("build-and-review")).toMatchObject({ show: "workflows", loopable: true, maxLoops: 3 });
		expect(definition("bug-hunt").entries[0]).toMatchObject({ tools: { kind: "capabilities", may: ["read"] } });
	});

	it.each(names(".pi/rehearsals/workflows"))("have a scenario that fits: %s", (file) => {
		const { scenario, diagnostics } = readScenarioFile(join(folder, ".pi/rehearsals/workflows", file));
		expect(diagnostics).toEqual([]);
		const phases = phasesOf(definition(file.replace(/\.yaml$/, "")));
		const ids = new Set(phases.flatMap((phase) => [phase, phase.split("/")[1]]));
		for (const name of scenario?.phases.keys() ?? []) expect(ids).toContain(name.replace(/#\d+$/, ""));
		for (const id of phases) {
			const bare = id.split("/")[1] ?? "";
			expect(scenario?.phases.get(id) ?? scenario?.phases.get(bare), `nothing is played in ${id}`).toBeDefined();
		}
	});
});

describe("chronicles", () => {
	it("are bug-fix, delivery, parallel and refactoring", () => {
		expect(names(".pi/chronicle/workflows")).toEqual([
			"bug-fix.json",
			"delivery.json",
			"parallel.json",
			"refactoring.json",
		]);
	});

	it.each(names(".pi/chronicle/workflows"))("%s loads without a diagnostic, and its personas exist", (file) => {
		const path = join(folder, ".pi/chronicle/workflows", file);
		const { read, diagnostics } = readTemplate(openSource(path, readFileSync(path, "utf8")), file);
		expect(diagnostics).toEqual([]);
		for (const state of read?.template.states.values() ?? []) {
			if (!state.persona) continue;
			const found = resolvePersona({ ...state.persona, team: state.team }, cast);
			expect(found).toMatchObject({ kind: "persona", persona: { name: state.persona.name }, notices: [] });
		}
	});

	it.each(names(".pi/chronicle/workflows"))(
		"%s has a scenario for all its states, along moves that it allows",
		(file) => {
			const path = join(folder, ".pi/chronicle/workflows", file);
			const { read } = readTemplate(openSource(path, readFileSync(path, "utf8")), file);
			const { scenario, diagnostics } = readScenarioFile(
				join(folder, ".pi/rehearsals/chronicles", file.replace(/json$/, "yaml")),
			);
			expect(diagnostics).toEqual([]);
			const states = statesOf(read?.template);
			// A script may be for one child run: `tasks 1/implement`.
			const stateIn = (visit: string): string => visit.replace(/#\d+$/, "").replace(/^.*\//, "");
			const scripted = [...(scenario?.states.keys() ?? [])].map(stateIn);
			for (const [name, { terminal, persona, children }] of states)
				if ((!terminal || persona) && !children) expect(scripted).toContain(name);
			for (const [visit, cues] of scenario?.states ?? []) {
				const state = states.get(stateIn(visit));
				const exit = cues.at(-1)?.exit;
				const targets = state?.terminal ? ["done"] : state?.next;
				expect(targets, `${visit} is no state`).toContain(exit?.kind === "transition" ? exit.to : undefined);
			}
		},
	);

	it("have agents and teams without a diagnostic", () => {
		expect(cast.diagnostics).toEqual([]);
		expect(cast.agents.flatMap((agent) => agent.diagnostics)).toEqual([]);
		expect(cast.agents.map(({ name }) => name).sort()).toEqual(["architect", "engineer", "reviewer", "tester"]);
	});
});

describe("the smallest chronicle", () => {
	it("loads, and reports a target that is defined nowhere", () => {
		const path = join(checkout, "examples/sample/.pi/chronicle/workflows/feature-implementation.json");
		const { read, diagnostics } = readTemplate(openSource(path, readFileSync(path, "utf8")), "sample");
		expect([...(read?.template.states.keys() ?? [])]).toEqual(["planning", "implementation", "verification"]);
		expect(diagnostics.map(({ severity, line }) => [severity, line])).toEqual([["warning", 11]]);
	});
});

describe("the project", () => {
	it("has passing tests, and the bug for its bug hunt", () => {
		const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
		expect(node("--test").status).toBe(0);
		// A returned book must not cost anything; with the bug it costs twice.
		expect(node("src/cli.js", "data/march.csv").stdout).toContain("books    49.80");
	});
});

/** The states of a template and of the templates that are written in it. */
function statesOf(template: Template | undefined): Map<string, StatePlan> {
	const own = [...(template?.states ?? [])];
	const below = own.flatMap(([, { children }]) =>
		(children?.branches ?? []).flatMap(({ template: child }) =>
			child.kind === "inline" ? [...statesOf(child.template)].filter(([, { terminal }]) => !terminal) : [],
		),
	);
	return new Map([...below, ...own]);
}

function definition(key: string): WorkflowDefinition {
	const found = catalogue.definitions.get(key);
	if (!found) throw new Error(`There is no workflow ${key}.`);
	return found;
}
