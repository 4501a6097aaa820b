// The page of settings is complete: it has each setting and variable that another page shows, and each default setting of runs. Each of its rows
// has a test that sets it as the page says and sees its effect.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { settingNames, settingsExamination } from "../../src/tools/doctor/settings.ts";
import { deepIt } from "../harness/deep-it.ts";
import {
	checkout,
	fail,
	fixtureExtension,
	openBench,
	openFolder,
	type Project,
	packageUnderTest,
	type Script,
} from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { branch, chronicle, eventsOf, ledgerOf, move, type Said, withTemplates } from "../runs/bench.ts";

const folder = join(checkout, "docs");
const page = (name: string): string => readFileSync(join(folder, name), "utf8");
const others = readdirSync(folder)
	.filter((name) => name.endsWith(".md") && name !== "settings.md")
	.map((name) => page(name))
	.join("\n");
const rows = page("settings.md")
	.split("\n")
	.filter((line) => line.startsWith("| `"));
const named = new Set(
	rows.flatMap((row) => [...(row.split(" | ")[0] ?? "").matchAll(/`(\w+)/g)].map(([, name]) => name)),
);

it("the page of settings has each setting that a page shows as JSON", () => {
	const shown = [...others.matchAll(/```json file=[^\n]*settings\.json\n([\s\S]*?)```/g)].flatMap(([, text = ""]) =>
		Object.keys((JSON.parse(text) as { chronicle?: object }).chronicle ?? {}),
	);
	expect(shown.length).toBeGreaterThan(5);
	expect(shown.filter((name) => !named.has(name))).toEqual([]);
});

it("the page of settings has each variable of the environment that a page names for the user to set", () => {
	const set = [...others.matchAll(/\b(?:PI_)?CHRONICLE_[A-Z]+\b/g)].map(([name]) => name);
	const ours = /^PI_CHRONICLE_(RUN|NOTICE)/;
	expect(set.length).toBeGreaterThan(5);
	expect(set.filter((name) => !ours.test(name) && !named.has(name))).toEqual([]);
});

it("doctor knows each setting of the page, and names any other one with the one that is meant", async () => {
	const settings = [...named].filter((name) => name !== undefined && !/^[A-Z]/.test(name));
	expect([...settingNames].sort()).toEqual(settings.toSorted());
	const written = Object.fromEntries(settingNames.map((name) => [`${name}x`, true]));
	const folder = openFolder({
		"agent/settings.json": { chronicle: { ...written, maxWorkers: 0, standby: 3 } },
		"project/.pi/settings.json": { chronicle: { bell: true } },
	});
	const place = { cwd: join(folder, "project"), agentFolder: join(folder, "agent"), trust: "trusted" };
	const found = await settingsExamination({ place } as never).examine(new AbortController().signal);
	const texts = [found].flat().map(({ text }) => text);
	for (const name of settingNames)
		expect(texts).toContainEqual(
			expect.stringMatching(new RegExp(`settings\\.json, .${name}x. below .*Did you mean .${name}.\\?`)),
		);
	expect(texts).toContainEqual(expect.stringContaining("`maxWorkers` is no number from 1 to 1000, so 8 is used."));
	expect(texts).toHaveLength(settingNames.length + 1);
});

/** The test that sets each setting and variable of the page and sees its effect: a file and words of its title. */
const effects: Readonly<Record<string, readonly [file: string, title: string]>> = {
	proposals: ["tools/plan/proposals.deep.test.ts", "asks before an existing template starts"],
	startUnasked: ["tools/plan/proposals.deep.test.ts", "starts a template that the setting names without a question"],
	bell: ["ui/notice-sending/runs.deep.test.ts", "rings the bell and sets the title in pi, unless the setting is off"],
	notify: ["ui/notice-sending/runs.deep.test.ts", "notify test sends one to each channel and says what came back"],
	engine: ["local/project/engine-setting.test.ts", "engineSetting"],
	workflow: ["workflow/auto-continue.test.ts", "the number of reminders and the countdown can be set"],
	watchdog: ["companions/watchdog.test.ts", "the watchdog is silent unless turned on"],
	children: [
		"companions/spawn-literal.deep.test.ts",
		"continue with the next model when the provider of the first fails",
	],
	tools: ["safety/neighbors.deep.test.ts", "counts, a project's does not"],
	standby: ["local/worker/standby.test.ts", "const limits = { max: 2"],
	standbySeconds: ["local/worker/standby.test.ts", "waitMs"],
	questionSeconds: ["runs/ask.deep.test.ts", "a process that waited too long is stopped while the dialog stays open"],
	providerRetry: ["runs/provider-outage.deep.test.ts", 'chronicle: { providerRetry: "14s" }'],
	fallback: ["runs/provider-outage.deep.test.ts", "is tried on another model first"],
	keepChildFolders: ["runs/kept-folders.deep.test.ts", "keeps the folders of children until the run is removed"],
	PI_CODING_AGENT_DIR: ["runs/no-key.deep.test.ts", "says what to do, leaves no run"],
	PI_CHRONICLE_PI: ["pi/rpc/pi-command.test.ts", "may be set by option, then by variable"],
	PI_CHRONICLE_ENGINE: ["docs/operations-use.ts", "PI_CHRONICLE_ENGINE: "],
	PI_CHRONICLE_PROJECT: ["docs/operations-use.ts", "PI_CHRONICLE_PROJECT: "],
	CHRONICLE_SANDBOX: ["safety/readonly/session.test.ts", 'CHRONICLE_SANDBOX: "off"'],
};

const only = { write: { persona: "Writer", next: ["done"] } };
const two = { all: { branches: { one: branch("one"), two: branch("two") }, next: ["done"] } };

interface Effect {
	readonly chronicle?: object;
	readonly env?: Record<string, string>;
	readonly states?: object;
	readonly script?: Script;
	/** Fails unless the run that was started with it shows the effect. */
	see(ran: Said, project: Project): void;
}

/** Settings whose effect a run shows, whichever of its screens is used. */
const inRuns: readonly (readonly [name: string, what: string, effect: Effect])[] = [
	["maxWorkers", "1", oneAtOnce()],
	[
		"providerWait",
		"0 pauses a run at once",
		{
			chronicle: { providerWait: 0 },
			script: () => fail(529, "overloaded"),
			see: ({ code }, project) => {
				expect([code, ledgerOf(project).hold?.cause]).toEqual([3, expect.any(String)]);
				expect(eventsOf(project).some(({ kind }) => kind === "provider_awaited")).toBe(false);
			},
		},
	],
	[
		"models",
		"`cheap` is the model of the setting",
		{
			chronicle: { models: { cheap: "scripted/two" } },
			states: { write: { ...only.write, model: "cheap" } },
			script: { "model:two": [move("done")] },
			see: ({ code }) => expect(code).toBe(0),
		},
	],
	[
		"sandbox",
		"`required`, where none works",
		{ chronicle: { sandbox: "required" }, env: { CHRONICLE_SANDBOX: "off" }, see: isRefusedWithoutSandbox },
	],
	[
		"sandbox",
		"`off`",
		{
			chronicle: { sandbox: "off" },
			see: ({ code, stderr }) => expect([code, stderr]).toEqual([0, expect.not.stringContaining("run in a sandbox")]),
		},
	],
	[
		"PI_CHRONICLE_SANDBOX",
		"`shell`, where none works",
		{ env: { PI_CHRONICLE_SANDBOX: "shell", CHRONICLE_SANDBOX: "off" }, see: isRefusedWithoutSandbox },
	],
	[
		"apart",
		"`always`",
		{ chronicle: { apart: "always" }, see: ({ data }) => expect(data).toMatchObject({ apart: { state: "waiting" } }) },
	],
	[
		"apart",
		"`never`",
		{ chronicle: { apart: "never" }, see: ({ code, data }) => expect([code, data.apart ?? null]).toEqual([0, null]) },
	],
	[
		"childFolders",
		"below the home",
		{
			chronicle: { childFolders: "~/elsewhere", keepChildFolders: true },
			states: two,
			script: { "*": () => move("done") },
			see: ({ code }, { home }) => expect([code, readdirSync(join(home, "elsewhere")).length]).toEqual([0, 1]),
		},
	],
];

function isRefusedWithoutSandbox({ code, stderr }: Said): void {
	expect(code).not.toBe(0);
	expect(stderr).toMatch(/sandbox/);
}

/** Two children, of which the first to ask the model gets no answer until the other one has asked, or enough time has passed. */
function oneAtOnce(): Effect {
	let asked = 0;
	const together: boolean[] = [];
	return {
		chronicle: { maxWorkers: 1 },
		states: two,
		script: async () => {
			asked += 1;
			if (asked === 1) {
				await sleep(2_500);
				together.push(asked > 1);
			}
			return move("done");
		},
		see: ({ code }) => expect([code, together]).toEqual([0, [false]]),
	};
}

/** Settings whose effect a session shows. */
const inSessions = ["notebook", "spawn"];

it("each setting and variable of the page has a test of its effect", () => {
	const here = new Set([...inRuns.map(([name]) => name), ...inSessions]);
	expect([...named].filter((name) => name !== undefined && !here.has(name) && !effects[name])).toEqual([]);
	for (const [file, title] of Object.values(effects))
		expect(readFileSync(join(checkout, "packages/pi-chronicle/test", file), "utf8"), file).toContain(title);
});

deepIt.each(inRuns)("%s: %s", { timeout: patient(60_000) }, async (_name, _what, effect) => {
	const { chronicle: written, env = {}, states = only, script = () => move("done"), see } = effect;
	const settings = { retry: { enabled: false }, defaultProvider: "scripted", defaultModel: "one", chronicle: written };
	const { project, server } = await openBench({ files: withTemplates({ t: { states } }), git: true, settings, script });
	server.lenient();
	see(await chronicle(project, ["run", "t", "Do it", "--json"], { env }), project);
});

deepIt("notebook, spawn: true gives each session their tools", async () => {
	const { rpc } = await openBench({ settings: { chronicle: { notebook: true, spawn: true } }, script: [] });
	const pi = await rpc({ extensions: [packageUnderTest().extension, fixtureExtension("probe")], package: "none" });
	expect((await pi.probe()).activeTools).toEqual(expect.arrayContaining(["notebook_write", "spawn"]));
});
