export { walkShell, walkWords } from "./shell.ts";
export { openState } from "./state.ts";
