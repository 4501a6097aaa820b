// The rooms whose tests are tried with mutants, and the mutants that no test can tell from the original.

/** The tests of a folder with these names. */
function testsIn(folder: string, names: string): readonly string[] {
	return names.split(/\s+/).map((name) => `test/${folder}/${name}.test.ts`);
}

/** Source folder → the tests that have to notice a mutant there; none of them starts pi. */
export const rooms = {
	"packages/core/src": ["packages/core/test", ...testsIn("chronicle/engine/ledger", "reference single-appends")],
	"packages/pi-chronicle/src/local/ledger": ["packages/pi-chronicle/test/local/ledger"],
	"packages/pi-chronicle/src/local/project": testsIn(
		"chronicle/engine/project",
		"cleanup clock exit-code run-tree template-catalogue template-tree",
	),
	"packages/pi-chronicle/src/local/supervisor": ["packages/pi-chronicle/test/local/supervisor"],
	"packages/pi-chronicle/src/local/worker": testsIn(
		"chronicle/engine/worker",
		"brief dialogs launch-faults records redact-sessions rules slots start-inputs tool-order turn usage worker-bound worker-settings worker-spec",
	),
	"packages/pi-chronicle/src/local/workspace": ["packages/pi-chronicle/test/local/workspace"],
	"packages/pi-chronicle/src/tools/migration": testsIn("migration", "import"),
	"packages/pi-chronicle/src/tools/plan": testsIn("plan", "draft preview waiting"),
	"packages/pi-chronicle/src/safety/guard": testsIn(
		"safety/guard",
		"answer-subjects canonical-forms cases common-commands explain-call expressions fails-closed git-index git-view indirect-harms interpreters paths reference rule-bounds rule-files stash",
	),
	"packages/pi-chronicle/src/safety/policy": testsIn("safety/policy", "bounds-of-records fails-closed records secrets"),
	"packages/pi-chronicle/src/tools/shipped": testsIn("shipped", "copy"),
	"packages/pi-chronicle/src/workflow/definitions": ["packages/pi-chronicle/test/workflow/definitions"],
	"packages/pi-chronicle/src/workflow/limits": testsIn("workflow", "limits"),
	"packages/pi-chronicle/src/workflow/phase-machine": ["packages/pi-chronicle/test/workflow/phase-machine"],
	"packages/pi-chronicle/src/workflow/prompts": testsIn("workflow", "prompts"),
};

/** The files of a folder with these names. */
function filesIn(folder: string, names: string): readonly string[] {
	return names.split(/\s+/).map((name) => `${folder}/${name}.ts`);
}

/** Files of these rooms that drive pi or whole runs: tests in real pi hold them, not these tests. */
export const inPi: ReadonlySet<string> = new Set([
	...filesIn(
		"packages/pi-chronicle/src/local/project",
		"change-watch check child-runs diff model project remove start supervised-run watch-run",
	),
	...filesIn("packages/pi-chronicle/src/local/supervisor", "crash-point"),
	...filesIn(
		"packages/pi-chronicle/src/local/worker",
		"extension-check launcher live project-launcher standby start-process",
	),
	...filesIn("packages/pi-chronicle/src/local/worker/extension", "given-tools register tools warm-up"),
	...filesIn("packages/pi-chronicle/src/tools/plan", "author command command-line decide examine index tool"),
	...filesIn(
		"packages/pi-chronicle/src/safety/guard",
		"answers/command answers/session command decision-view register",
	),
	...filesIn("packages/pi-chronicle/src/safety/policy", "gate register-gate"),
]);

