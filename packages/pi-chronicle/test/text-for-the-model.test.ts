// Who reads a text: what is written for the model reaches no user, and what is written for the user does not speak to the model.
import type { Node } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { type WorkflowEvent, workflowTransition } from "../src/workflow/phase-machine/index.ts";
import { workflowRefusalText } from "../src/workflow/prompts/index.ts";
import { programs } from "./source-files.ts";
import { begin, drafts } from "./workflow/definition-builder.ts";

/** Sources whose texts only the model reads; or of a source for both, the exports that are for the model. */
const forModel: Readonly<Record<string, "all" | readonly string[]>> = {
	"core/src/bounds/visit.ts": ["nudgeText"],
	"core/src/handover/first-message.ts": "all",
	"core/src/handover/introduction.ts": "all",
	"core/src/handover/known.ts": "all",
	"core/src/handover/list-text.ts": "all",
	"core/src/machine/outbox.ts": "all",
	"core/src/machine/worker.ts": ["nudge", "wayOut", "onMoveRequested"],
	"pi-chronicle/src/companions/handoff/texts.ts": "all",
	"pi-chronicle/src/companions/notebook/texts.ts": "all",
	"pi-chronicle/src/companions/notebook/tools.ts": "all",
	"pi-chronicle/src/companions/watchdog/nudge.ts": "all",
	"pi-chronicle/src/local/supervisor/worker-host.ts": ["refuseMove", "explainMarkers", "refuseData"],
	"pi-chronicle/src/local/worker/answer-entry.ts": ["notRun"],
	"pi-chronicle/src/local/worker/extension/ask-user.ts": "all",
	"pi-chronicle/src/local/worker/extension/protocol.ts": "all",
	"pi-chronicle/src/local/worker/launcher.ts": ["programsEnded"],
	"pi-chronicle/src/pi/rpc/models.ts": ["takeoverText"],
	"pi-chronicle/src/safety/policy/refusal.ts": "all",
	"pi-chronicle/src/tools/plan/prompt.ts": "all",
	"pi-chronicle/src/tools/plan/tool.ts": "all",
	"pi-chronicle/src/workflow/prompts/phase.ts": "all",
	"pi-chronicle/src/workflow/prompts/place.ts": ["noticeMark"],
	"pi-chronicle/src/workflow/session/fresh-context.ts": ["summary"],
	"pi-chronicle/src/workflow/prompts/results.ts": "all",
	"pi-chronicle/src/workflow/prompts/messages.ts": [
		...["reminderMark", "workflowReminderText", "questionReminderText", "progressReminderText", "resumeText"],
		...[
			"abandonedText",
			"blockReason",
			"blockAdvice",
			"changesText",
			"staleReason",
			"inheritedReason",
			"inheritedAdvice",
		],
		// For both: see below.
		"workflowRefusalText",
	],
};

/** Functions that show their arguments to the user. */
const shows = new Set(
	"say announce notify rejectCommand refuse askUser chooseOption askForLine pageText pageMarkdown showDiagram failStep misuse".split(
		" ",
	),
);

const shortened = (path: string): string => path.replace("packages/", "");

/** What a statement at the top of a source declares. */
function declaredNames(node: Node): readonly string[] {
	const declared = node.type === "ExportNamedDeclaration" ? node.declaration : node;
	if (declared?.type === "VariableDeclaration")
		return declared.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
	return declared && "id" in declared && declared.id?.type === "Identifier" ? [declared.id.name] : [];
}

const isForModel = (path: string, name: string): boolean => {
	const own = forModel[shortened(path)];
	return own === "all" || (own?.includes(name) ?? false);
};

/** Functions and constants for the model, by name: exported names are unique in the project. Types are no texts. */
const modelNames = new Set(
	[...programs].flatMap(([path, { body }]) =>
		body
			.filter((node) => node.type === "ExportNamedDeclaration" && node.exportKind !== "type")
			.flatMap(declaredNames)
			// Constants in capitals are sizes; `statusText` is also the name of a text for the user.
			.filter((name) => !/^[A-Z_]+$|^statusText$|^workflowRefusalText$/.test(name) && isForModel(path, name)),
	),
);

/** The node and all below it, but what is left out. */
function nodesOf(node: unknown, isLeftOut: (node: Node) => boolean = () => false): Node[] {
	if (Array.isArray(node)) return node.flatMap((one) => nodesOf(one, isLeftOut));
	if (node === null || typeof node !== "object" || !("type" in node) || isLeftOut(node as Node)) return [];
	const one = node as Node;
	// The last argument of a verdict is its advice.
	const below = calleeOf(one) === "builtInVerdict" ? (one as Call).arguments.slice(0, 3) : Object.values(one);
	return [one, ...below.flatMap((each) => nodesOf(each, isLeftOut))];
}

