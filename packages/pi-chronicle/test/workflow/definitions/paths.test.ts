// Allowed locations of phase files.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { needsPosix } from "../../harness/needs.ts";
import { errors, keys, openTree, phaseFile, workflowFiles, workflowYaml } from "./tree.ts";

describe("phase paths", () => {
	it("inside the root load: shared files, unusual names and absolute paths too", () => {
		const tree = openTree({
			"global/_shared/scout.md": phaseFile("scout"),
			"global/x/..shared/p.md": phaseFile("p"),
			"global/x/...": phaseFile("dots"),
			"global/x/sub/deep.txt": phaseFile("deep"),
			"global/x/with space.md": phaseFile("space"),
		});
		const absolute = join(tree.folder, "global", "x", "here.md");
		tree.write({
			"global/x/here.md": phaseFile("here"),
			"global/x/workflow.yaml": workflowYaml([
				"../_shared/scout.md",
				"..shared/p.md",
				"./...",
				"sub/../sub/deep.txt",
				"with space.md",
				absolute,
			]),
		});
		const catalogue = tree.load();
		expect(tree.lines(catalogue.diagnostics)).toEqual([]);
		expect(catalogue.definitions.get("x")?.entries.map((entry) => entry.kind === "phase" && entry.id)).toEqual([
			"scout",
			"p",
			"dots",
			"deep",
			"space",
			"here",
		]);
	});

	it.each([
		"../../secret.md",
		"../../../../../../etc/passwd",
		"/etc/passwd",
		"..",
		"../..",
		"~/x.md",
		"../../nothing.md",
		"../../global-other/x.md",
	])("%s is refused", (path) => {
		const tree = openTree({
			"global/x/workflow.yaml": workflowYaml([path]),
			"secret.md": phaseFile("secret"),
			"global-other/x.md": phaseFile("other"),
		});
		const catalogue = tree.load();
		expect(keys(catalogue)).toEqual([]);
		expect(tree.lines(errors(catalogue)).join("\n")).toMatch(
			/^global\/x\/workflow\.yaml:5:5 .*(is outside the workflows folder|does not exist|is a folder|phase-failed)/,
		);
		if (path !== "~/x.md" && path !== "..") expect(errors(catalogue)[0]?.code).toBe("outside");
	});

	it("through links are refused outside, followed inside, and reported if dangling", needsPosix, () => {
		const tree = openTree({
			"secret.md": phaseFile("secret"),
			"outside/p.md": phaseFile("p"),
			"global/_shared/scout.md": phaseFile("scout"),
			...workflowFiles("global/inside", []),
		});
		const inside = join(tree.folder, "global", "inside");
		symlinkSync("../_shared/scout.md", join(inside, "fine.md"));
		symlinkSync("../../secret.md", join(inside, "leak.md"));
		symlinkSync("../../outside", join(inside, "out"));
		symlinkSync("nowhere.md", join(inside, "dangling.md"));
		symlinkSync("ring.md", join(inside, "ring.md"));
		const verdicts: [string, string | undefined][] = [
			["fine.md", undefined],
			["leak.md", "outside"],
			["out/p.md", "outside"],
			["dangling.md", "broken-link"],
			["ring.md", "broken-link"],
		];
		for (const [path, code] of verdicts) {
			tree.write({ "global/inside/workflow.yaml": workflowYaml([path]) });
			expect([path, errors(tree.load())[0]?.code]).toEqual([path, code]);
		}
	});

	it("below a linked root load", needsPosix, () => {
		const tree = openTree({ ...workflowFiles("real/x", ["a"]), "real/_shared/s.md": phaseFile("s") });
		tree.write({ "real/x/workflow.yaml": workflowYaml(["a.md", "../_shared/s.md"]) });
		symlinkSync("real", join(tree.folder, "global"));
		expect(keys(tree.load())).toEqual(["x"]);
		tree.write({ "real/x/workflow.yaml": workflowYaml(["missing.md"]) });
		expect(errors(tree.load())[0]?.code).toBe("absent-phase");
	});

	it("to a missing file are reported with the closest name", () => {
		const tree = openTree({
			"global/x/planning.md": phaseFile("p"),
			"global/x/workflow.yaml": workflowYaml(["plannig.md", "gone/away.md", "..\\_shared\\a.md"]),
		});
		const said = tree.lines(tree.load().diagnostics);
		expect(said[0]).toMatch(
			/workflow.yaml:5:5 The phase file `plannig.md` does not exist. — Did you mean `planning.md`\?/,
		);
		expect(said[1]).toContain("`gone/away.md` does not exist");
		if (process.platform !== "win32") expect(said[2]).toContain("Separate folders with `/`");
	});
});
