// The example of test/harness/README.md.
import { expect, it } from "vitest";
import { call, openBench, say } from "./harness/index.ts";

it("the notebook keeps the page that the model wrote", async () => {
	const { project, server, rpc } = await openBench({
		files: { "notes.txt": "old\n", "package.json": { private: true } },
		git: true,
		script: [call("write", { path: "notes.txt", content: "new\n" }), say("Done.")],
	});
	const pi = await rpc();
	await pi.run("Update the notes");

	expect(project.read("notes.txt")).toBe("new\n");
	expect(pi.toolResults()).toMatchObject([{ tool: "write", error: false }]);
	expect(server.requests).toHaveLength(2);
	expect(server.requests[0]?.lastUser).toBe("Update the notes");
});