type Call = Extract<Node, { type: "CallExpression" }>;

const calleeOf = (node: Node): string | undefined => {
	if (node.type !== "CallExpression") return undefined;
	const { callee } = node;
	if (callee.type === "Identifier") return callee.name;
	return callee.type === "MemberExpression" && callee.property.type === "Identifier" ? callee.property.name : undefined;
};

/** Words that speak to the model: what it should do with its user, its tools, its turn. */
const speaksToModel =
	/\b(?:ask|tell) the user\b(?! to repair)|\bthe user(?:'s)? (?:next message|messages decide|must|has to approve|was asked|cannot be asked)\b|not from the user|\[Automatic |\bcall (?:it|workflow_\w+|`workflow_\w+`) (?:again|with)\b|\bend your turn\b|\bdo not try it another way\b/i;

/** Documentation of fields, which speaks of the users of a template. */
const documentation = "core/src/template/fields.ts";

/** The advice of a verdict on a call: `refusal.ts` adds it to what the model reads, and nothing else does. */
function isAdvice(node: Node): boolean {
	if (node.type === "Property" || node.type === "VariableDeclarator") {
		const name = node.type === "Property" ? node.key : node.id;
		return name.type === "Identifier" && /^(?:advice|limitAdvice|withoutIt)$/.test(name.name);
	}
	return false;
}

describe("a text for the model", () => {
	it("is known by its source", () => {
		expect(modelNames.size).toBeGreaterThan(40);
		for (const [path, names] of Object.entries(forModel)) {
			const declared = programs.get(`packages/${path}`)?.body.flatMap(declaredNames) ?? [];
			for (const name of names === "all" ? [] : names) expect(declared, path).toContain(name);
			expect(declared.length, path).toBeGreaterThan(0);
		}
	});

	it("is the advice of a verdict, which only the refusal for the model has", () => {
		const readers = [...programs].filter(([, { body }]) =>
			nodesOf(body).some(
				(node) =>
					node.type === "MemberExpression" && node.property.type === "Identifier" && node.property.name === "advice",
			),
		);
		expect(readers.map(([path]) => shortened(path)).sort()).toEqual([
			// Compares it.
			"pi-chronicle/src/safety/guard/judge/guard-policy.ts",
			"pi-chronicle/src/safety/policy/refusal.ts",
		]);
	});

	it("is shown to no user", () => {
		const shown = [...programs].flatMap(([path, { body }]) =>
			nodesOf(body)
				.filter((node) => shows.has(calleeOf(node) ?? ""))
				.flatMap((node) => nodesOf((node as Call).arguments))
				.flatMap((node) => (node.type === "Identifier" && modelNames.has(node.name) ? [`${path}: ${node.name}`] : [])),
		);
		expect(shown).toEqual([]);
	});
});

it("no text elsewhere speaks to the model", () => {
	const found = [...programs].flatMap(([path, { body }]) =>
		(shortened(path) === documentation ? [] : body)
			.filter((node) => !declaredNames(node).some((name) => isForModel(path, name)))
			.flatMap((node) => textsIn(node))
			.filter((text) => speaksToModel.test(text))
			.map((text) => `${shortened(path)}: ${text}`),
	);
	expect(found).toEqual([]);
});

function textsIn(node: Node): string[] {
	return nodesOf(node, isAdvice).flatMap((each) => {
		if (each.type === "Literal") return typeof each.value === "string" ? [each.value] : [];
		return each.type === "TemplateLiteral" ? [each.quasis.map(({ value }) => value.cooked).join("{}")] : [];
	});
}

it("a refusal of what the user entered does not speak to the model, whatever the state of the workflow", () => {
	const running = begin(drafts({ w: ["a", "b"] }), "w");
	const states = [
		running,
		{ ...running, status: { kind: "paused", by: "person", why: undefined } },
		{ ...running, question: "Which?" },
		{ ...running, status: { kind: "done" } },
		{ ...running, kind: "stale", missing: "w", phaseId: "a" },
	] as (typeof running)[];
	const at = 1;
	const events: WorkflowEvent[] = [
		...([
			{ kind: "advance", at },
			{ kind: "skip", at },
			{ kind: "back", at },
			{ kind: "back", at, to: "x" },
		] as const),
		...([{ kind: "pause", by: "person" }, { kind: "resume" }, { kind: "abandon", at }, { kind: "status" }] as const),
		{ kind: "reload", definitions: new Map() },
	];
	const refusals = states.flatMap((run) =>
		events.flatMap((event) =>
			workflowTransition(run, event).actions.flatMap((action) =>
				action.kind === "refused" ? [workflowRefusalText(action.refusal)] : [],
			),
		),
	);
	expect(refusals.length).toBeGreaterThan(15);
	expect(refusals.filter((text) => /\bthe user\b|action "/i.test(text))).toEqual([]);
});
