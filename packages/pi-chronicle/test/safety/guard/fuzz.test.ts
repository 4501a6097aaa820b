// Any input gets a verdict, and no spelling of a refused command is allowed.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cpuMs } from "../../harness/cpu.ts";
import { within } from "../../harness/patience.ts";
import { classicRules, openSetting, type Setting, starterRules } from "./guarded-project.ts";

let classic: Setting;
let starter: Setting;
beforeAll(() => {
	classic = openSetting(classicRules);
	starter = openSetting(starterRules);
});
afterAll(async () => {
	await classic.close();
	await starter.close();
});

/** Commands that both rule files refuse, as words. */
const refused: readonly (readonly string[])[] = [
	["rm", "-rf", "src"],
	["rm", "-r", "src"],
	["cat", ".env"],
	["cat", "server.pem"],
	["git", "reset", "--hard"],
	["git", "push", "--force"],
	["git", "clean", "-fd"],
	["chmod", "777", "src"],
	["unlink", "README.md"],
	["mv", ".git", "elsewhere"],
	["psql", "-c", "drop table users"],
	["pi", "-p", "x"],
	["find", "src", "-delete"],
];

const single = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Ways to write one word. */
const quotings: readonly ((word: string) => string)[] = [
	(word) => (/^[\w./@=+-]+$/.test(word) ? word : single(word)),
	single,
	(word) => `"${word.replaceAll(/["\\$`]/g, "\\$&")}"`,
	(word) => [...word].map((unit) => (/[\w./-]/.test(unit) ? unit : single(unit))).join("''"),
	(word) => [...word].map((unit) => (unit === "\n" ? "'\n'" : `\\${unit}`)).join(""),
	(word) => `$'${[...word].map((unit) => `\\x${unit.charCodeAt(0).toString(16).padStart(2, "0")}`).join("")}'`,
	(word) => `${single(word.slice(0, 1))}${single(word.slice(1))}`,
];

/** What may stand before a simple command. */
const prefixes: readonly ((command: string) => string)[] = [
	(command) => command,
	(command) => `X=1 ${command}`,
	(command) => `2>/dev/null ${command}`,
	(command) => `command ${command}`,
	(command) => `nohup ${command}`,
	(command) => `timeout 5 ${command}`,
	(command) => `sudo ${command}`,
	(command) => `env X=1 ${command}`,
	(command) => `nice -n 5 ${command}`,
	(command) => `exec ${command}`,
];

/** Ways to put one command into another, with the same effect. */
const wrappings: readonly ((command: string) => string)[] = [
	(command) => command,
	(command) => `  ${command}  `,
	(command) => `true && ${command}`,
	(command) => `false || ${command}`,
	(command) => `ls; ${command}`,
	(command) => `${command} &\nwait`,
	(command) => `( ${command} )`,
	(command) => `{ ${command}; }`,
	(command) => `! ${command}`,
	(command) => `if true; then ${command}; fi`,
	(command) => `for i in 1; do ${command}; done`,
	(command) => `f() { ${command}; }; f`,
	(command) => `echo $( ${command} )`,
	(command) => `cat <( ${command} )`,
	(command) => `sh -c ${single(command)}`,
	(command) => `bash -c ${single(command)} name`,
	(command) => `eval ${single(command)}`,
	(command) => `env X=1 sh -c ${single(command)}`,
	(command) => `${command} > /dev/null 2>&1`,
	(command) => `${command} | cat`,
	(command) => `# a comment\n${command}`,
	(command) => `printf '%s' ${single(command)} | sh`,
	(command) => `time ${command}`,
	// No line break behind it: a pipe or redirection that follows would not be shell any more.
	(command) => `\n\n${command}`,
];

/** What must be outermost, for its own lines. */
const outermost: readonly ((command: string) => string)[] = [
	(command) => command,
	(command) => `${command}\n`,
	(command) => `bash <<'END'\n${command}\nEND`,
	(command) => `sh <<-'END'\n\t${command.replaceAll("\n", "\n\t")}\n\tEND`,
];

