// A server in this process over ledgers that a test makes, without a run.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { LedgerEvent, UserEvent } from "@pi-chronicle/core/machine";
import type { LedgerEntry, Post } from "@pi-chronicle/core/ports";
import { openProject, type Project } from "../../../src/local/index.ts";
import { noSupervisors, servePage } from "../../../src/ui/serve/index.ts";
import { openFolder } from "../../harness/index.ts";
import { closeLater } from "../../harness/lifetime.ts";
import { within } from "../../harness/patience.ts";
import { ledgerOf } from "../report/ledgers.ts";
import { Visitor } from "./page-bench.ts";

export interface Shown {
	readonly visitor: Visitor;
	readonly origin: string;
	readonly port: number;
	/** Address of the run's page. */
	readonly run: string;
	links(name: string): readonly string[];
	readonly project: Project;
	/** What was posted to the run. */
	readonly posted: UserEvent[];
	/** Replaces the events of the run. */
	show(events: readonly LedgerEvent[]): void;
	/** Removes the run. */
	remove(): void;
	/** Resolves once the server has had time to see what changed. */
	seen(): Promise<void>;
	signIn(): Promise<Visitor>;
}

/** Serves a run with these events, and `copies` further ones of it in the list. */
export async function serveRun(
	events: readonly LedgerEvent[],
	{ readOnly = false, copies = 0, proxies = [] }: { readOnly?: boolean; copies?: number; proxies?: string[] } = {},
): Promise<Shown> {
	const cwd = openFolder();
	const pi = { command: "no-pi", args: [], version: undefined };
	const opened = openProject({ cwd, home: cwd, agentFolder: `${cwd}/agent`, trust: "trusted", pi, env: {} });
	let now = ledgerOf(events, { folder: cwd });
	const posted: UserEvent[] = [];
	let isRemoved = false;
	const gone = { reason: "unknown", message: "It may have been removed.", remedy: "" } as const;
	const post: Post = { state: async () => ({ kind: "waiting" }), withdraw: async () => true };
	const entry = (id: string): LedgerEntry => ({
		...{ kind: "run", id, holder: undefined },
		summary: {
			...{ template: now.run.template.name, task: now.run.task, status: now.run.status, state: now.run.state },
			...{ updatedAt: now.run.updatedAt, costUsd: now.run.totals.costUsd, tokens: now.run.totals.tokens },
		},
	});
	const { id } = now.run;
	const ids = [id, ...Array.from({ length: copies }, (_, at) => `${String(at).padStart(8, "0")}${id.slice(8)}`)];
	const project = {
		...opened,
		store: {
			...opened.store,
			read: async () => (isRemoved ? { ok: false as const, failure: gone } : { ok: true as const, value: now }),
			recent: async () => ids.map(entry),
			list: async () => ids.map(entry),
			ids: async () => ids,
			entry: async (one: string) => entry(one),
			find: async () => ({ ok: true as const, value: id }),
			post: async (_id: string, event: UserEvent) => {
				posted.push(event);
				return { ok: true as const, value: post };
			},
		},
	};
	const server = await servePage({
		...{ projects: [{ key: "shop", project }], host: "127.0.0.1", port: 0, proxies, readOnly },
		...{ supervisors: noSupervisors, redact: (text: string) => text, prefix: "pi-chronicle " },
	});
	closeLater(async () => {
		await server.close();
		// A page that is being made uses the folder.
		await sleep(within(500));
	});
	mkdirSync(opened.sessions, { recursive: true });
	const log = join(opened.sessions, `${id}.events.jsonl`);
	writeFileSync(log, "0");
	const link = server.links("first").at(-1) ?? "";
	const { origin, port } = new URL(link);
	const visitor = new Visitor(origin);
	return {
		...{ visitor, origin, port: Number(port), run: `/p/shop/r/${id}`, posted, project },
		links: (name) => server.links(name),
		show(next) {
			now = ledgerOf(next, { folder: cwd });
			writeFileSync(log, String(now.run.seq));
		},
		remove() {
			isRemoved = true;
			rmSync(log);
		},
		seen: () => sleep(within(600)),
		async signIn() {
			await visitor.signIn(link);
			return visitor;
		},
	};
}
