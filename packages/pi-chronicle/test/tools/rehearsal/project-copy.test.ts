// The project copy: its files, its exclusions, and no link back to the user's files.
import { spawnSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import {
	openProjectCopy,
	type ProjectCopy,
	type ProjectCopyOptions,
} from "../../../src/tools/rehearsal/project-copy.ts";
import { closeLater, openProject, type ProjectOptions } from "../../harness/index.ts";

async function stageOf(options: ProjectOptions, over: Partial<ProjectCopyOptions> = {}) {
	const project = openProject(options);
	const open = async () => {
		const stage = await openProjectCopy({ project: project.folder, config: {}, env: {}, ...over });
		closeLater(() => stage.close());
		return stage;
	};
	return { project, open };
}

const files = (folder: string): string[] =>
	readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => !entry.isDirectory())
		.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
		.filter((path) => !path.startsWith(".git/"))
		.sort();

describe("the project copy", () => {
	it("has the files of a repository that git does not ignore, and definitions even if it does", async () => {
		const { project, open } = await stageOf({
			git: true,
			files: {
				".gitignore": "build/\n.pi/\n*.log\n",
				"src/a.js": "a\n",
				"name with ümlaut.txt": "u\n",
				".pi/workflows/x/workflow.yaml": "name: x\n",
			},
		});
		project.write("untracked.txt", "new\n");
		project.write("build/big.bin", "no\n");
		project.write("x.log", "no\n");
		project.write("node_modules/lib/index.js", "no\n");
		project.write(".pi/chronicle/sessions/run.json", "{}");
		const stage = await open();
		expect(files(stage.project)).toEqual([
			".gitignore",
			".pi/workflows/x/workflow.yaml",
			"name with ümlaut.txt",
			"src/a.js",
			"untracked.txt",
		]);
		expect(stage.leftOut).toEqual([]);
	});

	it.each([true, false])("has no credentials and nothing of pi's agent folder (repository: %s)", async (git) => {
		const kept = { "a.js": "a\n", ".pi/workflows/x/workflow.yaml": "name: x\n", "locales/auth.json": "{}" };
		const { project } = await stageOf({
			git,
			files: {
				...kept,
				".ssh/id_ed25519": "K",
				".config/gh/hosts.yml": "T",
				".pi/agent/auth.json": "T",
				".netrc": "P",
			},
		});
		project.write(".pi/agent/sessions/a.jsonl", "{}");
		const agentFolder = project.path(".pi", "agent");
		const stage = await openProjectCopy({ project: project.folder, agentFolder, config: {}, env: {} });
		closeLater(() => stage.close());
		expect(files(stage.project)).toEqual(Object.keys(kept).sort());
	});

	it("has a folder without a repository whole, except dependencies", async () => {
		const { open } = await stageOf({
			files: { "a.txt": "a", "deep/er/b.txt": "b", "node_modules/x/i.js": "", ".pi/chronicle/sessions/r.json": "{}" },
		});
		expect(files((await open()).project)).toEqual(["a.txt", "deep/er/b.txt"]);
	});

	it("keeps a file's mode, so that scripts stay executable", async () => {
		const { project, open } = await stageOf({ files: { "run.sh": "#!/bin/sh\n" } });
		chmodSync(project.path("run.sh"), 0o755);
		expect(statSync(join((await open()).project, "run.sh")).mode & 0o111).toBe(0o111);
	});

	it("leaves out links that lead outside, and reports them", async () => {
		const { project, open } = await stageOf({ files: { "a.txt": "mine\n", "in/b.txt": "b" } });
		const outside = join(project.home, "secret.txt");
		writeFileSync(outside, "precious\n");
		mkdirSync(project.path("links"));
		symlinkSync("../a.txt", project.path("links/inside"));
		symlinkSync(project.path("a.txt"), project.path("links/absolute"));
		symlinkSync(outside, project.path("links/away"));
		symlinkSync("../../home", project.path("links/up"));
		symlinkSync("away", project.path("links/chain"));
		symlinkSync("nowhere", project.path("links/dangling"));
		symlinkSync("../in", project.path("links/folder"));
		const stage = await open();
		expect(stage.leftOut.map(({ path }) => path).sort()).toEqual([
			"links/absolute",
			"links/away",
			"links/chain",
			"links/up",
		]);
		expect(readdirSync(join(stage.project, "links")).sort()).toEqual(["dangling", "folder", "inside"]);
		writeFileSync(join(stage.project, "links/inside"), "changed\n");
		writeFileSync(join(stage.project, "links/folder/b.txt"), "changed\n");
		expect(project.read("a.txt")).toBe("mine\n");
		expect(project.read("in/b.txt")).toBe("b");
	});

	it("has the user's definitions and our settings, and nothing else of the agent folder", async () => {
		const project = openProject({
			files: { "a.txt": "" },
			agentFiles: {
				"workflows/g/workflow.yaml": "name: g\n",
				"chronicle/workflows/t.json": "{}",
				"agents/builder.md": "---\nname: builder\n---\nBuild.\n",
				"damage-control-rules.yaml": "bashToolPatterns: []\n",
				"auth.json": '{"anthropic":{"key":"sk-secret"}}',
				"models.json": "{}",
				"sessions/x.jsonl": "{}",
			},
			settings: { chronicle: { strict: true }, defaultTools: ["read"], packages: ["npm:somebody-elses"] },
		});
		const stage = await openProjectCopy({
			project: project.folder,
			agentFolder: project.agentFolder,
			config: {},
			env: {},
			settings: { quietStartup: true },
		});
		closeLater(() => stage.close());
		const agent = String(stage.env.PI_CODING_AGENT_DIR);
		expect(files(agent)).toEqual([
			"agents/builder.md",
			"chronicle/workflows/t.json",
			"damage-control-rules.yaml",
			"settings.json",
			"workflows/g/workflow.yaml",
		]);
		expect(JSON.parse(readFileSync(join(agent, "settings.json"), "utf8"))).toEqual({
			chronicle: { strict: true },
			defaultTools: ["read"],
			quietStartup: true,
		});
	});
});

