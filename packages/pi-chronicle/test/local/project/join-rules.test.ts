// A join never changes what a rule of the guard forbids, whatever the child has made of it.
import { existsSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openJoinRules } from "../../../src/local/project/join-rules.ts";
import { freezeRunRules } from "../../../src/local/worker/index.ts";
import { openFolder } from "../../harness/folder.ts";
import { needsPosix } from "../../harness/needs.ts";
import { joinChild, look, openCase, repository, write } from "../workspace/ending-child.ts";
import { value } from "../workspace/stage.ts";

const rules = `
zeroAccessPaths: ["certs/", "*.pem", "lib/secret.txt"]
readOnlyPaths: ["config/", "*.lock", "generated/**"]
noDeletePaths: ["docs/", "LICENSE"]
`;

const project = {
	"certs/a.txt": "old\n",
	"config/prod.yaml": "old\n",
	"config/dev.yaml": "old\n",
	"config/moved.yaml": "a text that is long enough to be recognized\n",
	"yarn.lock": "old\n",
	"docs/a.md": "a text that is long enough to be recognized, of a document\n",
	"docs/b.md": "old\n",
	LICENSE: "old\n",
	"src/a.ts": "old\n",
};

type Change = (root: string) => void;
const remove =
	(path: string): Change =>
	(root) =>
		rmSync(join(root, path), { recursive: true });
const move =
	(from: string, to: string): Change =>
	(root) =>
		renameSync(join(root, from), join(root, to));

/** What a child does, the paths that a join must leave as they are, and those that it changes. */
const cases: readonly (readonly [string, change: Change, withheld: readonly string[], joined: readonly string[]])[] = [
	["an edit", write("config/prod.yaml", "new\n"), ["config/prod.yaml"], []],
	["a new file", write("config/new.yaml", "new\n"), ["config/new.yaml"], []],
	["a new file in a new folder", write("generated/deep/x.ts", "new\n"), ["generated/deep/x.ts"], []],
	["a deletion", remove("config/dev.yaml"), ["config/dev.yaml"], []],
	["a deletion where files must not be deleted", remove("docs/b.md"), ["docs/b.md"], []],
	["an edit where files must not be deleted", write("LICENSE", "new\n"), [], ["LICENSE"]],
	["a move away", move("config/moved.yaml", "moved.yaml"), ["config/moved.yaml"], ["moved.yaml"]],
	["a move to where it must not be deleted", move("docs/a.md", "docs/c.md"), ["docs/a.md"], ["docs/c.md"]],
	["other permissions", write("yarn.lock", "old\n", 0o755), ["yarn.lock"], []],
	["a link", (root) => symlinkSync("../src", join(root, "config/link")), ["config/link"], []],
	["a large file", write("config/large.bin", "x".repeat(2000)), ["config/large.bin"], []],
	["a key", write("new.pem", "key\n"), ["new.pem"], []],
	["a change where nothing is accessible", write("certs/a.txt", "new\n"), ["certs/a.txt"], []],
	["a repository", (root) => repository(join(root, "generated/lib")), ["generated/lib"], []],
	[
		"a repository with a protected file",
		(root) => {
			repository(join(root, "lib"));
			write("lib/secret.txt", "x\n")(root);
		},
		["lib"],
		[],
	],
	["another repository", (root) => repository(join(root, "other")), [], ["other/own.txt"]],
	["other files", write("src/a.ts", "new\n"), [], ["src/a.ts"]],
];

async function openRuled(cwd: string) {
	const home = openFolder();
	const frozen = freezeRunRules(cwd, home, home);
	return openJoinRules(frozen, { cwd, agentDir: home, copy: undefined });
}

async function openProject() {
	return openCase((stage) => {
		stage.write(".pi/damage-control-rules.yaml", rules);
		for (const [path, text] of Object.entries(project)) stage.write(path, text);
	});
}

describe("a join under rules", needsPosix, () => {
	it("leaves what a rule forbids as it was, joins the rest, and keeps the folder of the child", async () => {
		const made = await openProject();
		for (const [, change] of cases) change(made.child.root);
		const [before, child] = [look(made.stage.root), look(made.child.root)];
		const { kept } = await joinChild(made, { forbidden: await openRuled(made.stage.root) });
		const after = look(made.stage.root);
		const under = (found: Record<string, string>, path: string) =>
			Object.fromEntries(Object.entries(found).filter(([name]) => name === path || name.startsWith(`${path}/`)));
		for (const [what, , withheld, joined] of cases) {
			for (const path of withheld) expect([what, under(after, path)]).toEqual([what, under(before, path)]);
			for (const path of joined) expect([what, after[path]]).toEqual([what, child[path]]);
		}
		const named = kept?.flatMap(({ files }) => files.map(({ path }) => path)).toSorted();
		expect(named).toEqual(cases.flatMap(([, , withheld]) => withheld).toSorted());
		for (const { why } of kept?.[0]?.files ?? []) expect(why).toContain("a rule of the guard forbids it");
		expect(await value(made.parent.removeChildren([]))).toMatchObject([{ child: "child" }]);
		expect(existsSync(made.child.root)).toBe(true);
	});

	it("names what it has not changed if the child is on another machine", async () => {
		const made = await openProject();
		write("config/prod.yaml", "new\n")(made.child.root);
		const ended = await value(made.workspace.snapshot());
		const { tree: from } = await value(made.parent.snapshot());
		const children = [{ child: "elsewhere", tree: ended.tree }];
		const names = { ours: "yours", theirs: "theirs" };
		const forbidden = await openRuled(made.stage.root);
		const joined = await value(made.parent.join({ from, to: ended.tree, names, children, forbidden }));
		expect([joined.left, made.stage.read("config/prod.yaml")]).toEqual([
			[{ path: "config/prod.yaml", why: expect.stringContaining("config/") }],
			"old\n",
		]);
	});

	it("changes nothing if the rules cannot be read", async () => {
		const made = await openProject();
		write("src/a.ts", "new\n")(made.child.root);
		made.stage.write(".pi/damage-control-rules.yaml", "readOnlyPaths: {");
		await expect(joinChild(made, { forbidden: await openRuled(made.stage.root) })).rejects.toThrow(
			/rules cannot be enforced/,
		);
		expect(made.stage.read("src/a.ts")).toBe("old\n");
	});
});
