// `/guard` and its verbs: status, rules, log, test of a call, starter file, reload, remembered answers.
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { ExtensionCommandContext, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { errorMessage, formatDiagnostics, formatPath } from "@pi-chronicle/core/definition";
import { writeTogether } from "../../disk/index.ts";
import { customEntries, packageRoot, pageMarkdown, rejectCommand, say } from "../../pi/index.ts";
import { measure } from "../measure.ts";
import { type DecisionRecord, decisionEntry, type Policies, readDecision, type ToolCall } from "../policy/index.ts";
import { type AnswerBook, allowOnce, answerLines, type CommandReply, forget } from "./answers/index.ts";
import type { BoxSwitch } from "./box-switch.ts";
import { type PastDecision, pastSessions } from "./history.ts";
import { explainCall } from "./judge/index.ts";
import type { Guard } from "./open.ts";
import { hashRules, locateRules, type RuleSet, readRules } from "./rules/index.ts";

/** The guard of a session, as the command uses it. */
export interface GuardSession {
	current(): Guard | undefined;
	/** Everything that judges calls in this session. */
	readonly policies: Policies;
	/** Searches for rule files again and enforces them instead of the current ones. */
	load(ctx: ExtensionContext): Promise<Guard | undefined>;
	/** Absolute path of pi's agent folder. */
	readonly agentDir: string;
	/** The user's remembered answers. */
	readonly answers: () => Promise<AnswerBook>;
	/** The sandbox of the session. */
	readonly boxSwitch: () => Promise<BoxSwitch>;
}

/** The rules in force, the sandbox, and the remembered answers, as text. */
export async function guardStatus(ctx: ExtensionCommandContext, session: GuardSession): Promise<string> {
	return [
		statusText(session, ctx.cwd),
		await (await session.boxSwitch()).status(ctx),
		...answerLines(await session.answers()),
		...(isStale(session, ctx.cwd) ? [stale] : []),
	].join("\n");
}

/** Runs one `/guard` command. */
export async function runGuardCommand(
	args: string,
	ctx: ExtensionCommandContext,
	session: GuardSession,
): Promise<void> {
	const [, verb = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(args.trim()) ?? [];
	switch (verb) {
		case "":
		case "status":
			return say(ctx, await guardStatus(ctx, session));
		case "rules":
			return showRules(ctx, session);
		case "log":
			return say(ctx, await logText(ctx, rest));
		case "test":
			if (rest.trim() === "")
				return rejectCommand(ctx, "Name a command to test: /guard test git push --force, or /guard test read .env");
			return say(ctx, await testText(rest, ctx, session.policies));
		case "try":
			return tryRule(rest.trim(), ctx, session);
		case "init":
			return initialise(ctx, session, rest);
		case "allow":
			return reply(ctx, allowOnce(rest, ctx.hasUI, await session.answers()));
		case "forget":
			return reply(ctx, forget(rest, await session.answers()));
		case "sandbox":
			return turnSandbox(ctx, await session.boxSwitch(), rest.trim());
		case "reload":
			await session.load(ctx);
			return say(ctx, statusText(session, ctx.cwd));
		default:
			return rejectCommand(
				ctx,
				`Unknown: \`/guard ${verb}\`. Use rules, log, test <command>, try <rule>, init, reload, sandbox on, sandbox off, allow once, forget <number>.`,
			);
	}
}

async function turnSandbox(ctx: ExtensionCommandContext, box: BoxSwitch, word: string): Promise<void> {
	if (word === "") return say(ctx, await box.status(ctx));
	if (word !== "on" && word !== "off")
		return rejectCommand(ctx, `Unknown: \`/guard sandbox ${word}\`. Use \`/guard sandbox\`, \`on\` or \`off\`.`);
	const done = await box.turn(word === "on", ctx);
	if (done !== undefined) return say(ctx, done);
	rejectCommand(
		ctx,
		"No sandbox works here, so commands still run outside. `pi-chronicle doctor` says what is missing.",
	);
}

function reply(ctx: ExtensionCommandContext, { text, tone }: CommandReply): void {
	if (tone === undefined || tone === "info") say(ctx, text);
	else rejectCommand(ctx, text, { tone });
}

const stale = "The rule files on disk have changed since: `/guard reload` enforces the new rules.";

/** Whether the files on disk have other rules than those in force. */
function isStale({ current, agentDir }: GuardSession, cwd: string): boolean {
	const places = locateRules({ cwd, home: homedir(), agentDir });
	if (places.length === 0) return current() !== undefined;
	return hashRules(readRules(places, process.platform)) !== current()?.hash;
}

function statusText({ current }: GuardSession, cwd: string): string {
	const guard = current();
	if (!guard) {
		return [
			"No rule file is in force, so no call is judged.",
			"Searched for .pi/damage-control-rules.yaml in this project (up to the repository's root) and in your home directory.",
			"`/guard init` writes a starter file.",
		].join("\n");
	}
	const { rules } = guard;
	const kinds = [
		`${rules.commands.length} command expressions`,
		...(["zero", "read-only", "no-delete"] as const).map(
			(limit) => `${rules.paths.filter((rule) => rule.limit === limit).length} ${limit} paths`,
		),
		`${rules.effects.length} effects`,
	];
	const modes = [
		rules.closed ? "closed until the problems below are fixed" : "in force",
		...(rules.strict ? ["strict"] : []),
		...(rules.scanWrites ? ["scripts are judged when they are written"] : []),
		...(rules.matching === "substring" ? ["paths match anywhere in a name"] : []),
	];
	const lines = [`Guard: ${modes.join(", ")}`, kinds.join(", ")];
	for (const { file, tier, count, dialect } of rules.files) {
		const note = dialect === "damage-control" ? "" : `, ${dialect}`;
		lines.push(`  ${formatPath(file, cwd)} — ${tier}, ${count} rules${note}`);
	}
	lines.push(`Built in: own files ${builtIn(rules.selfProtection)}, other agents ${builtIn(rules.nestedAgents)}.`);
	if (rules.diagnostics.length > 0) {
		lines.push("Problems:", ...formatDiagnostics(rules.diagnostics, cwd).map((line) => `  ${line}`));
	}
	return lines.join("\n");
}

function builtIn(setting: RuleSet["selfProtection"]): string {
	return { deny: "refused", ask: "asked about", off: "not judged" }[setting];
}

async function showRules(ctx: ExtensionCommandContext, { current }: GuardSession): Promise<void> {
	const guard = current();
	if (!guard) return say(ctx, "No rule file is in force. `/guard init` writes a starter file.");
	const { rules } = guard;
	const where = ({ file, line }: { file: string; line?: number }) => `${formatPath(file, ctx.cwd)}:${line ?? 1}`;
	const what = (rule: { decision: string; dryRun: boolean }) => `${rule.decision}${rule.dryRun ? " (on trial)" : ""}`;
	const lines = [
		...rules.effects.map((rule) => `${what(rule)} · ${rule.effect} · ${rule.reason} · ${where(rule.origin)}`),
		...rules.commands.map(
			(rule) => `${what(rule)} · /${rule.pattern}/${rule.flags} · ${rule.reason} · ${where(rule.origin)}`,
		),
		...rules.paths.map((rule) => `${what(rule)} · ${rule.limit} · ${rule.pattern} · ${where(rule.origin)}`),
		...rules.exceptions.map((rule) => `allowed (${rule.access}) · ${rule.pattern} · ${where(rule.origin)}`),
	];
	if (ctx.mode !== "tui") return say(ctx, lines.join("\n"));
	await pageMarkdown(
		ctx,
		`${lines.length} rules`,
		lines.map((line) => `- \`${line.replaceAll("`", "'")}\``).join("\n"),
	);
}

async function logText(ctx: ExtensionContext, rest: string): Promise<string> {
	const [, all, number] = /^(--all)?\s*(\d{1,4})?$/.exec(rest.trim()) ?? [];
	const max = Number(number ?? 20);
	const past = all === undefined ? ownDecisions(ctx) : await allDecisions(ctx);
	const lines = past.slice(0, max).flatMap(({ record, at }) => decisionLines(record, at, all !== undefined));
	const whose = all === undefined ? "this session" : "the sessions of this project";
	if (lines.length === 0) return `Nothing was refused, asked about or withheld in ${whose}.`;
	const more = past.length - max;
	if (more > 0) lines.push(`… and ${more} earlier: /guard log ${all === undefined ? "" : "--all "}${max + more}`);
	return lines.join("\n");
}

function ownDecisions({ sessionManager }: ExtensionContext): PastDecision[] {
	return [...customEntries(sessionManager, [decisionEntry])].flatMap(({ data, timestamp }) => {
		const record = readDecision(data);
		return record ? [{ record, at: timestamp }] : [];
	});
}

async function allDecisions(ctx: ExtensionContext): Promise<PastDecision[]> {
	const found: PastDecision[] = [];
	for await (const { decisions } of pastSessions(ctx)) found.push(...decisions);
	return found.sort((one, other) => (one.at < other.at ? 1 : -1));
}

const allowedBy = { user: "by you", answer: "by a remembered answer", once: "by `/guard allow once`" } as const;

function decisionLines(record: DecisionRecord, at: string, withDate: boolean): string[] {
	const { outcome, by, tool, input, policy, rule } = record;
	const moment = new Date(at);
	const date = withDate ? `${moment.toLocaleDateString("sv")} ` : "";
	const who = by === undefined ? "" : ` ${allowedBy[by] ?? ""}`;
	const others = record.others ? ` (also: ${record.others.join(", ")})` : "";
	const origin = record.origin ? ` · ${record.origin}` : "";
	return [
		`${date}${moment.toTimeString().slice(0, 8)} ${outcome}${who} ${tool} ${input}`,
		`    ${policy} · ${rule}${origin}${others}`,
	];
}

/** Tries a rule, or the rules in force, on the history of the project's sessions. */
async function tryRule(written: string, ctx: ExtensionCommandContext, session: GuardSession): Promise<void> {
	const { readTriedRule, tryRules } = await import("./try-rules.ts");
	const tried = written === "" ? session.current() : readTriedRule(written, ctx.cwd);
	if (!tried)
		return rejectCommand(
			ctx,
			"No rule file is in force. Name a rule: /guard try publish, or /guard try \\bnpm\\s+test\\b",
		);
	if ("problems" in tried) return rejectCommand(ctx, tried.problems.join("\n"));
	say(ctx, await tryRules(tried.rules, pastSessions(ctx), { cwd: ctx.cwd, agentDir: session.agentDir }));
}

const fileTools = new Set(["read", "write", "edit", "grep", "find", "ls"]);

/** The call that `/guard test` judges: `read <path>` and similar are file tools, everything else is a shell command. */
function testedCall(text: string): ToolCall {
	const [, tool = "", argument = ""] = /^(\S+)\s+([\s\S]+)$/.exec(text.trim()) ?? [];
	const isTool = fileTools.has(tool) && !/^(?:-|.*\s-)/.test(argument) && !/[|;&<>]/.test(argument);
	const ids = { id: "test", siblings: [] };
	if (!isTool) return { ...ids, tool: "bash", input: { command: text } };
	switch (tool) {
		case "write":
			return { ...ids, tool, input: { path: argument, content: "" } };
		case "grep":
			return { ...ids, tool, input: { pattern: "x", path: argument } };
		case "find":
			return { ...ids, tool, input: { pattern: "*", path: argument } };
		default:
			return { ...ids, tool, input: { path: argument } };
	}
}

async function testText(text: string, ctx: ExtensionCommandContext, policies: Policies): Promise<string> {
	const call = testedCall(text);
	return explainCall(call, measure(call, ctx.cwd), policies);
}

async function initialise(ctx: ExtensionCommandContext, session: GuardSession, rest: string): Promise<void> {
	const folder = join(rest.trim() === "global" ? homedir() : ctx.cwd, ".pi");
	const file = join(folder, "damage-control-rules.yaml");
	if (existsSync(file)) return rejectCommand(ctx, `${formatPath(file, ctx.cwd)} already exists and was not changed.`);
	const starter = readFileSync(join(packageRoot(), "examples", "damage-control-rules.yaml"), "utf8");
	try {
		writeTogether([{ path: file, content: starter }], "fail");
	} catch (error) {
		return rejectCommand(ctx, `The rule file cannot be written, so there is none: ${errorMessage(error)}`);
	}
	await session.load(ctx);
	say(
		ctx,
		`Wrote ${formatPath(file, ctx.cwd)}; it is in force. Review it and adapt it.\n${statusText(session, ctx.cwd)}`,
	);
}
