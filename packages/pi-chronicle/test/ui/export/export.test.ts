// A run exported to a real receiver of OTLP over HTTP, to a file, and as CSV.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { RunHistory } from "@pi-chronicle/core/history";
import { type LedgerEvent, NO_SPEND } from "@pi-chronicle/core/machine";
import { expect, it } from "vitest";
import { definition, go, open, start } from "../../../../core/test/machine/test-run.ts";
import { visitsCsv } from "../../../src/ui/export/csv.ts";
import { sendTrace } from "../../../src/ui/export/otlp.ts";
import { spansOf } from "../../../src/ui/export/trace.ts";
import { closeLater } from "../../harness/lifetime.ts";
import { needs } from "../../harness/needs.ts";
import { openReceiver } from "../notice-sending/receiver.ts";

const hasPackages = existsSync(
	fileURLToPath(new URL("../../../../../node_modules/@opentelemetry/sdk-trace", import.meta.url)),
);
const needsPackages = needs("the OpenTelemetry packages", hasPackages);

const worker = { visit: 1, attempt: 1 };
const spend = { ...NO_SPEND, tokens: 150, input: 100, output: 20, cacheRead: 30, costUsd: 0.25 };

function playedRun() {
	const states = { plan: { persona: "A", next: ["build"] }, build: { persona: "B", next: ["done"] } };
	return go(
		start(open(definition(states)))
			.say({ kind: "used", ...worker, spend, requests: 1 })
			.say({ kind: "tool_started", ...worker, call: "c1", tool: "bash", args: "{}" })
			.say({ kind: "tool_ended", ...worker, call: "c1", tool: "bash", ms: 5, bytes: 3, hash: "h", error: true }),
		"build",
		'Planned, "twice"',
	);
}

async function* each(events: readonly LedgerEvent[]): AsyncGenerator<LedgerEvent> {
	yield* events;
}

interface OtlpSpan {
	readonly traceId: string;
	readonly spanId: string;
	readonly parentSpanId?: string;
	readonly name: string;
	readonly kind: number;
	readonly startTimeUnixNano: string;
	readonly endTimeUnixNano: string;
	readonly status: { readonly code: number };
	readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

function spansIn(text: string): readonly OtlpSpan[] {
	const { resourceSpans } = JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[] };
	return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

/** `chronicle t > visit 1 plan`: its name below those of its parents. */
function pathOf(span: OtlpSpan, all: readonly OtlpSpan[]): string {
	const parent = all.find(({ spanId }) => spanId === span.parentSpanId);
	return parent ? `${pathOf(parent, all)} > ${span.name}` : span.name;
}

function attribute({ attributes }: OtlpSpan, key: string): unknown {
	return Object.values(attributes.find((one) => one.key === key)?.value ?? {})[0];
}

it("is one trace with the names of the GenAI conventions, at a receiver and in a file", needsPackages, async () => {
	const { events, run } = playedRun();
	const spans = await spansOf(each(events));
	const receiver = await openReceiver((response) =>
		response.writeHead(200, { "content-type": "application/json" }).end("{}"),
	);
	expect(await sendTrace(spans, run.id, receiver.url.replace("/hook", ""), tmpdir())).toEqual({
		ok: true,
		value: undefined,
	});
	expect(receiver.received.map(({ path }) => path)).toEqual(["/v1/traces"]);
	const sent = spansIn(receiver.received[0]?.body ?? "");
	const attempt = "chronicle t > visit 1 plan > invoke_agent plan";
	expect(sent.map((span) => pathOf(span, sent)).sort()).toEqual(
		[
			"chronicle t",
			"chronicle t > visit 1 plan",
			"chronicle t > visit 2 build",
			"chronicle t > visit 2 build > invoke_agent build",
			attempt,
			`${attempt} > chat m`,
			`${attempt} > execute_tool bash`,
		].sort(),
	);
	expect(new Set(sent.map(({ traceId }) => traceId))).toEqual(new Set([run.id.replaceAll("-", "")]));
	const chat = sent.find(({ name }) => name === "chat m");
	expect([
		chat?.kind,
		chat && attribute(chat, "gen_ai.operation.name"),
		chat && attribute(chat, "gen_ai.usage.input_tokens"),
		chat && attribute(chat, "gen_ai.provider.name"),
	]).toEqual([3, "chat", 130, "m"]);
	expect(sent.find(({ name }) => name === "execute_tool bash")?.status.code).toBe(2);
	for (const { startTimeUnixNano: from, endTimeUnixNano: to } of sent) expect(BigInt(to) >= BigInt(from)).toBe(true);

	const folder = mkdtempSync(join(tmpdir(), "otlp-"));
	closeLater(() => rmSync(folder, { recursive: true, force: true }));
	const file = join(folder, "trace.json");
	expect((await sendTrace(spans, run.id, file, folder)).ok).toBe(true);
	expect(
		spansIn(readFileSync(file, "utf8"))
			.map(({ name }) => name)
			.sort(),
	).toEqual(sent.map(({ name }) => name).sort());
});

it("names a command by its line, and not an agent", async () => {
	const run = open(definition({ test: { command: "{tests}", next: ["fix"] }, fix: { persona: "F", next: ["test"] } }));
	run.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: "1".repeat(40) });
	const launch = { visit: 1, attempt: run.run.attempt, launch: run.run.launch };
	run.say({ kind: "command_started", ...launch, command: "npm test", file: "/f.log" });
	run.wait(900).say({ kind: "command_ended", ...launch, result: { kind: "timed_out" }, ms: 900, bytes: 0 });
	const span = (await spansOf(each(run.events))).find(({ name }) => name === "run_command test");
	expect(span).toMatchObject({
		attributes: { "process.command_line": "npm test", "chronicle.end": "timed_out" },
		failed: "took too long and was stopped",
	});
	expect(span && span.to - span.from).toBe(900);
	expect(Object.keys(span?.attributes ?? {}).filter((key) => key.startsWith("gen_ai."))).toEqual([]);
});

