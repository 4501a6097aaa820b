// Installations of the package: packed and installed, from a local path, from a checkout, from a git clone. Each copy is loaded
// by real pi and must offer the same commands.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { deepIt, sampled } from "./harness/deep-it.ts";
import { checkout, openBench, packageAt, packageUnderTest, piScript, runNode } from "./harness/index.ts";
import { patient } from "./harness/patience.ts";
import { compiling, filesOf, notOurs, offered, openPackageCopies, type PackageCopies } from "./package-copies.ts";

/** What every pi that has the package pays for at start, bytes: all that is not imported later. */
const eagerBytes = 47_000;
/** What each worker pays for in the same way, bytes. */
const workerBytes = 45_000;

let copies: PackageCopies;
/** Names of the commands that the package under test offers: every copy must offer the same. */
let commands: string[];

beforeAll(async () => {
	copies = openPackageCopies();
	commands = await offered(packageUnderTest().root);
}, patient(120_000));

describe("the tarball", () => {
	const listed = () => filesOf(copies.installed);

	it("contains the bundle, the documents and the license, and neither sources nor tests", () => {
		expect(listed()).toEqual(
			expect.arrayContaining(["LICENSE", "README.md", "CHANGELOG.md", "extension.ts", "worker.ts"]),
		);
		expect(listed()).toEqual(expect.arrayContaining(["dist/cli.mjs"]));
		for (const entry of [/^dist\/start-[0-9a-f]{8}\.mjs$/, /^dist\/worker-start-[0-9a-f]{8}\.mjs$/])
			expect(listed().filter((name) => entry.test(name))).toHaveLength(1);
		const unwanted =
			/^(src|test|bench|scripts|\.ci|\.git|node_modules|coverage)\/|\.test\.|\/.*\.ts$|tsconfig|biome|vitest|knip/;
		expect(listed().filter((name) => unwanted.test(name) && !name.startsWith("examples/"))).toEqual([]);
	});

	it("contains no leftovers of development", () => {
		const top = new Set(listed().map((name) => name.split("/")[0]));
		const { files } = JSON.parse(readFileSync(join(copies.installed, "package.json"), "utf8")) as { files: string[] };
		expect([...top].filter((name = "") => ![...files, "package.json", "README.md", "LICENSE"].includes(name))).toEqual(
			[],
		);
		const leftover =
			/\.(?:map|tmp|orig|rej|log|bak|swp|tsbuildinfo|jsonl)$|(?:^|\/)(?:\.DS_Store|\.env|sessions|worktrees|\.cache)(?:\/|$)|~$/;
		expect(listed().filter((name) => leftover.test(name))).toEqual([]);
		const hidden = listed().filter((name) => name.split("/").some((part) => part.startsWith(".") && part !== ".pi"));
		expect(hidden).toEqual([]);
	});

	it("contains every picture of its documents, none larger than 100 kB", () => {
		const pages = listed().filter((name) => /^(README|docs\/.*)\.md$/.test(name));
		const pictures = pages.flatMap((page) =>
			[...readFileSync(join(copies.installed, page), "utf8").matchAll(/!\[[^\]]*\]\((?!https?:)([^)\s]+)\)/g)].map(
				([, target = ""]) => join(dirname(page), target),
			),
		);
		expect(pictures.length).toBeGreaterThan(10);
		expect(pictures.filter((name) => !listed().includes(name))).toEqual([]);
		expect(pictures.filter((name) => statSync(join(copies.installed, name)).size > 102_400)).toEqual([]);
	});

	it("names its repository and homepage", () => {
		const manifest = JSON.parse(readFileSync(join(copies.installed, "package.json"), "utf8"));
		for (const url of [manifest.repository.url, manifest.bugs.url, manifest.homepage])
			expect(url).toMatch(/^(git\+)?https:\/\/[\w.-]+\/[\w.-]+\/pi-chronicle/);
	});

	it("contains every file that its manifest names", () => {
		const manifest = JSON.parse(readFileSync(join(copies.installed, "package.json"), "utf8"));
		expect(manifest.keywords).toContain("pi-package");
		expect(manifest.license).toBe("MIT");
		expect(manifest.engines.node).toBe(">=22.19");
		// npm then installs no second pi next to the package.
		for (const host of Object.keys(manifest.peerDependencies))
			expect(manifest.peerDependenciesMeta[host]).toEqual({ optional: true });
		expect(manifest.dependencies).toBeUndefined();
		const promised = [...Object.values(manifest.bin), ...Object.values(manifest.pi).flat()] as string[];
		for (const path of promised) expect(existsSync(join(copies.installed, path)), path).toBe(true);
	});

	it("has a changelog with an entry for this version, in pi's format", () => {
		const { version } = JSON.parse(readFileSync(join(copies.installed, "package.json"), "utf8")) as { version: string };
		const changelog = readFileSync(join(copies.installed, "CHANGELOG.md"), "utf8");
		const section = version.endsWith("-dev") ? "Unreleased" : version.replaceAll(".", "\\.");
		expect(changelog).toMatch(new RegExp(`^## \\[?${section}\\]?( - \\d{4}-\\d{2}-\\d{2})?$`, "m"));
	});

	it("is published only as a release, with provenance", () => {
		const { version } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as { version: string };
		for (const name of ["core", "footprint", "postgres", "pi-chronicle"]) {
			const cwd = join(checkout, "packages", name);
			const manifest = JSON.parse(readFileSync(join(cwd, "package.json"), "utf8"));
			expect(manifest).toMatchObject({ version, publishConfig: { provenance: true } });
			const check = manifest.scripts.prepublishOnly.replace(/^node /, "");
			const { status, stderr } = spawnSync(process.execPath, [check], { cwd, encoding: "utf8" });
			// Tests run on states of the repository that are no release.
			if (version.endsWith("-dev")) expect([status, stderr]).toEqual([1, expect.stringContaining("between releases")]);
		}
	});

	it("is one package of at most 1.5 MB, 8 MB unpacked, with the licenses and a bill of all that it contains", () => {
		const read = (name: string) => readFileSync(join(copies.installed, name), "utf8");
		const manifest = JSON.parse(read("package.json"));
		expect(
			Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies }),
		).toEqual([]);
		const bytes = listed().reduce((sum, name) => sum + statSync(join(copies.installed, name)).size, 0);
		expect(bytes).toBeLessThanOrEqual(8_000_000);
		expect(statSync(copies.tarball).size).toBeLessThanOrEqual(1_500_000);
		const bill = JSON.parse(read("sbom.cdx.json")) as { components: { name: string; version: string }[] };
		const notices = read("THIRD-PARTY-NOTICES");
		expect(bill.components.map(({ name }) => name)).toEqual(expect.arrayContaining(["unbash", "yaml"]));
		for (const { name, version } of bill.components) expect(notices).toContain(`${name} ${version} (`);
		expect(
			notices
				.split("-".repeat(80))
				.slice(1)
				.every((part) => part.length > 500),
		).toBe(true);
		expect(read("SECURITY.md")).toContain("security advisory");
	});

	it("names no folder of the build machine", () => {
		const suspicious = listed().filter((name) => {
			const text = readFileSync(join(copies.installed, name), "latin1");
			return text.includes(copies.base) || text.includes(process.cwd());
		});
		expect(suspicious).toEqual([]);
	});
});

