// `/chronicle show`: a template as a diagram, drawn in the terminal and as Mermaid text elsewhere.
import { expect, it } from "vitest";
import { expectPicture, openBench } from "../../harness/index.ts";
import { withTemplates } from "../../runs/bench.ts";
import { sampleTemplate } from "../../sample-template.ts";

it("show draws a template's states, their personas, approvals, and the moves between them", async () => {
	const { rpc, tui } = await openBench({
		files: withTemplates({
			feature: sampleTemplate,
			hub: {
				states: {
					hub: { persona: "H", next: ["a", "b"], requires_approval: true },
					a: { persona: "A", next: ["hub"] },
					b: { persona: "B", next: ["hub", "done"] },
					done: { requires_approval: true, approval_mode: "pre" },
				},
			},
			odd: { name: 'A "b" <c>', states: { 'x"y': { persona: "P & Q", next: [] } } },
		}),
		script: [],
	});
	const pi = await rpc();
	await pi.prompt("/chronicle show feature");
	expect(pi.screen.text).toContain('s0["Planning<br/>Software Architect<br/>approval to end"]');
	expect(pi.screen.text).toContain("s0 --> s1");
	expect(pi.screen.text).toContain("s1 --> s0");
	expect(pi.screen.text).toContain('s2(["Verification"])');
	expect(pi.screen.text).toMatch(
		/asks: you decide before the move is made\nMoves:\n {2}Planning → Implementation +asks\n {2}Implementation → Verification\n {2}Implementation → Planning$/m,
	);
	await pi.prompt("/chronicle show hub");
	for (const move of ["Hub → A +asks", "Hub → B +asks", "A → Hub", "B → Hub", "B → Done +asks"])
		expect(pi.screen.text).toMatch(new RegExp(`^ {2}${move}$`, "m"));
	await pi.prompt("/chronicle show nothing");
	expect(pi.screen.text).toContain(
		'There is no template "nothing". There are `feature`, `hub`, `odd`, `comments`, `coverage`, `migration`, `refactor`, `review`, `spec`, `triage` and `upgrade`.',
	);
	await pi.close();

	const screen = await tui({ cols: 90, rows: 36 });
	screen.type("/chronicle show feature");
	await screen.still();
	await screen.press("escape", "enter");
	await screen.waitForScreen("Esc closes");
	await screen.still();
	expectPicture(screen.snapshot(), "chronicle-show", {
		title: "A chronicle's template drawn in the terminal",
		rows: [0, 34],
	});
});
