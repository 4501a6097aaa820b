// The stages of a sequence as pictures for the documents.
import { expect, it } from "vitest";
import { expectPicture, openBench, say } from "../harness/index.ts";

it("recording, restoring and running a sequence look as in the documents", async () => {
	const { server, tui } = await openBench({
		files: { ".pi/prompts/review.md": "---\ndescription: Review one module\n---\nReview $1." },
		script: (request) =>
			request.lastUser.startsWith("Write")
				? say("Working on it …", { chunk: 2, delay: 400 })
				: say("The plan is ready."),
	});
	const pi = await tui({ cols: 96, rows: 22 });
	const picture = (name: string, title: string, rows: [number, number] = [8, 22]) =>
		expectPicture(pi.snapshot(), name, { title, rows, mask: [[/⠋|⠙|⠹|⠸|⠼|⠴|⠦|⠧|⠇|⠏/, "⠋"]] });

	await pi.submit("/sequence");
	await pi.waitForScreen("0 steps");
	for (const step of ["Plan the tests for $@", "/notebook on", "/review src/parse.ts"]) {
		pi.type(step);
		await pi.still();
		await pi.press("enter");
		await pi.waitForScreen(`. ${step}`);
	}
	pi.type("/publish the result");
	await pi.still();
	await pi.press("enter");
	await pi.waitForScreen("Unsupported step");
	await pi.still();
	picture("sequence-recording", "Recording a sequence: three steps, and a fourth that is refused with its reason");

	await pi.press("ctrl+u");
	pi.type("Write the tests");
	await pi.press("enter");
	await pi.waitForScreen("4. Write the tests");
	await pi.press("ctrl+enter");
	await pi.waitForScreen("how many times?");
	await pi.press("escape");
	await pi.still();
	await pi.submit("/sequence");
	await pi.waitForScreen("Restore last sequence?");
	await pi.still();
	picture("sequence-restore", "The menu that offers the last sequence again", [0, 22]);
	await pi.press("escape");
	await pi.still();

	pi.type("/sequence run 3 the parser");
	await pi.still();
	await pi.press("escape", "enter");
	await server.waitForRequest(3);
	await pi.waitForScreen("⟳ sequence · run 1/3 · step 4/4");
	expect(server.requests.map(({ users }) => users[0])).toContain("Plan the tests for the parser");
	await pi.press("escape");
	await pi.waitForScreen("The sequence was stopped");
});
