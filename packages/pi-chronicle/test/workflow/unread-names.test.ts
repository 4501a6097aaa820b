// What `/workflow ` offers before a workflow is used: the same as afterwards, without the code that reads definitions.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { completeWorkflow } from "../../src/workflow/session/command.ts";
import { openLibrary } from "../../src/workflow/session/library.ts";
import { completeUnread } from "../../src/workflow/unread-names.ts";
import { openFolder } from "../harness/index.ts";
import { packageUnderTest } from "../harness/under-test.ts";
import { workflowFiles } from "./stage.ts";

const open = () => {
	const folder = openFolder({
		...workflowFiles({ fix: ["a"], "fix-all": ["a"], show: ["a"] }),
		".pi/workflows/group/inner/workflow.yaml":
			"commandName: \"deep\"\nname: 'Deep one'\ninitialMessage: Go.\nphases: [a.md]\n",
		".pi/workflows/group/inner/a.md": "---\nid: a\nname: A\nemoji: 🔧\n---\nDo it.\n",
		".pi/workflows/part/workflow.yaml":
			"name: Part\nshow: workflows\ncommandName: part\ninitialMessage: Go.\nphases: [a.md]\n",
		".pi/workflows/part/a.md": "---\nid: a\nname: A\nemoji: 🔧\n---\nDo it.\n",
		".pi/workflows/empty/notes.txt": "nothing\n",
	});
	const agentDir = join(folder, "agent");
	return { folder, agentDir };
};

it.each([
	"",
	"f",
	"fi",
	"fix",
	"fix-",
	"d",
	"p",
	"s",
	"show ",
	"show f",
	"--",
	"--sh",
	"--show d",
	"init ",
	"init f",
	"back ",
	"list x",
])("offers the same behind '%s' as once a workflow was used", (prefix) => {
	const { folder, agentDir } = open();
	for (const trusted of [true, false]) {
		const place = { cwd: folder, trusted };
		const workflows = { library: openLibrary(agentDir), controller: { active: undefined } };
		const sorted = (items: ReturnType<typeof completeUnread>) =>
			items?.toSorted((one, other) => (one.value < other.value ? -1 : 1)) ?? null;
		expect(sorted(completeUnread(agentDir, place, prefix))).toEqual(
			sorted(completeWorkflow(workflows as never, prefix, place)),
		);
	}
});

it("loads little, and nothing that reads definitions", () => {
	const dist = join(packageUnderTest().root, "dist", "later");
	const loaded = new Map<string, string>();
	const load = (name: string): void => {
		if (loaded.has(name)) return;
		const code = readFileSync(join(dist, name), "utf8");
		loaded.set(name, code);
		for (const [, next = ""] of code.matchAll(/from"\.\/([^"]+)"/g)) load(next);
	};
	load(readdirSync(dist).find((file) => file.startsWith("workflow-unread-names")) ?? "");
	expect([...loaded.values()].join("").length).toBeLessThan(12_000);
});
