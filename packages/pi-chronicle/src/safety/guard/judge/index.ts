export { explainCall } from "./explain-call.ts";
export { guardPolicy } from "./guard-policy.ts";
export { ignoresCall, screensResults } from "./ignored-calls.ts";
