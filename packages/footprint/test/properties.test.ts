// However a command is written, its footprint is at least that of its plain form.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Footprint } from "../src/index.ts";
import { shell } from "./host-environment.ts";
import { type Knowledge, knowledgeOf } from "./knowledge.ts";
import { prefixes, spelledCommand, wrappings } from "./rewritings.ts";

const plain: readonly (readonly string[])[] = [
	["rm", "-rf", "src"],
	["rm", "a", "b"],
	["cat", ".env"],
	["cat", "/home/me/.ssh/id_rsa"],
	["cat", "keys/id_rsa"],
	["mv", ".git", "../moved"],
	["cp", "-r", ".", "../copy"],
	["cp", "a", "src"],
	["ln", "-s", "/home/me/.ssh", "k"],
	["sed", "-i", "s/a/b/", "README.md"],
	["tee", "package-lock.json"],
	["truncate", "-s", "0", "README.md"],
	["dd", "if=/dev/zero", "of=/dev/sdz"],
	["chmod", "-R", "777", "src"],
	["find", "src", "-delete"],
	["find", "src", "-name", "*.ts", "-exec", "rm", "{}", ";"],
	["tar", "cf", "-", "-C", "/home/me", ".ssh"],
	["git", "push", "--force"],
	["git", "-C", ".", "reset", "--hard"],
	["git", "checkout", "."],
	["git", "branch", "--delete", "--force", "x"],
	["git", "log", "--output=f"],
	["psql", "-c", "drop table users"],
	["redis-cli", "flushall"],
	["kill", "-9", "-1"],
	["curl", "-o", "f", "https://example.com"],
	["npm", "publish"],
	["kubectl", "delete", "pod", "x"],
	["docker", "system", "prune", "-af"],
	["pi", "-p", "hi there"],
	["python3", "-c", "open('.env')"],
	["frobnicate", ".env"],
	["ssh", "host", "rm -rf src"],
	["xargs", "-a", "list", "rm", "-rf"],
	["awk", '{ print > "out" }', "a"],
	["npm", "test"],
	["mkfs.ext4", "/dev/sda1"],
];

const strength: { readonly [K in Knowledge]: number } = { reads: 0, temporary: 1, project: 2, unknown: 3, writes: 4 };

/** What the plain footprint has and the other has not. */
function missing(base: Footprint, other: Footprint): string[] {
	const lost: string[] = [];
	for (const { kind, path, real, recursive, replaces } of base.accesses) {
		const found = other.accesses.some(
			(touch) =>
				touch.kind === kind &&
				touch.path === path &&
				touch.real === real &&
				(touch.recursive || !recursive) &&
				(touch.replaces || !replaces),
		);
		if (!found) lost.push(`${kind} ${path}`);
	}
	for (const run of base.runs) {
		for (const effect of run.effects) if (!other.runs.some((one) => one.effects.includes(effect))) lost.push(effect);
		for (const change of run.changes) if (!other.runs.some((one) => one.changes.includes(change))) lost.push(change);
		if (!other.runs.some((one) => one.text === run.text)) lost.push(`run ${run.text}`);
	}
	for (const { what } of base.unknowns)
		if (!other.unknowns.some((one) => one.what === what)) lost.push(`unknown ${what}`);
	if (strength[knowledgeOf(other)] < strength[knowledgeOf(base)])
		lost.push(`${knowledgeOf(base)} became ${knowledgeOf(other)}`);
	return lost;
}

const base = fc.constantFrom(...plain);
const spell = (words: readonly string[]) =>
	words.map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");

describe("rewriting a command never weakens its footprint", () => {
	it("by quoting, escaping and variables", () => {
		fc.assert(
			fc.property(
				base.chain((words) => fc.tuple(fc.constant(words), spelledCommand(words))),
				([words, text]) => {
					expect(missing(shell(spell(words)), shell(text)), text).toEqual([]);
				},
			),
		);
	});

	it("by wrapping it in other commands", () => {
		fc.assert(
			fc.property(base, fc.array(fc.constantFrom(...wrappings), { minLength: 1, maxLength: 3 }), (words, ways) => {
				const text = ways.reduce(
					(inner, wrap) => (inner.endsWith("\n") ? wrap(`{ ${inner}}`) : wrap(inner)),
					spell(words),
				);
				expect(missing(shell(spell(words)), shell(text)), text).toEqual([]);
			}),
		);
	});

	it("by prefixing words", () => {
		fc.assert(
			fc.property(base, fc.array(fc.constantFrom(...prefixes), { minLength: 1, maxLength: 4 }), (words, before) => {
				// `!`, `time` and assignments stand first; `exec` and `command` are the shell's own.
				const ordered = [...before].sort((a, b) => rank(a) - rank(b));
				const text =
					ordered.filter((one, index) => rank(one) > 1 || ordered.indexOf(one) === index).join("") + spell(words);
				expect(missing(shell(spell(words)), shell(text)), text).toEqual([]);
			}),
		);
	});

	it("by all of these combined", () => {
		fc.assert(
			fc.property(
				base.chain((words) => fc.tuple(fc.constant(words), spelledCommand(words))),
				fc.array(fc.constantFrom(...wrappings), { minLength: 1, maxLength: 2 }),
				([words, text], ways) => {
					const all = ways.reduce((inner, wrap) => (inner.endsWith("\n") ? wrap(`{ ${inner}}`) : wrap(inner)), text);
					expect(missing(shell(spell(words)), shell(all)), all).toEqual([]);
				},
			),
		);
	});

	it("by other commands next to it", () => {
		fc.assert(
			fc.property(base, base, fc.constantFrom("; ", "\n", " && ", " || ", " | ", " & "), (one, two, glue) => {
				const text = `${spell(one)}${glue}${spell(two)}`;
				expect(missing(shell(spell(one)), shell(text)), text).toEqual([]);
				expect(missing(shell(spell(two)), shell(text)), text).toEqual([]);
			}),
		);
	});
});

function rank(prefix: string): number {
	if (prefix === "! ") return 0;
	if (prefix === "time -p ") return 0.5;
	if (prefix === "A=b ") return 1;
	return /^(exec|command|builtin)/.test(prefix) ? 2 : 3;
}