describe("the copy's repository", () => {
	const git = (stage: ProjectCopy, ...args: string[]): string => {
		const done = spawnSync("git", args, { cwd: stage.project, env: stage.env, encoding: "utf8" });
		return `${done.stdout}${done.stderr}`.trim();
	};
	const hook = "#!/bin/sh\ntouch hook-ran\nexit 1\n";

	it.each([true, false])(
		"is fresh: one commit of what was copied, no hook, no remote (a repository: %s)",
		async (isGit) => {
			const { project, open } = await stageOf(
				{
					git: isGit,
					files: { ".gitignore": ".pi/\n*.log\n", "src/a.js": "a\n", ".pi/workflows/x/workflow.yaml": "name: x\n" },
				},
				{ env: { PATH: process.env.PATH, GIT_DIR: "/somewhere/else/.git", GIT_AUTHOR_NAME: "Somebody" } },
			);
			project.write("new :(top) [x].txt", "new\n");
			if (isGit) {
				project.write("kept.log", "tracked though ignored\n");
				project.git("add", "-f", "kept.log");
				project.git("remote", "add", "origin", "https://example.invalid/x.git");
				project.git("commit", "--allow-empty", "-m", "a second one");
				project.write(".git/hooks/pre-commit", hook);
				chmodSync(project.path(".git/hooks/pre-commit"), 0o755);
			}
			const stage = await open();
			expect(git(stage, "log", "--oneline").split("\n")).toHaveLength(1);
			expect(git(stage, "log", "-1", "--format=%an <%ae> %ad")).toContain("Rehearsal <rehearsal@localhost.invalid>");
			expect(git(stage, "status", "--porcelain")).toBe("");
			expect(git(stage, "ls-files").split("\n")).toEqual([
				".gitignore",
				...(isGit ? ["kept.log"] : []),
				"new :(top) [x].txt",
				"src/a.js",
			]);
			expect(git(stage, "remote")).toBe("");
			expect(git(stage, "commit", "--allow-empty", "-m", "by the understudy")).toContain("by the understudy");
			expect(existsSync(join(stage.project, "hook-ran"))).toBe(false);
			expect(await stage.changes()).toEqual([]);
			expect(git(await open(), "rev-parse", "HEAD")).toBe(git(stage, "rev-parse", "HEAD~1"));
		},
	);

	it("runs no hook of the machine's git configuration", async () => {
		const { project, open } = await stageOf({ files: { "a.txt": "a\n" } });
		const hooks = join(project.home, "hooks");
		mkdirSync(hooks);
		writeFileSync(join(hooks, "pre-commit"), hook, { mode: 0o755 });
		const stage = await open();
		const settings = join(String(stage.env.HOME), ".gitconfig");
		writeFileSync(settings, `[core]\n\thooksPath = ${hooks}\n`);
		expect(git(stage, "commit", "--allow-empty", "-m", "fine")).toContain("fine");
		expect(existsSync(join(stage.project, "hook-ran"))).toBe(false);
	});

	it("is left out without git", async () => {
		const { project, open } = await stageOf({ files: { "a.txt": "a\n" } }, { env: { PATH: "/nowhere" } });
		const stage = await open();
		expect(existsSync(join(stage.project, ".git"))).toBe(false);
		expect(files(stage.project)).toEqual(project.list());
	});
});

