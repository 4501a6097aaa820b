// Options as their help lines describe them.
import { expect, it } from "vitest";
import { commands } from "../../src/ui/commands/index.ts";
import { alignOptions, optionsIn } from "../../src/ui/option-usage.ts";

it.each([
	["  --keep  keeps it", { keep: "flag" }],
	["  --cost <usd>  --tokens <n>   limits", { cost: "value", tokens: "value" }],
	["  --yes, --no  answers; --other is not described here", { yes: "flag", no: "flag" }],
	["  --by-hand [folder] you answer", { "by-hand": "path" }],
	["  a line that continues with --nothing", {}],
	["", {}],
])("are read: %j", (usage, options) => {
	expect(optionsIn(usage)).toEqual(options);
});

it("have a description each, in every command", () => {
	for (const { name, options = "", shellOptions = "" } of commands)
		for (const line of `${options}${shellOptions}`.split("\n").filter((one) => one !== ""))
			expect(Object.keys(optionsIn(line)), `${name}: ${line}`).not.toEqual([]);
});

it("are aligned, but for a long group", () => {
	expect(alignOptions("  --a  one\n  --longer <x>  two\n  --one <x>  --two <y>  --three <z>   three\n")).toBe(
		"  --a           one\n  --longer <x>  two\n  --one <x>  --two <y>  --three <z>  three\n",
	);
});
