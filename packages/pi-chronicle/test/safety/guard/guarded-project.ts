// A project on disk under rules, and the guard's verdicts on calls in it. No pi: the policy alone.
import { spawnSync } from "node:child_process";
import {
	cpSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { computeFootprint } from "@pi-chronicle/footprint";
import { cachedEnvironment, hostEnvironment } from "../../../src/pi/index.ts";
import { guardPolicy } from "../../../src/safety/guard/judge/guard-policy.ts";
import {
	copiedProjectPolicy,
	openPolicies,
	type RuleSet,
	readRules,
	type ToolCall,
	type Verdict,
} from "../../../src/safety/index.ts";

export interface Setting {
	readonly cwd: string;
	/** The project; `cwd` may be a copy of it. */
	readonly project: string;
	readonly home: string;
	readonly rules: RuleSet;
	judge(tool: string, input: Record<string, unknown>, more?: Partial<ToolCall>): Promise<Said>;
	bash(command: string): Promise<Said>;
	/** Judges under the rules of another text. */
	under(rules: string): Setting["judge"];
	/** The text of a search's result as the model would see it. */
	screen(tool: string, input: Record<string, unknown>, text: string): Promise<string>;
	/** Removes places of the project. */
	remove(...paths: string[]): void;
	close(): Promise<void>;
}

interface Said {
	readonly decision: "allow" | "ask" | "deny";
	readonly verdicts: readonly Verdict[];
	readonly notes: readonly Verdict[];
	/** All reasons, for messages of failing tests. */
	readonly why: string;
}

export const classicRules = readFileSync(new URL("fixtures/classic-rules.yaml", import.meta.url), "utf8");
export const starterRules = readFileSync(
	new URL("../../../../../examples/damage-control-rules.yaml", import.meta.url),
	"utf8",
);

const mark = "MARK\n";
const files = [
	".env",
	".env.example",
	"server.pem",
	"README.md",
	"README.old",
	"LICENSE",
	"package.json",
	"package-lock.json",
	"docs.md",
	"src/a.ts",
	"src/index.ts",
	"pkg/dist/old.js",
	"dist/index.js",
	"build/out.o",
	"coverage/lcov.info",
	"docs/guide.md",
	"docker-compose.prod.yml",
	"Dockerfile",
	"run.sh",
	"a.txt",
	"b.txt",
	"data.csv",
	"build.log",
	"requirements.txt",
	"tmp.txt",
	"tmp/out/x",
	"src/__pycache__/a.pyc",
	"src/templates/t.html",
	"packages/app/node_modules/y/index.js",
	"packages/app/README.md",
	"node_modules/x/test.pem",
	"node_modules/x/README.md",
	".github/workflows/ci.yml",
	".pi/settings.json",
];

/** Folders of copies below that of all children of the project. */
const copies = {
	copy: "0123456789abc/abcdef/files",
	"the copy of a merge worker": "0123456789abc/merge-1/files",
	grandchild: "abcdef0123456/fedcba/files",
} as const;

/**
 * Opens a project with a home next to it, both outside of what counts as temporary for the judgement. `rules` is the text of the project's
 * rule file, or rules as they are.
 */
export function openSetting(
	rules: string | RuleSet,
	change: (rules: RuleSet) => RuleSet = (same) => same,
	place: keyof typeof copies | "project" = "project",
): Setting {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "guard-")));
	const home = join(root, "home", "ann");
	const project = join(home, "project");
	for (const file of files) put(join(project, file), mark);
	put(join(home, ".ssh/id_rsa"), mark);
	put(join(home, ".aws/credentials"), mark);
	put(join(project, ".gitignore"), ".env\nnode_modules/\ndist/\ntmp/\n");
	symlinkSync(join(home, ".ssh"), join(project, "lnk"));
	const git = (...args: string[]) =>
		spawnSync("git", ["-C", project, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
	git("init", "-q");
	git("add", "src", "README.md", "package.json");
	git("commit", "-qm", "start");
	const file = join(project, ".pi", "damage-control-rules.yaml");
	const readText = (text: string): RuleSet => {
		put(file, text.replaceAll("PROJECT@", project));
		return readRules([{ file, tier: "project", base: project }], "linux");
	};
	const inForce = change(typeof rules === "string" ? readText(rules) : rules);
	const work = join(home, ".pi/agent/chronicle", "work", "project-1a2b3c4d");
	const cwd = place === "project" ? project : join(work, copies[place]);
	if (place !== "project") cpSync(project, cwd, { recursive: true, verbatimSymlinks: true });
	const closed = [
		join(cwd, "../.."),
		...(place === "grandchild" ? [join(work, "0123456789abc"), join(work, copies.copy)] : []),
	];
	const copy = place === "project" ? undefined : { root: cwd, project, closed };

	const host = {
		...hostEnvironment(cwd),
		home,
		platform: "linux" as const,
		env: (name: string) => (name === "HOME" ? home : process.env[name]),
		homeOf: (user: string) => (user === "ann" ? home : undefined),
	};
	const measure = (call: ToolCall) => computeFootprint(call, cachedEnvironment(host));
	const policiesOf = (set: RuleSet) => {
		const policies = openPolicies();
		policies.add(guardPolicy({ rules: set, host, agentDir: join(home, ".pi/agent"), copy, measure }));
		if (copy) policies.add(copiedProjectPolicy(copy));
		return policies;
	};
	const policies = policiesOf(inForce);
	const callOf = (tool: string, input: Record<string, unknown>, more: Partial<ToolCall> = {}): ToolCall => ({
		id: "1",
		tool,
		input,
		siblings: [],
		...more,
	});
	const judgeBy =
		(all: typeof policies): Setting["judge"] =>
		async (tool, input, more) => {
			const call = callOf(tool, input, more);
			const said = await all.judge(call, () => measure(call));
			return { ...said, why: said.verdicts.map(({ rule, reason }) => `${rule}: ${reason}`).join("\n") };
		};
	const judge = judgeBy(policies);
	return {
		cwd,
		project,
		home,
		rules: inForce,
		judge,
		bash: (command) => judge("bash", { command }),
		under: (text) => judgeBy(policiesOf(readText(text))),
		async screen(tool, input, text) {
			const call = callOf(tool, input);
			const screened = await policies.screen(call, () => measure(call), [text]);
			return screened.at(-1)?.texts.join("\n") ?? text;
		},
		remove(...paths) {
			for (const path of paths) rmSync(join(cwd, path), { recursive: true });
		},
		async close() {
			rmSync(root, { recursive: true, force: true });
		},
	};
}

function put(file: string, text: string): void {
	mkdirSync(join(file, ".."), { recursive: true });
	writeFileSync(file, text);
}
