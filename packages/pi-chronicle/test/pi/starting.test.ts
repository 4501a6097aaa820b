// The package started in real pi with a second copy of itself, with extensions of the same names, and with each version of pi.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandNames } from "../../src/pi/package/stand-aside.ts";
import { isTooOld, OLDEST_PI } from "../../src/pi/rpc/supported-pi.ts";
import { deepIt, sampled } from "../harness/deep-it.ts";
import { checkout, openBench, packageUnderTest, say } from "../harness/index.ts";

/** An extension that registers what pi does not start with twice: flags, and tools if asked to. */
const taking = (flags: string[]) =>
	`export default (pi) => { for (const name of ${JSON.stringify(flags)}) pi.registerFlag(name, { type: "boolean", default: false, description: "theirs" }); };`;

describe("a second copy of the package", () => {
	it("leaves the session to the copy that pi loaded first, and reports it; after /new and /reload too", async () => {
		const { rpc, project } = await openBench({ script: [say("Hello.")] });
		const second = project.path("second");
		cpSync(packageUnderTest().root, second, { recursive: true });
		const pi = await rpc({ extensions: [second] });
		await pi.screen.notified(/installed twice: .*by-pi \(.*\) is used, .*second \(.*\) is not/);
		const names = await pi.commandNames();
		for (const name of commandNames) expect(names.filter((known) => known.startsWith(name))).toEqual([name]);
		await pi.prompt("/readonly on");
		await pi.screen.notified(/^Readonly: nothing/);

		await pi.send({ type: "new_session" });
		await pi.prompt("/readonly on");
		await pi.run("Hi");
		expect((await pi.commandNames()).filter((name) => name.startsWith("workflow"))).toEqual(["workflow"]);
		expect(await pi.customEntries("readonly:posture")).toEqual([{ enabled: true }]);
	});

	deepIt("takes over once the first copy is gone and pi reloads", async () => {
		const { tui, project } = await openBench({ script: [] });
		const copies = ["first", "second"].map((name) => project.path(name));
		for (const copy of copies) cpSync(packageUnderTest().root, copy, { recursive: true });
		const settings = join(project.agentFolder, "settings.json");
		const known = JSON.parse(readFileSync(settings, "utf8"));
		const use = (extensions: string[]) => writeFileSync(settings, JSON.stringify({ ...known, extensions }));
		use(copies);
		const pi = await tui({ package: "none", discover: "yes" });
		await pi.waitForScreen(/installed\s+twice/);
		use(copies.slice(1));
		await pi.submit("/reload");
		await pi.waitForScreen(/Reloaded/i);
		await pi.submit("/readonly on");
		await pi.waitForScreen(/Readonly: nothing/);
	});
});

describe("names", () => {
	it.each(sampled([["readonly"], ["chronicle-readonly"], ["workflow"], ["chronicle"]]))(
		"of flags may be shared: pi starts with an extension that has --%s",
		async (flag) => {
			const { print, project } = await openBench({ files: { "theirs.mjs": taking([flag]) }, script: [] });
			const done = await print("/readonly on", { extensions: [project.path("theirs.mjs")] });
			expect(done).toMatchObject({ code: 0, stderr: "" });
			expect(done.stdout).toContain("Readonly: nothing is changed");
		},
	);
});

describe("versions of pi", () => {
	it("the oldest one is the minimum of peerDependencies", () => {
		const { peerDependencies } = JSON.parse(readFileSync(join(checkout, "packages/pi-chronicle/package.json"), "utf8"));
		for (const name of ["pi-ai", "pi-coding-agent", "pi-tui"])
			expect(peerDependencies[`@earendil-works/${name}`]).toBe(`>=${OLDEST_PI}`);
	});

	it.each([
		["0.74.0", true],
		["1.2.9", true],
		["1.2.9-beta.1", true],
		["1.3.0", false],
		["1.10.0", false],
		["2.0.0", false],
		["nightly", false],
	])("pi %s is too old: %s", (version, expected) => {
		expect(isTooOld(version)).toBe(expected);
	});
});
