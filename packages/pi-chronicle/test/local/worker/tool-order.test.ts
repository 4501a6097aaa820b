// The tools that a worker gets from its extensions. What the agent file forbids stays forbidden, whatever a name resolves to.

import { isListed } from "@pi-chronicle/core/definition";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leftOut } from "../../../src/local/worker/handshake.ts";
import { chooseTools, type ToolOrder } from "../../../src/local/worker/tool-order.ts";
import { runs } from "../../harness/runs.ts";

const free = { denied: [], only: undefined };
const order = (more: Partial<ToolOrder> = {}): ToolOrder => ({
	...{ tools: ["ls"], requested: [], extensionTools: "named", hoped: [], restrictions: free, ...more },
});
const requests = (written: string, otherwise?: string) => order({ requested: [{ written, otherwise }] });

describe("a name in a state's tools", () => {
	it.each<[what: string, order: ToolOrder, registered: string[], tools: string[], given: string[], missing: string[]]>([
		["of an extension", requests("deploy"), ["deploy", "other"], ["ls"], ["deploy"], []],
		["of nothing", requests("deploy"), ["other"], ["ls"], [], ["deploy"]],
		["of pi, with no extension's of that name", requests("read", "read"), ["other"], ["ls", "read"], [], []],
		["of pi, replaced by an extension's", requests("read", "read"), ["read"], ["ls"], ["read"], []],
		["of pi in another case", requests("Read", "read"), ["READ"], ["ls", "read"], [], []],
		["of pi in another case, replaced", requests("Read", "read"), ["read"], ["ls"], ["read"], []],
		["of an extension in another case", requests("Deploy"), ["deploy"], ["ls"], ["deploy"], []],
		[
			"exactly an extension's, before one in another case",
			requests("Deploy"),
			["deploy", "Deploy"],
			["ls"],
			["Deploy"],
			[],
		],
		["a pattern", requests("de*"), ["deploy", "delete", "other"], ["ls"], ["deploy", "delete"], []],
		["a pattern that fits nothing", requests("x*"), ["deploy"], ["ls"], [], ["x*"]],
		["an alias of pi's, of an extension", requests("shell", "bash"), ["shell"], ["ls"], ["shell"], []],
		["an alias of pi's, replaced", requests("shell", "bash"), ["bash"], ["ls"], ["bash"], []],
		["an alias of pi's", requests("shell", "bash"), [], ["ls", "bash"], [], []],
	])("%s", (_what, ordered, registered, tools, given, missing) => {
		expect(chooseTools(ordered, registered)).toMatchObject({ tools, given, missing });
	});
});

describe("tools that extensions register", () => {
	it("are all active, or only those that are named", () => {
		const registered = ["deploy", "other"];
		expect(chooseTools(order({ extensionTools: "all" }), registered)).toMatchObject({ given: registered, unnamed: [] });
		expect(chooseTools(requests("deploy"), registered)).toMatchObject({ given: ["deploy"], unnamed: ["other"] });
	});

	it("are reported if the agent file names them and they are missing", () => {
		const hoped = ["deploy", "git_*", "gone"];
		expect(chooseTools(order({ hoped }), ["deploy", "git_log"]).unregistered).toEqual(["gone"]);
	});

	it("are omitted with a sentence per reason, and without a sentence if there is no reason", () => {
		const restrictions = { denied: ["deploy"], only: undefined };
		const all = order({ requested: [{ written: "deploy", otherwise: undefined }], hoped: ["gone"], restrictions });
		expect(leftOut("build", all, ["deploy", "other"])).toEqual([
			"State `build`: tools of its extensions omitted, because its `tools` does not name them: `other`.",
			"State `build`: tools of its extensions omitted, because its agent file forbids them: `deploy`.",
			"State `build`: tools of its agent file omitted, because no extension of the state registers them: `gone`.",
		]);
		expect(leftOut("build", requests("deploy"), ["deploy"])).toEqual([]);
	});
});

it("a tool that the agent file forbids is never active, and every other name is in exactly one list", () => {
	const name = fc.constantFrom("read", "bash", "deploy", "delete", "Deploy", "de*", "*", "git_log");
	const names = fc.uniqueArray(name);
	const requested = fc.array(fc.record({ written: name, otherwise: fc.option(name, { nil: undefined }) }));
	const orders = fc.record<ToolOrder>({
		tools: names,
		requested,
		extensionTools: fc.constantFrom("all", "named"),
		hoped: names,
		restrictions: fc.record({ denied: names, only: fc.option(names, { nil: undefined }) }),
	});
	fc.assert(
		fc.property(orders, names, (ordered, registered) => {
			const { tools, given, unnamed, forbidden } = chooseTools(ordered, registered);
			const { denied, only } = ordered.restrictions;
			for (const tool of [...tools, ...given]) {
				expect(isListed(denied, tool)).toBe(false);
				expect(only === undefined || isListed(only, tool)).toBe(true);
			}
			expect([...given, ...unnamed, ...forbidden].sort()).toEqual([...registered].sort());
		}),
		{ numRuns: runs() },
	);
});
