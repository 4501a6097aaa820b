// Cost of a running workflow: text in the model's context compared with the reference, bytes in the session, time to find its state.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { call, openBench, type Rpc, readSession, say } from "../packages/pi-chronicle/test/harness/index.ts";
import { type Figures, median } from "./figure.ts";

const phases = 8;
/** User messages per phase; afterwards the model stops once or twice before the phase ends and is reminded to continue. */
const promptsPerPhase = 6;
const continuations = (phase: number) => (phase % 2 === 0 ? 2 : 1);
/** One more than a multiple of four: the last change leads to the same place as the first. */
const moves = 1_001;
const entries = 100_000;

export async function bench(): Promise<Figures> {
	const [ours, reference] = await Promise.all([talk("ours"), talk("reference")]);
	const kept = { ours: await prefixes("ours"), reference: await prefixes("reference") };
	const bytes = await stateBytes();
	const search = Object.fromEntries((["near", "none"] as const).map((where) => [where, findState(where)])) as Record<
		"near" | "none",
		Found
	>;
	const stops = Array.from({ length: phases }, (_, phase) => continuations(phase)).reduce(
		(sum, count) => sum + count,
		0,
	);
	return {
		name: "workflow",
		rows: [
			{
				figure: `workflow text in the context, ${phases} phases, ${phases * promptsPerPhase} prompts, ${stops} continuations: ours ÷ reference`,
				value: ours.last / reference.last,
				unit: "×",
				must: { most: 0.25 },
			},
			{ figure: "ours", value: ours.last, unit: "bytes" },
			{ figure: "reference", value: reference.last, unit: "bytes" },
			{ figure: "the same, summed over all requests: ours ÷ reference", value: ours.sum / reference.sum, unit: "×" },
			{ figure: "prompt and tool declaration: ours", value: ours.fixed, unit: "bytes" },
			{ figure: "prompt and tool declaration: reference", value: reference.fixed, unit: "bytes" },
			{
				figure: `prefix kept, ${cachePhases} phases with chat before and after, the least of all requests after the first of the workflow: ours`,
				value: Math.min(...kept.ours.later),
				unit: "%",
				must: { least: 99 },
			},
			{ figure: "the same, reference", value: Math.min(...kept.reference.later), unit: "%" },
			{ figure: "in the first request of the workflow: ours", value: kept.ours.first, unit: "%" },
			{ figure: "the same, reference", value: kept.reference.first, unit: "%" },
			{ figure: "in the first request after the end: ours", value: kept.ours.after, unit: "%" },
			{ figure: "the same, reference", value: kept.reference.after, unit: "%" },
			{
				figure: "session bytes of the first phase change",
				value: bytes[0] ?? Number.NaN,
				unit: "bytes",
				must: { most: 600 },
			},
			{
				figure: `session bytes of phase change ${moves.toLocaleString("en-US")}`,
				value: bytes.at(-1) ?? Number.NaN,
				unit: "bytes",
				must: { most: 600 },
			},
			{
				figure: `finding the state among ${entries.toLocaleString("en-US")} entries`,
				value: search.near.ours,
				unit: "ms",
				must: { most: 2 },
			},
			{ figure: "the same where there is none", value: search.none.ours, unit: "ms" },
			{ figure: "the reference's way (the whole branch)", value: search.near.branch, unit: "ms" },
			{ figure: "pi's own loading of that session", value: search.near.loading, unit: "ms" },
		],
		how: `Both packages in real pi (RPC) with the same workflow, prompts and answers. Context: bytes of text in the last request of the run that neither the user nor the model wrote. Phase changes: skip and back in a workflow nested three levels deep. Prefix kept: how much of a request (system prompt, tools, messages) the next request begins with, without a change. Finding: medians of 7 processes.`,
	};
}

function referencePackage(): string {
	return fileURLToPath(new URL("../node_modules/@harms-haus/pi-workflows", import.meta.url));
}

interface Talk {
	/** Bytes of the package's text in the last request of the run, and in all requests together. */
	readonly last: number;
	readonly sum: number;
	/** Bytes by which the system prompt and the tools grow. */
	readonly fixed: number;
}

const body =
	"Look at what the task touches before you do anything. Write down what you find, name the files and functions involved, and keep to the scope of {description}. ".repeat(
		4,
	);

