// The packages as npm packs them, each used in a project that has nothing else of this one.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import {
	checkout,
	copyCheckout,
	linkDependencies,
	openFolder,
	openProject,
	packageUnderTest,
	run,
	runNode,
} from "./harness/index.ts";
import { patient } from "./harness/patience.ts";

let tarballs: string;
const env = { npm_config_update_notifier: "false" };

beforeAll(() => {
	const tree = join(openFolder(), "tree");
	copyCheckout(tree);
	linkDependencies(tree);
	tarballs = openFolder();
	run(tree, ["npm", "pack", "--workspaces", "--silent", `--pack-destination=${tarballs}`], env);
}, patient(120_000));

/** Unpacks a package into `modules`. */
function unpack(name: string, modules: string): string {
	const folder = join(modules, name);
	mkdirSync(folder, { recursive: true });
	const [archive = ""] = readdirSync(tarballs).filter((one) =>
		one.startsWith(`${name.replace("@", "").replace("/", "-")}-0`),
	);
	run(folder, ["tar", "xzf", join(tarballs, archive), "--strip-components=1"]);
	return folder;
}

function link(modules: string, names: readonly string[]): void {
	for (const name of names) {
		mkdirSync(join(modules, name, ".."), { recursive: true });
		symlinkSync(join(checkout, "node_modules", name), join(modules, name), "dir");
	}
}

describe.each([
	[
		"@pi-chronicle/footprint",
		["unbash"],
		['import { computeFootprint, type HostEnvironment } from "@pi-chronicle/footprint";'],
	],
	[
		"@pi-chronicle/core",
		["yaml", "compare-versions"],
		[
			'import { openSource } from "@pi-chronicle/core/definition";',
			'import { readTemplate } from "@pi-chronicle/core/template";',
		],
	],
])("%s", (name, dependencies, imports) => {
	it("has the example of its README compiled and run where neither pi nor this project is", () => {
		const user = openFolder();
		const modules = join(user, "node_modules");
		const folder = unpack(name, modules);
		link(modules, dependencies);
		const { dependencies: named } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
		expect(Object.keys(named).sort()).toEqual([...dependencies].sort());
		const [, example = ""] = /```ts[^\n]*\n(.*?)```/s.exec(readFileSync(join(folder, "README.md"), "utf8")) ?? [];
		const asserted = example.replaceAll(/expect\((.*)\)\.(?:toMatchObject|toEqual)\(([^;]*)\);/g, "match($1, $2);");
		expect(asserted.match(/match\(/g)?.length).toBeGreaterThan(1);
		const declared = "declare function match(value: unknown, pattern: unknown): void;";
		writeFileSync(join(user, "package.json"), '{ "type": "module" }');
		writeFileSync(join(user, "example.ts"), [...imports, declared, asserted].join("\n"));
		const options = { module: "NodeNext", target: "ES2024", strict: true, types: [] };
		writeFileSync(join(user, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["*.ts"] }));
		run(user, [process.execPath, join(checkout, "node_modules/typescript/bin/tsc"), "-p", "."]);
		const script = [
			'import { partialDeepStrictEqual } from "node:assert";',
			"globalThis.match = partialDeepStrictEqual;",
			'await import("./example.js");',
			'console.log("held");',
		];
		writeFileSync(join(user, "run.mjs"), script.join("\n"));
		expect(run(user, [process.execPath, "run.mjs"]).stdout).toBe("held\n");
	});
});

describe("pi-chronicle", () => {
	const status = ["engine", "status", "--engine", "postgres://nobody@127.0.0.1:1/none"];

	it.each<[string, (modules: string, prefix: string) => void, string]>([
		["alone says what to install", () => {}, "@pi-chronicle/postgres@"],
		[
			"loads the package of engines from beside it",
			(modules) => unpack("@pi-chronicle/postgres", modules),
			"cannot be reached",
		],
		[
			"loads it from npm's global folder",
			(_modules, prefix) => unpack("@pi-chronicle/postgres", join(prefix, "lib", "node_modules")),
			"cannot be reached",
		],
	])("%s", async (_, install, says) => {
		const root = openFolder();
		const modules = join(root, "node_modules");
		const prefix = join(root, "global");
		const own = unpack("pi-chronicle", modules);
		install(modules, prefix);
		for (const place of [modules, join(prefix, "lib", "node_modules")]) {
			link(place, ["pg", "pg-boss"]);
			if (place !== modules) symlinkSync(own, join(place, "pi-chronicle"), "dir");
		}
		const cli = join(own, "bin", "pi-chronicle.mjs");
		const project = openProject({ trusted: true });
		const { stderr, code } = await runNode(project, [cli, ...status], { env: { npm_config_prefix: prefix } });
		expect(stderr).toContain(says);
		expect(code).toBe(1);
		expect(packageUnderTest().root).not.toBe(own);
	});
});
