// The rooms whose tests are tried with mutants, and the mutants that no test can tell from the original.

/** The tests of a folder with these names. */
function testsIn(folder: string, names: string): readonly string[] {
	return names.split(/\s+/).map((name) => `test/${folder}/${name}.test.ts`);
}

/** Source folder → the tests that have to notice a mutant there; none of them starts pi. */
export const rooms = {
	"src/chronicle/core": ["test/chronicle/core", ...testsIn("chronicle/engine/ledger", "reference single-appends")],
	"src/chronicle/engine/ledger": ["test/chronicle/engine/ledger"],
	"src/chronicle/engine/project": testsIn(
		"chronicle/engine/project",
		"cleanup clock exit-code run-tree template-catalogue template-tree",
	),
	"src/chronicle/engine/supervisor": ["test/chronicle/engine/supervisor"],
	"src/chronicle/engine/worker": testsIn(
		"chronicle/engine/worker",
		"brief dialogs launch-faults records redact-sessions rules slots start-inputs tool-order turn usage worker-bound worker-settings worker-spec",
	),
	"src/chronicle/engine/workspace": ["test/chronicle/engine/workspace"],
	"src/migration": testsIn("migration", "import"),
	"src/plan": testsIn("plan", "draft preview waiting"),
	"src/safety/guard": testsIn(
		"safety/guard",
		"answer-subjects canonical-forms cases common-commands explain-call expressions fails-closed git-index git-view indirect-harms interpreters paths reference rule-bounds rule-files stash",
	),
	"src/safety/policy": testsIn("safety/policy", "bounds-of-records fails-closed records secrets"),
	"src/shipped": testsIn("shipped", "copy"),
	"src/workflow/definitions": ["test/workflow/definitions"],
	"src/workflow/limits": testsIn("workflow", "limits"),
	"src/workflow/machine": ["test/workflow/machine"],
	"src/workflow/prompts": testsIn("workflow", "prompts"),
};

/** The files of a folder with these names. */
function filesIn(folder: string, names: string): readonly string[] {
	return names.split(/\s+/).map((name) => `${folder}/${name}.ts`);
}

/** Files of these rooms that drive pi or whole runs: tests in real pi hold them, not these tests. */
export const inPi: ReadonlySet<string> = new Set([
	...filesIn(
		"src/chronicle/engine/project",
		"change-watch check child-runs diff model project remove start supervised-run watch-run",
	),
	...filesIn("src/chronicle/engine/supervisor", "crash-point"),
	...filesIn("src/chronicle/engine/worker", "extension-check launcher live project-launcher standby start-process"),
	...filesIn("src/chronicle/engine/worker/extension", "given-tools register tools warm-up"),
	...filesIn("src/plan", "author command command-line decide examine index tool"),
	...filesIn("src/safety/guard", "answers/command answers/session command decision-view register"),
	...filesIn("src/safety/policy", "gate register-gate"),
]);

/** `path: original → mutant` with the line's text, and why behavior is the same. */
export const equivalent: { readonly [name: string]: string } = {
	'src/chronicle/core/machine/outbox.ts: return stage.kind === "launching" ? outbox.filter(({ id }) => id < stage.since) : outbox; → return stage.kind === "launching" ? outbox.filter(({ id }) => id <= stage.since) : outbox;':
		"both are numbers of events, and the event that reserves an attempt is no message",
	"src/chronicle/core/snapshot/patch.ts: const head = start < 0 ? lines : lines.slice(0, start); → const head = start < 1 ? lines : lines.slice(0, start);":
		"the first line of a file is never a hunk's",
	"src/chronicle/core/snapshot/patch.ts: const hunks = start < 0 ? [] : readHunks(lines.slice(start), redact); → const hunks = start < 1 ? [] : readHunks(lines.slice(start), redact);":
		"the first line of a file is never a hunk's",
	"src/chronicle/core/snapshot/patch.ts: let now = 0; → let now = 1;": "set by each hunk before it is used",
	"src/chronicle/core/snapshot/patch.ts: let old = 0; → let old = 1;": "set by each hunk before it is used",
	"src/chronicle/core/template/fields.ts: const limit = least(value, `${reading.path}.${key}`) ?? 1; → const limit = least(value, `${reading.path}.${key}`) ?? 2;":
		"an entry that cannot be read fails the file",
	'src/safety/guard/judge/judge-paths.ts: const seen = openTreeWalks((path) => paths.rulesFor(path, "change").length > 0); → const seen = openTreeWalks((path) => paths.rulesFor(path, "change").length >= 0);':
		"it only spares places without rules a second look",
	"src/safety/guard/match/git-index.ts: if (at + entryHead > bytes.length) return undefined; → if (at + entryHead >= bytes.length) return undefined;":
		"an entry that ends there has no name, which is refused too",
	"src/safety/guard/match/git-view.ts: return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false; → return lstatSync(path, { throwIfNoEntry: true })?.isDirectory() ?? false;":
		"the error is caught, and is no directory either",
	"src/safety/guard/match/path-matcher.ts: const rulesFound = found.size > 1 ? rules.paths.filter((rule) => found.has(rule)) : [...found]; → const rulesFound = found.size >= 1 ? rules.paths.filter((rule) => found.has(rule)) : [...found];":
		"one rule needs no order",
	...Object.fromEntries(
		["1, 16", "0, 17"].map((part) => [
			`src/plan/waiting.ts: const name = createHash("sha256").update(cwd).digest("hex").slice(0, 16); → const name = createHash("sha256").update(cwd).digest("hex").slice(${part});`,
			"any part of the hash names the file",
		]),
	),
	"src/workflow/machine/pinned.ts: .sort((a, b) => (a.key < b.key ? -1 : 1)) → .sort((a, b) => (a.key < b.key ? -1 : 2))":
		"only the sign of a comparison counts",
	"src/workflow/machine/pinned.ts: .sort((a, b) => (a.key < b.key ? -1 : 1)) → .sort((a, b) => (a.key < b.key ? -2 : 1))":
		"only the sign of a comparison counts",
	"src/workflow/machine/pinned.ts: .sort((a, b) => (a.key < b.key ? -1 : 1)) → .sort((a, b) => (a.key <= b.key ? -1 : 1))":
		"keys are unique",
	"src/safety/guard/match/git-view.ts: if (indexes.size > 20) indexes.clear(); → if (indexes.size > 21) indexes.clear();":
		"it only says how many indexes are kept in memory",
	"src/safety/policy/secrets.ts: (match: string, at: number, whole: string) => shown(match, whole.slice(Math.max(0, at - 60), at)) ?? match, → (match: string, at: number, whole: string) => shown(match, whole.slice(Math.max(0, at - 61), at)) ?? match,":
		"no expression reads more than 43 characters before a word",
	'src/safety/policy/secrets.ts: const of = /\\d/.test(character) ? "digit" : /[A-Z]/.test(character) ? "capital" : "small"; → const of = /\\d/.test(character) ? "digit" : !(/[A-Z]/.test(character)) ? "capital" : "small";':
		"the two kinds of letters exchange their names, and only their difference counts",
};
