// Tests of the documents: their commands run, the product reads their files, their links resolve, and their
// reference tables match the code. packages/pi-chronicle/test/docs/README.md lists the kinds of blocks.
import { cpSync, existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { references } from "../../../scripts/references.ts";
import { type Block, commandsOf, readDocument, rewriteGenerated } from "./docs/blocks.ts";
import { covered } from "./docs/covered.ts";
import { type DocumentProject, openDocumentProject } from "./docs/document-project.ts";
import { documentPaths } from "./docs/documents.ts";
import { missingLine, planBlock, projectOf } from "./docs/plan.ts";
import { prerequisites } from "./docs/prerequisites.ts";
import { scripts } from "./docs/scripts.ts";
import { uses } from "./docs/uses.ts";
import { hosts, repositories, wrongAddress } from "./docs/web-addresses.ts";
import { checkout, keepForFile, openBench, openFolder, pictureLines, run, writeFiles } from "./harness/index.ts";
import { patient } from "./harness/patience.ts";
import { deep } from "./harness/runs.ts";

const documents = documentPaths(checkout).map((path) => readDocument(path, readFileSync(join(checkout, path), "utf8")));
const blocks = documents.flatMap((document) => document.blocks);

/** The documents that docs/in-use.deep.test.ts follows: their commands run there. Commands run in the deep run only. */
const followed = new Set(uses.map(({ document }) => document));
const isTried = (block: Block) =>
	(deep && !followed.has(block.document)) || !["run", "type", "output"].includes(planBlock(block).kind);

describe.each(documents)("$path", (document) => {
	it("is well formed, and its links and anchors resolve", () => {
		expect(document.problems).toEqual([]);
		const dead = document.links.filter(({ target }) => !resolves(document.path, target));
		expect(dead.map(({ line, target }) => `${document.path}:${line} ${target}`)).toEqual([]);
	});

	it("names no folder of the author's machine", () => {
		const text = readFileSync(join(checkout, document.path), "utf8");
		expect(text).not.toContain(checkout);
		expect(text).not.toMatch(/(^|[\s"'`(=])(\/(home|Users|root|work|private|var\/folders)\/[\w.-]+|[A-Z]:\\Users)/m);
	});

	it("has generated sections that match the code", async () => {
		const source = readFileSync(join(checkout, document.path), "utf8");
		const texts = new Map<string, string>();
		for (const { name, line } of document.generated) {
			const generator = references[name];
			if (!generator) throw new Error(`${document.path}:${line}: no generator is called "${name}"`);
			texts.set(name, await generator());
		}
		expect(source, "run `npm run docs`").toBe(rewriteGenerated(source, (name) => texts.get(name)));
	});

	if (!document.blocks.some(isTried)) return;
	describe("blocks", () => {
		const projects = new Map<string, DocumentProject>();
		let printed: string | undefined;

		/** The document's project for a block, opened when it is first needed. */
		async function projectFor(block: Block): Promise<DocumentProject> {
			const name = projectOf(block);
			const known = projects.get(name);
			if (known) return known;
			const opened = await keepForFile(() => openDocumentProject(name, scriptFor(document.blocks, name)));
			writeFiles(opened.project.folder, prerequisites[document.path] ?? {});
			projects.set(name, opened);
			return opened;
		}
		it.each(document.blocks.filter(isTried).map((block) => ({ block, title: titleOf(block) })))(
			"$title",
			{ timeout: patient(90_000) },
			async ({ block }) => {
				const plan = planBlock(block);
				const where = `${block.document}:${block.line}`;
				switch (plan.kind) {
					case "run": {
						const ran = await (await projectFor(block)).run(block.text);
						printed = ran.printed;
						expect(ran.code, `${where} printed:\n${printed}`).toBe(plan.exit);
						return;
					}
					case "type":
						printed = await (await projectFor(block)).type(commandsOf(block.text));
						return;
					case "output":
						expect(printed, `${where}: nothing ran before it`).toBeDefined();
						expect(
							missingLine(block.text, printed ?? ""),
							`${where}: not printed. It was:\n${printed}`,
						).toBeUndefined();
						return;
					case "file":
						(await projectFor(block)).write(plan.path, block.text);
						return;
					case "invalid": {
						const apart = await openDocumentProject("", []);
						apart.write(plan.path, block.text);
						printed = apart.check().join("\n");
						expect(printed, `${where}: the product finds nothing wrong`).not.toBe("");
						return;
					}
					case "covered":
						for (const command of plan.commands) expectCovered(command, where);
						return;
					case "named":
						for (const line of commandsOf(block.text)) expect(await isCommand(line), `${where}: ${line}`).toBe(true);
						return;
					case "part":
						expect(squeezed(readFileSync(join(checkout, plan.of), "utf8")), where).toContain(squeezed(block.text));
						return;
					case "layout":
						expect(missingPaths(block.text), where).toEqual([]);
						return;
					case "trace":
						expect(brokenSteps(block.text), where).toEqual([]);
						return;
					case "screen":
						expect(missingLine(block.text, pictureLines(plan.name).join("\n")), where).toBeUndefined();
						return;
					case "diagram":
						expect(await warningsOf(block.text), where).toEqual([]);
						return;
					case "unknown":
						throw new Error(`${where}: ${plan.reason}`);
				}
			},
		);

		it("writes only files that the product accepts", { timeout: patient(60_000) }, () => {
			expect([...projects.values()].flatMap((open) => open.check())).toEqual([]);
		});
	});
});

describe("the table of covered commands", () => {
	it.each(covered.map((row) => ({ row, name: String(row.command) })))(
		"$name is in a document, and is run",
		async ({ row }) => {
			const commands = blocks.map(planBlock).flatMap((plan) => (plan.kind === "covered" ? plan.commands : []));
			expect(commands.filter((command) => names(row.command, command))).not.toEqual([]);
			if ("by" in row) expect(readFileSync(join(checkout, row.by), "utf8")).toContain(row.title);
			else {
				const copy = openFolder();
				cpSync(join(checkout, row.runIn), copy, { recursive: true });
				run(copy, ["bash", "-e", "-c", row.command]);
			}
		},
	);
});

it("every page of docs is listed in its index", () => {
	const index = documents.find(({ path }) => path === "docs/README.md");
	const linked = new Set(index?.links.map(({ target }) => normalize(join("docs", target.replace(/#.*/, "")))));
	const pages = documents.map(({ path }) => path).filter((path) => /^docs\/[\w-]+\.md$/.test(path));
	expect(pages.filter((path) => path !== "docs/README.md" && !linked.has(path))).toEqual([]);
});

it("the setup names only documents that exist", () => {
	const paths = new Set(documents.map(({ path }) => path));
	expect(Object.keys(prerequisites).filter((path) => !paths.has(path))).toEqual([]);
});

describe("the web addresses of all documents", () => {
	const manifest = JSON.parse(readFileSync(join(checkout, "packages/pi-chronicle/package.json"), "utf8"));
	const ours = [manifest.homepage, manifest.bugs.url, manifest.repository.url.replace(/^git\+|\.git$/g, "")];
	const linked = documents.flatMap(({ links }) => links.map(({ target }) => target)).filter(isWeb);
	// Also those that are only written.
	const written = documents.flatMap(({ path }) => [
		...readFileSync(join(checkout, path), "utf8").matchAll(/\bhttps?:\/\/[^\s)>"'`]+/g),
	]);
	const local =
		/^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?:[:/]|$)|^https?:\/\/(?:[\w-]+\.)*example(?:\.\w+)?(?:[:/]|$)/;
	const all = [...new Set([...ours, ...linked, ...written.map(([address]) => address)])].filter(
		(address) => !local.test(address),
	);

	it.each(all)("%s is well formed, and matches a row of the table", (address) => {
		expect(wrongAddress(address)).toBeUndefined();
	});

	it("use every row of the table", () => {
		const text = all.join("\n");
		expect([...hosts, ...Object.keys(repositories)].filter((place) => !text.includes(place))).toEqual([]);
	});

	it.each([
		"http://github.com/github/spec-kit",
		"https://github.com/github/spec-kit/tree/main",
		"https://github.com/nobody/nothing",
		"https://me@pi.dev/",
		"https://pi.dev.example.org/",
		"https://",
	])("a wrong one is reported: %s", (address) => {
		expect(wrongAddress(address)).toBeDefined();
	});
});

it("every generator is used by a document", () => {
	const used = new Set(documents.flatMap(({ generated }) => generated.map(({ name }) => name)));
	expect(Object.keys(references).filter((name) => !used.has(name))).toEqual([]);
});

/** Asked by blocks that name commands without running them. */
const offered = new Set<string>();
beforeAll(async () => {
	if (!blocks.some((block) => planBlock(block).kind === "named")) return;
	const { rpc } = await openBench();
	const pi = await rpc();
	for (const name of await pi.commandNames()) offered.add(name);
	await pi.close();
	const list = join(checkout, "node_modules/@earendil-works/pi-coding-agent/dist/core/slash-commands.js");
	const { BUILTIN_SLASH_COMMANDS: own } = (await import(pathToFileURL(list).href)) as {
		BUILTIN_SLASH_COMMANDS: { name: string }[];
	};
	for (const { name } of own) offered.add(name);
});
afterAll(() => offered.clear());

async function isCommand(line: string): Promise<boolean> {
	return !line.startsWith("/") || offered.has(line.slice(1).split(/\s/)[0] ?? "");
}

function titleOf(block: Block): string {
	const [first = ""] = block.text.trim().split("\n");
	return `line ${block.line}, ${planBlock(block).kind}: ${first.slice(0, 60)}`;
}

/** The script that the first block of a project names. */
function scriptFor(all: Block[], project: string) {
	const name =
		all.find((block) => projectOf(block) === project && block.values.has("script"))?.values.get("script") ?? "ok";
	const script = scripts[name];
	if (!script) throw new Error(`script=${name}: there is no such script in packages/pi-chronicle/test/docs/scripts.ts`);
	return script;
}

function expectCovered(command: string, where: string): void {
	const row = covered.find((one) => names(one.command, command));
	expect(
		row,
		`${where}: nothing runs \`${command}\`: tag the block \`run\` or add a row to packages/pi-chronicle/test/docs/covered.ts`,
	).toBeDefined();
}

function names(wanted: string | RegExp, command: string): boolean {
	return typeof wanted === "string" ? wanted === command : wanted.test(command);
}

function isWeb(target: string): boolean {
	return /^[a-z]+:/i.test(target);
}

/** Whether a link of the document at `path` leads to a file, a folder or an anchor that exists. Web addresses are examined apart. */
function resolves(path: string, target: string): boolean {
	if (isWeb(target)) return true;
	const [file = "", anchor] = target.split("#");
	const aim = file === "" ? path : normalize(join(dirname(path), decodeURI(file))).replaceAll("\\", "/");
	if (aim.startsWith("..") || !existsSync(join(checkout, aim))) return false;
	if (anchor === undefined || anchor === "") return true;
	return readDocument(aim, readFileSync(join(checkout, aim), "utf8")).anchors.has(anchor);
}

/** Text with every line's indentation and blank lines removed. */
function squeezed(text: string): string {
	const lines = text.split("\n").map((line) => line.trim());
	return lines.filter((line) => line !== "").join("\n");
}

/** Paths of a layout block that do not exist. */
function missingPaths(text: string): string[] {
	const folders: { depth: number; path: string }[] = [];
	const missing: string[] = [];
	for (const line of text.split("\n")) {
		const [, indent = "", name = ""] = /^([\s│├└─]*)(\S+)/.exec(line) ?? [];
		if (!/[./]/.test(name) || line.trim() === "") continue;
		while ((folders.at(-1)?.depth ?? -1) >= indent.length) folders.pop();
		const path = join(folders.at(-1)?.path ?? "", name);
		if (!existsSync(join(checkout, path))) missing.push(path);
		if (name.endsWith("/")) folders.push({ depth: indent.length, path });
	}
	return missing;
}

/** Steps of a trace (`path  function  remark`) whose file does not declare the function, or whose function no earlier step names. */
function brokenSteps(text: string): string[] {
	const lines = text.split("\n").map((line) => line.trim());
	const steps = lines.map((line) => line.replace(/^→ /, "").split(/\s+/));
	return steps.flatMap(([path = "", name = ""], index) => {
		if (!existsSync(join(checkout, path))) return [`${path} does not exist`];
		const source = readFileSync(join(checkout, path), "utf8");
		const declared = new RegExp(`\\b(function|const|class)\\s+${name}\\b|^\\s+(async )?${name}(\\(|: )`, "m").test(
			source,
		);
		const word = new RegExp(`\\b${name}\\b`);
		const earlier = steps.slice(0, index).map(([file = ""]) => join(checkout, file));
		const called =
			index === 0 ||
			lines[index]?.startsWith("→") ||
			earlier.some((file) => existsSync(file) && word.test(readFileSync(file, "utf8")));
		return [
			...(declared ? [] : [`${path} does not declare ${name}`]),
			...(called ? [] : [`no earlier step calls ${name} of ${path}`]),
		];
	});
}

/** What pi's diagram renderer could not draw. */
async function warningsOf(source: string): Promise<unknown[]> {
	const renderer = pathToFileURL(join(checkout, "node_modules/lovely-mermaid/dist/index.js")).href;
	const { render } = (await import(renderer)) as { render: (text: string) => { warnings: unknown[] } | null };
	const art = render(source);
	return art ? art.warnings : ["it is no diagram that pi can draw"];
}
