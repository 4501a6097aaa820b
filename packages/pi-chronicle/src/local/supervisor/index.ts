export type { Supervision, SupervisionEnd } from "@pi-chronicle/core/ports";
export { answerEvent, approvalOf, nobody } from "./answer.ts";
export { checkOutputData } from "./check-output.ts";
export { setUpChild } from "./child-setup.ts";
export { OUTPUT_FOLDER } from "./command-actions.ts";
export { CRASH_VARIABLE, type CrashPoint, openCrashPoints } from "./executor-context.ts";
export { readListFile } from "./list-file.ts";
export { supervise } from "./supervise.ts";
