// The guard of a session: finds rule files when the session starts and enforces them; registers `/guard`.
// Invariants: without a rule file, nothing is loaded, shown or judged; with one, calls are refused until the rules are in force; problems of a
// rule file are shown until they are fixed.
import { homedir } from "node:os";
import type { EntryRenderer, ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Diagnostic } from "@pi-chronicle/core/definition";
import { completeWords, lateRow, openOnce, registerOwnCommand, type Scope, say } from "../../pi/index.ts";
import { decisionEntry, type Policies, type Verdict } from "../policy/index.ts";
import type { SessionBox } from "../session-box.ts";
import type { AnswerBook } from "./answers/index.ts";
import type { Guard } from "./open.ts";
import { locateRules, type RuleSet } from "./rules/index.ts";

const statusKey = "chronicle-guard";

export interface GuardParts {
	readonly policies: Policies;
	readonly scope: Scope;
	/** Absolute path of pi's agent folder. */
	readonly agentDir: string;
	/** The session's sandbox. */
	readonly box: () => SessionBox;
}

export interface RegisteredGuard {
	readonly answers: () => Promise<AnswerBook>;
	/** The paths below `root` (absolute), and those named by themselves, that the rules close to every tool. */
	closed(root: string, cwd: string): Promise<readonly string[]>;
}

/** Registers the session's guard and its command. */
export function registerGuard(pi: ExtensionAPI, { policies, scope, agentDir, box }: GuardParts): RegisteredGuard {
	const answers = openOnce(async () => (await import("./answers/index.ts")).openAnswers(agentDir));
	let guard: Guard | undefined;
	let closing: { readonly rules: RuleSet; readonly find: (root: string) => readonly string[] } | undefined;
	let statusShown = false;
	let view: EntryRenderer | undefined;
	const boxSwitch = openOnce(async () => (await import("./box-switch.ts")).openBoxSwitch(policies, box));

	const load = async (ctx: ExtensionContext): Promise<Guard | undefined> => {
		const places = locateRules({ cwd: ctx.cwd, home: homedir(), agentDir });
		const before = guard;
		if (places.length === 0) guard = undefined;
		else {
			// Until the rules are in force nothing passes; if they can't be loaded, nothing passes at all.
			const closed = policies.add({ name: "guard", judge: () => notLoaded });
			const [{ readRules }, { openGuard }] = await Promise.all([import("./rules/reader.ts"), import("./open.ts")]);
			const rules = readRules(places, process.platform);
			guard = openGuard(rules, { cwd: ctx.cwd, agentDir }, policies, scope);
			closed();
		}
		// The new rules are in force before the old ones are removed.
		await before?.close();
		await report(ctx);
		return guard;
	};

	/** Shows the problems of the rules, in the status line too, until there are none. */
	const report = async (ctx: ExtensionContext): Promise<void> => {
		const problems = guard?.rules.diagnostics ?? [];
		const errors = problems.filter(({ severity }) => severity === "error");
		if (ctx.hasUI && (errors.length > 0 || statusShown)) {
			statusShown = errors.length > 0;
			const text = statusShown
				? `guard: ${errors.length === 1 ? "1 problem" : `${errors.length} problems`} in the rules, /guard`
				: undefined;
			ctx.ui.setStatus(statusKey, text);
		}
		if (problems.length > 0) await sayProblems(ctx, errors, problems);
	};

	pi.on("session_start", async (_event, ctx) => {
		if (ctx.mode === "tui") view = (await import("./decision-view.ts")).renderDecision;
		await load(ctx);
	});
	pi.registerEntryRenderer(decisionEntry, (entry, options, theme) =>
		lateRow(() => view && { row: view(entry, options, theme) }),
	);
	const session = () => ({ current: () => guard, load, policies, agentDir, answers, boxSwitch });
	registerOwnCommand(pi, "guard", {
		description: "Show the damage-control rules in force; test a command against them",
		getArgumentCompletions: (prefix) => completeWords(verbs, prefix),
		list: async (ctx) => {
			const { guardStatus } = await import("./command.ts");
			return {
				title: "Guard",
				text: await guardStatus(ctx, session()),
				choices: verbs.map(([words, about]) => ({ words, name: words, about, whole: !takesWords.has(words) })),
			};
		},
		handler: async (args, ctx) => {
			const { runGuardCommand } = await import("./command.ts");
			await runGuardCommand(args, ctx, session());
		},
	});
	return {
		answers,
		async closed(root, cwd) {
			if (!guard) return [];
			const { rules } = guard;
			const { closedPaths } = await import("./closed-paths.ts");
			if (closing?.rules !== rules) closing = { rules, find: closedPaths(rules, { cwd, agentDir }) };
			return closing.find(root);
		},
	};
}

async function sayProblems(
	ctx: ExtensionContext,
	errors: readonly Diagnostic[],
	problems: readonly Diagnostic[],
): Promise<void> {
	const { formatDiagnostic, formatDiagnostics } = await import("@pi-chronicle/core/definition");
	const lines = formatDiagnostics(errors, ctx.cwd).slice(0, 8);
	if (errors.length > lines.length) lines.push(`… and ${errors.length - lines.length} more`);
	const lead =
		"The guard's rules have problems. Until they are fixed, every call that writes or runs something needs approval.";
	if (errors.length > 0) say(ctx, `${lead}\n${lines.join("\n")}`, "error");
	for (const problem of problems)
		if (problem.code === "no-rules" || problem.code === "dialect")
			say(ctx, formatDiagnostic(problem, ctx.cwd), "warning");
}

const notLoaded: Verdict = {
	decision: "deny",
	policy: "guard",
	rule: "not-loaded",
	reason: "The code that enforces the rules could not be loaded.",
	advice: "Stop, and tell the user to repair the guard or remove its rule file.",
};

const verbs = [
	["rules", "every rule explained"],
	["log", "calls refused, asked about or withheld"],
	["log --all", "the same of all sessions of the project"],
	["try", "what a rule would have stopped in the project's sessions: /guard try publish"],
	["test", "what the rules say about a command: /guard test git push -f"],
	["init", "write a starter rule file"],
	["reload", "read the rule files again"],
	["sandbox", "run shell commands in a sandbox: /guard sandbox on, /guard sandbox off"],
	["allow once", "allow the last refused call, once"],
	["forget", "forget a remembered answer: /guard forget 2, /guard forget all"],
] as const;
const takesWords: ReadonlySet<string> = new Set(["try", "test", "init", "sandbox", "forget"]);
