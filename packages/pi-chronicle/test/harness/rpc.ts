// Real pi in RPC mode, driven over its stdin and stdout. What pi shows the user (dialogs, notifications, status lines, widgets)
// is in rpc-screen.ts; here are the process, commands and events.
// Invariants: 1. events are kept in order and never dropped, so waiting for one that has already come succeeds at once;
// 2. every failure names what pi said last; 3. a pi that does not end when its stdin closes fails the test, and so does an error
// that the package under test let escape.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { type LaunchOptions, launchArguments, launchPlace } from "./launch.ts";
import { closeLater } from "./lifetime.ts";
import { patient } from "./patience.ts";
import { killQuietly } from "./processes.ts";
import type { Project } from "./project.ts";
import { recordSplitter, type WireRecord } from "./records.ts";
import { type DialogAnswers, RpcScreen } from "./rpc-screen.ts";
import { packageUnderTest } from "./under-test.ts";

export interface RpcOptions extends LaunchOptions {
	/** How dialogs are answered; left out, they stay open until `screen.answer()`. See {@link DialogAnswers}. */
	answers?: DialogAnswers;
}

/** How a process ended. */
export interface Exit {
	code: number | null;
	signal: NodeJS.Signals | null;
}

/** What happened to a prompt: `started` a run, `queued`, or `handled` by an extension's command. */
export type Disposition = "started" | "queued" | "handled" | (string & {});

/** What `/probe` of the fixture extension `probe` reports. */
export interface ProbeReport {
	cwd: string;
	mode: string;
	hasUI: boolean;
	trusted: boolean;
	sessionFile: string | null;
	sessionId: string;
	model: string | null;
	thinking: string;
	commands: { name: string; source: string }[];
	activeTools: string[];
	allTools: string[];
	systemPrompt: string;
	branch: string[];
	resources: string[];
	sessionStarts: string[];
	sessionShutdowns: number;
}

/** Starts pi in RPC mode in `project` and waits until it answers. */
export async function startRpc(project: Project, options: RpcOptions = {}): Promise<Rpc> {
	const place = launchPlace(project, options);
	const child = spawn(process.execPath, launchArguments(["--mode", "rpc"], options), { ...place, stdio: "pipe" });
	const rpc = new Rpc(child, options.answers);
	// The first start from sources compiles them all: on a busy machine that takes long.
	await rpc.send({ type: "get_state" }, 60_000);
	return rpc;
}

export class Rpc {
	/** Every session event so far, oldest first; no responses, no UI requests. */
	readonly events: WireRecord[] = [];
	/** What the user would see and be asked. */
	readonly screen: RpcScreen;
	/** Resolves when the process has ended. */
	readonly exit: Promise<Exit>;
	readonly pid: number;
	private readonly child: ChildProcessWithoutNullStreams;
	private readonly closeOnce: () => Promise<void>;
	private readonly waiting = new Map<string, (response: WireRecord) => void>();
	private readonly listeners = new Set<() => void>();
	private readonly noise: string[] = [];
	private errors = "";
	private commands = 0;
	private settledSeen = 0;
	private ended: Exit | undefined;
	private strict = true;

	constructor(child: ChildProcessWithoutNullStreams, answers: DialogAnswers | undefined) {
		this.child = child;
		this.pid = child.pid ?? 0;
		this.screen = new RpcScreen(answers, {
			send: (record) => this.write(record),
			waitUntil: (what, ready, ms) => this.waitUntil(what, ready, ms),
		});
		const split = recordSplitter(
			(record) => this.accept(record),
			(line) => this.noise.push(line),
		);
		child.stdout.on("data", split);
		child.stderr.on("data", (chunk: Buffer) => {
			this.errors += chunk.toString("utf8");
			this.changed();
		});
		child.stdin.on("error", () => {});
		this.exit = new Promise((resolve) => {
			child.on("error", (error) => {
				this.errors += String(error);
			});
			child.on("close", (code, signal) => {
				this.ended = { code, signal };
				resolve(this.ended);
				this.changed();
			});
		});
		this.closeOnce = closeLater(() => this.end());
	}

	/** What pi wrote to stderr. */
	get stderr(): string {
		return this.errors;
	}

	/** Lines on stdout that were no protocol record: there must be none. */
	get strayLines(): readonly string[] {
		return this.noise;
	}

	/** Sends a command and resolves with the `data` of its response; throws pi's error when it was refused. */
	async send(command: { type: string } & Record<string, unknown>, ms = 15_000): Promise<Record<string, unknown>> {
		const response = await this.request(command, ms);
		if (response.success !== true) throw new Error(`${command.type} failed: ${response.error}`);
		return (response.data ?? {}) as Record<string, unknown>;
	}

