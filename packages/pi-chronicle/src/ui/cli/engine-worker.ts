// `engine worker`: runs a host until it is stopped.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Failure } from "@pi-chronicle/core/ports";
import { readSmallFile } from "../../disk/index.ts";
import { namesIn, openCrashPoints } from "../../local/index.ts";
import { exitCodes, findPi, isPiCommand, ownPiSearch, packageVersion } from "../../pi/index.ts";
import { processStart } from "../../process/index.ts";
import { openRedaction } from "../../safety/index.ts";
import { type CommandResponse, misuse, refused } from "../commands/index.ts";
import { openHostNotices } from "../notice-sending/index.ts";
import { dataFolder, type EngineCall, wholeNumber } from "./engine-call.ts";

const usualSlots = 4;

export async function runWorker(call: EngineCall): Promise<CommandResponse> {
	const { engine, database, project, parsed, host: surface, signal } = call;
	const { values } = parsed;
	const read = readWorkerOptions(values);
	if (typeof read === "string") return misuse(read);
	const { slots, lease, format } = read;
	const [odd] = namesIn(values.labels).filter((label) => !engine.isName(label));
	if (odd !== undefined)
		return misuse(`"${odd}" is not a label: up to 40 lower-case letters, digits, - and _. No state could ask for it.`);
	const pi = findPi(ownPiSearch(values.pi));
	if (!isPiCommand(pi)) return refused({ ...pi, exitCode: exitCodes.failed });
	const { cwd: _cwd, trust: _trust, ...place } = { ...project.place, pi };
	const served = await servedProjects(call, place);
	if (!served.ok) return refused({ code: served.failure.reason, ...served.failure });
	const name = values.name ?? hostname();
	const data = dataFolder(place.agentFolder, values.data, name);
	const release = takeFolder(data);
	if (typeof release === "string")
		return refused({ code: "held", message: release, remedy: "Choose another --name or --data." });
	const queues = namesIn(values.queues);
	const all = { queues: queues.length > 0 ? queues : [engine.usualQueue], labels: namesIn(values.labels) };
	const host = engine.openHost(database, {
		...{ name, slots, ...all, projects: served.value.map((one) => one.name), version: packageVersion() },
		...(lease === undefined ? {} : { leaseMs: lease }),
	});
	const report = engine.openHostLog({
		...{ host: name, hostId: host.id, format, redact: openRedaction(process.env) },
		write: (line) => void (format === "text" ? surface.report(line) : process.stderr.write(`${line}\n`)),
	});
	const trust = values.config === undefined ? project.place.trust : "untrusted";
	const notices = openHostNotices({ place: { ...project.place, trust }, folder: data, crashAt: openCrashPoints() });
	for (const problem of notices.problems) report(`Notices: ${problem}`, { level: "warn" });
	const worker = new engine.EngineWorker({
		notices,
		database,
		host,
		projects: served.value,
		...all,
		slots,
		data,
		report,
	});
	try {
		report(
			`${name} takes runs of ${served.value.map((one) => one.name).join(", ")} from ${database.name}, ${slots} at once.`,
		);
		const failure = await workUntil(signal, worker);
		if (failure) {
			report(`${failure.message} ${failure.remedy}`.trim(), { level: "error" });
			return { kind: "silent", exitCode: exitCodes.failed };
		}
	} finally {
		release();
	}
	return { kind: "done", lines: [`${name} has returned all its runs.`], data: { host: name } };
}

/** What the options say; a string is what is wrong with them. */
function readWorkerOptions({ slots: written, lease: seconds, log }: Readonly<Record<string, string>>) {
	const slots = wholeNumber(written) ?? usualSlots;
	const lease = seconds === undefined ? undefined : Number(seconds) * 1000;
	const format = log ?? (process.stderr.isTTY ? "text" : "json");
	if (Number.isNaN(slots)) return "--slots takes a whole number above 0.";
	if (lease !== undefined && !(lease >= 1000)) return "--lease takes a number of seconds, at least 1.";
	if (format !== "json" && format !== "text") return "--log takes json or text.";
	return { slots, lease, format } as const;
}

/** The projects of the worker, which the engine knows and its database user was given. */
async function servedProjects(
	{ engine, database, project, parsed: { values }, setting }: EngineCall,
	place: Parameters<EngineCall["engine"]["readServed"]>[1],
): Promise<ReturnType<EngineCall["engine"]["readServed"]>> {
	const served =
		values.config === undefined
			? await engine.serveHere(project, setting, { setup: values.setup, passes: namesIn(values.env) })
			: engine.readServed(values.config, place);
	if (!served.ok) return served;
	for (const { name } of served.value) {
		const failure = await engine.checkEngineProject(database, name);
		if (failure) return { ok: false, failure };
	}
	return served;
}

/** Drains at the first signal and stops at the second. Gives the reason where the worker stopped by itself. */
async function workUntil(
	signal: AbortSignal,
	worker: { work(): Promise<Failure | undefined>; drain(): void; stop(): void },
): Promise<Failure | undefined> {
	const drain = (): void => {
		worker.drain();
		for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => worker.stop());
	};
	if (signal.aborted) drain();
	else signal.addEventListener("abort", drain, { once: true });
	return worker.work();
}

/** Locks the folder for this process; returns the function that releases it, or the reason for a failure. */
function takeFolder(data: string): (() => void) | string {
	mkdirSync(data, { recursive: true, mode: 0o700 });
	const file = join(data, "worker.pid");
	const [pid = 0, started] = (readSmallFile(file) ?? "").trim().split(" ");
	const other = Number(pid);
	if (other > 0 && other !== process.pid && started !== undefined && processStart(other) === started)
		return `Another worker (pid ${other}) uses ${data}.`;
	writeFileSync(file, `${process.pid} ${processStart(process.pid) ?? ""}\n`);
	return () => rmSync(file, { force: true });
}