/** `path: original → mutant` with the line's text, and why behavior is the same. */
export const equivalent: { readonly [name: string]: string } = {
	'packages/core/src/machine/outbox.ts: return stage.kind === "launching" ? outbox.filter(({ id }) => id < stage.since) : outbox; → return stage.kind === "launching" ? outbox.filter(({ id }) => id <= stage.since) : outbox;':
		"both are numbers of events, and the event that reserves an attempt is no message",
	"packages/core/src/snapshot/patch.ts: const head = start < 0 ? lines : lines.slice(0, start); → const head = start < 1 ? lines : lines.slice(0, start);":
		"the first line of a file is never a hunk's",
	"packages/core/src/snapshot/patch.ts: const hunks = start < 0 ? [] : readHunks(lines.slice(start), redact); → const hunks = start < 1 ? [] : readHunks(lines.slice(start), redact);":
		"the first line of a file is never a hunk's",
	"packages/core/src/snapshot/patch.ts: let now = 0; → let now = 1;": "set by each hunk before it is used",
	"packages/core/src/snapshot/patch.ts: let old = 0; → let old = 1;": "set by each hunk before it is used",
	"packages/core/src/template/fields.ts: const limit = least(value, `${reading.path}.${key}`) ?? 1; → const limit = least(value, `${reading.path}.${key}`) ?? 2;":
		"an entry that cannot be read fails the file",
	'packages/pi-chronicle/src/safety/guard/judge/judge-paths.ts: const seen = openTreeWalks((path) => paths.rulesFor(path, "change").length > 0); → const seen = openTreeWalks((path) => paths.rulesFor(path, "change").length >= 0);':
		"it only spares places without rules a second look",
	"packages/pi-chronicle/src/safety/guard/match/git-index.ts: if (at + entryHead > bytes.length) return undefined; → if (at + entryHead >= bytes.length) return undefined;":
		"an entry that ends there has no name, which is refused too",
	"packages/pi-chronicle/src/safety/guard/match/git-view.ts: return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false; → return lstatSync(path, { throwIfNoEntry: true })?.isDirectory() ?? false;":
		"the error is caught, and is no directory either",
	"packages/pi-chronicle/src/safety/guard/match/path-matcher.ts: const rulesFound = found.size > 1 ? rules.paths.filter((rule) => found.has(rule)) : [...found]; → const rulesFound = found.size >= 1 ? rules.paths.filter((rule) => found.has(rule)) : [...found];":
		"one rule needs no order",
	...Object.fromEntries(
		["1, 16", "0, 17"].map((part) => [
			`packages/pi-chronicle/src/tools/plan/waiting.ts: const name = createHash("sha256").update(cwd).digest("hex").slice(0, 16); → const name = createHash("sha256").update(cwd).digest("hex").slice(${part});`,
			"any part of the hash names the file",
		]),
	),
	"packages/pi-chronicle/src/workflow/phase-machine/pinned.ts: .sort((a, b) => (a.key < b.key ? -1 : 1)) → .sort((a, b) => (a.key < b.key ? -1 : 2))":
		"only the sign of a comparison counts",
	"packages/pi-chronicle/src/workflow/phase-machine/pinned.ts: .sort((a, b) => (a.key < b.key ? -1 : 1)) → .sort((a, b) => (a.key < b.key ? -2 : 1))":
		"only the sign of a comparison counts",
	"packages/pi-chronicle/src/workflow/phase-machine/pinned.ts: .sort((a, b) => (a.key < b.key ? -1 : 1)) → .sort((a, b) => (a.key <= b.key ? -1 : 1))":
		"keys are unique",
	"packages/pi-chronicle/src/safety/guard/match/git-view.ts: if (indexes.size > 20) indexes.clear(); → if (indexes.size > 21) indexes.clear();":
		"it only says how many indexes are kept in memory",
	"packages/pi-chronicle/src/safety/policy/secrets.ts: (match: string, at: number, whole: string) => shown(match, whole.slice(Math.max(0, at - 60), at)) ?? match, → (match: string, at: number, whole: string) => shown(match, whole.slice(Math.max(0, at - 61), at)) ?? match,":
		"no expression reads more than 43 characters before a word",
	'packages/pi-chronicle/src/safety/policy/secrets.ts: const of = /\\d/.test(character) ? "digit" : /[A-Z]/.test(character) ? "capital" : "small"; → const of = /\\d/.test(character) ? "digit" : !(/[A-Z]/.test(character)) ? "capital" : "small";':
		"the two kinds of letters exchange their names, and only their difference counts",
};
