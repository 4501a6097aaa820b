// The example of the package's README.
import { expect, it } from "vitest";
import { openSource } from "../src/definition/index.ts";
import { readTemplate } from "../src/template/index.ts";

it("the README's example holds", () => {
	const text = `states:
  plan: { persona: Planner, next: [build] }
  build: { persona: Engineer, nxt: [plan, done] }`;
	const { read, diagnostics } = readTemplate(openSource("flow.yaml", text), "flow");
	expect([read]).toEqual([undefined]);
	expect(diagnostics[0]).toMatchObject({
		file: "flow.yaml",
		line: 3,
		column: 31,
		remedy: "Write `next`, or remove the line.",
	});
});
