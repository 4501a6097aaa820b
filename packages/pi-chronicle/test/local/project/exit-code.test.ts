// Exit codes of runs, as documented in docs/commands.md.

import type { RunStatus } from "@pi-chronicle/core/machine";
import type { StoreFailure, SupervisionEnd } from "@pi-chronicle/core/ports";
import { expect, it } from "vitest";
import { exitCodeOfEnd, exitCodeOfFailure } from "../../../src/local/project/watch-run.ts";

const codes: Readonly<Record<RunStatus, number>> = {
	done: 0,
	failed: 1,
	aborted: 1,
	asks: 3,
	awaiting_provider: 3,
	awaiting_approval: 3,
	paused: 3,
	budget_exceeded: 4,
	human_intervention: 5,
	running: 130,
};

it.each(Object.entries(codes))("a supervision that ends with the run %s: %d", (status, code) => {
	expect(exitCodeOfEnd({ kind: "parked", run: { status } } as SupervisionEnd)).toBe(code);
	expect(exitCodeOfEnd({ kind: "released", run: { status } } as SupervisionEnd)).toBe(130);
	expect(exitCodeOfEnd({ kind: "failed", run: { status } } as SupervisionEnd)).toBe(1);
});

const failures: Readonly<Record<StoreFailure["reason"], number>> = {
	exists: 2,
	unknown: 2,
	ambiguous: 2,
	held: 2,
	newer: 2,
	foreign: 2,
	too_long: 2,
	fenced: 1,
	corrupt: 1,
	no_space: 1,
	remote_away: 1,
	database_away: 1,
	io: 1,
};

it.each(Object.entries(failures))("a command that fails because of %s: %d", (reason, code) => {
	expect(exitCodeOfFailure({ reason, message: "m", remedy: "r" })).toBe(code);
});
