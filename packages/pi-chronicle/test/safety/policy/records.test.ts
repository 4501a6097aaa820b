// Records of a call, and which calls may run in parallel.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placeName } from "../../../src/safety/containment.ts";
import type { Footprint } from "../../../src/safety/index.ts";
import {
	isWithin,
	openPolicies,
	readDecision,
	redactInput,
	redactText,
	type Verdict,
} from "../../../src/safety/index.ts";
import { measure, pathFacts } from "../../../src/safety/measure.ts";
import { recordDecision } from "../../../src/safety/policy/decision-record.ts";
import { openInFlightCalls } from "../../../src/safety/policy/in-flight-calls.ts";
import { refusalText } from "../../../src/safety/policy/refusal.ts";
import { cpuMs } from "../../harness/cpu.ts";
import { within } from "../../harness/patience.ts";

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

	it("takes linear time for long texts", async () => {
		const ms = await cpuMs(() => {
			for (const unit of ["a", "-", "a+", "token=", "://a:", "sk-", "bearer ", "eyJ", " ", "_1"])
				redactText(unit.repeat(200_000), 400);
		});
		expect(ms).toBeLessThan(within(1000));
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
	const disk = (exists: boolean) => ({
		exists: () => exists,
		isTemporary: ({ path }: { readonly path: string }) => path.startsWith("/tmp/"),
	});
	const [yes, no] = [disk(true), disk(false)];

	it.each([
		["a link", linking],
		["a move", footprint("bash", [access("delete", "/p/a"), access("write", "/p/k")], [run("mv", "a", "k")])],
		["a copy of links", footprint("bash", [access("write", "/p/k")], [run("cp", "-a", "a", "k")])],
		["an archive", footprint("bash", [access("write", "/p")], [run("tar", "xf", "a")])],
		["a checkout", footprint("bash", [access("write", "/p")], [run("git", "checkout", "x")])],
	])("is excluded for %s and a call that uses the name, in either order", (_name, maker) => {
		const flight = openInFlightCalls();
		flight.begin("1", maker, "bash `x`");
		expect(flight.conflict("2", reading, yes)).toContain("/p/k/id");
		flight.end("1");
		expect(flight.conflict("2", reading, yes)).toBeUndefined();
		flight.begin("2", reading, "bash `x`");
		expect(flight.conflict("1", maker, yes)).toContain("/p/k/id");
		flight.clear();
		expect(flight.size).toBe(0);
	});

	it("is allowed for calls that only write text or use other paths", () => {
		const flight = openInFlightCalls();
		flight.begin("1", footprint("bash", [access("write", "/p/k")], [run("echo", "x")]), "bash `x`");
		flight.begin("2", footprint("write", [access("write", "/p/k")]), "write");
		flight.begin(
			"3",
			footprint("bash", [access("link", "/h"), access("write", "/p/other")], [run("ln", "-s", "/h", "other")]),
			"bash `x`",
		);
		expect(flight.conflict("4", reading, yes)).toBeUndefined();
	});

	it("is excluded for an unknown effect and a read of a missing path", () => {
		const flight = openInFlightCalls();
		flight.begin(
			"1",
			{ ...footprint("bash", []), unknowns: [{ what: "script", text: "x", may: ["write", "link"] }] },
			"bash `./run all`",
		);
		expect(flight.conflict("2", reading, no)).toMatch(/bash `\.\/run all`, could change what \/p\/k\/id means/);
		expect(flight.conflict("2", reading, yes)).toBeUndefined();
		// A call made by another call is not kept from running by it.
		expect(flight.conflict("1/1", reading, no)).toBeUndefined();
	});
});

