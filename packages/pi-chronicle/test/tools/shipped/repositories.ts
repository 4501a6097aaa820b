// Small repositories, one for each shipped definition, with the actions of a good agent in it: real files, real tests, real failures. Not the
// shipped scenarios, which fit any project.

export interface ShippedCase {
	readonly name: string;
	readonly kind: "workflow" | "chronicle";
	readonly task: string;
	readonly files: Readonly<Record<string, string>>;
	/** What the understudy does. */
	readonly scenario: string;
	/** Calls that matter, in order: phase or state, part of the call, its outcome. */
	readonly calls: readonly (readonly [part: string, call: string, outcome: "ok" | "failed" | "refused"])[];
	/** Files that the run changes or adds. */
	readonly changed: readonly string[];
}

/** A test file with one test. */
function testFile(name: string, body: string, [what, file] = ["total", "price"]): string {
	return `import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { ${what} } from "../src/${file}.js";\n\ntest("${name}", () => ${body});\n`;
}

const shop = {
	"package.json":
		'{ "name": "shop", "version": "1.0.0", "type": "module", "private": false, "scripts": { "test": "node --test" } }\n',
	"src/price.js": "export function total(prices) {\n\treturn prices.reduce((sum, price) => sum + price, 0);\n}\n",
	"test/price.test.js": testFile("adds up", "assert.equal(total([1, 2]), 3)"),
	"README.md": "# shop\n\nRun `node src/shop.js 1 2`.\n",
};

/** A test file, as a JSON text. */
const testOf = (name: string, body: string): string => JSON.stringify(testFile(name, body));