it("says that a receiver does not take it", needsPackages, async () => {
	const receiver = await openReceiver((response) => response.writeHead(400).end("no"));
	const { events, run } = playedRun();
	const sent = await sendTrace(await spansOf(each(events)), run.id, receiver.url, tmpdir());
	expect(sent).toMatchObject({ ok: false, failure: { message: expect.stringContaining("The trace was not taken") } });
});

it("without the packages names the one command that installs them, in the versions that are tested", async () => {
	const nowhere = mkdtempSync(join(tmpdir(), "otlp-none-"));
	closeLater(() => rmSync(nowhere, { recursive: true, force: true }));
	const { events, run } = playedRun();
	const sent = await sendTrace(await spansOf(each(events)), run.id, "http://127.0.0.1:1", nowhere, [
		pathToFileURL(join(nowhere, "package.json")).href,
	]);
	const { remedy = "" } = sent.ok ? {} : sent.failure;
	const [, command = ""] = /^Install them with `npm install (?:-g|--prefix '[^']+') (.+)`\.$/.exec(remedy) ?? [];
	const manifest = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
		devDependencies: Record<string, string>;
	};
	const tested = Object.entries(manifest.devDependencies).filter(([name]) => name.startsWith("@opentelemetry/"));
	const named = command.split(" ").map((one) => one.split(/@(?=[^@/]+$)/) as [string, string]);
	expect(named.map(([name]) => name).sort()).toEqual(tested.map(([name]) => name).sort());
	for (const [name, version] of tested)
		expect(`${version}.`, name).toMatch(new RegExp(`^${named.find(([one]) => one === name)?.[1]}\\.`));
});

it("as CSV has one line for each visit, and no text that a spreadsheet takes for a formula", () => {
	const history = new RunHistory();
	for (const event of playedRun().events) history.take(event);
	const [head = "", first = "", second = ""] = visitsCsv(
		history.visits.map((visit) => (visit.number === 2 ? { ...visit, summary: "=1+1" } : visit)),
	);
	expect(head.split(",").slice(0, 3)).toEqual(["visit", "state", "began"]);
	expect(first).toMatch(/^1,plan,2030-.*,150,100,20,30,0,0\.25,0,build,worker,false,"Planned, ""twice"""$/);
	expect(second).toMatch(/^2,build,.*,'=1\+1$/);
});
