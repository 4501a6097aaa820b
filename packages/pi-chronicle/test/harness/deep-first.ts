// The order of test files: deep ones first. They take longest, whatever their size, and the many short ones then keep the workers busy until the
// end of the run.
import { BaseSequencer, type TestSpecification } from "vitest/node";

export class DeepFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const sorted = await super.sort(files);
		const isDeep = ({ moduleId }: TestSpecification) => moduleId.endsWith(".deep.test.ts");
		return [...sorted.filter(isDeep), ...sorted.filter((file) => !isDeep(file))];
	}
}
