// The prefix of the commands that the command line prints: the options that selected project and engine, quoted for a shell, without secrets.
import { describe, expect, it } from "vitest";
import { engineArgs, withoutSecrets } from "../../../src/local/index.ts";
import { shellPrefix } from "../../../src/ui/cli/place.ts";

type Values = Record<string, string>;

const plain = "postgres://ann@db/chronicle";
const tls = `${plain}?sslmode=verify-full&sslrootcert=/ca.pem`;
const secret = "postgres://ann:hunter2@db/chronicle";

describe("the prefix of a printed command", () => {
	const rows: readonly [what: string, values: Values, env: Values, wanted: string][] = [
		["nothing that was not named", {}, {}, ""],
		["the folder and pi", { cwd: "/a b", pi: "/pi" }, {}, "--cwd '/a b' --pi /pi "],
		["an engine and a project", { engine: plain, project: "app" }, {}, `--engine ${plain} --project app `],
		["quoted options of the address", { engine: tls }, {}, `--engine '${tls}' `],
		[
			"the engine of the environment",
			{},
			{ PI_CHRONICLE_ENGINE: plain, PI_CHRONICLE_PROJECT: "app" },
			`--engine ${plain} --project app `,
		],
		["no project without an engine", {}, { PI_CHRONICLE_PROJECT: "app" }, ""],
		["that there is no engine", { engine: "none" }, { PI_CHRONICLE_ENGINE: plain }, "--engine none "],
		["a variable with a password by its name", {}, { PI_CHRONICLE_ENGINE: secret }, '--engine "$PI_CHRONICLE_ENGINE" '],
		[
			"the same where the option repeats it",
			{ engine: secret },
			{ PI_CHRONICLE_ENGINE: secret },
			'--engine "$PI_CHRONICLE_ENGINE" ',
		],
		["an option without its password", { engine: secret }, {}, `--engine ${plain} `],
		["the same where PGPASSWORD is set", { engine: secret }, { PGPASSWORD: "hunter2" }, `--engine ${plain} `],
	];
	it.each(rows)("repeats %s", (_what, values, env, wanted) => {
		const { text, note } = shellPrefix({ values, flags: new Set() }, env, "trusted");
		expect(text).toBe(`pi-chronicle ${wanted}`);
		const isLeftOut = text.endsWith(`${plain} `) && values.engine === secret && env.PGPASSWORD === undefined;
		expect(note?.includes("leaves out the password") ?? false).toBe(isLeftOut);
	});

	it.each([
		["approve", "untrusted", "--approve "],
		["approve", "trusted", ""],
		["no-approve", "trusted", "--no-approve "],
		["no-approve", "untrusted", ""],
	] as const)("repeats --%s if pi has the project %s", (flag, saved, wanted) => {
		expect(shellPrefix({ values: {}, flags: new Set([flag, "json"]) }, {}, saved).text).toBe(`pi-chronicle ${wanted}`);
	});
});

describe("an address without its secrets", () => {
	it.each([
		[plain, plain],
		[tls, tls],
		[secret, plain],
		["postgres://ann:p%40ss@db:5433/c?sslmode=require", "postgres://ann@db:5433/c?sslmode=require"],
		[`${plain}?password=hunter2`, plain],
		[`${plain}?sslkey=/k&sslpassword=hunter2`, `${plain}?sslkey=%2Fk`],
		["postgres://ann:hunter2@/c", "<url>"],
		["host=db password=hunter2", "<url>"],
		["none", "none"],
	])("%s", (url, wanted) => {
		expect(withoutSecrets(url)).toBe(wanted);
		expect(engineArgs({ engine: url, project: "p" })).toEqual(["--engine", wanted, "--project", "p"]);
	});
});
