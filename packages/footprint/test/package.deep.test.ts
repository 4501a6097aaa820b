// The library as a package of its own: packed from a copy of its folder with nothing else of this project, and used by its name.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";

const root = mkdtempSync(join(tmpdir(), "footprint-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const manifest = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

function run(cwd: string, program: string, ...args: string[]): string {
	const PATH = `${resolve("node_modules/.bin")}${delimiter}${process.env.PATH ?? ""}`;
	// npm keeps its logs and its cache in the home directory, and asks for newer versions of itself.
	const env = {
		...process.env,
		PATH,
		HOME: root,
		npm_config_cache: join(root, "npm"),
		npm_config_update_notifier: "false",
	};
	return execFileSync(program, args, { cwd, encoding: "utf8", env, stdio: "pipe" });
}

/** Makes packages of this project available in `folder`. */
function install(folder: string, names: readonly string[]): void {
	mkdirSync(join(folder, "node_modules", "@types"), { recursive: true });
	for (const name of names) symlinkSync(resolve("node_modules", name), join(folder, "node_modules", name));
}

describe("the footprint package", () => {
	it("names the versions that this project uses", () => {
		const whole = manifest(".");
		const own = manifest("src/footprint");
		expect(own.version).toBe(whole.version);
		for (const [name, version] of Object.entries(own.dependencies)) expect(whole.dependencies[name]).toBe(version);
		for (const [name, version] of Object.entries(own.devDependencies))
			expect(whole.devDependencies[name]).toBe(version);
	});

	it(
		"is packed from its folder alone, and its README's example compiles and holds in another project",
		() => {
			const library = join(root, "library");
			cpSync("src/footprint", library, { recursive: true });
			install(library, ["unbash", "typescript", "@types/node"]);
			run(library, "npm", "pack", "--silent");
			const [archive = ""] = readdirSync(library).filter((name) => name.endsWith(".tgz"));

			const user = join(root, "user");
			const installed = join(user, "node_modules/@pi-chronicle/footprint");
			mkdirSync(installed, { recursive: true });
			run(library, "tar", "xzf", archive, "-C", installed, "--strip-components=1");
			install(user, ["unbash"]);
			const [, example = ""] = /```ts[^\n]*\n(.*?)```/s.exec(readFileSync(join(installed, "README.md"), "utf8")) ?? [];
			const asserted = example.replaceAll(/expect\((.*)\)\.toMatchObject\((.*)\);/g, "match($1, $2);");
			expect(asserted.match(/match\(/g)?.length).toBeGreaterThan(1);
			const program = [
				'import { computeFootprint, type HostEnvironment } from "@pi-chronicle/footprint";',
				"declare function match(value: unknown, pattern: unknown): void;",
				asserted,
			].join("\n");
			writeFileSync(join(user, "package.json"), '{ "type": "module" }');
			writeFileSync(join(user, "example.ts"), program);
			const options = { module: "NodeNext", target: "ES2024", strict: true, types: [] };
			writeFileSync(join(user, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["*.ts"] }));
			run(user, "tsc", "-p", ".");
			writeFileSync(
				join(user, "run.mjs"),
				'import { partialDeepStrictEqual } from "node:assert";\nglobalThis.match = partialDeepStrictEqual;\nawait import("./example.js");\nconsole.log("held");\n',
			);
			expect(run(user, "node", "run.mjs")).toBe("held\n");
		},
		patient(60_000),
	);
});
