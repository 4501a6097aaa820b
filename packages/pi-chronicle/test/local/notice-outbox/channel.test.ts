// The channels of notices as settings and `--notify` write them.
import { expect, it } from "vitest";
import { namedChannels, readChannels } from "../../../src/local/index.ts";

const hook = { channel: "webhook", url: "https://hooks.example.com/a?key=secret" };

it("are named without their secrets, and keep their number while their receiver is the same", () => {
	const { channels } = readChannels([
		hook,
		{ ...hook, kinds: ["done"], secret: "env:S" },
		{ ...hook, url: "env:URL" },
		{ channel: "command", command: ["a", "--token=x"] },
	]);
	expect(channels.map(({ name }) => name)).toEqual([
		"webhook hooks.example.com",
		"webhook hooks.example.com",
		"webhook env:URL",
		"command a",
	]);
	expect(channels[0]?.id).toBe(channels[1]?.id);
	expect(new Set(channels.map(({ id }) => id)).size).toBe(3);
	expect([channels[0]?.kinds.size, [...(channels[1]?.kinds ?? [])]]).toEqual([9, ["done"]]);
});

it.each<[written: unknown, problem: string]>([
	["desktop", "notify[0]: a channel is an object"],
	[{}, 'notify[0].channel: "undefined" is no channel'],
	[{ ...hook, kinds: ["aproval"] }, 'notify[0].kinds: "aproval" is no kind of notice'],
	[{ channel: "webhook", url: "ftp://a" }, "notify[0].url: an http or https address"],
	[{ channel: "webhook" }, "notify[0].url: an http or https address"],
	[{ ...hook, secret: 1 }, "notify[0].secret: a text"],
	[{ ...hook, headers: { a: 1 } }, "notify[0].headers: an object of texts"],
	[{ ...hook, body: 1 }, "notify[0].body: a text or an object"],
	[{ channel: "command", command: "rm -rf /" }, "notify[0].command: a list"],
	[{ channel: "command", command: [] }, "notify[0].command: a list"],
])("%j is a problem of its place", (written, problem) => {
	const read = readChannels([written, { channel: "bell" }]);
	expect([read.channels.length, read.problems]).toEqual([1, [expect.stringContaining(problem)]]);
});

it.each<[text: string, channels: readonly object[]]>([
	["none", []],
	["desktop, bell", [{ channel: "desktop" }, { channel: "bell" }]],
	[
		"https://a/b,env:HOOK",
		[
			{ channel: "webhook", url: "https://a/b" },
			{ channel: "webhook", url: "env:HOOK" },
		],
	],
])("--notify %s", (text, channels) => {
	expect(namedChannels(text)).toEqual(channels);
	expect(readChannels(channels).problems).toEqual([]);
});
