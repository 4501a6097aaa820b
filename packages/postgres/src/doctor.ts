// Checks everything that a host of an engine needs, and reports what is missing.

import { mkdir } from "node:fs/promises";
import { errorMessage } from "@pi-chronicle/core/definition";
import type { Project } from "pi-chronicle/local";
import {
	commitTree,
	exactTime,
	explainGit,
	freeBytes,
	gitText,
	listModels,
	runGit,
	shortTime,
} from "pi-chronicle/local";
import type { Database } from "./database.ts";
import { databaseFailure, isOutage } from "./database-failure.ts";
import { remoteOf } from "./engine-project.ts";
import { OWNER, ROLES, readLogin } from "./rights.ts";
import { checkVersion } from "./schema.ts";

export interface CheckResult {
	readonly what: string;
	readonly ok: boolean;
	readonly text: string;
}

const minFree = 2_000_000_000;

const maxSkewMs = 5000;

/** Checks database, role, clock, git remote, pi, models and disk, one after another. `data`: where working folders will be. */
export async function examine(database: Database, project: Project, data: string): Promise<readonly CheckResult[]> {
	const usable = await check("database", () => explained(database, checkDatabase(database)));
	return [
		usable,
		...(usable.ok ? [await check("role", () => explained(database, checkLogin(database)))] : []),
		await check("clock", () => explained(database, checkClock(database))),
		await check("git remote", () => checkRemote(project.place.cwd)),
		await check("pi and models", async () => {
			const { pi, cwd, env = process.env } = project.place;
			const models = await (project.place.models ?? (() => listModels(pi, cwd, env, [])))();
			if (models.length === 0) throw new Error("pi has no usable model: log in, or set the provider's key.");
			return `pi ${pi.version ?? ""}, ${models.length} models`;
		}),
		await check("disk", async () => {
			await mkdir(data, { recursive: true, mode: 0o700 });
			const free = await freeBytes(data);
			if (free < minFree) throw new Error(`${data} has ${Math.round(free / 1e6)} MB left.`);
			return `${Math.round(free / 1e9)} GB free in ${data}`;
		}),
	];
}

async function check(what: string, work: () => Promise<string>): Promise<CheckResult> {
	try {
		return { what, ok: true, text: await work() };
	} catch (error) {
		return { what, ok: false, text: errorMessage(error) };
	}
}

/** The result of `work`, with the errors of the database explained. */
async function explained<T>(database: Database, work: Promise<T>): Promise<T> {
	return work.catch((error: Error & { code?: string }) => {
		if (error.code === undefined && !isOutage(error)) throw error;
		const { message, remedy } = databaseFailure(error, database);
		throw new Error(`${message} ${remedy}`);
	});
}

async function checkDatabase(database: Database): Promise<string> {
	const began = performance.now();
	const wrong = await checkVersion(database);
	if (wrong) throw new Error(`${wrong.message} ${wrong.remedy}`);
	await database.boss();
	const { rows } = await database.query<{ version: string }>("SELECT current_setting('server_version') AS version");
	return `Postgres ${rows[0]?.version} at ${database.name}, ${exactTime(performance.now() - began)}`;
}

async function checkLogin(database: Database): Promise<string> {
	const { login, roles, projects } = await readLogin(database);
	const [least] = ROLES;
	if (roles.length === 0)
		throw new Error(`${login} has no role of the engine: as its owner, GRANT ${least} (or another role) TO ${login}.`);
	const served = projects.length > 0 ? projects.join(", ") : "none";
	return `${login} is ${roles.join(", ")}; ${roles.includes(OWNER) ? "it sees all projects" : `its projects: ${served}`}`;
}

/** Leases and schedules follow the database's clock, but this host dates the events of the runs that it has. */
async function checkClock(database: Database): Promise<string> {
	const before = Date.now();
	const text = "SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms";
	const { rows } = await database.query<{ ms: number }>(text);
	const after = Date.now();
	const ms = (before + after) / 2 - (rows[0]?.ms ?? before);
	const skew = `${shortTime(Math.abs(ms))} ${ms < 0 ? "behind" : "ahead of"} the database's`;
	if (Math.abs(ms) > maxSkewMs + (after - before)) throw new Error(`${skew}: synchronize both, for example with NTP.`);
	return skew;
}

/** Pushes a ref to the remote and deletes it again: read access does not prove write access. */
async function checkRemote(cwd: string): Promise<string> {
	const remote = await remoteOf(cwd);
	if (!remote.ok) throw new Error(`${remote.failure.message} ${remote.failure.remedy}`);
	const asked = await runGit({ args: ["rev-parse", "--absolute-git-dir"], cwd });
	if (asked.kind !== "done") throw new Error(explainGit(asked));
	const place = { gitDir: asked.output.toString("utf8").trim(), cwd };
	const ref = `refs/chronicle/doctor/${process.pid}-${Date.now()}`;
	const object = await gitText(place, ["hash-object", "-w", "--stdin"], Buffer.from("pi-chronicle engine doctor\n"));
	const tree = await gitText(place, ["mktree"], Buffer.from(`100644 blob ${object}\tdoctor\n`));
	const commit = await commitTree(place, tree, [], "pi-chronicle engine doctor\n");
	await gitText(place, ["push", "-q", "--no-verify", remote.value, `${commit}:${ref}`]);
	await gitText(place, ["push", "-q", "--no-verify", remote.value, `:${ref}`]);
	return `${remote.value.replace(/\/\/[^@/]*@/, "//")} takes refs/chronicle`;
}
