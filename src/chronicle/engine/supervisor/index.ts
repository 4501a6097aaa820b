export type { Supervision, SupervisionEnd } from "../../core/index.ts";
export { answerEvent, approvalOf, nobody } from "./answer.ts";
export { setUpChild } from "./child-setup.ts";
export { CRASH_VARIABLE, type CrashPoint, openCrashPoints } from "./executor-context.ts";
export { supervise } from "./supervise.ts";
