// The command of the checkout as a user runs it, where nothing of pi can be imported by the package itself.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { deepIt } from "./harness/deep-it.ts";
import { checkout, copyCheckout, openProject, type Printed, type Project, piScript, runNode } from "./harness/index.ts";

/** Refuses imports of pi's packages, except by pi itself. */
const withoutPi = `
import { registerHooks } from "node:module";
registerHooks({
	resolve(specifier, context, next) {
		// The compiled sources are in node_modules/.cache.
		const isOurs = /^(?!.*[/]node_modules[/](?![.]cache[/]))/.test(context.parentURL ?? "");
		if (isOurs && specifier.startsWith("@earendil-works/"))
			throw new Error(specifier + " is imported by " + context.parentURL);
		return next(specifier, context);
	},
});
`;

const control = "node_modules/.cache/pi-chronicle/control.mjs";

function runWithoutPi(script: (project: Project) => string, ...args: string[]): Promise<Printed> {
	const files = { "hooks.mjs": withoutPi, [control]: 'import "@earendil-works/pi-tui";\n' };
	const project = openProject({ trusted: true, files });
	return runNode(project, ["--import", project.path("hooks.mjs"), script(project), ...args], {
		env: { PI_CHRONICLE_PI: piScript() },
	});
}

it.each([
	["--help", "Start and continue:"],
	["list", "Ready to use"],
	["check", "No definitions found"],
])("pi-chronicle %s works without pi's packages", async (verb, words) => {
	const { code, stdout, stderr } = await runWithoutPi(
		() => join(checkout, "packages/pi-chronicle/bin", "pi-chronicle.mjs"),
		verb,
	);
	expect(stdout, stderr).toContain(words);
	expect([code, stderr.includes("is imported by")]).toEqual([0, false]);
});

it("compiled sources that import pi's packages fail", async () => {
	const { code, stderr } = await runWithoutPi((project) => project.path(control));
	expect(stderr).toContain("@earendil-works/pi-tui is imported by");
	expect(code).not.toBe(0);
});

it("each npm script that needs a package asks first whether it is installed", () => {
	const { scripts } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as {
		scripts: Record<string, string>;
	};
	// `npm ci` itself runs the one, and Node alone the other.
	const alone = ["prepare", "budgets"];
	const wrong = Object.entries(scripts).filter(
		([name, line]) => !alone.includes(name) && !/^(?:node scripts\/installed\.mjs [\w@/-]+ && |npm run )/.test(line),
	);
	expect(wrong).toEqual([]);
});

deepIt("a clone without `npm ci` says what to run, in the shell and in pi, and exits with 2", async () => {
	const project = openProject({ trusted: true });
	const clone = project.path("a clone");
	copyCheckout(clone);
	const script = (path: string) => join(clone, path);
	const ways = [
		[script("packages/pi-chronicle/bin/pi-chronicle.mjs"), "list"],
		[script("packages/pi-chronicle/bin/pi-chronicle.mjs"), "--help"],
		[script("scripts/installed.mjs"), "vitest"],
		[piScript(), "--offline", "-ne", "-e", clone, "-p", "/guard"],
	];
	for (const way of ways) {
		const { code, stderr } = await runNode(project, way);
		expect([code, stderr], way.join(" ")).toEqual([2, expect.stringContaining(`yaml`)]);
		expect(stderr).toContain(`run npm ci in ${clone}`);
		expect(stderr).not.toMatch(/Cannot find|MODULE_NOT_FOUND|node:internal/);
	}
});
