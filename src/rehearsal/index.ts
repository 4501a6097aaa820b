export { rehearseVerb } from "./command-line.ts";
export { joinRehearsal } from "./join.ts";
