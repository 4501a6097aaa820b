// What the models and the users of documents do, in parts that several documents share.
import { expect } from "vitest";
import { call, type ModelRequest, type Reply, type Script } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import type { DocumentProject } from "./document-project.ts";

export type Part = readonly [marker: RegExp, replies: readonly (Reply | string)[]];

/** A model that plays the first part whose marker is in the request: a reply for each result that it has seen. */
export function parts(...list: readonly Part[]): Script {
	return ({ system, users, results }: ModelRequest) => {
		const text = [system, ...users].join("\n");
		const [, replies = []] = list.find(([marker]) => marker.test(text)) ?? [];
		return replies[results.length] ?? "ok";
	};
}

export const inState = (name: string, ...words: string[]) => new RegExp([`the state "${name}"`, ...words].join("[^]*"));
export const move = (target: string, summary = `On to ${target}.`, more: object = {}) =>
	call("workflow_transition", { target_state: target, summary, ...more });
export const write = (path: string, content = `${path}\n`) => call("write", { path, content });

export async function until(at: DocumentProject, command: string, wanted: RegExp): Promise<string> {
	const read = async () => (await at.run(`${command} || true`)).printed;
	let printed = "";
	const look = async () => {
		printed = await read();
		return printed;
	};
	await expect.poll(look, { timeout: patient(40_000), interval: 800 }).toMatch(wanted);
	return printed;
}

/** The first command in a text that is printed for the user and begins so. */
export function printedCommand(text: string, verb: string): string {
	const [found] = text.match(new RegExp(`pi-chronicle (?:[^\\n]* )?${verb} [^·\\n]*`)) ?? [];
	if (found === undefined) throw new Error(`No command "${verb}" is printed:\n${text}`);
	return found.trim();
}

/** What a session's model does: the part whose marker the user said last, a reply for each result that it has seen since. */
export function turns(...list: readonly Part[]): Script {
	return ({ messages }: ModelRequest) => {
		const saidAt = (marker: RegExp) =>
			messages.findLastIndex(({ role, content }) => role === "user" && marker.test(JSON.stringify(content)));
		const [last] = list.toSorted(([one], [other]) => saidAt(other) - saidAt(one));
		const since = messages.slice(saidAt(last?.[0] ?? /^$/));
		return last?.[1][since.filter(({ role }) => role === "tool").length] ?? "ok";
	};
}

/** Says something to the session's model, and returns which of its calls were refused or failed. */
export async function errorsOf(at: DocumentProject, text: string): Promise<boolean[]> {
	const pi = await at.pi();
	const before = pi.toolResults().length;
	await pi.run(text);
	return pi
		.toolResults()
		.slice(before)
		.map(({ error }) => error);
}

export const slow = 40_000;