	/** Sends a command and resolves with its whole response, whether it succeeded or not. */
	async request(command: { type: string } & Record<string, unknown>, ms = 15_000): Promise<WireRecord> {
		this.commands += 1;
		const id = `test-${this.commands}`;
		let response: WireRecord | undefined;
		this.waiting.set(id, (record) => {
			response = record;
		});
		this.write({ ...command, id });
		await this.waitUntil(`the response to ${JSON.stringify(command)}`, () => response !== undefined, ms);
		return response as WireRecord;
	}

	/** Sends what the user would type; resolves when pi has accepted it, which is not the end of the run that it starts. */
	async prompt(message: string, extra: Record<string, unknown> = {}, ms = 15_000): Promise<Disposition> {
		const data = await this.send({ type: "prompt", message, ...extra }, ms);
		return data.disposition as Disposition;
	}

	/** Sends what the user would type and, if that starts a run, waits for its end. */
	async run(message: string, ms = 20_000): Promise<Disposition> {
		const before = this.countOf("agent_settled");
		const disposition = await this.prompt(message, {}, ms);
		if (disposition === "handled") return disposition;
		await this.waitUntil(`the end of "${message}"`, () => this.countOf("agent_settled") > before, ms);
		this.settledSeen = this.countOf("agent_settled");
		return disposition;
	}

	/**
	 * Waits for the next end of a run (`agent_settled`) that no earlier `run()` or `settled()` has returned, past ones included.
	 * For commands whose handler starts a run: `await rpc.prompt("/workflow x task"); await rpc.settled();`
	 */
	async settled(ms = 20_000): Promise<WireRecord> {
		const wanted = this.settledSeen;
		await this.waitUntil("agent_settled", () => this.countOf("agent_settled") > wanted, ms);
		this.settledSeen = wanted + 1;
		return this.eventsOf("agent_settled")[wanted] as WireRecord;
	}

	/** Waits until pi neither streams nor has anything queued, seen `quiet` milliseconds apart twice. */
	async idle(ms = 20_000, quiet = 60): Promise<void> {
		const deadline = Date.now() + patient(ms);
		for (let calm = 0; calm < 2; ) {
			const { isStreaming, pendingMessageCount } = await this.state();
			calm = isStreaming || Number(pendingMessageCount ?? 0) > 0 ? 0 : calm + 1;
			if (Date.now() > deadline) throw new Error(this.report(`pi was not idle within ${patient(ms)} ms`));
			if (calm < 2) await sleep(quiet);
		}
		this.settledSeen = this.countOf("agent_settled");
	}

	/** The number of events so far, for `waitFor(…, { from })`. */
	mark(): number {
		return this.events.length;
	}

	/** The first event from `from` on (default: the very first) that is of the type or that the predicate accepts. */
	async waitFor(
		wanted: string | ((event: WireRecord) => boolean),
		{ ms = 15_000, from = 0 }: { ms?: number; from?: number } = {},
	): Promise<WireRecord> {
		const accepts = typeof wanted === "string" ? (event: WireRecord) => event.type === wanted : wanted;
		let found: WireRecord | undefined;
		let next = from;
		const look = () => {
			while (!found && next < this.events.length) {
				const event = this.events[next++];
				if (event && accepts(event)) found = event;
			}
			return found !== undefined;
		};
		await this.waitUntil(typeof wanted === "string" ? `event ${wanted}` : `an event: ${wanted}`, look, ms);
		return found as unknown as WireRecord;
	}

	/** Waits until `ready` is true; looks again after everything that pi writes. `what` names it in the error. */
	async waitUntil(what: string, ready: () => boolean, ms = 15_000): Promise<void> {
		if (ready()) return;
		await new Promise<void>((resolve, reject) => {
			const done = (error?: Error) => {
				clearTimeout(timer);
				this.listeners.delete(look);
				if (error) reject(error);
				else resolve();
			};
			const look = () => {
				if (ready()) done();
				else if (this.ended) done(new Error(this.report(`pi ended (${JSON.stringify(this.ended)}) before: ${what}`)));
			};
			const timer = setTimeout(
				() => done(new Error(this.report(`Not within ${patient(ms)} ms: ${what}`))),
				patient(ms),
			);
			this.listeners.add(look);
			look();
		});
	}

	eventsOf(type: string): WireRecord[] {
		return this.events.filter((event) => event.type === type);
	}

	/** Tools that ran or were refused and have ended, in the order of the calls, which siblings may not end in. */
	toolResults(): { tool: string; error: boolean; text: string; args: unknown }[] {
		const ends = new Map(this.eventsOf("tool_execution_end").map((event) => [event.toolCallId, event]));
		return this.eventsOf("tool_execution_start").flatMap(({ toolCallId, toolName, args }) => {
			const end = ends.get(toolCallId);
			if (!end) return [];
			const { content = [] } = (end.result ?? {}) as { content?: { text?: string }[] };
			const text = content.map((block) => block.text ?? "").join("");
			return [{ tool: String(toolName), error: end.isError === true, text, args }];
		});
	}

