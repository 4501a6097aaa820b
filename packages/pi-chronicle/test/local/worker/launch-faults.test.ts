// Why a worker did not start, as the user reads it.
import { expect, it } from "vitest";
import { faultOf } from "../../../src/local/worker/greeting.ts";

const none = (reason: "spawn" | "handshake") => ({ kind: "none", reason, detail: "It ended." }) as const;
const failed = (error: string) => `noise\nError: Failed to load extension "/x.ts": ${error}\n  at y\n`;
const key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ";

it.each<[what: string, greeting: Parameters<typeof faultOf>[0], said: string, detail: string]>([
	["no output", none("handshake"), " \n", "It ended."],
	["output", none("spawn"), "\n boom\n", "It ended. Its output: boom"],
	["long output", none("spawn"), `${"a".repeat(700)}${"b".repeat(600)}`, `It ended. Its output: ${"a".repeat(599)}…`],
	[
		"rules that it cannot enforce",
		{ kind: "unable", detail: "no sandbox" },
		"",
		"The worker could not enforce its rules: no sandbox",
	],
	[
		"an extension",
		none("handshake"),
		failed("Failed to load extension: boom"),
		"The extension /x.ts does not load: boom",
	],
	["an extension's own words", none("handshake"), failed("boom"), "The extension /x.ts does not load: boom"],
	[
		"a process that never ran, regardless of its output",
		none("spawn"),
		'Failed to load extension "/x.ts": boom',
		'It ended. Its output: Failed to load extension "/x.ts": boom',
	],
	[
		"a tool of two extensions",
		none("handshake"),
		failed('Tool "deploy" conflicts with /y.ts'),
		"Two extensions have a tool `deploy`: /y.ts and /x.ts. pi allows only one: remove one from the state's `extensions`.",
	],
	...["workflow_transition", "workflow_update_snapshot"].map(
		(tool): [string, ReturnType<typeof none>, string, string] => [
			`an extension's ${tool}`,
			none("handshake"),
			failed(`Tool "${tool}" conflicts with /w.mjs`),
			`The extension /x.ts has a tool \`${tool}\`, but every worker has a tool of that name. pi allows only one: remove the extension from the state, or rename its tool.`,
		],
	),
])("%s", (_what, greeting, said, detail) => {
	expect(faultOf(greeting, said)).toEqual({ reason: greeting.kind === "unable" ? "rules" : greeting.reason, detail });
});

it.each([
	{ kind: "unable", detail: `with ${key}` } as const,
	{ ...none("handshake"), said: failed(`with ${key}`) },
	{ ...none("spawn"), said: `with ${key}` },
])("without secrets: %o", (greeting) => {
	const { detail } = faultOf(greeting, "said" in greeting ? greeting.said : "");
	expect(detail).toContain("with ");
	expect(detail).not.toContain(key);
});
