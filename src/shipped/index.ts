// The definitions that come with the package: where they are, and copying one into a project. Reading them is up to the features. Nothing here is
// loaded before a command needs it.
export { copyLines, copyShipped, shippedNames, shippedWorkflows } from "./copy.ts";
export { shippedFolder } from "./folders.ts";
