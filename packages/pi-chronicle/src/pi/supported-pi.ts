// The versions of pi that this package supports. The range is that of `peerDependencies` in package.json; a test compares them.
// P1 an unreadable version counts as supported, because distributions of pi may use other version schemes.

/** The oldest supported version of pi. */
export const OLDEST_PI = "1.3.0";

/** Whether pi `version` (from its package) is older than the oldest supported one. */
export function isTooOld(version: string): boolean {
	const found = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
	if (!found) return false;
	const oldest = OLDEST_PI.split(".").map(Number);
	for (const [index, wanted] of oldest.entries()) {
		const part = Number(found[index + 1]);
		if (part !== wanted) return part < wanted;
	}
	return false;
}

/** A message with both versions and the remedy. `own` is this package's version. */
export function tooOldText(version: string, own: string): string {
	return `pi-chronicle ${own} needs pi ${OLDEST_PI} or newer, but this is pi ${version}: update pi (npm install -g @earendil-works/pi-coding-agent).`;
}
