// Accuracy and cost of the guard: verdicts for the table of cases, everyday commands, time per judgment, worst-case inputs. Measures the
// policy alone, with as many rules as a large published file; no pi, no model.
import { readFileSync } from "node:fs";
import { laborious } from "../packages/footprint/test/enormous-commands.ts";
import { cases } from "../packages/pi-chronicle/test/safety/guard/cases.ts";
import {
	classicRules,
	openSetting,
	type Setting,
	starterRules,
} from "../packages/pi-chronicle/test/safety/guard/guarded-project.ts";
import { indirectCases } from "../packages/pi-chronicle/test/safety/guard/indirect-cases.ts";
import { type Figures, quantile } from "./figure.ts";

/** Rules that never match, to reach the size of the largest published file (about 190). */
const padding = [
	...Array.from(
		{ length: 50 },
		(_, index) => `  - {pattern: '\\bcloud${index % 7}\\s+thing${index}\\s+delete\\b', reason: pads}`,
	),
].join("\n");
const manyRules = classicRules
	.replace("bashToolPatterns:\n", `bashToolPatterns:\n${padding}\n`)
	.replace(
		"zeroAccessPaths:\n",
		`zeroAccessPaths:\n${Array.from({ length: 80 }, (_, index) => `  - "secret-${index}-*.json"`).join("\n")}\n`,
	);

const everyday = readFileSync(
	new URL("../packages/pi-chronicle/test/safety/guard/fixtures/everyday.txt", import.meta.url),
	"utf8",
)
	.split("\n")
	.filter((line) => line !== "" && !line.startsWith("# "))
	.map((line) => line.replaceAll("⏎", "\n"));

/** Commands that are judged without listing a folder: no wildcards, no directory walk. */
const plain = everyday.filter(
	(command) => !/[*?[\]]|\bfind\b|grep -r|\bcp -r\b|ls-files|git grep|\b(?:rg|fd|ag|ack|tree)\b|rm -r/.test(command),
);

const longest = 65_536;
const hostile: readonly string[] = [
	`cat ${"a".repeat(longest)}`,
	`rm -rf ${"a ".repeat(longest / 2)}`,
	"ls; ".repeat(longest / 4),
	`echo ${'"$('.repeat(longest / 4)}x`,
	`echo ${"{a,".repeat(longest / 4)}`,
	`echo ${"{a,b}".repeat(longest / 6)}`,
	`rm ${"-".repeat(longest)}`,
	`git push ${"-a".repeat(longest / 3)}`,
	`git push ${" ".repeat(longest - 20)}--forc`,
	`cat <<E\n${"rm -rf x\n".repeat(longest / 10)}E`,
	"git push ".repeat(longest / 10),
	`psql -c "${"DELETE FROM a WHERE ".repeat(longest / 25)}"`,
	`cat ${"$(x)".repeat(longest / 5)}`,
	`${"a=$a$a;".repeat(longest / 9)} cat $a`,
	`${"for i in 1 2 3 4 5 6 7 8 9; do ".repeat(30)} cat $i; ${"done;".repeat(30)}`,
	`echo $((${"1+".repeat(longest / 3)}1))`,
	`cat ${"../".repeat(longest / 4)}x`,
	`sh -c ${"'\\'".repeat(longest / 4)}`,
	"`".repeat(longest),
	"(".repeat(longest),
	"x|".repeat(longest / 2),
	`rm ${Array.from({ length: 9000 }, (_, index) => `f${index}`).join(" ")}`,
	...Object.values(laborious),
];

export async function bench(): Promise<Figures> {
	const classic = openSetting(classicRules);
	const starter = openSetting(starterRules);
	const many = openSetting(manyRules);
	try {
		const wrong = (await wrongVerdicts(classic)) + (await wrongVerdicts(starter));
		starter.remove("server.pem", "lnk");
		let stopped = 0;
		for (const command of everyday) if ((await starter.bash(command)).decision !== "allow") stopped++;
		const times = await judgementTimes(many);
		const worst = await worstTime([many, starter]);
		const { commands, paths } = many.rules;
		return {
			name: "guard",
			rows: [
				{
					figure: `unexpected verdicts among ${cases.length + indirectCases.length} calls under two rule files`,
					value: wrong,
					unit: "",
					must: { most: 0 },
				},
				{
					figure: `stopped by the starter rules, of ${everyday.length} everyday commands`,
					value: stopped,
					unit: "",
					must: { most: 0 },
				},
				{ figure: "judging one shell command, p50", value: quantile(times, 0.5), unit: "ms", must: { most: 0.3 } },
				{ figure: "judging one shell command, p99", value: quantile(times, 0.99), unit: "ms", must: { most: 3 } },
				{ figure: "worst of hostile commands up to 64 KB", value: worst, unit: "ms", must: { most: 100 } },
			],
			how: `${commands.length + paths.length} rules; ${plain.length} everyday commands without wildcards, the fastest of seven rounds each, footprint included. Worst case: the slowest of ${hostile.length} texts under either rule file, the fastest of three rounds each, in CPU time of the whole process, which other load does not affect.`,
		};
	} finally {
		for (const setting of [classic, starter, many]) await setting.close();
	}
}

async function wrongVerdicts(setting: Setting): Promise<number> {
	let wrong = 0;
	for (const [, tool, input, expected] of [...cases, ...indirectCases]) {
		const placed = JSON.parse(JSON.stringify(input).replaceAll("HOME@/", `${setting.home}/`)) as Record<
			string,
			unknown
		>;
		const { decision } = await setting.judge(tool, placed);
		const right =
			expected === "stop" ? decision !== "allow" : decision === (expected === "strict-ask" ? "allow" : expected);
		if (!right) wrong++;
	}
	return wrong;
}

async function judgementTimes(setting: Setting): Promise<number[]> {
	const best = plain.map(() => Number.POSITIVE_INFINITY);
	for (let round = 0; round < 7; round++) {
		for (const [index, command] of plain.entries()) {
			const started = performance.now();
			await setting.bash(command);
			best[index] = Math.min(best[index] ?? Number.POSITIVE_INFINITY, performance.now() - started);
		}
	}
	return best;
}

async function worstTime(settings: readonly Setting[]): Promise<number> {
	let worst = 0;
	for (const setting of settings) {
		for (const text of hostile) {
			let best = Number.POSITIVE_INFINITY;
			for (let round = 0; round < 3; round++) {
				const before = process.cpuUsage();
				await setting.bash(text.slice(0, longest));
				const { user, system } = process.cpuUsage(before);
				best = Math.min(best, (user + system) / 1000);
			}
			worst = Math.max(worst, best);
		}
	}
	return worst;
}
