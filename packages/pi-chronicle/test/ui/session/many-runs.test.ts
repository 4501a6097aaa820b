// Commands, completions and the start of a session in a project with many runs: the files that they read do not grow with the runs.
import files from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { afterEach, expect, it, vi } from "vitest";
import { encodeLine, stampEvent } from "../../../src/local/ledger/line.ts";
import { openProject } from "../../../src/local/project/index.ts";
import { openScope } from "../../../src/pi/index.ts";
import { performCommand } from "../../../src/ui/commands/index.ts";
import { lookingCommands } from "../../../src/ui/commands/look.ts";
import { steeringCommands } from "../../../src/ui/commands/steer.ts";
import { openCompletions } from "../../../src/ui/session/completions.ts";
import { offerUnfinished } from "../../../src/ui/session/offer.ts";
import { openChronicle } from "../../../src/ui/session/supervised-runs.ts";
import { openFolder } from "../../harness/index.ts";
import { created } from "../../local/ledger/sample-events.ts";

const original = { ...files.promises };
afterEach(() => {
	Object.assign(files.promises, original);
	syncBuiltinESMExports();
});

/** Counts the files and folders that are read while `work` runs. */
async function readsOf(work: () => Promise<unknown>): Promise<number> {
	let reads = 0;
	for (const name of ["open", "readFile", "readdir"] as const)
		Object.assign(files.promises, {
			[name]: (...args: unknown[]) => {
				reads += 1;
				return (original[name] as (...all: unknown[]) => unknown)(...args);
			},
		});
	syncBuiltinESMExports();
	await work();
	Object.assign(files.promises, original);
	syncBuiltinESMExports();
	return reads;
}

const idOf = (n: number) => `${n.toString(16).padStart(8, "0")}-2222-4333-8444-555555555555`;

/** A project with interrupted runs. */
function projectWith(count: number) {
	const logs = Array.from({ length: count }, (_, n) => {
		const event = stampEvent(created({ id: idOf(n * 4096) }), { seq: 1, at: "2030-01-01T00:00:00.000Z", fence: 1 });
		return [`.pi/chronicle/sessions/${idOf(n * 4096)}.events.jsonl`, encodeLine(event)];
	});
	const cwd = openFolder(Object.fromEntries(logs));
	const agentFolder = join(cwd, "agent");
	vi.stubEnv("PI_CODING_AGENT_DIR", agentFolder);
	const pi = { command: process.execPath, args: [], version: undefined };
	const project = openProject({ cwd, home: cwd, agentFolder, trust: "trusted", pi });
	const session = openChronicle(openScope(), { proposals: { on: false, turn: async () => true }, more: [] }, () => {});
	const said: string[] = [];
	const ctx = { cwd, hasUI: true, mode: "rpc", ui: { notify: (text: string) => said.push(text) } };
	const perform = (name: string, ...args: string[]) => {
		const command = [...lookingCommands, ...steeringCommands].find((one) => one.name === name);
		if (!command) throw new Error(name);
		const host = {
			prefix: "/chronicle ",
			hasScreen: false,
			supervised: new Map(),
			approver: () => ({}),
			warn() {},
			report() {},
		};
		return performCommand(command, args, {
			project,
			host: host as unknown as Parameters<typeof performCommand>[2]["host"],
			signal: new AbortController().signal,
			surfaceOptions: {},
			textOf: (from, length) => args.slice(from, from + length).join(" "),
		});
	};
	const tab = async (line: string) => openCompletions(session, async () => session)(line, { cwd, trusted: true });
	const offer = () => offerUnfinished(openScope(), ctx as unknown as ExtensionContext, async () => session);
	return { perform, tab, offer, said };
}

const few = 50;
const many = 400;

it("status, approve and Tab with the start of an id read as much in a project with 400 runs as in one with 3", async () => {
	const small = projectWith(3);
	const large = projectWith(many);
	const prefix = idOf(4096).slice(0, 6);
	for (const work of [
		(place: typeof small) => place.perform("status", prefix),
		(place: typeof small) => place.perform("approve", prefix),
		(place: typeof small) => place.perform("diff", prefix),
		(place: typeof small) => place.tab(`rewind ${prefix} `),
	]) {
		const expected = await readsOf(() => work(small));
		expect(expected).toBeGreaterThan(0);
		expect(await readsOf(() => work(large))).toBe(expected);
	}
});

it("without a run's name they, and the start of a session, read as much in a project with 400 runs as in one with 50", async () => {
	const medium = projectWith(few);
	const large = projectWith(many);
	for (const work of [
		(place: typeof medium) => place.perform("status"),
		(place: typeof medium) => place.perform("approve"),
		(place: typeof medium) => place.tab("status "),
		(place: typeof medium) => place.offer(),
	]) {
		const expected = await readsOf(() => work(medium));
		expect(await readsOf(() => work(large))).toBe(expected);
	}
	expect(large.said[0]).toMatch(/is unfinished[\s\S]*At least 19 more/);
});
