// The canonical form that identifies a remembered command: quotes and spaces normalized, nothing else.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalCommand } from "../../../src/safety/guard/answers/canonical-command.ts";

describe("the canonical form", () => {
	it.each([
		["git push -f", "git  push\t'-f'"],
		["git push -f", 'git "push" -f'],
		["git push -f", "git push \\-f"],
		["git push -f", "  git push -f ;"],
		["git push -f", "git push -f # now"],
		["git add a; git push -f", "git add a\ngit push -f"],
		["echo 'a b' > out", 'echo "a b"   >out'],
		["A=1 git push", "A='1' git push"],
	])("of %s is that of %j", (one, other) => {
		expect(canonicalCommand(one)).toBeDefined();
		expect(canonicalCommand(other)).toBe(canonicalCommand(one));
	});

	it.each([
		["git push -f", "git push -f; rm -rf ~"],
		["git push -f", "git push -f && ls"],
		["git push -f", "git push -f &"],
		["git push -f", "git push -f | sh"],
		["git push -f", "GIT_SSH_COMMAND=x git push -f"],
		["git push -f", "git push -f > x"],
		["git push -f", "git push -f origin"],
		["git push -f", "git push ' -f'"],
		["git push -f", "'git push' -f"],
		["git push -f", "Git push -f"],
		["git push -f a", "git push a -f"],
		["a && b", "a || b"],
		["a; b", "a & b"],
		["a | b", "a |& b"],
		["a 2 >x", "a 2>x"],
		["a >x", "a >>x"],
		["rm ~/x", "rm '~/x'"],
		["rm x", "rm './x'"],
		["rm x", "/bin/rm x"],
		["rm ''", "rm"],
	])("of %s differs from that of %s", (one, other) => {
		expect(canonicalCommand(one)).toBeDefined();
		expect(canonicalCommand(other)).not.toBe(canonicalCommand(one));
	});

	it.each([
		"rm $x",
		'rm "$x"',
		"rm $(cat f)",
		"rm `cat f`",
		"rm *",
		"rm a?",
		"rm [ab]",
		"rm {a,b}",
		"rm $((1+1))",
		"cat <(ls)",
		"cat <<E\nx\nE",
		"for f in a; do rm f; done",
		"(rm a)",
		"{ rm a; }",
		"if a; then rm b; fi",
		"f() { rm a; }",
		"! rm a",
		"time rm a",
		"rm $'a'",
		"a+=b rm a",
		"a[1]=b rm a",
		"X=1",
		"'X=1' rm a",
		"'if' a",
		"rm '~/a'b~",
		"rm a\u200b",
		"rm \ue000",
		"rm 'a\u0007'",
		"rm 'a",
		"",
	])("does not exist for %j", (text) => {
		expect(canonicalCommand(text)).toBeUndefined();
	});

	it("is never shared by texts with different words", () => {
		const word = fc.string({
			unit: fc.constantFrom("a", "b", " ", "'", '"', "\\", ";", "&", "|", ">", "#", "=", "-"),
			maxLength: 5,
		});
		const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
		const double = (text: string) => `"${text.replaceAll(/["\\$`]/g, "\\$&")}"`;
		fc.assert(
			fc.property(fc.array(word, { maxLength: 4 }), fc.array(word, { maxLength: 4 }), (one, other) => {
				const first = canonicalCommand(["run", ...one.map(quote)].join(" "));
				expect(first).toBe(canonicalCommand(["run", ...one.map(double)].join("  ")));
				const second = canonicalCommand(["run", ...other.map(quote)].join(" "));
				expect(first === second).toBe(JSON.stringify(one) === JSON.stringify(other));
			}),
		);
	});
});