describe("a rehearsal's environment and copy", () => {
	it("contain no credential, and nothing of an outer pi", async () => {
		const { open } = await stageOf(
			{ files: { "a.txt": "" } },
			{
				env: {
					PATH: "/bin",
					TERM: "xterm",
					JAVA_HOME: "/java",
					ANTHROPIC_API_KEY: "a",
					GH_TOKEN: "b",
					AWS_PROFILE: "c",
					MY_PASSWORD: "d",
					GOOGLE_APPLICATION_CREDENTIALS: "e",
					PI_SESSION_FILE: "/outer.jsonl",
					PI_CODING_AGENT_DIR: "/real",
					HOME: "/real",
				},
			},
		);
		const { env } = await open();
		expect(env).toMatchObject({ PATH: "/bin", TERM: "xterm", JAVA_HOME: "/java", PI_OFFLINE: "1" });
		expect(Object.values(env)).not.toContain("/real");
		for (const name of ["ANTHROPIC_API_KEY", "GH_TOKEN", "AWS_PROFILE", "MY_PASSWORD", "PI_SESSION_FILE"])
			expect(env).not.toHaveProperty(name);
		expect(env).not.toHaveProperty("GOOGLE_APPLICATION_CREDENTIALS");
	});

	it("opening a copy removes those of killed rehearsals, but none that is in use, kept, or another user's", async () => {
		const project = openProject({ files: { "a.txt": "" } });
		vi.stubEnv("TMPDIR", project.home);
		const dead = spawnSync(process.execPath, ["-e", ""]).pid;
		for (const [name, owner] of [
			["dead", dead],
			["mine", process.pid],
		] as const) {
			mkdirSync(join(project.home, `pi-rehearsal-${name}`));
			writeFileSync(join(project.home, `pi-rehearsal-${name}`, "owner"), String(owner));
		}
		mkdirSync(join(project.home, "pi-rehearsal-foreign"));
		const kept = await openProjectCopy({ project: project.folder, config: {}, env: {} });
		await kept.keep();
		await (await openProjectCopy({ project: project.folder, config: {}, env: {} })).close();
		vi.unstubAllEnvs();
		const left = readdirSync(project.home).filter((name) => name.startsWith("pi-rehearsal-"));
		expect(left.sort()).toEqual(["pi-rehearsal-foreign", "pi-rehearsal-mine", basename(dirname(kept.project))].sort());
	});

	it("a copy is removed completely when it closes, also twice, and when it cannot be opened", async () => {
		const { project, open } = await stageOf({ files: { "a.txt": "" } });
		const stage = await open();
		const root = join(stage.project, "..");
		expect(existsSync(root)).toBe(true);
		await stage.close();
		await stage.close();
		expect(existsSync(root)).toBe(false);

		vi.stubEnv("TMPDIR", project.home);
		await expect(openProjectCopy({ project: "/nowhere/at/all", config: {}, env: {} })).rejects.toThrow();
		vi.unstubAllEnvs();
		expect(readdirSync(project.home).filter((name) => name.startsWith("pi-rehearsal-"))).toEqual([]);
	});
});
