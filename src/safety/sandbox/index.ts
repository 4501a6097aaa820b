export { cacheOptions } from "./caches.ts";
export { sandboxPolicy } from "./policy.ts";
export { probeSandbox, type SandboxProbe } from "./probe.ts";
export { wrapCommand } from "./wrap.ts";