describe("temporary folders of two calls", () => {
	const measured = (command: string) => measure({ tool: "bash", input: { command } }, process.cwd());
	const conflict = (one: string, other: string) => {
		const flight = openInFlightCalls();
		flight.begin("1", measured(one), "bash");
		return flight.conflict("2", measured(other), pathFacts(process.cwd()));
	};

	it.each([
		["d=$(mktemp -d); tar xf a.tar -C $d; ls $d", "d=$(mktemp -d); cat $d/x > $d/y"],
		["d=$(mktemp -d) && cp -r . $d && cd $d && cat x", "d=$(mktemp -d) && cp -r . $d && cd $d && cat x"],
		[
			'd=$(mktemp -d "${TMPDIR:-/tmp}/b.XXXXXX"); cp -a src $d/l',
			'd=$(mktemp -d "${TMPDIR:-/tmp}/b.XXXXXX"); cat $d/l/x',
		],
	])("that `mktemp` makes are different ones: %s", (one, other) => {
		expect([conflict(one, other), conflict(other, one)]).toEqual([undefined, undefined]);
	});

	it.each([
		["mktemp -d; ln -s / /tmp/tmp.0", "mktemp -d; cat /tmp/tmp.0/x"],
		["ln -s / /tmp/k-$(git rev-parse HEAD)", "cat /tmp/k-$(git rev-parse HEAD)/x"],
		["ln -s / /tmp/k; mktemp -d /tmp/XXXX", "d=$(mktemp -d /tmp/XXXX); cat /tmp/k/x"],
	])("with the same names are the same ones: %s", (one, other) => {
		expect([conflict(one, other), conflict(other, one)]).toEqual([expect.any(String), expect.any(String)]);
	});
});

describe("which accesses of two calls affect each other", () => {
	type Access = Footprint["accesses"][number];
	const access = (kind: Access["kind"], path: string, more: Partial<Access> = {}): Access => ({
		...{ kind, path, real: path, recursive: false, by: "x" },
		...more,
	});
	const ln = { program: "ln", args: ["-s"], text: "ln -s", effects: [], changes: [] };
	const footprint = (accesses: readonly Access[], more: Partial<Footprint> = {}): Footprint => ({
		...{ tool: "bash", accesses, runs: [], unknowns: [] },
		...more,
	});
	const disk = (exists: boolean) => ({
		exists: () => exists,
		isTemporary: ({ path }: { readonly path: string }) => path.startsWith("/tmp/"),
	});
	/** Whether two calls conflict, which does not depend on the order. */
	const conflict = (one: Footprint, other: Footprint, exists = true) => {
		const [first, second] = [openInFlightCalls(), openInFlightCalls()];
		first.begin("1", one, "bash");
		second.begin("1", other, "bash");
		const said = [first.conflict("2", other, disk(exists)), second.conflict("2", one, disk(exists))];
		expect(said[0] === undefined).toBe(said[1] === undefined);
		return said[0] !== undefined;
	};
	const user = (kind: Access["kind"]) => footprint([access(kind, "/p/k/id")], { tool: "read" });

	it.each<[Access["kind"], boolean]>([
		["write", true],
		["delete", true],
		["link", true],
		["read", false],
		["list", false],
	])("a %s of a program that makes links: %s", (kind, expected) => {
		expect(conflict(footprint([access(kind, "/p/k")], { runs: [ln] }), user("read"))).toBe(expected || kind === "link");
		expect(conflict(footprint([access(kind, "/p/k")]), user("read"))).toBe(kind === "link");
	});

	it.each(["write", "edit"])("%s writes text and creates no links, regardless of the text", (tool) => {
		const unknowns: Footprint["unknowns"] = [{ what: "script", text: "x", may: ["write", "link"] }];
		expect(conflict(footprint([access("write", "/p/k")], { tool, unknowns, runs: [ln] }), user("read"), false)).toBe(
			false,
		);
	});

	it.each<[Footprint["unknowns"][number]["may"], boolean]>([
		[["write"], true],
		[["link"], true],
		[["read"], false],
		[[], false],
	])("something unknown that may %j, and a read or list of what is not there: %s", (may, expected) => {
		const maker = footprint([], { unknowns: [{ what: "script", text: "x", may }] });
		for (const kind of ["read", "list"] as const) {
			expect(conflict(maker, user(kind), false)).toBe(expected);
			expect(conflict(maker, user(kind), true)).toBe(false);
		}
		for (const kind of ["write", "delete"] as const) expect(conflict(maker, user(kind), false)).toBe(false);
	});

	it.each<[string, Access[], boolean]>([
		["a temporary folder that the call makes", [access("write", "/tmp/c"), access("read", "/tmp/c/a")], false],
		["a temporary file that the call writes", [access("write", "/tmp/a"), access("read", "/tmp/a")], false],
		["a temporary folder that the call only removes", [access("delete", "/tmp/c"), access("read", "/tmp/c/a")], true],
		[
			"a temporary folder that leads elsewhere",
			[access("write", "/tmp/c"), access("read", "/tmp/c/a", { real: "/p/a" })],
			true,
		],
		["a temporary file of others", [access("write", "/tmp/c"), access("read", "/tmp/d")], true],
		["a folder of the project", [access("write", "/p/c"), access("read", "/p/c/a")], true],
	])("an unknown effect and a read of what is not there, in %s: %s", (_title, accesses, expected) => {
		const maker = footprint([], { unknowns: [{ what: "project", text: "npm test", may: ["write", "link"] }] });
		expect(conflict(maker, footprint(accesses), false)).toBe(expected);
		// A link at the folder itself matters wherever it is.
		expect(conflict(footprint([access("link", "/tmp")], { runs: [ln] }), footprint(accesses), false)).toBe(
			accesses.some(({ path }) => path.startsWith("/tmp")),
		);
	});

	it.each<[string, Partial<Access>, Partial<Access>, boolean]>([
		["a parent of the path", { path: "/p/k" }, { path: "/p/k/id" }, true],
		["a parent of the resolved path", { real: "/r/k" }, { real: "/r/k/id" }, true],
		["a path below one that is used alone", { path: "/p/k/id" }, { path: "/p/k" }, false],
		["a path below a folder that is used as a whole", { path: "/p/k/id" }, { path: "/p/k", recursive: true }, true],
		[
			"a resolved path below a folder that is used as a whole",
			{ real: "/r/k/id" },
			{ real: "/r/k", recursive: true },
			true,
		],
		[
			"a path that starts like that of a folder used as a whole",
			{ path: "/p/kid" },
			{ path: "/p/k", recursive: true },
			false,
		],
	])("%s", (_title, made, used, expected) => {
		const maker = footprint([access("write", "/made", made)], { runs: [ln] });
		expect(conflict(maker, footprint([access("read", "/used", used)]))).toBe(expected);
	});

	it.each<[string | null, (string | null)[], boolean]>([
		["git", ["-C", "x", "checkout", "b"], true],
		["git", [null], true],
		["git", ["log"], false],
		[null, [], true],
		["rsync", ["-a"], true],
		["echo", ["checkout"], false],
	])("%s %j can make a link: %s", (program, args, expected) => {
		const maker = footprint([access("write", "/p/k")], { runs: [{ ...ln, program, args }] });
		expect(conflict(maker, user("read"))).toBe(expected);
	});
});

