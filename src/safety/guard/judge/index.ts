export { explainCall } from "./explain-call.ts";
export { guardPolicy } from "./guard-policy.ts";