export const shippedCases: readonly ShippedCase[] = [
	{
		name: "feature",
		kind: "chronicle",
		task: "Give total a discount in percent",
		files: shop,
		scenario: `
states:
  planning:
    - call: [{ read: { path: src/price.js } }, { read: { path: test/price.test.js } }]
    - remember: { pending_tasks: [{ key: a, text: "total(prices, discount), test/discount.test.js" }] }
    - go:
        to: building
        summary: "One step: a second parameter with its test. Tests run with npm test."
        data: { criteria: ["total([10, 10], 50) is 10", "nothing changes without a discount"] }
  building:
    - call: { write: { path: test/discount.test.js, content: ${testOf("discount", "assert.equal(total([10, 10], 50), 10)")} } }
    - call: { bash: { command: node --test } }
    - call: { edit: { path: src/price.js, edits: [{ oldText: "total(prices)", newText: "total(prices, discount = 0)" }, { oldText: "+ price, 0)", newText: "+ price, 0) * (1 - discount / 100)" }] } }
    - call: { bash: { command: npm test } }
      remember: { resolve: [a] }
    - go: { to: tests, summary: All tests pass. }
  tests:
    - exit: 0
  review:
    - call: [{ bash: { command: node --test } }, { bash: { command: git diff --stat } }]
    - go: { to: done, summary: I would merge it. }
`,
		calls: [
			["building", "node --test", "failed"],
			["building", "npm test", "ok"],
			["review", "node --test", "ok"],
		],
		changed: ["src/price.js", "test/discount.test.js"],
	},
	{
		name: "bug-hunt",
		kind: "workflow",
		task: "total of nothing is NaN",
		files: {
			...shop,
			"src/price.js":
				"export function total(prices) {\n\treturn prices.slice(1).reduce((sum, price) => sum + price, prices[0] * 1);\n}\n",
		},
		scenario: `
phases:
  reproduce:
    - call: { write: { path: test/empty.test.js, content: ${testOf("nothing", "assert.equal(total([]), 0)")} } }
    - call: { bash: { command: node --test test/empty.test.js } }
    - next: It fails with NaN.
  locate:
    - call: [{ bash: { command: "node -p '[][0] * 1'" } }, { edit: { path: src/price.js, edits: [{ oldText: slice, newText: splice }] } }]
    - next: The first price of an empty list is undefined.
  repair:
    - call: { write: { path: src/price.js, content: "export function total(prices) {\\n\\treturn prices.reduce((sum, price) => sum + price, 0);\\n}\\n" } }
    - call: { bash: { command: npm test } }
    - next: The sum starts at 0.
  confirm:
    - call: { bash: { command: node --test } }
    - next: The total of nothing is 0 now.
`,
		calls: [
			["reproduce", "node --test", "failed"],
			["locate", "node -p", "ok"],
			["locate", "edit", "refused"],
			["repair", "npm test", "ok"],
			["confirm", "node --test", "ok"],
		],
		changed: ["src/price.js", "test/empty.test.js"],
	},
	{
		name: "review",
		kind: "chronicle",
		task: "the last commit",
		files: {
			...shop,
			"src/price.js": "export function total(prices) {\n\treturn prices.reduce((sum, price) => sum + price);\n}\n",
		},
		scenario: `
states:
  scope:
    - call: [{ bash: { command: git show --stat HEAD } }, { bash: { command: node --test } }]
    - remember: { findings: ["src/price.js:2 lost its start value; the tests pass."] }
    - go: { to: reviews, summary: One line., data: { change: "HEAD: src/price.js", tests: "node --test passes" } }
  correctness:
    - call: { read: { path: src/price.js } }
      remember: { findings: ["src/price.js:2 throws for an empty list."] }
    - go: { to: done, summary: One defect. }
  security:
    - call: { read: { path: src/price.js } }
    - go: { to: done, summary: None. }
  tests:
    - call: { read: { path: test/price.test.js } }
      remember: { findings: ["test/price.test.js has no case for an empty list."] }
    - go: { to: done, summary: One gap. }
  verdict:
    - call: { read: { path: src/price.js } }
    - go: { to: done, summary: "Do not merge: src/price.js:2 throws for an empty list." }
`,
		calls: [
			["scope", "node --test", "ok"],
			["verdict", "read", "ok"],
		],
		changed: [],
	},
	{
		name: "refactor",
		kind: "chronicle",
		task: "Write total as a loop",
		files: shop,
		scenario: `
states:
  survey:
    - call: { read: { path: src/price.js } }
      remember: { pending_tasks: [{ key: empty, text: "No test for an empty list." }] }
    - go: { to: net, summary: One gap. }
  net:
    - call: { write: { path: test/net.test.js, content: ${testOf("nothing", "assert.equal(total([]), 0)")} } }
    - call: { bash: { command: npm test } }
      remember: { resolve: [empty] }
    - go:
        to: change
        summary: "One gap is closed: the total of an empty list is 0.\\nAll tests pass on the unchanged code."
        data: { before: /tmp/before, files: [{ file: test/net.test.js, sha256: 9f2c }] }
  change:
    - call: { write: { path: src/price.js, content: "export function total(prices) {\\n\\tlet sum;\\n\\tfor (const price of prices) sum += price;\\n\\treturn sum;\\n}\\n" } }
    - go: { to: tests, summary: A loop. }
  change#2:
    - call: { edit: { path: src/price.js, edits: [{ oldText: "let sum;", newText: "let sum = 0;" }] } }
    - go: { to: tests, summary: It starts at 0. }
  tests:
    - exit: 1
  tests#2:
    - exit: 0
  comparison:
    - call: { bash: { command: node --test } }
    - go: { to: done, summary: No difference. }
`,
		calls: [
			["net", "npm test", "ok"],
			["comparison", "node --test", "ok"],
		],
		changed: ["src/price.js", "test/net.test.js"],
	},
	{
		name: "upgrade",
		kind: "chronicle",
		task: "pad to version 2",
		files: {
			...shop,
			"package.json":
				'{ "name": "shop", "version": "1.0.0", "type": "module", "imports": { "#pad": "./vendor/pad-1.js" }, "scripts": { "test": "node --test" } }\n',
			"vendor/pad-1.js": "export const pad = (text, width) => String(text).padStart(width);\n",
			"vendor/pad-2.js":
				"/** Breaking: takes an object. */\nexport const pad = ({ text, width }) => String(text).padStart(width);\n",
			"src/line.js": 'import { pad } from "#pad";\n\nexport const line = (price) => pad(price, 6);\n',
			"test/line.test.js": testFile("pads", 'assert.equal(line(3), "     3")', ["line", "line"]),
		},
		scenario: `
states:
  survey:
    - call: [{ bash: { command: npm test } }, { bash: { command: "grep -rn pad src" } }]
      remember: { pending_tasks: [{ key: pad, text: "pad 2 takes an object: src/line.js:3" }] }
    - go:
        to: upgrade
        summary: "pad 1 to 2: it takes an object now. One call changes, src/line.js:3.\\nAll tests pass before the upgrade."
        data: { dependencies: [{ name: pad, from: "1", to: "2", breaking: [{ change: takes an object, source: vendor/pad-2.js, places: ["src/line.js:3"] }] }] }
  upgrade:
    - call: { bash: { command: "npm pkg set 'imports.#pad=./vendor/pad-2.js'" } }
    - call: { bash: { command: npm test } }
    - call: { edit: { path: src/line.js, edits: [{ oldText: "pad(price, 6)", newText: "pad({ text: price, width: 6 })" }] } }
    - call: { bash: { command: npm test } }
      remember: { resolve: [pad] }
    - go: { to: tests, summary: pad 2. }
  tests:
    - exit: 0
  verify:
    - call: [{ bash: { command: npm test } }, { bash: { command: git diff --stat } }]
    - go: { to: done, summary: Only the manifest and one line changed. }
`,
		calls: [
			["survey", "npm test", "ok"],
			["upgrade", "npm test", "failed"],
			["upgrade", "npm test", "ok"],
			["verify", "npm test", "ok"],
		],
		changed: ["package.json", "src/line.js"],
	},
	{
		name: "docs",
		kind: "workflow",
		task: "the README",
		files: {
			...shop,
			"src/cli.js": 'import { total } from "./price.js";\n\nconsole.log(total(process.argv.slice(2).map(Number)));\n',
		},
		scenario: `
phases:
  survey:
    - call: [{ read: { path: README.md } }, { write: { path: README.md, content: early } }]
    - next: README.md:3 names src/shop.js, and the file is src/cli.js.
  write:
    - call: { write: { path: README.md, content: "# shop\\n\\nRun \`node src/cli.js 1 2\`. It prints 4.\\n" } }
    - next: Corrected.
  write#2:
    - call: { edit: { path: README.md, edits: [{ oldText: prints 4, newText: prints 3 }] } }
    - next: The output, too.
  try-out:
    - call: { bash: { command: "test \\"$(node src/cli.js 1 2)\\" = 4" } }
    - loop: It prints 3.
  try-out#2:
    - call: { bash: { command: "test \\"$(node src/cli.js 1 2)\\" = 3" } }
    - next: Every command runs as written.
`,
		calls: [
			["survey", "write", "refused"],
			["try-out", "node src/cli.js", "failed"],
			["try-out", "node src/cli.js", "ok"],
		],
		changed: ["README.md"],
	},
	{
		name: "release",
		kind: "workflow",
		task: "a new version",
		files: { ...shop, "CHANGELOG.md": "# Changelog\n\n## 1.0.0\n\n- First version\n" },
		scenario: `
phases:
  survey:
    - call: [{ bash: { command: git log --oneline } }, { bash: { command: git tag v1.1.0 } }]
    - next: Minor.
  verify:
    - call: [{ bash: { command: npm test } }, { bash: { command: npm pack --dry-run } }]
    - next: All fine.
  prepare:
    - call: [{ bash: { command: npm version 1.1.0 --no-git-tag-version } }, { edit: { path: CHANGELOG.md, edits: [{ oldText: "## 1.0.0", newText: "## 1.1.0\\n\\n- A discount\\n\\n## 1.0.0" }] } }]
    - call: { bash: { command: "npm test && git -c user.name=a -c user.email=a@example.org commit -qam 1.1.0" } }
    - next: Committed.
  confirm:
    - say: 1.1.0, because of the discount.
      next: on we go
    - call: { bash: { command: git tag v1.1.0 } }
  publish:
    - call: { bash: { command: "git tag v1.1.0 && git tag --list" } }
    - next: Tagged.
`,
		calls: [
			["survey", "git tag", "refused"],
			["verify", "npm test", "ok"],
			["verify", "npm pack", "ok"],
			["prepare", "commit", "ok"],
			["confirm", "next", "failed"],
			["publish", "git tag", "ok"],
		],
		changed: ["CHANGELOG.md", "package.json"],
	},
	{
		name: "incident",
		kind: "workflow",
		task: "prices are doubled",
		files: {
			...shop,
			"config.json": '{ "factor": 2 }\n',
			"check.js":
				'import { readFileSync } from "node:fs";\n\nprocess.exitCode = JSON.parse(readFileSync("config.json", "utf8")).factor === 1 ? 0 : 1;\n',
		},
		scenario: `
phases:
  assess:
    - call: [{ bash: { command: node check.js } }, { write: { path: config.json, content: early } }]
    - next: Doubled since the last deploy.
  decide:
    - say: Set the factor back to 1?
  mitigate:
    - call: { write: { path: config.json, content: '{ "factor": 1 }' } }
    - next: Set back.
  watch:
    - call: { bash: { command: node check.js } }
    - next: Over.
  write-up:
    - call: { write: { path: docs/incidents/prices.md, content: "# Prices were doubled\\n" } }
    - next: Written.
`,
		calls: [
			["assess", "node check.js", "failed"],
			["assess", "write", "refused"],
			["watch", "node check.js", "ok"],
		],
		changed: ["config.json", "docs/incidents/prices.md"],
	},
];
