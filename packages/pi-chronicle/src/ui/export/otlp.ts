// Sends spans as OpenTelemetry traces, by the OpenTelemetry packages. They are loaded here and nowhere else, and only when somebody exports.
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { errorMessage } from "@pi-chronicle/core/definition";
import type { Result } from "@pi-chronicle/core/ports";
import { globalModules, installCommand } from "../installed-apart.ts";
import type { RunSpan } from "./trace.ts";

/** Types only: a machine that exports nothing has none of them. */
interface Packages {
	readonly api: typeof import("@opentelemetry/api");
	readonly sdk: typeof import("@opentelemetry/sdk-trace");
	readonly exporter: typeof import("@opentelemetry/exporter-trace-otlp-http");
	readonly transformer: typeof import("@opentelemetry/otlp-transformer");
	readonly resources: typeof import("@opentelemetry/resources");
}

/** Each with the version that this is tested with. */
const packageNames: Readonly<Record<keyof Packages, string>> = {
	api: "@opentelemetry/api@1",
	sdk: "@opentelemetry/sdk-trace@3",
	exporter: "@opentelemetry/exporter-trace-otlp-http@0.301",
	transformer: "@opentelemetry/otlp-transformer@0.301",
	resources: "@opentelemetry/resources@3",
};

const errorCode = 2;
const kinds = { internal: 0, client: 2 } as const;

/** Where the packages are looked for: next to this package, in npm's global folder, and in the project `cwd`. */
async function placesOfPackages(cwd: string): Promise<readonly string[]> {
	const modules = await globalModules();
	const folders = [...(modules === undefined ? [] : [modules]), cwd];
	return [import.meta.url, ...folders.map((folder) => pathToFileURL(join(folder, "package.json")).href)];
}

async function loadPackages(places: readonly string[]): Promise<Packages | undefined> {
	for (const from of places) {
		try {
			const { resolve } = createRequire(from);
			const loaded = Object.entries(packageNames).map(async ([key, name]) => [
				key,
				await import(pathToFileURL(resolve(name.replace(/@[^@]*$/, ""))).href),
			]);
			return Object.fromEntries(await Promise.all(loaded)) as Packages;
		} catch {
			// The next place.
		}
	}
	return undefined;
}

/**
 * Sends the spans of run `id` to `target`: the address of a receiver (`http://localhost:4318`, with or without `/v1/traces`), or a file, as
 * OTLP JSON. The trace has the id of the run, so that a second export is the same trace. `places`: file URLs from which the packages are resolved.
 */
export async function sendTrace(
	spans: readonly RunSpan[],
	id: string,
	target: string,
	cwd: string,
	places?: readonly string[],
): Promise<Result<void>> {
	const packages = await loadPackages(places ?? (await placesOfPackages(cwd)));
	if (!packages)
		return {
			ok: false,
			failure: {
				reason: "no_packages",
				message: "The OpenTelemetry packages are not installed.",
				remedy: `Install them with \`${installCommand(Object.values(packageNames))}\`.`,
			},
		};
	try {
		const made = await makeSpans(packages, spans, id);
		if (/^https?:/.test(target)) await postSpans(packages, made, target);
		else
			await writeFile(
				target,
				`${Buffer.from(packages.transformer.JsonTraceSerializer.serializeRequest(made) ?? []).toString()}\n`,
			);
		return { ok: true, value: undefined };
	} catch (error) {
		return {
			ok: false,
			failure: {
				reason: "io",
				message: `The trace was not taken: ${errorMessage(error)}.`,
				remedy: "Check the receiver or the path, then export again.",
			},
		};
	}
}

async function makeSpans(
	{ api, sdk, resources }: Packages,
	spans: readonly RunSpan[],
	id: string,
): Promise<ReadableSpan[]> {
	const memory = new sdk.InMemorySpanExporter();
	const random = new sdk.RandomIdGenerator();
	const provider = new sdk.TracerProvider({
		resource: resources.resourceFromAttributes({ "service.name": "pi-chronicle" }),
		spanProcessors: [new sdk.SimpleSpanProcessor({ exporter: memory })],
		idGenerator: { generateTraceId: () => id.replaceAll("-", ""), generateSpanId: () => random.generateSpanId() },
	});
	const tracer = provider.getTracer("pi-chronicle");
	const started: ReturnType<typeof tracer.startSpan>[] = [];
	for (const { name, kind, parent, from, attributes, failed } of spans) {
		const above = parent === undefined ? undefined : started[parent];
		const context = above ? api.trace.setSpan(api.ROOT_CONTEXT, above) : api.ROOT_CONTEXT;
		const span = tracer.startSpan(
			name,
			{ kind: kinds[kind], startTime: from, attributes, root: parent === undefined },
			context,
		);
		if (failed !== undefined) span.setStatus({ code: errorCode, message: failed });
		started.push(span);
	}
	for (const [index, span] of started.entries()) span.end(spans[index]?.to ?? 0);
	const made = [...memory.getFinishedSpans()];
	await provider.shutdown();
	return made;
}

async function postSpans({ exporter }: Packages, spans: ReadableSpan[], target: string): Promise<void> {
	const url = new URL(target);
	if (!url.pathname.endsWith("/v1/traces")) url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
	const sender = new exporter.OTLPTraceExporter({ url: url.href });
	try {
		await new Promise<void>((resolve, reject) => {
			sender.export(spans, ({ code, error }) =>
				code === 0 ? resolve() : reject(error ?? new Error("no reason given")),
			);
		});
	} finally {
		await sender.shutdown();
	}
}
