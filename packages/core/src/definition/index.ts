export type { Diagnostic, Place } from "./diagnostic.ts";
export { readDuration } from "./duration.ts";
export { errorMessage, expressionMistake, systemWords } from "./error-message.ts";
export { FailureError } from "./failure-error.ts";
export {
	type Common,
	choice,
	custom,
	duration,
	type Field,
	flag,
	type Given,
	integer,
	type JsonSchema,
	number,
	type ReadContext,
	text,
	wrongType,
} from "./field.ts";
export { exactTime, percent, setTime, shortCost, shortCount, shortTime } from "./figures.ts";
export { type ReadOptions, readSource, type SourceRead } from "./file.ts";
export * from "./foreign-format.ts";
export * from "./format.ts";
export { type FrontMatter, parseFrontMatter } from "./front-matter.ts";
export { loopFrom } from "./loop.ts";
export { isListed } from "./name-patterns.ts";
export { names, type PlacedName, readNames } from "./names.ts";
export { didYouMean, editDistance, likely, nearest } from "./near-names.ts";
export { describeNode, type ListNode, type MapEntry, type MapNode, type Node, type ScalarNode } from "./node.ts";
export * from "./object.ts";
export { type PathList, pathList, pathListText, pathOnLine } from "./path-list.ts";
export { nodeOf, plainOf, sizeOf } from "./plain.ts";
export { openReport, type Problem, type Report, sortDiagnostics } from "./report.ts";
export { readSandboxChoice, type SandboxChoice, type SandboxNetwork, sandboxField } from "./sandbox.ts";
export * from "./shape.ts";
export { openSource, type Source } from "./source.ts";
export { type ParsedTree, parseData, parseJson, parseYaml } from "./yaml.ts";
