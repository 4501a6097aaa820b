// Commands that failures on an engine name: each repeats the options that chose engine and project, so that it works as printed.
import { beforeAll, describe, expect, it } from "vitest";
import { keepForFile } from "../../pi-chronicle/test/harness/lifetime.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { type Cluster, needsPostgres, startPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { type Printed, runNode } from "../../pi-chronicle/test/harness/print.ts";
import { openProject, type Project } from "../../pi-chronicle/test/harness/project.ts";
import { packageUnderTest, piScript } from "../../pi-chronicle/test/harness/under-test.ts";
import { created, id, value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import { connect } from "./connect.ts";
import { storeOf } from "./open-engine.ts";

const short = id.slice(0, 8);
const lookingVerbs = ["list", `status ${short}`, `view ${short}`, `diff ${short}`, `report ${short}`];
const steeringVerbs = ["approve", "reject", "tell", "pause", "resume", "abort", "rewind"].map(
	(verb) => `${verb} ${short}${verb === "rewind" ? " 1" : verb === "approve" || verb === "resume" ? "" : " words"}`,
);
const removingVerbs = [`remove ${short}`, "prune --older-than 0"];
const engineVerbs = ["worker --approve", "status", "limit project app --most 1", "schedule list", "doctor"].map(
	(verb) => `engine ${verb}`,
);
const everyVerb = ["run play words", ...lookingVerbs, ...steeringVerbs, ...removingVerbs, ...engineVerbs];

describe("the command that a failure names", needsPostgres, () => {
	let cluster: Cluster;
	let project: Project;
	const address = (login: string): string => cluster.url.replace("postgres@", `${login}@`);
	const prefix = (login: string): string => `pi-chronicle --engine ${address(login)} --project app `;
	const cli = (args: readonly string[]): Promise<Printed> =>
		runNode(project, [packageUnderTest().cliWithEngine, ...args], {
			env: project.environment({ PI_CHRONICLE_PI: piScript() }),
			timeout: 60_000,
		});
	/** What a verb prints, and each command of this package in it that could be run. */
	const play = async (verb: string, login = "postgres") => {
		const printed = await cli([...verb.split(" "), "--engine", address(login), "--project", "app"]);
		const text = printed.stdout + printed.stderr;
		const commands = text.match(/pi-chronicle (?:--engine \S+ --project app )?(?:engine|run) [^.;…)]*/g) ?? [];
		return { code: printed.code, text, commands: commands.map((command) => command.trim()) };
	};
	/** Runs a command as it was printed. */
	const follow = (command = ""): Promise<Printed> => cli(command.split(" ").slice(1));

	beforeAll(async () => {
		cluster = await startPostgres();
		project = openProject({
			trusted: true,
			git: true,
			files: { ".pi/chronicle/workflows/play.json": { states: { a: { persona: "A" } } } },
		});
	});

	it.concurrent.each(everyVerb)("is whole where there are no tables: %s", { timeout: patient(60_000) }, (verb) =>
		keepForFile(async () => {
			const { code, text, commands } = await play(verb);
			expect(code, text).not.toBe(0);
			expect(text).toContain("The database has no engine yet.");
			expect(commands).toEqual([`${prefix("postgres")}engine init`]);
		}),
	);

	it("works as printed, step by step, until there is a run to be started", { timeout: patient(120_000) }, async () => {
		const first = await play("list");
		expect(await follow(first.commands[0]?.replace(" --project app", ""))).toMatchObject({ code: 0 });
		const second = await play("list");
		expect(second.text).toContain('The engine has no project "app".');
		expect(second.commands).toEqual([`${prefix("postgres")}engine init --project app`]);
		expect(await follow(second.commands[0])).toMatchObject({ code: 0 });
		for (const verb of ["status last", "abort last"]) {
			const { text, commands } = await play(verb);
			expect(text).toContain("There are no runs yet.");
			expect(commands).toEqual([`${prefix("postgres")}run <template> <task> in a shell`]);
		}
	});

	it("is whole for a user who lacks a privilege", { timeout: patient(120_000) }, async () => {
		const database = await connect(cluster.url);
		await database.query("CREATE ROLE bob LOGIN IN ROLE chronicle_reader");
		const outsider = await play("list", "bob");
		expect(outsider.commands).toEqual([`${prefix("bob")}engine init --project app --members bob`]);
		await database.query("INSERT INTO chronicle.access VALUES ('app', 'bob')");
		const store = storeOf(database, "submitted");
		value(await store.create(created()));
		for (const verb of [`abort ${short} words`, ...removingVerbs, "engine drain", "engine limit project app"]) {
			const { code, text, commands } = await play(verb, "bob");
			expect(code, text).not.toBe(0);
			expect(text).toContain("lacks a privilege");
			expect(commands).toEqual([`${prefix("bob")}engine init --project`]);
		}
	});
});
