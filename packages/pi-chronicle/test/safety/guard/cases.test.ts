// The verdicts of the guard, row by row, under two rule files: one in the classic form, and the starter.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Case, cases } from "./cases.ts";
import { classicRules, openSetting, type Setting, starterRules } from "./guarded-project.ts";
import { indirectCases } from "./indirect-cases.ts";

const titles = [...cases, ...indirectCases].map(
	(row, index) => [`${row[0]}: ${row[1]} ${JSON.stringify(row[2]).slice(0, 90)} (${index})`, row] as const,
);

function placed(input: Case[2], home: string): Case[2] {
	return JSON.parse(JSON.stringify(input).replaceAll("HOME@/", `${home}/`)) as Case[2];
}

describe.each([
	["classic rules", classicRules],
	["starter rules", starterRules],
])("%s", (_name, text) => {
	let usual: Setting;
	let strict: Setting;
	beforeAll(() => {
		usual = openSetting(text);
		strict = openSetting(text, (rules) => ({ ...rules, strict: true }));
		expect(usual.rules.diagnostics).toEqual([]);
	});
	afterAll(async () => {
		await usual.close();
		await strict.close();
	});

	it.each(titles)("%s", async (_title, [, tool, input, expected]) => {
		const said = await usual.judge(tool, placed(input, usual.home));
		if (expected === "stop") expect(said.decision, said.why).not.toBe("allow");
		else expect(said.decision, said.why).toBe(expected === "strict-ask" ? "allow" : expected);
		const strictly = await strict.judge(tool, placed(input, strict.home));
		if (expected === "strict-ask") expect(strictly.decision, strictly.why).toBe("ask");
		// Strict mode never lets more through.
		const weight = { allow: 0, ask: 1, deny: 2 };
		expect(weight[strictly.decision]).toBeGreaterThanOrEqual(weight[said.decision]);
	});
});
