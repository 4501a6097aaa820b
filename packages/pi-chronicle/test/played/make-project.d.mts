/** Creates the project in `folder`, which must not exist or be empty. */
export function makeProject(folder: string): void;
