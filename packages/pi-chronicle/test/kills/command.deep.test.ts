// Kills at each point of a command's life: it never runs twice unasked, and no outcome is lost. Real processes.
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { openProject } from "../harness/index.ts";
import { openModelServer } from "../harness/model-server.ts";
import { patient } from "../harness/patience.ts";
import { chronicle, eventsOf, withTemplates } from "../runs/bench.ts";

const states = (repeatable: boolean) => ({
	test: { command: "echo ran >> runs.txt; exit 3", repeatable, next: { 3: "done", else: "failed" } },
	done: {},
	failed: {},
});

/** Where the supervisor is killed, whether the command has run by then, and whether its outcome is known. */
const points: readonly (readonly [string, "not run" | "in doubt" | "known"])[] = [
	["before attempt_reserved", "not run"],
	["after attempt_reserved", "not run"],
	["before doing run_command", "not run"],
	["before command_started", "not run"],
	["after command_started", "in doubt"],
	["command is over", "in doubt"],
	["before command_ended", "in doubt"],
	["after command_ended", "known"],
	["before moved", "in doubt"],
	["after moved", "known"],
];

it.each(points.flatMap(([point, state]) => [false, true].map((repeatable) => ({ point, state, repeatable }))))(
	"killed $point (repeatable: $repeatable)",
	{ timeout: patient(60_000) },
	async ({ point, state, repeatable }) => {
		const server = await openModelServer(() => "never asked");
		const project = openProject({ server, files: withTemplates({ t: { states: states(repeatable) } }) });
		const first = await chronicle(project, ["run", "t", "x", "--approve-cleanup"], {
			env: { PI_CHRONICLE_CRASH_AT: point },
		});
		expect(first.signal, first.stderr).toBe("SIGKILL");
		let { data } = await chronicle(project, ["resume", "--json"]);
		const isAsked = state === "in doubt" && !repeatable;
		expect(data.status, JSON.stringify(data)).toBe(isAsked ? "asks" : "done");
		if (isAsked) ({ data } = await chronicle(project, ["answer", "run again", "--json"]));
		expect(data.status).toBe("done");
		const ran = existsSync(project.path("runs.txt")) ? readFileSync(project.path("runs.txt"), "utf8") : "";
		const times = ran.split("\n").filter(Boolean).length;
		expect(times).toBeGreaterThanOrEqual(1);
		expect(times).toBeLessThanOrEqual(state === "in doubt" ? 2 : 1);
		const ends = eventsOf(project).filter(({ kind }) => kind === "command_ended");
		expect(ends.at(-1)).toMatchObject({ result: { kind: "exited", code: 3 } });
		expect(server.requests).toHaveLength(0);
	},
);