describe("the bundle", () => {
	it("is split lazily, so the part that every pi loads is small", () => {
		const dist = join(copies.installed, "dist");
		const [start = ""] = readdirSync(dist).filter((name) => name.startsWith("start-"));
		const eager = [join(copies.installed, "extension.ts"), join(dist, start)];
		const bytes = eager.reduce((sum, file) => sum + statSync(file).size, 0);
		expect(bytes).toBeLessThanOrEqual(eagerBytes);
		const [worker = ""] = readdirSync(dist).filter((name) => name.startsWith("worker-start-"));
		expect(statSync(join(dist, worker)).size).toBeLessThanOrEqual(workerBytes);
		expect(readdirSync(join(dist, "later")).length).toBeGreaterThan(10);
	});

	it("includes its runtime dependencies and excludes pi's packages", async () => {
		const dist = join(copies.installed, "dist");
		const { metafile } = await build({
			absWorkingDir: dist,
			entryPoints: filesOf(dist).filter((name) => name.endsWith(".mjs")),
			bundle: true,
			splitting: true,
			format: "esm",
			platform: "node",
			packages: "external",
			outdir: "unused",
			write: false,
			metafile: true,
		});
		const outside = Object.values(metafile.inputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
		const names = new Set(outside.map(({ path }) => path).filter((path) => !path.startsWith("node:")));
		expect([...names].filter((name) => !/^(@earendil-works\/|typebox)/.test(name))).toEqual([]);
	});
});

describe("pi loads the package", () => {
	it("from an installed tarball", async () => {
		expect(commands).toEqual(expect.arrayContaining(["workflow", "sequence"]));
		expect(await offered(copies.installed)).toEqual(commands);
	});

	deepIt("after `pi install <local path>`, until `pi remove`", async () => {
		const { project, rpc } = await openBench();
		expect(await runNode(project, [piScript(), "install", copies.installed])).toMatchObject({ code: 0 });
		const pi = await rpc({ package: "none", discover: "yes" });
		expect((await pi.commandNames()).filter((name) => !notOurs.has(name))).toEqual(commands);
		expect(pi.stderr).toBe("");
		await pi.close();
		expect(await runNode(project, [piScript(), "remove", copies.installed])).toMatchObject({ code: 0 });
		const after = await rpc({ package: "none", discover: "yes" });
		expect((await after.commandNames()).filter((name) => !notOurs.has(name))).toEqual([]);
	});

	deepIt("with `pi -e .` from a checkout: compiled at the first start and after a change, with a message", async () => {
		rmSync(join(copies.tree, "packages/pi-chronicle/dist"), { recursive: true, force: true });
		expect(await offered(".", copies.tree, compiling)).toEqual(commands);
		expect(await offered(".", copies.tree)).toEqual(commands);
		appendFileSync(join(copies.tree, "packages/pi-chronicle/src/start.ts"), "// changed\n");
		expect(await offered(".", copies.tree, compiling)).toEqual(commands);
		const cache = join(copies.tree, "packages/pi-chronicle/node_modules/.cache/pi-chronicle");
		expect(readdirSync(cache)).not.toContainEqual(expect.stringContaining("."));
		for (const entry of readdirSync(cache).flatMap((state) => [
			`${state}/pi-chronicle/src/start.mjs`,
			`${state}/pi-chronicle/src/worker-start.mjs`,
		])) {
			const code = readFileSync(join(cache, entry), "utf8");
			const imports = [...code.matchAll(/^import .* from "([^"]+)";$/gm)].map(([, from = ""]) => from);
			expect(imports.filter((from) => !from.startsWith("node:"))).toEqual(["./../../load-later.mjs"]);
		}
	});
});

describe("the command pi-chronicle", () => {
	it("runs from the installed copy, with pi elsewhere", async () => {
		const { project } = await openBench();
		const { cli } = packageAt(copies.installed);
		const help = await runNode(project, [cli, "--help"]);
		expect(help).toMatchObject({ code: 0, stderr: "" });
		expect(help.stdout).toContain("pi-chronicle");
		const unknown = await runNode(project, [cli, "no-such-command"]);
		expect(unknown.code).toBe(2);
		expect(unknown.stderr).toContain("no-such-command");
		if (process.platform !== "win32") expect(statSync(cli).mode & 0o111).not.toBe(0);

		const verbs = [...help.stdout.matchAll(/^ {2}(\w+) {2}/gm)].map(([, verb = ""]) => verb);
		expect(verbs).toContain("rehearse");
		for (const verb of sampled(verbs)) {
			const explained = await runNode(project, [cli, verb, "--help"]);
			expect(explained, verb).toMatchObject({ code: 0, stderr: "" });
		}
		const homeless = await runNode(project, [cli, "rehearse", "no-such-definition", "x"]);
		expect(homeless).toMatchObject({ code: 2, stderr: expect.not.stringContaining("ERR_MODULE_NOT_FOUND") });
	});

	deepIt("rehearses from the installed copy with the pi that --pi names", async () => {
		const { project } = await openBench();
		const workflow = { name: "Small", commandName: "small", initialMessage: "Do {description}", phases: ["look.md"] };
		project.write(".pi/workflows/small/workflow.yaml", workflow);
		project.write(".pi/workflows/small/look.md", "---\nid: look\nname: Look\nemoji: 🔍\n---\nLook.\n");
		const args = ["rehearse", "--pi", piScript(), "small", "Add", "months"];
		const rehearsed = await runNode(project, [packageAt(copies.installed).cli, ...args]);
		expect(rehearsed).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/DONE/) });
	});
});
