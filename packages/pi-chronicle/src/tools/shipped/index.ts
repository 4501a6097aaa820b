// Locates the definitions that come with the package, and copies them into a project. The features read them. Loaded on first use.
export { copyLines, copyShipped, lacksTests, testsQuestion } from "./copy.ts";
export { shippedFolder, shippedNames, shippedWorkflows } from "./folders.ts";
