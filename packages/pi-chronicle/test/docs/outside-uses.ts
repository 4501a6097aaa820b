// Who uses the documents about what runs tell to other programs, and about other packages: the receivers, and the result that each document promises.
import { createHmac } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect } from "vitest";
import { call, checkout } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { openReceiver, type Receiver } from "../ui/notice-sending/receiver.ts";
import type { DocumentProject } from "./document-project.ts";
import type { Use } from "./follow.ts";
import { errorsOf, inState, move, parts, turns, write } from "./use-parts.ts";

let receiver: Receiver;
const port = () => new URL(receiver.url).port;

interface OtlpSpan {
	readonly name: string;
	readonly traceId: string;
	readonly spanId: string;
	readonly parentSpanId?: string;
	readonly startTimeUnixNano: string;
	readonly endTimeUnixNano: string;
	readonly attributes: readonly { readonly key: string }[];
}

function spansOf(body: string): readonly OtlpSpan[] {
	const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[] };
	return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

const checked = { persona: "Builder", next: ["check"] };

const traces: Use = {
	document: "docs/traces.md",
	files: {
		".pi/chronicle/workflows/note.json": {
			states: { write: checked, check: { command: "test -s note.txt", next: ["done", "failed"] } },
		},
	},
	script: parts([inState("write"), [write("note.txt"), move("check")]]),
	// The receivers of the document, on a free port of this machine.
	fill: { "localhost:4318": "127.0.0.1:$OTLP_PORT", "https://cloud.langfuse.com": "http://127.0.0.1:$OTLP_PORT" },
	async env() {
		receiver = await openReceiver((response) =>
			response.writeHead(200, { "content-type": "application/json" }).end("{}"),
		);
		return { OTLP_PORT: port(), LANGFUSE_PUBLIC_KEY: "pk-lf-1", LANGFUSE_SECRET_KEY: "sk-lf-2" };
	},
	async before(at) {
		const ran = await at.run("pi-chronicle run --approve --approve-cleanup note Write a note");
		expect(ran.code, ran.printed).toBe(0);
	},
	async result({ project }) {
		const [jaeger, langfuse] = receiver.received;
		expect(receiver.received.map(({ path }) => path)).toEqual(["/v1/traces", "/api/public/otel/v1/traces"]);
		const keys = Buffer.from("pk-lf-1:sk-lf-2").toString("base64");
		expect([jaeger?.headers.authorization, langfuse?.headers.authorization]).toEqual([undefined, `Basic ${keys}`]);
		expect(langfuse?.headers["x-langfuse-ingestion-version"]).toBe("4");
		const spans = spansOf(jaeger?.body ?? "");
		for (const body of [langfuse?.body ?? "", project.read("trace.json")])
			expect(spansOf(body).map(({ name }) => name)).toEqual(spans.map(({ name }) => name));
		const ids = new Set(spans.map(({ spanId }) => spanId));
		expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
		for (const { traceId, spanId, parentSpanId, name, ...times } of spans) {
			expect([traceId, spanId]).toEqual([
				expect.stringMatching(/^[0-9a-f]{32}$/),
				expect.stringMatching(/^[0-9a-f]{16}$/),
			]);
			expect(parentSpanId === undefined || ids.has(parentSpanId), name).toBe(true);
			expect(BigInt(times.endTimeUnixNano) >= BigInt(times.startTimeUnixNano), name).toBe(true);
		}
		expectTable(spans);
	},
};

/** The document's table has the attributes of each kind of span that was received. */
function expectTable(spans: readonly OtlpSpan[]): void {
	const rows = readFileSync(join(checkout, "docs/traces.md"), "utf8").matchAll(/^\| `(\w+) <[^|]*\|[^|]*\|(.*)\|$/gm);
	for (const [, kind = "", cell = ""] of rows) {
		const own = spans.filter(({ name }) => name.startsWith(`${kind} `));
		const received = new Set(own.flatMap(({ attributes }) => attributes.map(({ key }) => key)));
		const told = [...cell.replace(/;.*/, "").matchAll(/`([^`]+)`/g)].map(([, name]) => name);
		expect(told.sort(), kind).toEqual([...received].sort());
	}
}

