// Text that grows with every step: arrays, `$@`, strings, braces, functions, files. However it grows, analysis takes bounded time and memory,
// and text above the bound is never judged harmless.
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { sampled } from "../../pi-chronicle/test/harness/deep-it.ts";
import { patient, within } from "../../pi-chronicle/test/harness/patience.ts";
import { runs } from "../../pi-chronicle/test/harness/runs.ts";
import { openSetting, starterRules } from "../../pi-chronicle/test/safety/guard/guarded-project.ts";
import { doubts, shell } from "./host-environment.ts";
import { knowledgeOf } from "./knowledge.ts";

/** CPU time (ms) of one judgement that shows unbounded growth: several times what the budget allows when quiet. The least of three rounds counts. */
const MOST = within(200);

function cpuOf(work: () => void): number {
	let least = Number.POSITIVE_INFINITY;
	for (let round = 0; round < 3; round++) {
		const before = process.cpuUsage();
		work();
		const { user, system } = process.cpuUsage(before);
		least = Math.min(least, (user + system) / 1000);
		if (least < MOST / 2) break;
	}
	return least;
}

/** Steps of which each makes something longer by a factor. */
const steps = [
	'a+=("${a[@]}");',
	'a=("${a[@]}" "${a[@]}");',
	"a=(${a[@]} ${a[*]});",
	'b=("${a[@]}" "${a[@]}"); a=("${b[@]}");',
	'a=("${a[@]/x/xx}" "${a[@]#x}");',
	'a=("${a[*]}${a[*]}");',
	'declare -a a=("${a[@]}" "${a[@]}");',
	'read -ra a <<< "${a[*]} ${a[*]}";',
	'mapfile -t a <<< "${a[*]} ${a[*]}";',
	'set -- "$@" "$@";',
	"set -- $* $* x;",
	'set -- "$*$*";',
	'set -- "${a[@]}" "$@" "${a[@]}"; a=("$@");',
	"s=$s$s;",
	"s+=$s;",
	's="$s $s";',
	's="${s}*${s}";',
	"s=${s//x/xxxx};",
	": ${t:=$s$s}; s=$t; unset t;",
	's=$(printf "%s%s" "$s" "$s");',
	'printf -v s "%s%s" "$s" "$s";',
	"s=$(cat <<E\n$s$s\nE\n);",
	"read s <<< $s$s;",
	"echo $s > f; cat f f > g; cp g f;",
	"cat f >> f; s=$s$(<f)$(<f);",
	'export s="$s$s";',
	"n=$((n*n+9)); s=$s$n$n;",
	"if x; then s=$s$s; else s=y$s; fi;",
	'if x; then set -- "$@" "$@"; else set -- "$@" c; fi;',
	"if x; then cd a; else cd b; fi;",
	'case $s in x) a+=("${a[@]}");; *) s=$s$s;; esac;',
	"pushd a; s=$s$PWD;",
	'alias l="l $s l"; l;',
] as const;

/** What is done with what has grown. */
const uses = [
	'rm -rf "${a[@]}"',
	'"${a[@]}"',
	'rm "$@" $s',
	'for i in "$@" $s; do for j in "${a[@]}"; do rm $i$j; done; done',
	'eval "$s"',
	'echo "$@" > $s',
	'sh -c "$s" x "$@"',
	"sh f; . ./f",
	'xargs -n1 rm <<< "$s"',
	'parallel rm {} ::: "${a[@]}"',
	'find "$@" -exec rm {} \\; -exec rm $s {} +',
	'f() { f "$@" "$@"; f "$s$s"; }; f "${a[@]}"',
	"ls $s/*/$s* */*/*",
] as const;

const start = "a=(x y); set -- x y; s=x; n=2; echo x > f; ";

describe("growing text", () => {
	const setting = openSetting(starterRules);
	afterAll(() => setting.close());

	it(
		"costs bounded CPU time however it grows, and is asked about above the bound",
		async () => {
			await fc.assert(
				fc.asyncProperty(
					fc.uniqueArray(fc.constantFrom(...steps), { minLength: 1, maxLength: 3 }),
					fc.constantFrom(...uses),
					fc.constantFrom("plain", "loop", "function"),
					async (chosen, use, shape) => {
						// From few repetitions to many: if growth is not bounded, a small number fails before a large one never ends.
						for (const count of [8, 11, 14, 17, 20, 40, 400]) {
							const body = chosen.join(" ");
							const grown = {
								plain: body.repeat(count),
								loop: `for i in {1..${count}}; do ${body} done; `,
								function: `g() { ${body} g "$@"; }; ${"g x; ".repeat(Math.min(count, 40))}`,
							}[shape];
							const command = `${start}${grown}${use}`.slice(0, 65_536);
							expect(
								cpuOf(() => shell(command)),
								`CPU time of ${count} times ${body} ${use} (${shape})`,
							).toBeLessThan(MOST);
							const footprint = shell(command);
							if (!doubts(footprint).includes("syntax")) continue;
							expect(knowledgeOf(footprint)).not.toBe("reads");
							expect((await setting.bash(command)).decision).not.toBe("allow");
						}
					},
				),
				{ numRuns: runs(0.05) },
			);
		},
		patient(300_000),
	);

	it.each(sampled(steps))("%s repeatedly costs bounded CPU time", (step) => {
		for (const count of [8, 11, 14, 17, 20, 40, 400, 4000])
			for (const use of ['rm "${a[@]}" "$@"', "echo $s"])
				expect(cpuOf(() => shell(`${start}${step.repeat(count)}${use}`.slice(0, 65_536)))).toBeLessThan(MOST);
	});

	it.each([
		["an array", `a=(rm -rf src); ${'a+=("${a[@]}");'.repeat(20)} "\${a[@]}"`],
		["the parameters", `set -- rm -rf src; ${'set -- "$@" "$@";'.repeat(20)} "$@"`],
		["the words of one command", `s=$(printf 'x %.0s' {1..200}); ${'s="$s $s";'.repeat(8)} echo $s; rm -rf src`],
		["braces", "rm -rf {1..1000000000}"],
		["what lies behind", `a=(x y); ${'a+=("${a[@]}");'.repeat(40)} rm -rf "\${a[@]}"`],
	])("%s beyond the bound is not judged harmless", async (_name, command) => {
		expect((await setting.bash(command)).decision).not.toBe("allow");
	});
});
