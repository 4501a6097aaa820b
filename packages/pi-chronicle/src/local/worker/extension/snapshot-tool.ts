// The tool `workflow_update_snapshot`. The supervisor reads, records and answers; pi checks nothing, so that every shape that models write reaches
// the one reader.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Type } from "typebox";
import { askHost } from "../../../pi/index.ts";
import type { WorkerBrief } from "../brief.ts";
import { readHostReply, SNAPSHOT_TOOL } from "./protocol.ts";
import { failure, ownRecord } from "./tool-result.ts";

/** The arguments as pi gets them: under a name that the schema does not declare, so that pi checks and changes nothing. */
interface SnapshotArguments {
	readonly given: unknown;
}

const entries = { type: "array", items: { anyOf: [{ type: "string" }, { type: "object" }] } };

/** Registers it, with the lists that later states need from this one. `schemas` is pi's TypeBox: an argument because pi supplies it only to files that it loads itself, which are slower to load. */
export function registerSnapshotTool(pi: ExtensionAPI, { lists = {} }: WorkerBrief, schemas: typeof Type): void {
	const awaited = Object.entries(lists).map(([name, description]) => [name, { ...entries, description }] as const);
	pi.registerTool({
		name: SNAPSHOT_TOOL,
		label: "Snapshot",
		description: "Saves findings and pending tasks for all later states. An entry replaces one with the same `key`.",
		parameters: schemas.Unsafe<SnapshotArguments>({
			type: "object",
			properties: {
				findings: entries,
				pending_tasks: entries,
				resolve: {
					type: "array",
					items: { type: "string" },
					description: "Ids or keys of what is done or wrong",
				},
				...Object.fromEntries(awaited),
			},
		}),
		annotations: ownRecord,
		prepareArguments: (given) => ({ given }),
		async execute(_call, { given }: SnapshotArguments, _signal, _onUpdate, ctx) {
			const reply = readHostReply(await askHost(ctx, "snapshot", { data: given }));
			if (reply?.kind !== "saved")
				return failure(reply?.text ?? "It could not be saved. Try again, or put it into the summary.");
			return { content: [{ type: "text", text: reply.text }], details: undefined };
		},
	});
}