/** A program of the user's machine that keeps what it is told. */
function program(at: DocumentProject, name: string): void {
	const file = at.project.path(`../${name}.told`);
	const keep = `#!${process.execPath}\nconst fs = require("node:fs");\nfs.appendFileSync(${JSON.stringify(file)}, fs.readFileSync(0, "utf8") + process.argv.slice(2).join(" ") + "\\n");\n`;
	writeFileSync(join(programs(at), name), keep, { mode: 0o755 });
}

/** The first folder of the user's PATH. */
function programs({ env }: DocumentProject): string {
	const [folder = ""] = (env.PATH ?? "").split(delimiter);
	mkdirSync(folder, { recursive: true });
	return folder;
}

const notices: Use = {
	document: "docs/notices.md",
	files: {
		".pi/chronicle/workflows/plan.json": {
			states: { plan: { persona: "Planner", next: ["done"], requires_approval: true } },
		},
	},
	script: parts([inState("plan"), [move("done", "Two steps are planned.")]]),
	fill: { "https://hooks.example.com/run": "env:HOOK_URL" },
	async env() {
		receiver = await openReceiver();
		return { HOOK_URL: receiver.url, HOOK_SECRET: "s3cret" };
	},
	async before(at) {
		for (const name of ["notify-phone", "notify-send"]) program(at, name);
		// The user has trusted the project in pi.
		const trust = join(at.project.home, ".pi", "agent", "trust.json");
		const known = existsSync(trust) ? (JSON.parse(readFileSync(trust, "utf8")) as object) : {};
		writeFileSync(trust, JSON.stringify({ ...known, [at.project.folder]: true }));
	},
	async result(at) {
		const told = (name: string) => at.project.read(`../${name}.told`);
		const before = receiver.received.length;
		expect([before, told("notify-phone").trim().endsWith("--urgent")]).toEqual([1, true]);
		expect((await at.run("pi-chronicle run plan Plan it")).code).toBe(3);
		await expect.poll(() => receiver.received.length, { timeout: patient(20_000) }).toBe(before + 1);
		await expect.poll(() => told("notify-phone"), { timeout: patient(20_000) }).toContain('"kind":"approval"');
		await expect.poll(() => told("notify-send"), { timeout: patient(20_000) }).toContain("asks for your approval");
		const { headers, body = "" } = receiver.received.at(-1) ?? {};
		const signature = createHmac("sha256", "s3cret").update(body).digest("hex");
		expect(headers?.["x-chronicle-signature-256"]).toBe(`sha256=${signature}`);
		const { commands, kind } = JSON.parse(body) as { commands: string[]; kind: string };
		expect(kind).toBe("approval");
		const [first = ""] = commands;
		const answered = await at.run(first);
		expect(answered.code, `${first}\n${answered.printed}`).toBe(0);
		const late = await at.run(first);
		expect([late.code, late.printed]).toEqual([2, expect.stringContaining("from the command line first")]);
	},
};

/** A package of somebody else, with tools that look something up, and one that starts agents. */
const foreign = `export default (pi) => {
	for (const name of ["read_symbol", "jira_get", "my_agents", "move_symbol"])
		pi.registerTool({
			name,
			label: name,
			description: "A tool of another package.",
			parameters: { type: "object", properties: { path: { type: "string" } }, additionalProperties: true },
			execute: async () => ({ content: [{ type: "text", text: name + " ran" }], details: {} }),
		});
};
`;

const neighbors: Use = {
	document: "docs/neighbors.md",
	files: { "src/a.txt": "a\n" },
	script: turns([
		/Look around/,
		["read_symbol", "jira_get", "my_agents", "move_symbol"].map((name) => call(name, { path: "src/a.txt" })),
	]),
	async result(at) {
		const agent = join(at.project.home, ".pi", "agent");
		const settings = join(agent, "settings.json");
		const before = readFileSync(settings, "utf8");
		const extension = join(agent, "foreign.mjs");
		writeFileSync(extension, foreign);
		const shown = JSON.parse(at.project.read("settings.json")) as object;
		const own = JSON.parse(before) as { extensions?: string[] };
		const extensions = [...(own.extensions ?? []), extension];
		writeFileSync(settings, JSON.stringify({ ...own, ...shown, extensions }));
		try {
			await at.type(["/readonly on"]);
			expect(await errorsOf(at, "Look around")).toEqual([false, false, true, true]);
		} finally {
			writeFileSync(settings, before);
		}
	},
};

export const outsideUses: readonly Use[] = [traces, notices, neighbors];
