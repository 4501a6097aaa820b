// Records of a call, and which calls may run in parallel.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Footprint } from "../../../src/safety/index.ts";
import {
	isWithin,
	openPolicies,
	readDecision,
	redactInput,
	redactText,
	type Verdict,
} from "../../../src/safety/index.ts";
import { recordDecision } from "../../../src/safety/policy/decision-record.ts";
import { openInFlightCalls } from "../../../src/safety/policy/in-flight-calls.ts";
import { refusalText } from "../../../src/safety/policy/refusal.ts";
import { patient } from "../../harness/patience.ts";

const verdict: Verdict = { decision: "deny", policy: "guard", rule: "r", reason: "because" };

describe("redaction", () => {
	it.each([
		["curl -H 'Authorization: Bearer abcdefgh12345678' x", "abcdefgh12345678"],
		["export API_KEY=abc123def456", "abc123def456"],
		["mysql -u root --password=hunter2secret", "hunter2secret"],
		["mysql -u root --password hunter2secret", "hunter2secret"],
		["git clone https://ann:hunter2secret@example.com/x", "hunter2secret"],
		["echo ghp_0123456789abcdefABCDEF0123456789abcd", "0123456789abcdef"],
		["echo sk-ant-REDACTME-0123456789abcdef", "0123456789abcdef"],
		['{"client_secret": "q1w2e3r4t5"}', "q1w2e3r4t5"],
		["x AKIAIOSFODNN7EXAMPLE y", "IOSFODNN7EXAMPLE"],
		["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-DEF_123", "eyJzdWIiOiIxMjM0In0"],
	])("%s", (text, secret) => {
		expect(redactText(text, 200)).not.toContain(secret);
		expect(redactText(text, 200)).toContain("•••");
	});

	it.each([
		"git commit -m 'Add the parser'",
		"cat src/components/workflow/definitions/reader.ts",
		"rm -rf node_modules",
		"npm run build -- --mode production",
	])("leaves %s unchanged", (text) => expect(redactText(text, 200)).toBe(text));

	it("replaces contents by their size and omits secret fields", () => {
		expect(redactInput({ path: "a", content: "x".repeat(500) }, 100)).toBe("path=a content=(500 characters)");
		expect(redactInput({ path: "a", edits: [1, 2] }, 100)).toBe("path=a edits=(2 items)");
		expect(redactInput({ password: "x", q: { a: 1 } }, 100)).toBe("password=••• q=(1 fields)");
	});

	it("never grows with its input", () => {
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string({ maxLength: 3000 }), (input, text) => {
				expect(redactInput({ ...(input as object), text2: text }, 300).length).toBeLessThanOrEqual(300);
				const call = { id: "1", tool: text, input: { a: text }, siblings: [] };
				const long = { ...verdict, reason: text, rule: text, origin: { file: text, line: 3 } };
				const record = recordDecision("denied", call, [long, long, long, long, long, long]);
				expect(JSON.stringify(record).length).toBeLessThan(4096);
				expect(readDecision(JSON.parse(JSON.stringify(record)))).toEqual(record);
			}),
		);
		for (const other of [undefined, null, 3, "x", [], {}, { version: 2 }]) expect(readDecision(other)).toBeUndefined();
	});

	it("takes linear time for long texts", () => {
		const started = performance.now();
		for (const unit of ["a", "-", "a+", "token=", "://a:", "sk-", "bearer ", "eyJ", " ", "_1"]) {
			redactText(unit.repeat(200_000), 400);
		}
		expect(performance.now() - started).toBeLessThan(patient(1000));
	});
});

