// The guard in a copy of the project: a call gets the verdict that it gets in the project, and nothing changes the project itself.
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { sampled } from "../../harness/deep-it.ts";
import { patient } from "../../harness/patience.ts";
import { deep, runs } from "../../harness/runs.ts";
import { cases } from "./cases.ts";
import { classicRules, openSetting, type Setting, starterRules } from "./guarded-project.ts";
import { indirectCases } from "./indirect-cases.ts";

const anchored = `
zeroAccessPaths: ["./secret/", "PROJECT@/closed.txt"]
readOnlyPaths: ["./config/**", "PROJECT@/src/a.ts"]
noDeletePaths: ["./README.md", "PROJECT@/docs"]
`;

/** Commands that fan out over the files of the folder, whose names cannot be computed. */
const sweeping = [
	"sed -i s/a/b/ $(git ls-files)",
	"for f in $(git ls-files); do sed -i s/a/b/ $f; done",
	"git ls-files | xargs sed -i s/a/b/",
	"find . -name '*.ts' | xargs sed -i s/a/b/",
	"find . -type f -exec sed -i s/a/b/ {} +",
	'grep -rl a src | while read f; do perl -pi -e s/a/b/ "$f"; done',
	"git ls-files -z | xargs -0 prettier --write",
	"npx eslint --fix .",
	"cp -r src lib && rm -rf lib",
	"rm -rf .pi",
	"rm -rf *",
	"git clean -fdx",
	"mv src .pi/settings.json",
	"echo x > .pi/chronicle/a.json",
	"echo x > history",
	"echo x > config/prod.yaml",
	"rm README.md",
	"cd docs && rm -rf .",
	"cat secret/key closed.txt",
	"sed -i s/a/b/ src/a.ts",
	"tar czf out.tgz .",
	"git add -A && git commit -m x",
	"npm test",
	'python3 -c \'open("a.txt", "w")\'',
];

const calls = [...cases, ...indirectCases].map(([, tool, input]) => [tool, input] as const);
const all = [...sweeping.map((command) => ["bash", { command }] as const), ...calls];

describe.each(
	sampled([
		["anchored rules", anchored],
		["starter rules", starterRules],
		["classic rules", classicRules],
		["no rules", "bashToolPatterns: []\n"],
	]),
)("%s", (_name, text) => {
	const settings = [openSetting(text), openSetting(text, undefined, "copy")];
	const [project, copy] = settings as [Setting, Setting];
	afterAll(() => Promise.all(settings.map((setting) => setting.close())));

	it("give a call the same verdict in a copy of the project, unless it leaves the copy", async () => {
		const differing: string[] = [];
		// The first of these are always judged.
		for (const [tool, input] of [
			...all.slice(0, sweeping.length),
			...all.slice(sweeping.length).filter((_, index) => deep || index % 20 === 0),
		]) {
			const told = async ({ home, judge, project: root }: Setting): Promise<string> => {
				const placed = JSON.parse(JSON.stringify(input).replaceAll("HOME@/", `${home}/`));
				const { decision, verdicts } = await judge(tool, placed);
				return `${decision} ${[...new Set(verdicts.map(({ rule }) => rule.replace(root, "PROJECT@")))].sort().join(", ")}`;
			};
			const [there, here] = [await told(project), await told(copy)];
			const leaves = here.startsWith("deny") && here.includes("outside-the-copy") && /\.\./.test(JSON.stringify(input));
			if (there !== here && !leaves) differing.push(`${tool} ${JSON.stringify(input)}: ${there} · ${here}`);
		}
		expect(differing).toEqual([]);
	});
});

const places = fc.constantFrom(
	"a.txt",
	"src/a.ts",
	"src",
	"docs/guide.md",
	"docs",
	"config/prod.yaml",
	"new/deep/x.ts",
	"LICENSE",
	".env",
	"dist",
);
const anchors = fc.constantFrom("", "./", "PROJECT@/", "**/");
const endings = fc.constantFrom("", "/", "/**", "/*.ts");
const pattern = fc.tuple(anchors, places, endings).map((all) => JSON.stringify(all.join("")));
const ruleSet = fc
	.record({
		zeroAccessPaths: fc.array(pattern, { maxLength: 2 }),
		readOnlyPaths: fc.array(pattern, { maxLength: 2 }),
		noDeletePaths: fc.array(pattern, { maxLength: 2 }),
	})
	.map((lists) =>
		Object.entries(lists)
			.map(([name, list]) => `${name}: [${list.join(", ")}]\n`)
			.join(""),
	);
const path = fc
	.tuple(fc.constantFrom("", "./", "HERE/", "$PWD/", "src/../", "HERE/docs/../"), places)
	.map(([before, place]) => before + place);
const commands = [
	...[
		"echo x > @",
		"echo x | tee @",
		"rm -rf @",
		"mv @ moved",
		"mv a.txt @",
		"cp -r src @",
		"sed -i s/a/b/ @",
		"cat @",
	],
	...["chmod 600 @", "ln -s @ link", "find @ -delete", "git rm -r @", "touch @/y", "cd src && rm -r ../docs @"],
	...["P=@; rm $P", "ls @ | xargs rm", "truncate -s0 @", "tar czf out.tgz @", "git checkout -- @"],
];
const call = fc.oneof(
	fc.tuple(
		fc.constantFrom("write", "edit", "read", "ls", "grep"),
		path.map((place) => ({ path: place, content: "x" })),
	),
	fc.tuple(
		fc.constant("bash"),
		fc
			.tuple(fc.constantFrom(...commands), path)
			.map(([command, place]) => ({ command: command.replaceAll("@", place) })),
	),
);