/** Plays the whole conversation with one of the packages. */
async function talk(whose: "ours" | "reference"): Promise<Talk> {
	const folder = ".pi/workflows/release";
	const files: Record<string, string> = {
		[`${folder}/workflow.yaml`]: `name: Release\ncommandName: release\ninitialMessage: 'PERSON starts {workflowName}: {description}'\nphases: [${Array.from({ length: phases }, (_, phase) => `p${phase}.md`).join(", ")}]\n`,
	};
	for (let phase = 0; phase < phases; phase++)
		files[`${folder}/p${phase}.md`] =
			`---\nid: p${phase}\nname: Phase number ${phase}\nemoji: "🔍"\ntools:\n  blacklist: [edit, write]\n---\n\n${body}\n`;
	let reminded = 0;
	let phase = 0;
	const { server, rpc } = await openBench({
		files,
		settings: { retry: { enabled: false } },
		script: ({ users, afterResults }) => {
			// The reference puts its context after a reminder, so the order of the last two messages identifies the turn.
			const told = users.findLastIndex(isReminder) > users.findLastIndex((text) => text.startsWith("PERSON"));
			if (afterResults || !told) return say("MODEL answers.");
			reminded++;
			if (reminded < continuations(phase)) return say("MODEL answers.");
			reminded = 0;
			phase++;
			return call("workflow_step", { action: "next" });
		},
	});
	const pi = await rpc(whose === "ours" ? {} : { package: referencePackage() });
	// Baseline: a request of this pi without a workflow.
	await pi.run("PERSON says hello.");
	const bare = fixedBytes(server.requests[0]?.body);
	await pi.prompt("/workflow release version 1.2");
	await answered(pi, server.requests, () => server.last().users.some((text) => text.startsWith("PERSON starts")));
	for (let current = 0; current < phases; current++) {
		for (let count = 0; count < promptsPerPhase; count++) {
			const text = `PERSON says word ${current}.${count}.`;
			await pi.prompt(text, { streamingBehavior: "steer" });
			await answered(pi, server.requests, () => server.last().users.includes(text));
		}
		// Both packages count down here, once per stop of the model.
		const wanted = current + 1;
		await pi.waitUntil(`phase ${wanted}`, () => phase >= wanted, 30_000);
		await answered(pi, server.requests, () => server.last().afterResults);
	}
	await pi.close();
	const running = server.requests.slice(1).filter(({ tools }) => tools.includes("workflow_step"));
	const texts = running.map(({ messages }) => packageBytes(messages));
	const before = running.findLast(({ messages }) => !JSON.stringify(messages).includes("DONE\\n\\nAll phases"));
	const last = before ? packageBytes(before.messages) : (texts.at(-1) ?? Number.NaN);
	const sum = texts.reduce((total, bytes) => total + bytes, 0);
	return { last, sum, fixed: fixedBytes(running[0]?.body) - bare };
}

function isReminder(text: string): boolean {
	return /not finished|still active|not complete|must not stop/i.test(text) && !text.startsWith("[Workflow path");
}

/** Waits until the model has answered a request that `wanted` accepts. */
async function answered(pi: Rpc, requests: readonly unknown[], wanted: () => boolean): Promise<void> {
	await pi.waitUntil("a request", wanted, 30_000);
	await pi.waitUntil("its answer", () => pi.eventsOf("turn_end").length >= requests.length, 30_000);
}

type Messages = readonly { role: string; content?: string | { text?: string }[] | null }[];

/** Bytes of text that neither the user nor the model wrote. */
function packageBytes(messages: Messages): number {
	let bytes = 0;
	for (const { role, content } of messages) {
		if (role === "system" || role === "developer" || role === "assistant") continue;
		const texts = typeof content === "string" ? [content] : (content ?? []).map(({ text = "" }) => text);
		for (const text of texts) if (!text.startsWith("PERSON")) bytes += Buffer.byteLength(text);
	}
	return bytes;
}

function fixedBytes(request: { messages: Messages; tools?: unknown } | undefined): number {
	const system = request?.messages.filter(({ role }) => role === "system" || role === "developer");
	return Buffer.byteLength(JSON.stringify([system, request?.tools]));
}

const cachePhases = 10;

interface Prefixes {
	/** Percent of the last request before the workflow that its first request begins with. */
	readonly first: number;
	/** The same for each later request, including the chat after the end. */
	readonly later: readonly number[];
	/** The same for the first request of that chat. */
	readonly after: number;
}

/** Plays a workflow of ten phases between chats; the model works in each phase and stops once in the middle. */
async function prefixes(whose: "ours" | "reference"): Promise<Prefixes> {
	const folder = ".pi/workflows/release";
	const files: Record<string, string> = {
		[`${folder}/workflow.yaml`]: `name: Release\ncommandName: release\ninitialMessage: 'PERSON starts {workflowName}: {description}'\nphases: [${Array.from({ length: cachePhases }, (_, phase) => `p${phase}.md`).join(", ")}]\n`,
	};
	for (let phase = 0; phase < cachePhases; phase++)
		files[`${folder}/p${phase}.md`] = `---\nid: p${phase}\nname: Phase ${phase}\nemoji: "🔍"\n---\n\n${body}\n`;
	const work = Array.from({ length: cachePhases }, (_, phase) => [
		call("bash", { command: "true" }),
		...(phase === cachePhases / 2 ? [say("MODEL stops.")] : []),
		call("workflow_step", { action: "next" }),
	]).flat();
	const { server, rpc } = await openBench({
		files,
		settings: { retry: { enabled: false } },
		script: ({ users }) =>
			(users.some((text) => text.startsWith("PERSON starts")) ? work.shift() : undefined) ?? say("MODEL answers."),
	});
	const pi = await rpc(whose === "ours" ? {} : { package: referencePackage() });
	for (const word of ["one", "two"]) await pi.run(`PERSON says ${word}. ${body}`);
	const before = server.requests.length;
	await pi.prompt("/workflow release version 1.2");
	await pi.waitUntil("the end", () => server.last().results.some(({ text }) => text.includes("DONE")), 60_000);
	await pi.idle();
	const ended = server.requests.length;
	for (const word of ["three", "four", "five"]) await pi.run(`PERSON says ${word}.`);
	await pi.close();
	const texts = server.requests.map(({ body: { messages, tools } }) => serialized(messages, tools));
	const kept = texts
		.slice(1)
		.map((text, index) => (100 * commonLength(texts[index] ?? "", text)) / (texts[index] ?? "").length);
	return { first: kept[before - 1] ?? Number.NaN, later: kept.slice(before), after: kept[ended - 1] ?? Number.NaN };
}

