// An answer stays on the screen: the notice that replaces it repeats it, unless something stands between the two.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import fc from "fast-check";
import { expect, it } from "vitest";
import { say } from "../../../src/pi/display/say.ts";

/** The rows of a conversation in pi's terminal: notices replace each other, everything else is added. */
function openConversation() {
	const session = SessionManager.inMemory();
	const rows: { text: string; replaceable: boolean }[] = [];
	const notify = (text: string, tone: string) => {
		if (tone === "info" && rows.at(-1)?.replaceable) rows.pop();
		rows.push({ text, replaceable: tone === "info" });
	};
	const ctx = { hasUI: true, mode: "tui", ui: { notify }, sessionManager: session } as unknown as ExtensionContext;
	return {
		rows,
		ctx,
		reply(text: string) {
			session.appendMessage({ role: "user", content: [{ type: "text", text }], timestamp: 0 });
			rows.push({ text, replaceable: false });
		},
		/** An entry without a row. */
		note: () => session.appendCustomEntry("note", {}),
	};
}

const events = fc.array(fc.constantFrom("info", "warning", "reply", "note"), { maxLength: 30 });

it("each answer is on the screen once, in order, whatever comes between", () => {
	fc.assert(
		fc.property(events, (kinds) => {
			const { rows, ctx, reply, note } = openConversation();
			const said: string[] = [];
			for (const [index, kind] of kinds.entries()) {
				const text = `<${index}>`;
				if (kind === "note") {
					note();
					continue;
				}
				said.push(text);
				if (kind === "reply") reply(text);
				else say(ctx, text, kind as "info" | "warning");
			}
			expect(rows.flatMap((row) => row.text.match(/<\d+>/g) ?? [])).toEqual(said);
		}),
	);
});

it("the same answer again is not added, and a long one is whole", () => {
	const { rows, ctx } = openConversation();
	say(ctx, "one");
	say(ctx, "one");
	expect(rows).toEqual([{ text: "one", replaceable: true }]);
	const long = Array.from({ length: 200 }, (_, at) => `row ${at}`).join("\n");
	say(ctx, long);
	expect(rows[0]?.text).toBe(`…\n${long}`);
});
