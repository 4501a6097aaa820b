// Lines are sent as they are typed, in real pi: 5 to 60 ms a key, after its start and later, also while pi stands still for a moment and then reads many keys
// at once, as on a slow machine. CHRONICLE_SEED types others.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { call, gate, openBench, say, type Tui } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { seed } from "../harness/runs.ts";
import { noAnswerYet } from "../harness/tui.ts";
import { move, worker } from "../runs/bench.ts";

const state = "states:\n  build: { persona: Build it., next: [done] }\n  done: {}\n";
const phase = "---\nid: fix\nname: Fix\nemoji: 🔧\n---\nFix it.\n";
const workflow = (name: string) => ({
	[`.pi/workflows/${name}/workflow.yaml`]: `name: ${name}\ncommandName: ${name}\ninitialMessage: Begin.\nphases:\n  - fix.md\n`,
	[`.pi/workflows/${name}/fix.md`]: phase,
});
const files = {
	...workflow("fix"),
	...workflow("fix-all"),
	...Object.fromEntries(
		["report-bug", "bug-fix", "nightly"].map((name) => [`.pi/chronicle/workflows/${name}.yaml`, state]),
	),
};

/** Whole lines of six commands that start nothing and open nothing; most begin like a name that is completed. */
const lines = [
	...["report", "reportbug-fix it", "diff", "view", "abort", "approve", "reject no tests for re", "resume last"].map(
		(words) => `/chronicle ${words}`,
	),
	...["next", "resume", "fixall of it", "fi"].map((words) => `/workflow ${words}x`),
	...["show nothing", "delete nothing"].map((words) => `/sequence ${words}`),
	...["of what", "lo of what"].map((words) => `/guard ${words}`),
	...["on", "off"].map((words) => `/notebook ${words}`),
	...["nothing it", "bugfix", "fixed"].map((words) => `/rehearse ${words}`),
];

/** Those that neither decide nor show anything of a run that waits. */
const idleLines = lines.filter((line) => !/^\/chronicle (?!reportbug)/.test(line));

