// Locates the definitions that come with the package, and copies them into a project. The features read them. Loaded on first use.
export { copyLines, copyShipped, shippedNames, shippedWorkflows } from "./copy.ts";
export { shippedFolder } from "./folders.ts";
