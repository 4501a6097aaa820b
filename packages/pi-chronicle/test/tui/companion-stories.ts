// Stories of workflows, sequences and companions whose screens are compared.
import { entryTypes } from "../../src/companions/notebook/notebook.ts";
import { snapshotType } from "../../src/sequence/recorded.ts";
import { call, gate, SessionDraft, say } from "../harness/index.ts";
import { step, workflowFiles } from "../workflow/stage.ts";
import type { Story } from "./story.ts";

const usage = { usage: { input: 18_000, output: 900 } };

/** A workflow from its lists to the table of its usage. */
export function workflowStory(): Story {
	const shipping = gate();
	return {
		bench: {
			files: workflowFiles({
				release: {
					name: "Release Pipeline",
					phases: [
						{ id: "plan", name: "Planning", emoji: "📋", tools: { allow: ["read"] } },
						"@review",
						{ id: "confirm", name: "Confirm", emoji: "✋", advance: "person" },
						{ id: "ship", name: "Ship it", emoji: "🚀" },
					],
				},
				review: {
					name: "Code Review",
					show: "workflows",
					phases: [{ id: "static", name: "Static Analysis", emoji: "🔍" }],
				},
				tale: { name: "A tale", phases: ["one", "two"] },
			}),
			settings: { chronicle: { workflow: { countdown: 0 } } },
			script: [
				call("write", { path: "a", content: "b" }, usage),
				step("next", "Version 1.2 has three changes."),
				step("next", "Nothing suspicious."),
				say("I wait for you.", usage),
				say("Shipping.", { ...usage, after: shipping.opened }),
				step("next"),
				say("All is done.", usage),
			],
		},
		async play({ pi, page, look }) {
			for (const [command, name] of [
				["/workflow", "usage"],
				["/workflow list", "list"],
				["/workflow show release", "show"],
				["/workflow check", "check"],
				["/workflow status", "status before"],
			] as const)
				await look(command, name, "Esc closes");
			await pi.submit("/workflow release version 1.2");
			await pi.waitForScreen("I wait for you.", 60_000);
			await page("waiting", "I wait for you.");
			await look("/workflow status", "status", "Esc closes");
			await pi.submit("/workflow tale another task");
			await pi.waitForScreen("── Abandon");
			await page("abandon question", "── Abandon");
			await pi.press("escape");
			await pi.submit("/workflow next");
			await pi.waitForScreen("Ship it", 60_000);
			shipping.open();
			await pi.waitForScreen("All is done.", 60_000);
			await pi.waitForScreen((screen) => !screen.includes("Working"));
			await page("end", "The workflow took:");
		},
	};
}

const saved = "description: Review every module\nsteps:\n  - Review $1\n  - /notebook on\n";

/** The recorder, its questions, and a replay. */
export function sequenceStory(): Story {
	const writing = gate();
	return {
		bench: {
			files: {
				".pi/prompts/review.md": "---\ndescription: Review one module\n---\nReview $1.",
				".pi/sequences/modules.yaml": saved,
			},
			script: ({ lastUser }) =>
				lastUser.startsWith("Write")
					? say("Working on it …", { ...usage, after: writing.opened })
					: say("The plan is ready.", usage),
		},
		async play({ pi, page, leave }) {
			await pi.submit("/sequence");
			await pi.waitForScreen("0 steps");
			await page("empty recorder", "recording");
			for (const line of ["Plan the tests for $@", "/notebook on", "/review src/parse.ts"]) {
				await pi.submit(line);
				await pi.waitForScreen(`. ${line}`);
			}
			await pi.submit("/publish the result");
			await pi.waitForScreen("Unsupported step");
			await page("refused step", "Unsupported step");
			await pi.press("ctrl+u");
			await pi.submit("Write the tests");
			await pi.waitForScreen("4. Write the tests");
			await page("recorder", "4. Write the tests");
			await pi.press("escape");
			await pi.waitForScreen("── Leave the recorder?");
			await page("discard question", "── Leave the recorder?");
			await leave();
			await pi.press("ctrl+enter");
			await pi.waitForScreen("how many times?");
			await page("count question", "how many times?");
			await pi.press("enter");
			await pi.waitForScreen("── Arguments for");
			await page("arguments question", "── Arguments for");
			await leave();
			await pi.submit("/sequence");
			await pi.waitForScreen("── Restore last sequence?");
			await page("restore question", "── Restore");
			await leave();
			await pi.submit("/sequence list");
			await pi.waitForScreen("modules");
			await page("list", "modules");
			await pi.submit("/sequence run 2 --max-cost 2 the parser");
			await pi.waitForScreen("run 1/2 · step 4/4", 60_000);
			await page("running", "run 1/2");
			writing.open();
			await pi.waitForScreen("2 of 2 runs", 60_000);
			await page("end", "2 of 2 runs");
			await pi.submit("/sequence run --max-cost 0.01 the parser");
			await pi.waitForScreen("it has spent", 60_000);
			await page("ceiling", "of at most $0.01");
		},
	};
}

/** The notebook, a handoff, and what has no screen of its own. */
export function companionStory(): Story {
	const pages = {
		api: "# Port\n\nThe API listens on **8081**, see `src/api.ts`.\n",
		統計: "Statistics are counted per month.",
		zebra: "x",
	};
	return {
		bench: {
			files: { "src/api.ts": "export const port = 8081;\n" },
			script: [say("Prepared: the API listens on 8081.", usage), say("I go on with the tests.", usage)],
		},
		session(project) {
			const draft = new SessionDraft(project);
			draft.user("start");
			draft.assistant("yes");
			for (const [name, content] of Object.entries(pages))
				draft.custom(entryTypes.page, { version: 1, epoch: 1, name, content });
			draft.custom(entryTypes.mode, { on: true });
			draft.custom(snapshotType, { version: 1, sequenceId: "s", steps: ["one"], updatedAt: 1 });
			return draft.write();
		},
		async play({ pi, page, leave }) {
			await pi.submit("/notebook");
			await pi.waitForScreen("── Notebook");
			await page("notebook", "── Notebook");
			await pi.press("enter");
			await pi.waitForScreen("8081");
			await page("notebook page", "8081");
			await pi.press("escape");
			await leave();
			await pi.submit("/notebook delete api");
			await pi.waitForScreen("── Delete the page");
			await page("delete question", "── Delete the page");
			await leave();
			await pi.submit("/notebook search 8081");
			await pi.waitForScreen("api:3:");
			await page("notebook search", "api:3:");
			await pi.submit("/handoff write the tests");
			await pi.waitForScreen("I go on with the tests.", 60_000);
			await page("handoff", "I go on with the tests.");
		},
	};
}
