// The channels for receivers that docs/notices.md shows, each against the shape that the receiver's documentation records.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readChannels } from "../../../src/local/index.ts";
import { bodyOf } from "../../../src/ui/notice-sending/body.ts";
import type { Notice } from "../../../src/ui/notice-sending/notice.ts";

const folder = fileURLToPath(new URL("receivers/", import.meta.url));
const blocks = new Map(
	readdirSync(folder).map((name) => [name.replace(".json", ""), readFileSync(`${folder}${name}`, "utf8")] as const),
);

const notice: Notice = {
	...{ id: "r:7:approval", kind: "approval", seq: 7, at: "2030-01-01T00:00:00.000Z", project: 'a "b"', run: "r" },
	...{ template: "t", state: "plan", visit: 1, costUsd: 0.5, tokens: 10, asked: "Move?", summary: "{title} \\ done" },
	title: 'a "b": t asks',
	text: `Move from plan to build?\n${"x".repeat(1400)}`,
	commands: ["pi-chronicle approve r --answers 7"],
	link: "",
};

const line = expect.stringContaining('a "b": t asks');
const whole = expect.stringContaining("Move from plan to build?\n");
const block = { type: "TextBlock", wrap: true };

/** By receiver: what its documentation requires, and the most characters of the text it takes. */
const shapes: Readonly<Record<string, { readonly shape: object; readonly longest?: [field: string, length: number] }>> =
	{
		// https://docs.ntfy.sh/publish/#publish-as-json
		ntfy: {
			shape: { topic: "my-runs", title: line, message: whole, tags: ["hourglass"], priority: 4 },
			longest: ["message", 4096],
		},
		// https://api.slack.com/messaging/webhooks
		slack: { shape: { text: line }, longest: ["text", 40_000] },
		// https://discord.com/developers/docs/resources/webhook#execute-webhook
		discord: { shape: { content: line, allowed_mentions: { parse: [] } }, longest: ["content", 2000] },
		// https://learn.microsoft.com/power-automate/overview-adaptive-cards
		teams: {
			shape: {
				type: "message",
				attachments: [
					{
						contentType: "application/vnd.microsoft.card.adaptive",
						content: {
							type: "AdaptiveCard",
							version: "1.4",
							body: [
								{ ...block, text: line, weight: "bolder" },
								{ ...block, text: whole },
							],
						},
					},
				],
			},
		},
		// https://core.telegram.org/bots/api#sendmessage
		telegram: { shape: { chat_id: "123456789", text: line }, longest: ["text", 4096] },
	};

it("are all of those that have a shape here", () => {
	expect([...blocks.keys()].sort()).toEqual([...Object.keys(shapes), "sendmail"].sort());
});

it.each(Object.entries(shapes))("%s gets what it reads", (receiver, { shape, longest }) => {
	const { channels, problems } = readChannels([JSON.parse(blocks.get(receiver) ?? "")]);
	const [channel] = channels;
	if (channel?.channel !== "webhook") throw new Error(problems.join());
	const body = JSON.parse(bodyOf(notice, channel.body)) as Record<string, string>;
	expect(body).toEqual(shape);
	if (longest) expect(body[longest[0]]?.length).toBeLessThanOrEqual(longest[1]);
});

it("sendmail gets a message with its headers, an empty line and the text", () => {
	const { channels } = readChannels([JSON.parse(blocks.get("sendmail") ?? "")]);
	const [channel] = channels;
	if (channel?.channel !== "command") throw new Error("no command");
	const [head = "", text] = bodyOf(notice, channel.body).split(/\n\n(.*)/s);
	expect(head.split("\n")).toEqual([
		"To: me@example.com",
		'Subject: a "b": t asks',
		"Content-Type: text/plain; charset=utf-8",
	]);
	expect(text).toBe(`${notice.text}\n`);
});

it("what a value holds is no placeholder, and unknown placeholders stay", () => {
	expect(bodyOf(notice, "{summary} {nothing} {cost}")).toBe("{title} \\ done {nothing} 0.50");
	expect(JSON.parse(bodyOf(notice, undefined))).toEqual(notice);
});