	/** pi's `get_state`: `sessionId`, `sessionFile`, `isStreaming`, `model`, … */
	state(): Promise<Record<string, unknown>> {
		return this.send({ type: "get_state" });
	}

	/** All entries of the session, every branch of it. */
	async entries(): Promise<WireRecord[]> {
		return ((await this.send({ type: "get_entries" })).entries ?? []) as WireRecord[];
	}

	/** Data of the session's custom entries of one type, oldest first. */
	async customEntries<Data = unknown>(customType: string): Promise<Data[]> {
		const own = (await this.entries()).filter((entry) => entry.type === "custom" && entry.customType === customType);
		return own.map((entry) => entry.data as Data);
	}

	/** Messages that the next request would carry. */
	async messages(): Promise<Record<string, unknown>[]> {
		return ((await this.send({ type: "get_messages" })).messages ?? []) as Record<string, unknown>[];
	}

	/** Commands offered to the user, without the slash. */
	async commandNames(): Promise<string[]> {
		const { commands } = (await this.send({ type: "get_commands" })) as { commands: { name: string }[] };
		return commands.map(({ name }) => name);
	}

	/** Asks the fixture extension `probe`, which must be among `extensions`. */
	async probe(): Promise<ProbeReport> {
		const before = this.screen.notifications.length;
		await this.prompt("/probe");
		const isReport = ({ message }: { message: string }) => message.startsWith('{"probe":true');
		const reports = () => this.screen.notifications.slice(before).filter(isReport);
		await this.waitUntil("the report of /probe", () => reports().length > 0);
		return JSON.parse(reports()[0]?.message ?? "") as ProbeReport;
	}

	/** Errors that our own extension let escape into pi. */
	ownErrors(): string[] {
		const { extension, root } = packageUnderTest();
		return this.eventsOf("extension_error")
			.filter(({ extensionPath }) => extensionPath === extension || extensionPath === root)
			.map(({ event, error }) => `${event}: ${error}`);
	}

	/** Allows errors of our own extension: `close()` does not throw about them. */
	lenient(): void {
		this.strict = false;
	}

	/** Sends a signal (default SIGKILL) and resolves when the process has ended. */
	async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<Exit> {
		this.child.kill(signal);
		return this.exit;
	}

	/** Closes stdin, as a client does that goes away; resolves when pi has ended. Called by itself at the end of the test. */
	async close(): Promise<Exit> {
		await this.closeOnce();
		return this.exit;
	}

	/** What a developer needs to see when a test fails. */
	report(headline: string): string {
		const tail = this.events
			.filter(({ type }) => type !== "message_update")
			.slice(-12)
			.map((event) => `  ${JSON.stringify(event).slice(0, 300)}`);
		const parts = [headline, "Last events:", ...tail, ...this.screen.summary()];
		if (this.errors) parts.push(`stderr: ${this.errors.slice(-2_000)}`);
		return parts.join("\n");
	}

	private async end(): Promise<void> {
		await this.stop();
		const errors = this.strict ? this.ownErrors() : [];
		if (errors.length > 0) throw new Error(this.report(`The package let errors escape:\n${errors.join("\n")}`));
		if (this.noise.length > 0) throw new Error(this.report(`Stray lines on stdout:\n${this.noise.join("\n")}`));
	}

	private async stop(): Promise<void> {
		if (this.ended) return;
		if (this.countOf("agent_start") > this.countOf("agent_settled")) this.write({ type: "abort" });
		this.screen.dismissAll();
		this.child.stdin.end();
		const late = sleep(patient(6_000), "late" as const, { ref: false });
		if ((await Promise.race([this.exit, late])) !== "late") return;
		killQuietly(this.pid);
		await this.exit;
		throw new Error(this.report("pi did not end within 6 s after its stdin was closed"));
	}

	private write(record: Record<string, unknown>): void {
		if (!this.child.stdin.writableEnded) this.child.stdin.write(`${JSON.stringify(record)}\n`);
	}

	private accept(record: WireRecord): void {
		if (record.type === "response") this.waiting.get(String(record.id))?.(record);
		else if (record.type === "extension_ui_request") this.screen.accept(record);
		else this.events.push(record);
		this.changed();
	}

	private changed(): void {
		for (const listener of [...this.listeners]) listener();
	}

	private countOf(type: string): number {
		return this.events.reduce((count, event) => count + (event.type === type ? 1 : 0), 0);
	}
}
