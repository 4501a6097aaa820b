// The project of a document: it runs commands, starts pi with the package, and rejects bad files.
import { expect, it } from "vitest";
import { keepForFile } from "../harness/index.ts";
import { openDocumentProject } from "./document-project.ts";

it("a document's project runs commands, types into pi, and reads files with the product's readers", async () => {
	const open = await keepForFile(() => openDocumentProject("receipts", () => "ok"));
	expect(await open.run("npm test --silent > /dev/null && echo passed")).toMatchObject({
		code: 0,
		printed: "passed\n",
	});
	expect(await open.run("false; echo not reached")).toMatchObject({ code: 1, printed: "" });
	expect(await open.run('pi -p "hello"')).toMatchObject({ code: 0, printed: "ok\n" });
	expect(await open.type(["/sequence show"])).toContain("sequence");
	expect(open.check()).toEqual([]);

	open.write(".pi/workflows/broken/workflow.yaml", "nme: broken\nphases: 3");
	open.write(".pi/elsewhere/x.yaml", "a: 1");
	open.write(".pi/chronicle/workflows/broken.json", '{ "states": 1 }');
	open.write("data.json", "{,}");
	open.write("~/.pi/agent/agents/odd.md", "---\nname: odd\ntools: [raed]\n---\nText");
	const problems = open.check().join("\n");
	expect(problems).toContain("elsewhere/x.yaml: nothing reads a file here");
	expect(problems).toMatch(/^\.pi\/workflows\/broken\/workflow\.yaml:1:/m);
	expect(problems).toMatch(/^\.pi\/chronicle\/workflows\/broken\.json:1:/m);
	expect(problems).toContain("raed");
	expect(problems).toMatch(/^data\.json: /m);
});