describe("variants of a refused command", () => {
	it("are refused however they are quoted, split or wrapped", async () => {
		const words = fc.constantFrom(...refused);
		const quoting = fc.array(fc.constantFrom(...quotings), { minLength: 8, maxLength: 8 });
		const wrapping = fc.array(fc.constantFrom(...wrappings), { maxLength: 3 });
		await fc.assert(
			fc.asyncProperty(
				words,
				quoting,
				fc.constantFrom(...prefixes),
				wrapping,
				fc.constantFrom(...outermost),
				async (command, quotes, prefix, wraps, last) => {
					const spelled = prefix(command.map((word, index) => (quotes[index] ?? single)(word)).join(" "));
					const text = last(wraps.reduce((inner, wrap) => wrap(inner), spelled));
					for (const setting of [classic, starter]) {
						const { decision, why } = await setting.bash(text);
						expect(decision, `${text}\n${why}`).toBe("deny");
					}
				},
			),
		);
	});
});

describe("any call", () => {
	it("gets a verdict, never an error and never an accidental pass", async () => {
		const shellish = fc
			.array(
				fc.oneof(
					fc.constantFrom(..."\"'`$(){}[]<>|&;\\#~*?!=\n\t ".split("")),
					fc.constantFrom(
						"rm",
						"-rf",
						"cat",
						".env",
						"git",
						"$(",
						"${",
						"<<E",
						"E\n",
						"if",
						"then",
						"fi",
						"for",
						"do",
						"done",
						"case",
						"esac",
						"\u2028",
						"\0",
						"é",
					),
					fc.string({ maxLength: 6 }),
				),
				{ maxLength: 60 },
			)
			.map((parts) => parts.join(""));
		await fc.assert(
			fc.asyncProperty(fc.oneof(shellish, fc.string({ unit: "binary", maxLength: 300 })), async (command) => {
				const { decision, verdicts } = await starter.bash(command);
				expect(["allow", "ask", "deny"]).toContain(decision);
				expect(verdicts.map(({ rule }) => rule)).not.toContain("policy-failed");
			}),
		);
	});

	it("of any other tool and shape gets a verdict too", async () => {
		const name = fc.constantFrom("read", "write", "edit", "grep", "find", "ls", "bash", "powershell", "mcp__x__y", "");
		await fc.assert(
			fc.asyncProperty(name, fc.dictionary(fc.string(), fc.jsonValue()), async (tool, input) => {
				const { verdicts } = await starter.judge(tool, input as Record<string, unknown>);
				expect(verdicts.map(({ rule }) => rule)).not.toContain("policy-failed");
			}),
		);
	});

	it.each([
		["long words", `cat ${"a".repeat(64_000)}`],
		["many words", `rm -rf ${"a ".repeat(30_000)}`],
		["many commands", "ls; ".repeat(16_000)],
		["deep quotes", `echo ${'"$('.repeat(5000)}x`],
		["deep braces", `echo ${"{a,".repeat(8000)}`],
		["wide braces", `echo ${"{a,b}".repeat(6000)}`],
		["stars", `ls ${"*".repeat(60_000)}`],
		["slashes", `cat ${"/".repeat(60_000)}`],
		["dots", `cat ${"../".repeat(20_000)}x`],
		["dashes", `rm ${"-".repeat(60_000)}`],
		["dashes and words", `git push ${"-a".repeat(30_000)}`],
		["spaces", `git push ${" ".repeat(60_000)}--forc`],
		["a here-document", `cat <<E\n${"rm -rf x\n".repeat(7000)}E`],
		["git again and again", "git push ".repeat(7000)],
		["sql", `psql -c "${"DELETE FROM a WHERE ".repeat(3000)}"`],
		["substitutions", `cat ${"$(x)".repeat(10_000)}`],
		["variables", `${"a=$a$a;".repeat(8000)} cat $a`],
		["loops", `${"for i in 1 2 3 4 5 6 7 8 9; do ".repeat(30)} cat $i; ${"done;".repeat(30)}`],
		["functions", `f() { f; f; }; f`],
		["arithmetic", `echo $((${"1+".repeat(30_000)}1))`],
		["nothing", ""],
		["zero bytes", "rm\0 -rf\0 src"],
	])("is judged in time with %s, up to 64 KB", async (_name, command) => {
		const ms = await cpuMs(async () => {
			const { decision } = await starter.bash(command.slice(0, 65_536));
			expect(["allow", "ask", "deny"]).toContain(decision);
			await classic.bash(command.slice(0, 65_536));
		});
		// The figure is measured elsewhere; here only that nothing explodes.
		expect(ms).toBeLessThan(within(5000));
	});
});
