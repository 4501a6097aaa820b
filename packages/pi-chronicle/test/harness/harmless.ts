// What a test gives to a real pi can run for real, with the rights of who runs the tests: a refusal that is missing must cost nobody's files.

/** Deletes the root, the home directory, or everything in one of them. */
const deletesAll =
	/--no-preserve-root|\brm\s+(?:-\S+\s+)*-\w*[rR]\w*\s+(?:-\S+\s+)*["'\\]*(?:\/|~\/?|\$\{?HOME\}?\/?)\*?["'\\]*(?:[\s;&|)"'\\]|$)/;

/** Throws for a text that would delete the machine's files or the user's if it ran. Such texts are only for functions that judge them. */
export function assertHarmless(text: string): void {
	const [found] = deletesAll.exec(text) ?? [];
	if (found !== undefined)
		throw new Error(`A test must not give "${found}" to a real process: take a harmless command.`);
}
