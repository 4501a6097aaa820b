// The values of `approve --choice`: completion offers exactly the values that are accepted.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "@pi-chronicle/core/machine";
import { describe, expect, it } from "vitest";
import type { Project } from "../../../src/local/index.ts";
import { supervise } from "../../../src/local/supervisor/index.ts";
import { answerChoices } from "../../../src/ui/commands/answer-choices.ts";
import { commands, completeLine } from "../../../src/ui/commands/index.ts";
import { approveCommand } from "../../../src/ui/commands/run-command.ts";
import { moveTo, type Play } from "../../local/supervisor/scripted-launcher.ts";
import { openStage } from "../../local/supervisor/stage.ts";

const writes =
	(file: string): Play =>
	async (host, order, ended) => {
		writeFileSync(join(order.cwd, file), `${Math.random()}\n`);
		await moveTo("done")(host, order, ended);
	};
const choose: Play = async (host, order, ended) => {
	const { enum: names = [] } = (order.output as { properties: { winner: { enum?: string[] } } }).properties.winner;
	await host.requestMove("after", "Smaller.", { winner: names[0] });
	await ended;
};
const part = { run: { states: { work: { persona: "Builder", next: ["done"] } } } };
const judged = (build: object) => ({
	name: "t",
	states: {
		build: { ...build, take: "one", next: ["judge"] },
		judge: { persona: "Judge", requires_approval: true, next: ["after", "build"] },
		after: { next: [] },
	},
});

/** A run that asks, and the completions of a line about it, without the line's beginning. */
async function asked(definition: object, plays: Play[], list?: readonly string[]) {
	const stage = openStage(plays);
	const held = await stage.create(definition);
	if (list) await held.append([updated(list)], "durable");
	const run = list
		? await stage.store.read(held.run.id).then((read) => (read.ok ? read.value.run : held.run))
		: held.run;
	const { run: parked } = await supervise({ ...held, run }, stage.ports, "fresh").ended;
	const project = { store: stage.store, clock: stage.ports.clock, templates: () => ({ templates: new Map() }) };
	const complete = async (line: string): Promise<string[] | undefined> => {
		const found = await completeLine(project as unknown as Project, line, {
			listed: commands.map(({ name }) => ({ name, about: "" })),
			templates: () => [],
			commands,
			takesTemplate: new Set(),
			startsByName: false,
			supervised: [],
		});
		return found?.map(({ value }) => value.slice(line.length - (/\S*$/.exec(line)?.[0].length ?? 0)));
	};
	return { run: parked, complete };
}

const updated = (list: readonly string[]) => ({
	...({ kind: "snapshot_updated", visit: 1, attempt: 1, by: "person" } as const),
	data: { findings: [{ key: "list", text: JSON.stringify(list) }] },
});

describe("a question about one of several children", () => {
	const definition = judged({
		branches: { small: { ...part, task: "a" }, clean: { ...part, task: "b" } },
		max_parallel: 1,
	});
	const plays = () => [writes("a"), writes("b"), choose];

	it("completes the names after --choice, with and without the run's name", async () => {
		const { run, complete } = await asked(definition, plays());
		const id = run.id.slice(0, 8);
		expect(await complete("approve --choice ")).toEqual(["small", "clean"]);
		expect(await complete(`approve ${id} --choice c`)).toEqual(["clean"]);
		expect(await complete("approve last --choice s")).toEqual(["small"]);
		expect(await complete("approve --choice=")).toEqual(["--choice=small", "--choice=clean"]);
		expect(await complete("approve --choice = sm")).toEqual(["small"]);
		expect(await complete("approve --choice clean")).toBeUndefined();
		expect(await complete("reject --choice ")).toBeUndefined();
	});

	it("completes the beginning of the id if a name has spaces, and accepts it", async () => {
		const { run, complete } = await asked(
			judged({ run: part.run, for_each: "list", max_parallel: 1 }),
			[writes("a"), writes("b"), choose],
			["the first way", "the second way"],
		);
		const [, second] = run.candidates?.group.children ?? [];
		const words = await complete("approve --choice ");
		expect(words).toEqual(run.candidates?.group.children.map(({ id }) => id.slice(0, 8)));
		expect(answerChoices(run)[1]?.about).toMatch(/^build 2: the second way, 1 file \+1 −0$/);
		expect(approveCommand(run, "", words?.[1])).toMatchObject({ approval: { winner: second?.name } });
		expect(approveCommand(run, "", second?.id)).toMatchObject({ approval: { winner: second?.name } });
		expect(approveCommand(run, "", second?.name)).toMatchObject({ approval: { winner: second?.name } });
		expect(approveCommand(run, "", second?.id.slice(0, 3))).toMatchObject({ kind: "refused" });
		expect(approveCommand(run, "", "0000")).toMatchObject({ kind: "refused" });
	});
});

it("a question about conflicts completes who resolves them; other runs complete nothing", async () => {
	const same = (name: string) => ({ ...part, task: name });
	const branches = { one: same("one"), two: same("two") };
	const { run, complete } = await asked({ name: "t", states: { build: { branches, next: ["done"] } } }, [
		writes("same"),
		writes("same"),
	]);
	expect(await complete("approve --choice ")).toEqual(["ours", "theirs", "worker", "hand"]);
	for (const { word } of answerChoices(run)) expect(approveCommand(run, "", word)).toMatchObject({ kind: "answer" });
	const done = await asked({ name: "t", states: { work: { persona: "P", next: ["done"] } } }, [moveTo("done")]);
	expect(await done.complete("approve --choice ")).toBeUndefined();
	expect(answerChoices(done.run as Run)).toEqual([]);
});