describe("policies", () => {
	const call = { id: "1", tool: "bash", input: {}, siblings: [] };
	const nothing: Footprint = { tool: "bash", accesses: [], runs: [], unknowns: [] };

	it("the strongest wins and every reason is kept", async () => {
		const policies = openPolicies();
		policies.add({ name: "a", judge: () => ({ ...verdict, decision: "ask", rule: "1" }) });
		policies.add({
			name: "b",
			judge: async () => [
				{ ...verdict, rule: "2" },
				{ ...verdict, decision: "allow", reason: "" },
			],
		});
		const remove = policies.add({ name: "c", judge: () => undefined });
		const judged = await policies.judge(call, () => nothing);
		expect(judged.decision).toBe("deny");
		expect(judged.verdicts.map(({ rule }) => rule)).toEqual(["2", "1"]);
		remove();
		expect(policies.size).toBe(2);
	});

	it("an error in a policy or in the footprint is a refusal with a reason", async () => {
		const policies = openPolicies();
		policies.add({
			name: "a",
			judge() {
				throw new Error("boom");
			},
		});
		policies.add({ name: "b", judge: (_call, footprint) => void footprint() });
		const judged = await policies.judge(call, () => {
			throw new Error("no disk");
		});
		expect(judged.decision).toBe("deny");
		expect(judged.verdicts.map(({ reason }) => reason).join()).toMatch(/boom.*no disk/);
	});

	it("a policy that cannot inspect a result withholds it", async () => {
		const policies = openPolicies();
		policies.add({
			name: "a",
			judge: () => undefined,
			screen() {
				throw new Error("boom");
			},
		});
		const [screening] = await policies.screen(call, () => nothing, ["secret", "more"]);
		expect(screening?.texts.join()).not.toContain("secret");
	});

	it("a refusal has rule, place and remedy", () => {
		const text = refusalText([{ ...verdict, origin: { file: "/r.yaml", line: 4 }, advice: "Do less." }], "rule", "/p");
		expect(text).toContain("because [guard: r, /r.yaml:4]");
		expect(text).toContain("Do less.");
		expect(refusalText([verdict], "rule", "/p")).toContain("Do not try it another way");
	});
});

describe("parallel execution", () => {
	const footprint = (tool: string, accesses: Footprint["accesses"], runs: Footprint["runs"] = []): Footprint => ({
		tool,
		accesses,
		runs,
		unknowns: [],
	});
	const access = (kind: "read" | "write" | "link" | "delete", path: string, real = path) =>
		({ kind, path, real, recursive: false, by: "x" }) as const;
	const run = (program: string, ...args: string[]) => ({ program, args, text: program, effects: [], changes: [] });
	const reading = footprint("read", [access("read", "/p/k/id")]);
	const linking = footprint("bash", [access("link", "/h"), access("write", "/p/k")], [run("ln", "-s", "/h", "k")]);
	const yes = () => true;

	it.each([
		["a link", linking],
		["a move", footprint("bash", [access("delete", "/p/a"), access("write", "/p/k")], [run("mv", "a", "k")])],
		["a copy of links", footprint("bash", [access("write", "/p/k")], [run("cp", "-a", "a", "k")])],
		["an archive", footprint("bash", [access("write", "/p")], [run("tar", "xf", "a")])],
		["a checkout", footprint("bash", [access("write", "/p")], [run("git", "checkout", "x")])],
	])("is excluded for %s and a call that uses the name, in either order", (_name, maker) => {
		const flight = openInFlightCalls();
		flight.begin("1", maker);
		expect(flight.conflict("2", reading, yes)).toContain("/p/k/id");
		flight.end("1");
		expect(flight.conflict("2", reading, yes)).toBeUndefined();
		flight.begin("2", reading);
		expect(flight.conflict("1", maker, yes)).toContain("/p/k/id");
		flight.clear();
		expect(flight.size).toBe(0);
	});

	it("is allowed for calls that only write text or use other paths", () => {
		const flight = openInFlightCalls();
		flight.begin("1", footprint("bash", [access("write", "/p/k")], [run("echo", "x")]));
		flight.begin("2", footprint("write", [access("write", "/p/k")]));
		flight.begin(
			"3",
			footprint("bash", [access("link", "/h"), access("write", "/p/other")], [run("ln", "-s", "/h", "other")]),
		);
		expect(flight.conflict("4", reading, yes)).toBeUndefined();
	});

	it("is excluded for an unknown effect and a read of a missing path", () => {
		const flight = openInFlightCalls();
		flight.begin("1", { ...footprint("bash", []), unknowns: [{ what: "script", text: "x", may: ["write", "link"] }] });
		expect(flight.conflict("2", reading, () => false)).toContain("/p/k/id");
		expect(flight.conflict("2", reading, yes)).toBeUndefined();
		// A call made by another call is not kept from running by it.
		expect(flight.conflict("1/1", reading, () => false)).toBeUndefined();
	});
});

describe("containment of paths", () => {
	it("compares whole segments", () => {
		expect(isWithin("/a/b", "/a")).toBe(true);
		expect(isWithin("/a", "/a")).toBe(true);
		expect(isWithin("/ab", "/a")).toBe(false);
		expect(isWithin("/a", "/")).toBe(true);
		expect(isWithin("C:\\a\\b", "C:\\a")).toBe(true);
	});
});
