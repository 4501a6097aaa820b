// The two tools that only a worker has. They validate calls as far as possible and pass them to the supervisor, which records them.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Static, Type } from "typebox";
import { didYouMean, quoted } from "../../../../definition/index.ts";
import { askHost, newestFirst } from "../../../../pi/index.ts";
import { LONGEST_TEXT } from "../../../core/index.ts";
import type { WorkerBrief } from "../brief.ts";
import { readHostReply, SNAPSHOT_TOOL, TRANSITION_TOOL } from "./protocol.ts";
import type { Turn } from "./turn.ts";

/** pi's TypeBox. It is an argument because pi supplies it only to files that it loads itself, which are slower to load. */
type Schemas = typeof Type;

function moveParameters(schemas: Schemas) {
	return schemas.Object({
		target_state: schemas.String({ description: "The next state" }),
		summary: schemas.String({
			description:
				"What you did, what you found out, and what the next worker must know: it sees nothing else of your work",
		}),
	});
}

/** Loose: the supervisor validates the data, so that all errors reach the model in one form. */
function moveParametersWith(output: object, schemas: Schemas) {
	return schemas.Object({
		...moveParameters(schemas).properties,
		data: schemas.Optional(
			schemas.Unknown({
				description: `The output of this state; needed for every target except "human_intervention" and this state itself. JSON that matches this JSON Schema: ${JSON.stringify(output)}`,
			}),
		),
	});
}

function snapshotParameters(schemas: Schemas) {
	const entry = schemas.Union([
		schemas.String(),
		schemas.Object(
			{
				key: schemas.Optional(
					schemas.String({ description: "Name of the fact or task: a later entry with this name replaces it" }),
				),
				text: schemas.Optional(schemas.String()),
			},
			{ additionalProperties: true },
		),
	]);
	// As lenient as the supervisor's reader: accepts a single string instead of a list.
	const entries = (description: string) =>
		schemas.Optional(
			schemas.Union([schemas.Array(entry), schemas.String(), schemas.Object({}, { additionalProperties: true })], {
				description,
			}),
		);
	return schemas.Object({
		data: schemas.Union([
			schemas.String({ description: "One finding as text" }),
			schemas.Array(entry, { description: "Several findings" }),
			schemas.Object(
				{
					findings: entries("Facts that later states must know"),
					pending_tasks: entries("Work that remains"),
					resolve: schemas.Optional(
						schemas.Union([schemas.Array(schemas.String()), schemas.String()], {
							description: "Ids or keys of entries that are done or wrong",
						}),
					),
				},
				{ additionalProperties: true },
			),
		]),
	});
}

type MoveArguments = Static<ReturnType<typeof moveParameters>> & { readonly data?: unknown };
type SnapshotArguments = Static<ReturnType<typeof snapshotParameters>>;

/** They write the run's own record and nothing else. */
const ownRecord = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };

/** Registers `workflow_transition` and `workflow_update_snapshot`. */
export function registerWorkerTools(pi: ExtensionAPI, brief: WorkerBrief, turn: Turn, schemas: Schemas): void {
	const targets = brief.targets.map((target) => `"${target}"`).join(", ");
	pi.registerTool({
		name: TRANSITION_TOOL,
		label: "Transition",
		description: `Ends this state and hands the work to the next one. Possible targets: ${targets}. Call it once, alone, when the work of the state "${brief.state}" is done: your turn ends with it.`,
		promptSnippet: `End the state "${brief.state}" and name the next one (${targets})`,
		promptGuidelines: [
			`Work on the state "${brief.state}" only, and end it with ${TRANSITION_TOOL}: only this call ends it.`,
		],
		parameters: brief.output ? moveParametersWith(brief.output, schemas) : moveParameters(schemas),
		annotations: ownRecord,
		async execute(call, params: MoveArguments, _signal, _onUpdate, ctx) {
			const target = params.target_state.trim();
			const refused = moveProblem(target, params.summary, brief, turn);
			if (refused) return failure(refused);
			if (stopOf(call, ctx) === "length")
				return failure("Your message was truncated, so this call may be incomplete. Repeat it with a shorter text.");
			const { data, summary } = params;
			turn.note({ call, target, summary, ...(data === undefined ? {} : { data }) });
			return {
				content: [
					{
						type: "text",
						text: `Noted: ${brief.state} → ${target}. The state ends after all calls of this message.`,
					},
				],
				details: undefined,
				terminate: true,
			};
		},
	});
	pi.registerTool({
		name: SNAPSHOT_TOOL,
		label: "Snapshot",
		description:
			"Saves findings and pending tasks for every later state, immediately and beyond this session. Known entries have ids; name them in `resolve` when they are done or wrong.",
		promptSnippet: "Save findings and pending tasks for every later state",
		promptGuidelines: [
			`Use ${SNAPSHOT_TOOL} as soon as you find something that later states must know (a port, a decision, a trap), not only at the end.`,
		],
		parameters: snapshotParameters(schemas),
		annotations: ownRecord,
		async execute(_call, params: SnapshotArguments, _signal, _onUpdate, ctx) {
			const reply = readHostReply(await askHost(ctx, "snapshot", { data: params.data }));
			if (reply?.kind !== "saved")
				return failure(reply?.text ?? "It could not be saved. Try again, or put it into the summary.");
			return { content: [{ type: "text", text: reply.text }], details: undefined };
		},
	});
}

function moveProblem(target: string, summary: string, brief: WorkerBrief, turn: Turn): string | undefined {
	const list = brief.targets.map((name) => quoted(name)).join(", ");
	if (turn.move) {
		return `Refused: this message already requests ${quoted(turn.move.target)}. A state ends once; the first call counts.`;
	}
	if (!brief.targets.includes(target)) {
		return `Refused: ${quoted(brief.state)} does not lead to ${quoted(target)}.${didYouMean(target, brief.targets)} Possible targets: ${list}.`;
	}
	if (summary.length > LONGEST_TEXT)
		return `Refused: the summary has ${summary.length} characters, but the limit is ${LONGEST_TEXT}. Write the long part to a file, and name the file.`;
	if (summary.trim() === "")
		return "Refused: the summary is empty, and the next worker sees nothing else of your work. Describe what you did.";
	return undefined;
}

/** The stop reason of the message that contains the call. */
function stopOf(call: string, ctx: ExtensionContext): string | undefined {
	for (const entry of newestFirst(ctx.sessionManager)) {
		if (entry.type !== "message" || entry.message.role !== "assistant") continue;
		const { content, stopReason } = entry.message;
		return content.some((part) => part.type === "toolCall" && part.id === call) ? stopReason : undefined;
	}
	return undefined;
}

function failure(text: string) {
	return { content: [{ type: "text" as const, text }], details: undefined, isError: true };
}
