export { type OptionKind, type ParsedArguments, parseArguments, type VerbGrammar } from "./arguments.ts";
export { type DispatchResult, dispatch } from "./dispatch.ts";
export { explainRedaction, holdsSecret } from "./explain-redaction.ts";
export { type RunCommand, statesOf, tooLong } from "./run-command.ts";
export { askingElsewhere, type ForeignEntry, mayNameRun, namesRun, resolveLedger, resolveRun } from "./run-name.ts";
export { type Misuse, onlyNumber, type Steering, steerings } from "./steering.ts";
export { readVisitWords } from "./visit-words.ts";
