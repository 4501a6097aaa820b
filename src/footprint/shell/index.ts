export { walkShell, walkWords } from "./shell.ts";
export { openState, type State } from "./state.ts";
