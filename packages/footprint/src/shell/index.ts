export { expandBraces } from "./braces.ts";
export { compileGlob, escapeGlob, hasGlob, unescapeGlob } from "./globs.ts";
export { walkShell, walkWords } from "./shell.ts";
export { openState, type State } from "./state.ts";