/** Numbers from 0 to 1 in a fixed order (mulberry32). */
function randomFrom(start: number): () => number {
	let now = start >>> 0;
	return () => {
		now = (now + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(now ^ (now >>> 15), 1 | now);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

const mark = "§§";

/** What stands in pi's editor, between the last two rules of the screen; `undefined`: a sheet covers it. */
function editorOf(pi: Tui): string | undefined {
	const rows = pi.lines();
	if (/^── \S/.test(rows[0] ?? "")) return undefined;
	const rules = rows.flatMap((row, index) => (/^──/.test(row) ? [index] : []));
	const [top = 0, bottom = 0] = rules.slice(-2);
	return rows
		.slice(top + 1, bottom)
		.join("")
		.trim();
}

/** Stops pi for a moment, again and again, until the returned function is called: it reads the keys of that time at once. */
function slowDown({ pid }: Tui, ms: () => number): () => Promise<void> {
	let ended = false;
	const over = (async () => {
		while (!ended) {
			process.kill(pid, "SIGSTOP");
			await sleep(ms());
			process.kill(pid, "SIGCONT");
			await sleep(ms() / 4);
		}
	})();
	return async () => {
		ended = true;
		await over;
	};
}

/** Types a line and Enter; resolves to what pi has sent, as its history has it, or what is left in the editor. */
async function send(pi: Tui, line: string, keyMs: number, slow: (() => number) | undefined): Promise<string> {
	const end = slow && slowDown(pi, slow);
	for (const key of line) {
		pi.type(key);
		await sleep(keyMs);
	}
	pi.type("\r");
	await end?.();
	// What comes after Enter shows that pi has read everything before it.
	pi.type(mark);
	await pi.waitForScreen(() => (editorOf(pi) ?? "").endsWith(mark), 30_000);
	const left = (editorOf(pi) ?? "").slice(0, -mark.length);
	if (left !== "") {
		await pi.press("ctrl+u");
		return `not sent: ${left}`;
	}
	// In one piece: a question that waits for an empty line opens between two.
	pi.type("\u0015\u001b[A");
	await pi.waitForScreen(() => !["", mark].includes(editorOf(pi) ?? ""));
	const sent = editorOf(pi) ?? "";
	await pi.press("end", "ctrl+u");
	await pi.waitForScreen(() => (editorOf(pi) ?? "") === "");
	return sent;
}

it("what is typed is what is sent", { timeout: patient(600_000) }, async () => {
	const random = randomFrom(seed);
	const wrong: string[] = [];
	let tries = 0;
	for (let start = 0; start < 4; start += 1) {
		const { tui } = await openBench({ files, script: [] });
		const pi = await tui({ cols: 100, rows: 30 });
		for (let one = 0; one < 14; one += 1) {
			const line = lines[Math.floor(random() * lines.length)] ?? "";
			const keyMs = 5 + Math.floor(random() * 56);
			const slow = random() < 0.5 ? () => 20 + random() * 200 : undefined;
			const sent = await send(pi, line, keyMs, slow);
			tries += 1;
			if (sent !== line)
				wrong.push(`${line} (${keyMs} ms${slow ? ", slow" : ""}, ${one === 0 ? "cold" : "warm"}): ${sent}`);
		}
		await pi.close();
	}
	expect({ tries, wrong }).toEqual({ tries: 56, wrong: [] });
});

it("a line that is typed while the question about a run's folder opens answers nothing, and stays in the input line", {
	timeout: patient(60_000),
}, async () => {
	const held = gate();
	const { tui } = await openBench({ files, script: [say("Built.", { after: held.opened })] });
	const pi = await tui({ cols: 80, rows: 24 });
	await pi.submit("/chronicle nightly One");
	await pi.waitForScreen("Build [●]", 30_000);
	await pi.submit("/chronicle nightly Two");
	await pi.waitForScreen(noAnswerYet, 30_000);
	for (const key of "half a thought") {
		pi.type(key);
		await sleep(20);
	}
	await pi.waitForScreen(() => editorOf(pi) === "half a thought");
	await pi.press("ctrl+u");
	await pi.waitForScreen(/Where does "nightly" work\?[\s\S]*n {3}Don't start/);
	await pi.press("escape");
	await pi.waitForScreen(() => editorOf(pi) === "");
	held.open();
});

const hold = (after: Promise<void>) => ({ after });
const asked = ["free text", "choices", "a guard rule", "an approval"] as const;

it("a late question takes no line that was begun before it opened or in its first second", {
	timeout: patient(180_000),
}, async () => {
	const random = randomFrom(seed + 1);
	const opened = asked.map(() => gate());
	const after = opened.map((each) => hold(each.opened));
	const { tui, server, project } = await openBench({
		files: {
			...files,
			".pi/chronicle/workflows/late.yaml":
				"states:\n  build: { persona: Build it., next: [done], requires_approval: true }\n  done: {}\n",
			".pi/damage-control-rules.yaml":
				"bashToolPatterns:\n  - pattern: deploy\n    reason: Deploying needs a word\n    ask: true\n",
			"deploy.sh": "echo deploy > deployed.txt\n",
		},
		script: {
			[worker("build")]: [
				call("ask_user", { question: "Which port?" }, after[0]),
				call("ask_user", { question: "Which host?", choices: ["alpha", "beta"] }, after[1]),
				call("bash", { command: "sh deploy.sh" }, after[2]),
				move("done", "Deployed.", after[3]),
			],
		},
	});
	const pi = await tui({ cols: 100, rows: 30 });
	await pi.submit("/chronicle late Do it");
	const questions = [
		{ text: "Which port?", answers: ["8", "0", "enter"] },
		{ text: "Which host?", answers: ["2"] },
		{ text: "sh deploy.sh", answers: ["y"] },
		{ text: "Approve: move to done", answers: ["a"] },
	];
	for (const [at, { text, answers }] of questions.entries()) {
		await server.waitForRequest(at + 1, 30_000);
		const line = idleLines[Math.floor(random() * idleLines.length)] ?? "";
		const keyMs = 5 + Math.floor(random() * 56);
		const slow = random() < 0.5 ? () => 20 + random() * 200 : undefined;
		const delay = random() * 600;
		// An approval that comes while the user types waits in the list.
		if (asked[at] === "an approval" || random() < 0.5) {
			opened[at]?.open();
			await pi.waitForScreen(noAnswerYet, 30_000);
			await sleep(delay);
		} else void sleep(delay).then(() => opened[at]?.open());
		expect(await send(pi, line, keyMs, slow), `${asked[at]}: ${line}`).toBe(line);
		const escaped = text.replace(/[?.]/g, "\\$&");
		await pi.waitForScreen(new RegExp(`${escaped}[\\s\\S]*Esc`), 30_000);
		await pi.press(...answers);
	}
	await pi.waitForScreen("Done [✓]", 30_000);
	expect(project.read("deployed.txt")).toBe("deploy\n");
	const given = server.requests.map(({ body }) => JSON.stringify(body)).join("");
	expect(given).toMatch(/80/);
	expect(given).toMatch(/beta/);
});
