// The process that tries mutants: it loads a room's tests once and runs them again for each mutant. `run.ts` starts it, sends the mutants,
// and ends it when a mutant never ends. The mutant is seen by the tests' imports only; no file is changed.
import { basename, dirname, join, resolve } from "node:path";
import { createVitest, type TestModule, type TestSpecification } from "vitest/node";

/** A file of the project (path from its root) with other contents. */
export interface Change {
	readonly path: string;
	readonly code: string;
}

/** What `run.ts` sends: the tests of a room, then mutants one by one. Each message is answered by whether the tests pass. */
export type Task = { readonly tests: readonly string[] } | Change;

const root = resolve(import.meta.dirname, "../../../..");
let changed: Change | undefined;

/** Opens Vitest for these files and folders of tests; `run` says whether they pass with a change. The nearest and shortest files run first. */
async function openTests(tests: readonly string[]) {
	const seenAs = {
		name: "mutant",
		enforce: "pre" as const,
		load: (id: string) => (changed && id === join(root, changed.path) ? changed.code : undefined),
	};
	const config = join(root, "packages/pi-chronicle/test/mutation/vitest.config.ts");
	const vitest = await createVitest({ root, config, watch: false, reporters: [{}] }, { plugins: [seenAs] });
	let specifications: TestSpecification[] = await vitest.globTestSpecifications([...tests]);
	return async (change: Change | undefined): Promise<boolean> => {
		const before = changed;
		changed = change;
		for (const one of [before, change]) if (one) vitest.invalidateFile(join(root, one.path));
		const ordered = change ? nearestFirst(specifications, change.path) : specifications;
		const { testModules, unhandledErrors } = await vitest.runTestSpecifications(ordered, true);
		if (!change) specifications = shortestFirst(specifications, testModules);
		return unhandledErrors.length === 0 && testModules.length > 0 && testModules.every((module) => module.ok());
	};
}

function shortestFirst(specifications: readonly TestSpecification[], modules: readonly TestModule[]) {
	const durations = new Map(modules.map((module) => [module.moduleId, module.diagnostic().duration]));
	const duration = ({ moduleId }: TestSpecification) => durations.get(moduleId) ?? 0;
	return [...specifications].sort((a, b) => duration(a) - duration(b));
}

/** The tests in a folder of the same name as that of the changed file come first. */
function nearestFirst(specifications: readonly TestSpecification[], path: string): TestSpecification[] {
	const folder = `/${basename(dirname(path))}/`;
	const [near, far] = [true, false].map((is) =>
		specifications.filter(({ moduleId }) => moduleId.includes(folder) === is),
	);
	return [...(near ?? []), ...(far ?? [])];
}

let run: Awaited<ReturnType<typeof openTests>> | undefined;
process.on("disconnect", () => process.exit());
process.on("message", async (task: Task) => {
	if ("tests" in task) run = await openTests(task.tests);
	process.send?.(await run?.("tests" in task ? undefined : task));
});
