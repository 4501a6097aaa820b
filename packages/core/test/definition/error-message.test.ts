import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { createConnection } from "node:net";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { errorMessage, expressionMistake } from "../../src/definition/index.ts";

const thrown = (work: () => unknown): unknown => {
	try {
		return work();
	} catch (error) {
		return error;
	}
};
/** Not written in the call, where it would count as a program that the project needs. */
const absentProgram = "no-such-program";
const emitted = async (emitter: NodeJS.EventEmitter) => (await once(emitter, "error"))[0];
const nothing = undefined as unknown as { a: { b: number } };

/** What a person is never shown. */
const raw = /\bE[A-Z]{3,}\b|ERR_|Cannot |is not a function|is not defined|undefined|node:|\n/;

describe("the message of an error", () => {
	it.each<[string, () => unknown, RegExp]>([
		[
			"a missing file",
			() => thrown(() => readFileSync("/nowhere/a b")),
			/^no such file or directory \(\/nowhere\/a b\)$/,
		],
		["a folder read as a file", () => thrown(() => readFileSync("/")), /^illegal operation on a directory/],
		["a path below a file", () => thrown(() => mkdirSync("/etc/passwd/x")), /\/etc\/passwd\/x/],
		["a missing program", () => emitted(spawn(absentProgram)), /^no-such-program, .* was not found$/],
		[
			"a refused connection",
			() => emitted(createConnection(1, "127.0.0.1")),
			/^connection refused \(127\.0\.0\.1:1\)$/,
		],
		["a refused request", () => fetch("http://127.0.0.1:9/").catch((error: unknown) => error), /refused|bad port/],
		[
			"a property of nothing",
			() => thrown(() => nothing.a.b),
			/^a defect of pi-chronicle \(TypeError in .*:\d+:\d+\); report it: http/,
		],
		["an unknown name", () => thrown(() => runInNewContext("unknown()")), /^a defect of pi-chronicle \(ReferenceError/],
		[
			"a wrong argument to Node",
			() => thrown(() => readFileSync({} as string)),
			/^a defect of pi-chronicle \(TypeError/,
		],
		[
			"a missing module",
			() => import(`${"/nowhere/"}x.mjs`).catch((error: unknown) => error),
			/^a part of pi-chronicle is missing/,
		],
		["a failure that names itself", () => new Error("The rule file is empty."), /^The rule file is empty\.$/],
		["a text", () => "a text", /^a text$/],
	])("%s", async (_what, fail, expected) => {
		const message = errorMessage(await fail());
		expect(message).toMatch(expected);
		expect(message).not.toMatch(raw);
	});

	it("repeats what is wrong with a person's JSON or expression", () => {
		expect(errorMessage(thrown(() => JSON.parse("{,}")))).toContain("JSON at position 1");
		expect(expressionMistake("(", "u")).toBe("Unterminated group");
		expect(expressionMistake("a+", "u")).toBeUndefined();
	});
});
