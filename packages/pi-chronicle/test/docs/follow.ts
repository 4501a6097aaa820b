// Follows a document as its user: writes its files, runs its commands and types its lines, in their order, each as it stands there. What the prose
// between them tells the user to do is in uses.ts, and so is the result that must have come about.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout, type Files, type Script } from "../harness/index.ts";
import { launchPlace } from "../harness/launch.ts";
import { closeLater } from "../harness/lifetime.ts";
import type { Needs } from "../harness/needs.ts";
import { type Block, commandsOf, readDocument } from "./blocks.ts";
import { covered } from "./covered.ts";
import type { DocumentProject } from "./document-project.ts";
import { missingLine, planBlock } from "./plan.ts";
import { openUserProject, type User } from "./user.ts";

/** How a document is used, and what comes of it. */
export interface Use {
	readonly document: string;
	/** Headings whose blocks are followed; default: all. */
	readonly sections?: readonly string[];
	/** A folder of `examples` that the user's project is a copy of. */
	readonly example?: string;
	/** The files of the user's project before. */
	readonly files?: Files;
	readonly script: Script;
	/** What the user writes instead of a placeholder such as `<task…>`. */
	readonly fill?: Readonly<Record<string, string>>;
	/** What the user's machine has in its environment. */
	readonly env?: () => Promise<Record<string, string>>;
	/** Commands that go on in a terminal of their own. */
	readonly stays?: RegExp;
	/** Whether dialogs of pi are answered with yes (default) or by `deeds`; in a terminal, `deeds` press the keys. */
	readonly answers?: "yes" | "later" | "terminal";
	/** What the prose tells the user to do first. */
	readonly before?: (at: DocumentProject) => Promise<void>;
	/** What the prose tells the user to do after a line. */
	readonly deeds?: readonly Deed[];
	/** Fails unless the user has what the document promises, where `deeds` do not see to that. */
	readonly result?: (at: DocumentProject) => Promise<void>;
	/** What the machine must have. */
	readonly needs?: Needs;
}

type Deed = readonly [line: RegExp, act: (at: DocumentProject, ran: Ran) => Promise<void>];

interface Ran {
	/** The line as the user wrote it. */
	readonly line: string;
	readonly printed: string;
	/** Starts a command that keeps running, as `stays` does. */
	start(command: string): void;
	/** What the last command that keeps running has printed so far. */
	running(): string;
}

/** Follows the document, in a new project of the user. */
export async function follow(user: User, use: Use): Promise<void> {
	const { document, example, files = {}, script } = use;
	const name = [document, ...(use.sections ?? [])].join("-").replaceAll(/\W+/g, "-").toLowerCase();
	const extra = (await use.env?.()) ?? {};
	const at = await openUserProject(
		{ ...user, env: { ...user.env, ...extra } },
		{ name, files, script, ...(example === undefined ? {} : { example }) },
	);
	await use.before?.(at);
	const done = new Set<RegExp>();
	let printed = "";
	let running = (): string => "";
	const startIn = (command: string): void => {
		running = start(at, command);
	};
	for (const block of blocksOf(use)) {
		const plan = planBlock(block);
		const where = `${document}:${block.line}`;
		if (plan.kind === "file") at.write(plan.path, filled(block.text, use));
		if (plan.kind === "output") {
			const missing = missingLine(block.text, printed);
			if (missing !== undefined) throw new Error(`${where}: not printed: ${missing}. It was:\n${printed}`);
		}
		const isShell = plan.kind === "run" || plan.kind === "covered";
		if (!isShell && plan.kind !== "named" && plan.kind !== "type") continue;
		printed = "";
		for (const line of commandsOf(block.text).map((text) => filled(text, use))) {
			if (isShell && isRunElsewhere(line)) continue;
			const exit = plan.kind === "run" ? plan.exit : 0;
			const stays = isShell && use.stays?.test(line) === true;
			if (stays) startIn(line);
			const said = stays
				? ""
				: isShell
					? await inShell(at, line, `${where}: ${line}`, exit)
					: await inPi(at, line, use);
			printed += said;
			for (const [wanted, act] of use.deeds ?? []) {
				if (!wanted.test(line)) continue;
				done.add(wanted);
				await act(at, { line, printed: said, start: startIn, running: () => running() });
			}
		}
	}
	const idle = (use.deeds ?? []).filter(([wanted]) => !done.has(wanted));
	if (idle.length > 0) throw new Error(`${document} has no line ${idle.map(String).join(", ")}`);
	await use.result?.(at);
}

function blocksOf({ document, sections }: Use): Block[] {
	const { blocks } = readDocument(document, readFileSync(join(checkout, document), "utf8"));
	const chosen = blocks.filter(({ section }) => sections === undefined || sections.includes(section));
	const empty = (sections ?? []).filter((wanted) => !chosen.some(({ section }) => section === wanted));
	if (empty.length > 0) throw new Error(`${document} has no blocks under ${empty.join(", ")}`);
	return chosen;
}

function filled(line: string, { fill = {} }: Use): string {
	return Object.entries(fill).reduce((text, [placeholder, value]) => text.replaceAll(placeholder, value), line);
}

/** Whether a test of its own runs the line as it stands. */
function isRunElsewhere(line: string): boolean {
	const row = covered.find(({ command }) => (typeof command === "string" ? command === line : command.test(line)));
	return row !== undefined && "by" in row && row.by !== "packages/pi-chronicle/test/docs/in-use.deep.test.ts";
}

async function inShell(at: DocumentProject, line: string, where: string, exit: number): Promise<string> {
	const { code, printed } = await at.run(line);
	if (code !== exit) throw new Error(`${where} ended with ${code}:\n${printed}`);
	return printed;
}

async function inPi(at: DocumentProject, line: string, { answers = "yes" }: Use): Promise<string> {
	if (answers === "terminal") {
		await (await at.tui()).submit(line);
		return "";
	}
	const pi = await at.pi(answers);
	if (answers !== "later") return at.type([line]);
	await pi.prompt(line);
	return "";
}

/** A command in a terminal of its own, until the test ends: what it prints. Two signals stop it, as they stop a worker of an engine. */
function start(at: DocumentProject, command: string): () => string {
	const place = launchPlace(at.project, { env: at.env });
	const child = spawn("bash", ["-c", `exec ${command}`], { ...place, stdio: ["ignore", "pipe", "pipe"] });
	let printed = "";
	for (const stream of [child.stdout, child.stderr])
		stream.on("data", (chunk: Buffer) => {
			printed += chunk.toString("utf8");
		});
	const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
	closeLater(async () => {
		if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}:\n${printed}`);
		child.kill("SIGTERM");
		child.kill("SIGTERM");
		await ended;
	});
	return () => printed;
}
