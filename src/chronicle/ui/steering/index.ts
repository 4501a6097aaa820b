export { type OptionKind, type Parsed, parseArguments, type VerbGrammar } from "./arguments.ts";
export { explainRedaction, holdsSecret } from "./explain-redaction.ts";
export { statesOf, tooLong, type Word } from "./run-command.ts";
export { askingElsewhere, type ForeignEntry, findLedger, findRun, mayNameRun, namesRun } from "./run-name.ts";
export { type Spoken, speak } from "./speak.ts";
export { type Misuse, onlyNumber, type Steering, steerings } from "./steering.ts";
export { readVisitWords } from "./visit-words.ts";