describe("containment", () => {
	it.each<[string, string, boolean]>([
		["/a/b", "/a", true],
		["/a", "/a", true],
		["/ab", "/a", false],
		["/a", "/a/b", false],
		["/b/a", "/a", false],
		["/a", "/", true],
		["/a/b", "/a/", true],
		["C:\\a\\b", "C:\\a", true],
		["C:\\a", "C:\\", true],
		["C:\\ab", "C:\\a", false],
	])("is by whole segments: %s in %s: %s", (path, directory, expected) => {
		expect(isWithin(path, directory)).toBe(expected);
	});

	it.each<[path: string, cwd: string, home: string, name: string]>([
		["/h/p/a.ts", "/h/p", "/h", "a.ts"],
		["/h/p", "/h/p", "/h", "."],
		["/h/q/a.ts", "/h/p", "/h", "~/q/a.ts"],
		["/h", "/h/p", "/h", "~"],
		["/q/a.ts", "/h/p", "/h", "/q/a.ts"],
		["/h/q", "", "/h", "~/q"],
		["/q", "/h/p", "", "/q"],
		["/q", "/p", "/", "/q"],
		["/q", "", "", "/q"],
	])("%s in %s with home %s is shown as %s", (path, cwd, home, name) => {
		expect(placeName(path, cwd, home)).toBe(name);
	});
});