describe("in the project, the copies of children and merge workers, and those of their children", () => {
	const settings = (["project", "copy", "the copy of a merge worker", "grandchild"] as const).map((place) =>
		openSetting("bashToolPatterns: []\n", undefined, place),
	);
	afterAll(() => Promise.all(settings.map((setting) => setting.close())));

	it(
		"a rule means the same file",
		async () => {
			await fc.assert(
				fc.asyncProperty(ruleSet, fc.array(call, { minLength: 1, maxLength: 6 }), async (text, calls) => {
					for (const [tool, input] of calls) {
						const told = settings.map(async ({ cwd, project, under }) => {
							const placed = JSON.parse(JSON.stringify(input).replaceAll("HERE", cwd));
							const { decision, verdicts } = await under(text)(tool, placed);
							return [decision, ...new Set(verdicts.map(({ rule }) => rule.replace(project, "PROJECT@")))];
						});
						const [there, ...copies] = await Promise.all(told);
						for (const here of copies) expect([tool, input, here]).toEqual([tool, input, there]);
					}
				}),
				{ numRuns: runs(0.1) },
			);
		},
		patient(60_000),
	);
});

describe("the project itself, and what is next to the copy", () => {
	const copy = openSetting("bashToolPatterns: []\n", undefined, "copy");
	afterAll(() => copy.close());

	it.each<[string, string, Record<string, unknown>]>([
		["a file tool", "write", { path: "PROJECT/src/a.ts", content: "x" }],
		["an edit", "edit", { path: "PROJECT/new.ts", edits: [] }],
		["a redirect", "bash", { command: "echo x > PROJECT/src/a.ts" }],
		["a copy", "bash", { command: "cp a.txt PROJECT/" }],
		["a folder that was entered", "bash", { command: "cd PROJECT && touch x" }],
		["files that cannot be named", "bash", { command: "cd PROJECT && sed -i s/a/b/ $(git ls-files)" }],
		["a variable", "bash", { command: "P=PROJECT; sed -i s/a/b/ $P/src/a.ts" }],
		["a task of the project", "bash", { command: "cd PROJECT && npm test" }],
		["a task by an option", "bash", { command: "make -C PROJECT" }],
		["git", "bash", { command: "git -C PROJECT commit -am x" }],
		["program text", "bash", { command: 'python3 -c \'open("PROJECT/a.txt", "w")\'' }],
		["a link", "bash", { command: "ln -s PROJECT/src mine; ln -sf x PROJECT/src/a.ts" }],
		["a tool of another package", "store_file", { path: "PROJECT/a.txt", text: "x" }],
		["the folder next to the copy", "bash", { command: "tar czf ../all.tgz ." }],
		["the copy of a sibling", "bash", { command: "touch ../../other/files/x" }],
	])("may not be changed by %s; the refusal names the copy", async (_name, tool, input) => {
		const placed = JSON.parse(JSON.stringify(input).replaceAll("PROJECT", copy.project));
		const { decision, verdicts, why } = await copy.judge(tool, placed);
		expect(decision, why).toBe("deny");
		const advice = verdicts.find(({ rule }) => rule === "outside-the-copy")?.advice;
		expect(advice).toContain(copy.cwd);
	});

	it.each<[string, Record<string, unknown>]>([
		["read", { path: "PROJECT/src/a.ts" }],
		["bash", { command: "diff -r PROJECT/src src" }],
		["write", { path: "notes.md", content: "See PROJECT/src/a.ts" }],
		["bash", { command: "touch COPY/x && sed -i s/a/b/ COPY/src/a.ts" }],
	])("may be read and named: %s %o", async (tool, input) => {
		const placed = JSON.stringify(input).replaceAll("PROJECT", copy.project).replaceAll("COPY", copy.cwd);
		const { decision, why } = await copy.judge(tool, JSON.parse(placed));
		expect(decision, why).toBe("allow");
	});

	it("names the path in the copy that is meant", async () => {
		const { verdicts } = await copy.judge("write", { path: join(copy.project, "src/a.ts"), content: "x" });
		expect(verdicts[0]?.advice).toBe(`Use ${join(copy.cwd, "src/a.ts")}.`);
	});
});

describe("rules with anchors", () => {
	const patterns = ["./config/**", "./src/a.ts", "PROJECT@/docs/*.md", "PROJECT@/dist"];
	const copy = openSetting(`readOnlyPaths: ${JSON.stringify(patterns)}\n`, undefined, "copy");
	afterAll(() => copy.close());

	it.each([
		["echo x > config/prod.yaml", "deny"],
		["sed -i s/a/b/ src/a.ts", "deny"],
		["cp a.txt docs/guide.md", "deny"],
		["cd dist && touch new.js", "deny"],
		["sed -i s/a/b/ src/index.ts", "allow"],
		["touch docs/guide.txt", "allow"],
	])("hold in a copy: %s", async (command, decision) => {
		expect((await copy.bash(command)).decision).toBe(decision);
	});
});
