// A project's pending plan, which waits for a decision: one file in pi's agent folder, so that it outlives the session that drafted it.
import { createHash } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { attempt, jsonObject, replaceFileSync } from "../../disk/index.ts";
import { draftOf } from "./draft.ts";
import type { Plan } from "./plan.ts";

export interface PlanPlace {
	/** The project, absolute. */
	readonly cwd: string;
	readonly agentFolder: string;
}

/** The folder of all plans and of the sessions that drafted them. Creates it. */
export function planFolder(agentFolder: string): string {
	const folder = join(agentFolder, "chronicle", "plans");
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	return folder;
}

/** The pending plan; `undefined` if there is no readable one. */
export function waitingPlan(place: PlanPlace): Plan | undefined {
	return attempt(() => planOf(jsonObject(fileOf(place)) ?? {}));
}

/** `undefined` for data of another shape. Throws a TypeError if its parts cannot be read. */
function planOf({ task, draft, command, lines, usage }: Partial<Plan>): Plan | undefined {
	const read = draftOf(draft?.files ?? []);
	if (read.kind === "problems" || !isText(task) || !isText(command) || !lines?.every(isText)) return undefined;
	if (typeof usage?.tokens !== "number" || typeof usage.costUsd !== "number") return undefined;
	return { task, draft: read.draft, command, lines, usage };
}

function isText(value: unknown): value is string {
	return typeof value === "string";
}

/** Saves a plan as pending, replacing an earlier one. */
export function keepPlan(plan: Plan, place: PlanPlace): void {
	planFolder(place.agentFolder);
	replaceFileSync(fileOf(place), `${JSON.stringify(plan, null, "\t")}\n`);
}

/** Deletes the pending plan. */
export function removePlan(place: PlanPlace): void {
	rmSync(fileOf(place), { force: true });
}

function fileOf({ cwd, agentFolder }: PlanPlace): string {
	const name = createHash("sha256").update(cwd).digest("hex").slice(0, 16);
	return join(agentFolder, "chronicle", "plans", `${name}.json`);
}
