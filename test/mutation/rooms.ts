// The pure rooms whose tests are tried with mutants, and the mutants that no test can tell from the original.

/** Source folder → the tests that have to notice a mutant there; none of them starts a process. */
export const rooms = {
	"src/chronicle/core": ["test/chronicle/core"],
	"src/workflow/machine": ["test/workflow/machine"],
	"src/safety/policy": ["test/safety/policy", "test/safety/guard/cases.test.ts"],
	"src/safety/guard": [
		"test/safety/guard/answers.test.ts",
		"test/safety/guard/canonical-forms.test.ts",
		"test/safety/guard/cases.test.ts",
		"test/safety/guard/common-commands.test.ts",
		"test/safety/guard/expressions.test.ts",
		"test/safety/guard/paths.test.ts",
		"test/safety/guard/rule-files.test.ts",
	],
};

/** Files of these rooms that drive pi: real pi tests them, not the pure tests. */
export const inPi: ReadonlySet<string> = new Set(["src/safety/policy/gate.ts", "src/safety/policy/register-gate.ts"]);

/** `path: original → mutant` with the line's text, and why behavior is the same. */
export const equivalent: { readonly [name: string]: string } = {};
