// Checks everything in a project. It may use every feature, as rehearsals may; only the command line uses it.

export { kinds } from "./finding.ts";
export { checkProject, type ProjectCheck } from "./project-check.ts";
export { check } from "./verb.ts";
