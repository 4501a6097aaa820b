// `notify test` sends a notice to each channel and says what came back; `notify deliver` is the process that sends those of the runs.

import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import { inTemporaryFolder } from "../../disk/index.ts";
import {
	asOnlySender,
	namedChannels,
	openCrashPoints,
	ownTerminal,
	readChannels,
	savedChannels,
} from "../../local/index.ts";
import { exitCodes } from "../../pi/index.ts";
import { type Command, type CommandCall, type CommandResponse, misuse, refused } from "../commands/index.ts";
import { deliverNotices } from "./deliver.ts";
import type { Notice } from "./notice.ts";
import { sendNotice } from "./send.ts";

export const notifyCommand: Command = {
	name: "notify",
	takes: "test",
	details: `Sends a test notice to each channel of the setting chronicle.notify, or of --notify, and says what came back.`,
	exits: "0 every channel has taken it, 1 one has not, 2 usage, or there is no channel",
	options: "  --notify <channels>   desktop, bell, or addresses of webhooks, separated by commas\n",
	maxNames: 1,
	needs: "nothing",
	async perform(call) {
		const [verb] = call.parsed.names;
		if (verb === "deliver") return deliverDue(call);
		return verb === "test" ? test(call) : misuse("Say what to do: notify test.");
	},
};

async function deliverDue({ project, signal }: CommandCall): Promise<CommandResponse> {
	const { clock } = project;
	await asOnlySender(project.place, () => deliverNotices(project, { clock, signal, crashAt: openCrashPoints() }));
	return { kind: "silent", exitCode: exitCodes.done };
}

async function test({ project, parsed, host }: CommandCall): Promise<CommandResponse> {
	const { place, clock } = project;
	const named = parsed.values.notify;
	const { channels, problems } = named === undefined ? savedChannels(place) : readChannels(namedChannels(named));
	if (channels.length === 0 && problems.length === 0)
		return refused({
			code: "no-channels",
			message: "There is no channel for notices.",
			remedy:
				'Add one to pi\'s settings, such as "chronicle": { "notify": [{ "channel": "desktop" }] }, or name one with --notify.',
		});
	const notice = testNotice(basename(place.cwd), new Date(clock.now()).toISOString(), `${host.prefix}list`);
	const { cwd, env = process.env } = place;
	const sent = await inTemporaryFolder((folder) =>
		Promise.all(
			channels.map(async (channel) => ({
				name: channel.name,
				...(await sendNotice(channel, notice, { cwd, env, folder, attempt: 1, terminal: ownTerminal() })),
			})),
		),
	);
	const isFine = problems.length === 0 && sent.every(({ ok }) => ok);
	const exitCode = isFine ? exitCodes.done : exitCodes.failed;
	const lines = sent.map(({ name, ok, answer }) => `${ok ? "✓" : "✗"} ${name}: ${answer}`);
	return {
		kind: "done",
		lines: [...lines, ...problems.map((problem) => `✗ ${problem}`)],
		data: { exitCode, channels: sent, problems },
		exitCode,
	};
}

function testNotice(project: string, at: string, command: string): Notice {
	const run = randomUUID();
	return {
		...{
			id: `${run}:1:approval`,
			kind: "approval",
			seq: 1,
			at,
			project,
			run,
			template: "test",
			state: "test",
			visit: 1,
		},
		title: `${project}: a test of notices`,
		text: "This is a test: notices of runs arrive like this one.",
		...{ asked: "", costUsd: 0, tokens: 0, summary: "", commands: [command], link: "" },
	};
}
