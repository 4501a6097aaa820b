// `npm start` after clone and install, with a terminal and without one, and its cleanup.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deepDescribe } from "./harness/deep-it.ts";
import { checkout, expectPicture, openProject, type Project, startTerminal } from "./harness/index.ts";
import { patient } from "./harness/patience.ts";
import { openBook } from "./tui/screen-book.ts";
import { sizes } from "./tui/story.ts";

const script = join(checkout, "scripts", "start.mjs");

/** A user without keys or settings and with an empty home; temporary files go where they can be counted. */
function newcomer(): { project: Project; temp: string; env: Record<string, string> } {
	const project = openProject({ name: "elsewhere" });
	const temp = join(project.home, "tmp");
	mkdirSync(temp);
	const { PI_CODING_AGENT_DIR: _, ...env } = project.environment({ TMPDIR: temp });
	return { project, temp, env };
}

interface Started {
	code: number | null;
	stdout: string;
	stderr: string;
}

function start(env: Record<string, string>, cwd: string) {
	const child = spawn(process.execPath, [script], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
	let [stdout, stderr] = ["", ""];
	child.stdout.on("data", (chunk: Buffer) => {
		stdout += chunk.toString("utf8");
	});
	child.stderr.on("data", (chunk: Buffer) => {
		stderr += chunk.toString("utf8");
	});
	const ended = once(child, "close").then(([code]): Started => ({ code, stdout, stderr }));
	return {
		child,
		ended,
		async printed(text: string): Promise<void> {
			while (!stdout.includes(text)) await Promise.race([once(child.stdout, "data"), ended.then(failIfMissing(text))]);
		},
	};
	function failIfMissing(text: string) {
		return (): never => {
			throw new Error(`It ended without printing ${text}:\n${stdout}${stderr}`);
		};
	}
}

/** Files that a start left behind; pi's compiler keeps a cache next to them. */
function copies(temp: string): string[] {
	return readdirSync(temp).filter((name) => name.startsWith("pi-rehearsal-"));
}

deepDescribe("npm start without a terminal", () => {
	it("runs the workflow to its end, reports every phase as it ends, and exits with 0", {
		timeout: patient(120_000),
	}, async () => {
		const { project, temp, env } = newcomer();
		const { code, stdout, stderr } = await start(env, project.folder).ended;
		expect(stderr).toBe("");
		const lines = stdout.split("\n");
		expect(lines[1]).toContain("no real model");
		const ended = lines.filter((line) => /^[✓●]/.test(line)).map((line) => line.replace(/ \([\d.]+s\)$/, ""));
		expect(ended).toEqual([
			"✓ Feature > 🧭 Plan",
			"✓ Feature > Build and review > 🔨 Build",
			"✓ Feature > Build and review > 🔎 Review",
			"✓ Feature > Build and review > 🔨 Build, visit 2",
			"✓ Feature > Build and review > 🔎 Review, visit 2",
			"✓ Feature > 📦 Wrap up",
			"✓ survey",
			"✓ safety-net",
			"✓ change",
			"✓ comparison",
		]);
		expect(stdout).toContain("? Move from safety-net to change? The rehearsal approves.");
		expect(stdout.match(/^DONE/gm)).toHaveLength(3);
		const killed = stdout.slice(stdout.indexOf("Kill it, and it goes on."));
		expect(killed).toMatch(
			/▸ change \(visit 3\)[\s\S]*kill -9[\s\S]*interrupted[\s\S]*▸ change \(visit 3, attempt[\s\S]*■ done/,
		);
		expect(stdout).toMatch(/write src\/select\.js +refused/);
		expect(stdout).toMatch(/added +test\/select\.test\.js/);
		expect(code).toBe(0);

		expect(copies(temp)).toEqual([]);
		expect(readdirSync(project.home).sort()).toEqual([".gitconfig", ".pi", "elsewhere", "tmp"]);
		expect(readdirSync(project.agentFolder).sort()).toEqual(["settings.json"]);
	});

	it.each(["SIGINT", "SIGTERM"] as const)("cleans up after %s and exits with the signal's code", async (signal) => {
		const { project, temp, env } = newcomer();
		const started = start(env, project.folder);
		await started.printed("✓ Feature > ");
		started.child.kill(signal);
		expect((await started.ended).code).toBe(130);
		expect(copies(temp)).toEqual([]);
	});
});

describe("npm start in a terminal", () => {
	it("guides from the first key to the last: a workflow, a chronicle with its question, and the end, each with a hint of its own", async () => {
		const { project, temp, env } = newcomer();
		const tui = await startTerminal(project, [process.execPath, script], {
			cols: 100,
			rows: 30,
			env: { ...env, PI_CODING_AGENT_DIR: undefined },
		});
		await tui.waitForScreen("/workflow feature Add a --month option");
		await tui.waitForScreen("no real model");
		await tui.still();
		expectPicture(tui.snapshot(), "start", {
			title: "pi after npm start: a hint of what to try, and a workflow ready to be run",
			mask: [[/\S*pi-rehearsal-\S*( \(main\))?/g, "/tmp/copy/project (main)"]],
		});
		const book = openBook(tui, [100, 30], { sizes });
		await book.page("ready", "Enter runs the workflow below.");
		await tui.press("enter");
		await tui.waitForScreen("Esc pauses the workflow");
		await tui.waitForScreen(/Feature is done/);
		await tui.waitForScreen("The workflow is over. Enter starts the chronicle below");
		expect(tui.screen()).not.toContain("Esc pauses the workflow");
		expect(tui.screen()).toContain("/chronicle refactoring Move the table out of the command line");
		await book.page("over", "Enter starts the chronicle below");
		await tui.press("enter");
		await tui.waitForScreen("Each state has an agent");
		expect(tui.screen()).not.toContain("Enter starts");
		await tui.waitForScreen("Move from safety-net to change?");
		await tui.still();
		await tui.press("escape");
		await tui.waitForScreen("The chronicle waits for you");
		await tui.waitForScreen("Alt+A answers");
		expect(tui.screen()).not.toContain("Enter starts");
		await tui.press("alt+a");
		await tui.waitForScreen("Approve: move to change");
		await tui.press("a");
		await tui.waitForScreen("That was a workflow and a chronicle.");
		expect(tui.screen()).not.toContain("Enter");
		await book.page("end", "open it before you leave");
		// It does nothing, as nothing says that it would.
		const before = await tui.still();
		await tui.press("enter");
		expect(await tui.still()).toBe(before);
		await tui.press("ctrl+c", "ctrl+c");
		expect(await tui.exit).toMatchObject({ code: 0 });
		expect(copies(temp)).toEqual([]);
		expect(existsSync(join(project.agentFolder, "sessions"))).toBe(false);
	});
});