/** A request in the order in which providers cache it, without the brackets that would end it. */
function serialized(messages: Messages, tools: unknown): string {
	const isSystem = ({ role }: Messages[number]) => role === "system" || role === "developer";
	const parts = [...messages.filter(isSystem), tools ?? [], ...messages.filter((message) => !isSystem(message))];
	return parts.map((part) => JSON.stringify(part)).join("\n");
}

function commonLength(a: string, b: string): number {
	let at = 0;
	while (at < a.length && a[at] === b[at]) at++;
	return at;
}

/** Bytes of each state entry of a run with a thousand phase changes. */
async function stateBytes(): Promise<number[]> {
	const phase = (id: string, name: string) => `---\nid: ${id}\nname: ${name}\nemoji: "🔍"\n---\n\nDo it.\n`;
	const { rpc } = await openBench({
		script: () => say("ok"),
		files: {
			".pi/workflows/release-pipeline/workflow.yaml":
				"name: Release Pipeline\ncommandName: release\nautoContinue: false\ninitialMessage: Start\nphases: [plan.md, {subworkflow: code-review}]\n",
			".pi/workflows/release-pipeline/plan.md": phase("planning", "Planning"),
			".pi/workflows/code-review/workflow.yaml": "name: Code Review\nshow: workflows\nphases: [static.md, manual.md]\n",
			".pi/workflows/code-review/static.md": phase("static-analysis", "Static Analysis"),
			".pi/workflows/code-review/manual.md": phase("manual-review", "Manual Review"),
		},
	});
	const pi = await rpc();
	await pi.prompt(`/workflow release ${"a task that takes more than one line to tell, ".repeat(20)}`);
	await pi.settled();
	await pi.prompt("/workflow pause");
	for (let move = 0; move < moves; move++)
		await pi.prompt(["/workflow skip", "/workflow skip", "/workflow back", "/workflow back"][move % 4] ?? "");
	const file = String((await pi.state()).sessionFile);
	await pi.close();
	const session = readSession(file);
	const sizes = session.customBytes("workflow:state");
	const changes = session
		.custom<{ left?: unknown }>("workflow:state")
		.flatMap(({ left }, index) => (left === undefined ? [] : [sizes[index] ?? Number.NaN]));
	if (changes.length !== moves) throw new Error(`${changes.length} of ${moves} phase changes were kept.`);
	return changes;
}

interface Found {
	readonly loading: number;
	readonly ours: number;
	/** By an array of the whole branch. */
	readonly branch: number;
}

/** Opens a long session in separate processes and finds its state, which is near the end or absent. */
function findState(where: "near" | "none"): Found {
	const folder = mkdtempSync(join(tmpdir(), "bench-workflow-"));
	try {
		const file = join(folder, "session.jsonl");
		writeFileSync(file, sessionLines(where === "near" ? entries - 40 : -1).join("\n"));
		const script = join(import.meta.dirname, "fixtures", "find-state.ts");
		const rounds = Array.from({ length: 7 }, () => {
			const { stdout, stderr, status } = spawnSync(process.execPath, ["--expose-gc", script, file], {
				encoding: "utf8",
			});
			if (status !== 0) throw new Error(stderr);
			const round = JSON.parse(stdout) as Found & { readonly found: boolean };
			if (round.found !== (where === "near")) throw new Error("The state that was found is not the expected one.");
			return round;
		});
		const middle = (key: keyof Found) => median(rounds.map((round) => round[key]));
		return { loading: middle("loading"), ours: middle("ours"), branch: middle("branch") };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function sessionLines(stateAt: number): string[] {
	const timestamp = new Date(0).toISOString();
	const header = { type: "session", version: 3, id: "0b8a4b4e-0000-4000-8000-000000000000", timestamp, cwd: "/" };
	const id = (number: number) => number.toString(16).padStart(8, "0");
	const written = [JSON.stringify(header)];
	for (let number = 1; number <= entries; number++) {
		const base = { id: id(number), parentId: number === 1 ? null : id(number - 1), timestamp };
		const message = { role: "user", content: [{ type: "text", text: `word ${number}` }], timestamp: 0 };
		const state = { type: "custom", ...base, customType: "workflow:state", data: { active: true } };
		written.push(JSON.stringify(number === stateAt ? state : { type: "message", ...base, message }));
	}
	return written;
}
