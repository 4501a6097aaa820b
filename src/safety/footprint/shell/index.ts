export { openState } from "./state.ts";
export { walkShell, walkWords } from "./walk.ts";
