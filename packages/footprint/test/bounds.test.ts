// Arbitrary and enormous input: no exception, and input above a bound is reported as such.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { enormous, enormousArguments, enormousPowerShell } from "./enormous-commands.ts";
import { doubts, measured, shell } from "./host-environment.ts";
import { knowledgeOf } from "./knowledge.ts";

const tokens = fc.constantFrom(
	..."$ ( ) { } ; | & \" ' ` < > \n \\ # ! * ? [ ] = ~ / - : % ^ @ + , . a rm -rf x= $( $(( )) ${ }} << <<EOF EOF && || ;; |& <( >( &> 2>&1 [[ ]] (( if then else elif fi for in do done while until case esac function select coproc time eval exec source trap sh -c sudo env xargs find -exec {} + cat git push --force \u0000 \uE000 \uE001 \u00e9 \ud800".split(
		" ",
	),
);

describe("arbitrary input", () => {
	it("random text does not throw", () => {
		fc.assert(
			fc.property(fc.oneof(fc.string({ maxLength: 300 }), fc.string({ unit: "binary", maxLength: 300 })), (text) => {
				shell(text);
			}),
		);
	});

	it("random shell-like text does not throw", () => {
		fc.assert(
			fc.property(fc.array(tokens, { maxLength: 60 }), fc.constantFrom("", " "), (words, glue) => {
				shell(words.join(glue));
			}),
		);
	});

	it("random PowerShell-like text does not throw", () => {
		fc.assert(
			fc.property(fc.array(tokens, { maxLength: 40 }), (words) => {
				measured({ tool: "powershell", input: { command: words.join(" ") } });
			}),
		);
	});

	it("random arguments of random tools do not throw", () => {
		fc.assert(
			fc.property(fc.string(), fc.anything(), (tool, input) => {
				measured({ tool, input });
			}),
		);
	});

	it("a placeholder character in a command is unknown text", () => {
		expect(doubts(shell("\uE000 a"))).toContain("command");
		expect(doubts(shell("rm \uE001\uE123"))).toContain("operand");
	});
});

describe("enormous input", () => {
	it.each(Object.entries(enormous))("%s", (_name, text) => {
		const footprint = shell(text);
		// What was not analyzed must not pass for harmless.
		expect(doubts(footprint).includes("syntax") && knowledgeOf(footprint) === "reads").toBe(false);
	});

	it.each(Object.entries(enormousPowerShell))("PowerShell: %s", (_name, command) => {
		expect(() => measured({ tool: "powershell", input: { command } })).not.toThrow();
	});

	it.each(Object.entries(enormousArguments))("arguments: %s", (_name, text) => {
		expect(() =>
			measured({ tool: "x", input: { path: text, patch: text, command: text, other: [text] } }),
		).not.toThrow();
	});

	it("text beyond the bound does not pass unnoticed", () => {
		const footprint = shell(`${"true;".repeat(30_000)} rm -rf /`);
		expect(doubts(footprint)).toContain("syntax");
	});

	it("a long text that is only data is not reported", () => {
		const footprint = shell(`cat > f <<'EOF'\n${"some text; rm -rf $x\n".repeat(5000)}EOF`);
		expect(doubts(footprint)).toEqual([]);
		expect(footprint.accesses).toHaveLength(1);
	});

	it("many arguments are all accessed", () => {
		const names = Array.from({ length: 1000 }, (_, index) => `f${index}`);
		expect(shell(`rm ${names.join(" ")}`).accesses).toHaveLength(1000);
	});
});
