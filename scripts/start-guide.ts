// What `npm start` plays, and the extension that guides through it: above the editor stands what happens now and which key or command helps, and the
// next prompt is put into an empty editor. A hint follows what is so, not what was pressed: it is computed anew from the session, the newest run and the
// editor.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";

/** A workflow and a chronicle of the example project, with names that nobody mixes up. */
export const shows = [
	{ kind: "workflow", folder: "examples/receipts", name: "feature", task: "Add a --month option" },
	{
		kind: "chronicle",
		folder: "examples/receipts",
		name: "refactoring",
		task: "Move the table out of the command line",
	},
] as const;

/** The prompts, in order, each with the hint while it stands in the editor. */
const ready = shows.map(({ kind, name, task }) => ({
	prompt: `/${kind} ${name} ${task}`,
	hint: [
		kind === "workflow"
			? "The understudy answers here: a script, no real model, on a copy. Enter runs the workflow below."
			: "The workflow is over. Enter starts the chronicle below: agents of its own do the work, and it asks you.",
	],
}));

const hints = {
	workflow: ["Esc pauses the workflow. What to try next is ready when it is over."],
	paused: ["The workflow is not over: /workflow resume continues it, /cancel-workflow ends it."],
	chronicle: ["Each state has an agent with a process and a conversation of its own, so you can go on here."],
	question: ["The chronicle waits for you, as long as you like, and continues when you answer."],
	end: [
		"That was a workflow and a chronicle. /chronicle report writes a page about the run; open it before you leave.",
		"/workflow and /chronicle list what else there is. Ctrl+C twice leaves pi and removes the copy.",
	],
} as const;

/** What is so at one moment. */
export interface Moment {
	/** The text in the editor. */
	readonly editor: string;
	/** Whether the model of the session works. */
	readonly works: boolean;
	/** Of the newest workflow of the session. */
	readonly workflow: "none" | "open" | "over";
	/** The status of the newest chronicle; `undefined`: there is none. */
	readonly chronicle: string | undefined;
}

/** Lines above the editor, and a prompt for the empty editor. */
export interface Guidance {
	readonly hint: readonly string[];
	readonly prompt?: string;
}

/** Guides through the prompts: each is offered once, as soon as nothing runs and the editor is empty. */
export function openGuide(): (moment: Moment) => Guidance {
	let at = 0;
	let offered = false;
	let wasBusy = false;
	return (moment) => {
		const busy = busyWith(moment);
		if (busy !== undefined) {
			wasBusy = true;
			return { hint: hints[busy] };
		}
		if (wasBusy) {
			wasBusy = false;
			offered = false;
			at += 1;
		}
		const step = ready[at];
		if (step === undefined) return { hint: hints.end };
		const { prompt, hint } = step;
		if (moment.editor === prompt) return { hint };
		if (offered || moment.works || moment.editor !== "") return { hint: [`Next, whenever you like: ${prompt}`] };
		offered = true;
		return { hint, prompt };
	};
}

/** The chronicle or workflow that is not over, and what it does; `undefined`: nothing runs or waits. */
function busyWith({ works, workflow, chronicle }: Moment): Exclude<keyof typeof hints, "end"> | undefined {
	if (chronicle === "running" || chronicle === "awaiting_provider") return "chronicle";
	if (chronicle !== undefined && !["done", "failed", "aborted"].includes(chronicle)) return "question";
	if (workflow === "open") return works ? "workflow" : "paused";
	return undefined;
}

/** Milliseconds between two looks. */
const lookMs = 250;

/** The extension: shows the guidance in a terminal until the session ends. */
export default function guide(pi: ExtensionAPI): void {
	const advise = openGuide();
	let shown = "";
	let timer: NodeJS.Timeout | undefined;
	const show = (ctx: ExtensionContext, chronicle?: string): void => {
		const { ui, sessionManager } = ctx;
		const workflow = workflowOf(sessionManager);
		const { hint, prompt } = advise({ editor: ui.getEditorText(), works: !ctx.isIdle(), workflow, chronicle });
		if (hint.join("\n") !== shown) ui.setWidget("guide", [...hint]);
		shown = hint.join("\n");
		if (prompt !== undefined) ui.setEditorText(prompt);
	};
	pi.on("session_start", (_event, ctx) => {
		if (ctx.mode !== "tui") return;
		show(ctx);
		const sessions = join(ctx.cwd, ".pi", "chronicle", "sessions");
		const look = async (): Promise<void> => {
			const chronicle = existsSync(sessions) ? await newestStatus(sessions) : undefined;
			// The session has ended.
			if (timer === undefined) return;
			show(ctx, chronicle);
			timer = setTimeout(look, lookMs);
		};
		timer = setTimeout(look, lookMs);
	});
	pi.on("session_shutdown", () => {
		clearTimeout(timer);
		timer = undefined;
	});
}

function workflowOf(session: ExtensionContext["sessionManager"]): Moment["workflow"] {
	const last = session
		.getBranch()
		.findLast((entry) => entry.type === "custom" && entry.customType === "workflow:state");
	if (last?.type !== "custom") return "none";
	return (last.data as { readonly active?: boolean }).active ? "open" : "over";
}

/** The status of the run that changed last, child runs aside. */
async function newestStatus(sessions: string): Promise<string | undefined> {
	const { openFileStore } = await import("../packages/pi-chronicle/src/local/ledger/file-store.ts");
	const runs = await openFileStore({ sessions, clock: { now: Date.now } }).recent(1);
	for (const run of runs) if (run.kind === "run" && run.summary.parent === undefined) return run.summary.status;
	return undefined;
}
