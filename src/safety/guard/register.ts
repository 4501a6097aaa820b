// The guard in a session: looks for rule files when the session starts and puts them in force; `/guard` in every mode.
// G1 without a rule file nothing is loaded, shown or judged; G2 what a rule file has wrong is shown until it is put right.
import { homedir } from "node:os";
import type { EntryRenderer, ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { lateRow, openOnce, type Scope, say } from "../../pi/index.ts";
import { decisionEntry, type Policies, type Verdict } from "../policy/index.ts";
import type { AnswerBook } from "./answers/index.ts";
import type { Guard } from "./open.ts";
import { locateRules } from "./rules/index.ts";

/** What the command shares with the session's guard. */
export interface GuardSession {
	current(): Guard | undefined;
	/** Everything that judges calls in this session. */
	readonly policies: Policies;
	/** Looks for rule files again and puts what is found in force instead. */
	load(ctx: ExtensionContext): Promise<Guard | undefined>;
	/** Absolute path of pi's agent folder. */
	readonly agentDir: string;
	/** What people have answered. */
	readonly answers: () => Promise<AnswerBook>;
}

const statusKey = "chronicle-guard";

export interface GuardParts {
	readonly policies: Policies;
	readonly scope: Scope;
	/** Absolute path of pi's agent folder. */
	readonly agentDir: string;
}

/** Registers the session's guard and its command. */
export function registerGuard(
	pi: ExtensionAPI,
	{ policies, scope, agentDir }: GuardParts,
): { readonly answers: () => Promise<AnswerBook> } {
	const answers = openOnce(async () => (await import("./answers/index.ts")).openAnswers(agentDir));
	let guard: Guard | undefined;
	let statusShown = false;
	let view: EntryRenderer | undefined;

	const load = async (ctx: ExtensionContext): Promise<Guard | undefined> => {
		const places = locateRules({ cwd: ctx.cwd, home: homedir(), agentDir });
		const before = guard;
		if (places.length === 0) guard = undefined;
		else {
			// Rules are there: until they are in force nothing passes, and where that fails nothing passes at all.
			const closed = policies.add({ name: "guard", judge: () => notLoaded });
			const [{ readRules }, { openGuard }] = await Promise.all([import("./rules/reader.ts"), import("./open.ts")]);
			const rules = readRules(places, process.platform);
			guard = openGuard(rules, { cwd: ctx.cwd, agentDir }, policies, scope);
			closed();
		}
		// The new rules are in force before the old ones go.
		await before?.close();
		await report(ctx);
		return guard;
	};

	/** Loud while something is wrong, silent otherwise. */
	const report = async (ctx: ExtensionContext): Promise<void> => {
		const errors = guard?.rules.diagnostics.filter(({ severity }) => severity === "error") ?? [];
		if (ctx.hasUI && (errors.length > 0 || statusShown)) {
			statusShown = errors.length > 0;
			const text = statusShown ? `guard: ${count(errors.length, "problem")} in the rules, /guard` : undefined;
			ctx.ui.setStatus(statusKey, text);
		}
		const notices = guard?.rules.diagnostics.filter(({ code }) => code === "no-rules" || code === "dialect") ?? [];
		if (errors.length === 0 && notices.length === 0) return;
		const { formatDiagnostic } = await import("../../definition/index.ts");
		const lines = errors.slice(0, 8).map((problem) => formatDiagnostic(problem, ctx.cwd));
		if (errors.length > lines.length) lines.push(`… and ${errors.length - lines.length} more`);
		const lead =
			"The guard's rules have problems. Until they are put right, whatever writes or runs something is asked for.";
		if (errors.length > 0) say(ctx, `${lead}\n${lines.join("\n")}`, "error");
		for (const notice of notices) say(ctx, formatDiagnostic(notice, ctx.cwd), "warning");
	};

	pi.on("session_start", async (_event, ctx) => {
		if (ctx.mode === "tui") view = (await import("./decision-view.ts")).renderDecision;
		await load(ctx);
	});
	pi.registerEntryRenderer(decisionEntry, (entry, options, theme) =>
		lateRow(() => view && { row: view(entry, options, theme) }),
	);
	pi.registerCommand("guard", {
		description: "Show the damage-control rules in force; test a command against them",
		getArgumentCompletions: (prefix) => completions(prefix),
		handler: async (args, ctx) => {
			const { runGuardCommand } = await import("./command.ts");
			await runGuardCommand(args, ctx, { current: () => guard, load, policies, agentDir, answers });
		},
	});
	return { answers };
}

const notLoaded: Verdict = {
	decision: "deny",
	policy: "guard",
	rule: "not-loaded",
	reason: "There are rules for this project, and what judges calls by them could not be loaded.",
	advice: "Stop, and say that the guard has to be repaired or its rule file taken away.",
};

const verbs = [
	["rules", "every rule and what it means"],
	["log", "what was refused, asked and withheld in this session"],
	["test", "what the rules say about a command: /guard test git push -f"],
	["init", "write a rule file to start from"],
	["reload", "read the rule files again"],
	["allow once", "let the call that was refused last pass, once"],
	["forget", "forget a remembered answer: /guard forget 2, /guard forget all"],
] as const;

function completions(prefix: string): { value: string; label: string; description: string }[] | null {
	const found = verbs.filter(([verb]) => verb.startsWith(prefix));
	return found.length > 0 ? found.map(([verb, description]) => ({ value: verb, label: verb, description })) : null;
}

function count(number: number, noun: string): string {
	return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
