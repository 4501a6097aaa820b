export { sandboxPolicy } from "./policy.ts";
export { type Probe, probeSandbox } from "./probe.ts";
export { wrapCommand } from "./wrap.ts";
