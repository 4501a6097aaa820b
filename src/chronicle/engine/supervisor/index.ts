export { answerEvent, nobody } from "./answer.ts";
export { CRASH_VARIABLE, openCrashPoints } from "./crash-point.ts";
export { type Supervision, type SupervisionEnd, supervise } from "./supervise.ts";
