// Which versions of pi this package works with. The range is the one of `peerDependencies` in package.json, which a test compares.
// P1 a version that cannot be read is taken for a supported one: distributions of pi may count differently.

/** The oldest supported version of pi. */
export const OLDEST_PI = "1.3.0";

/** Whether pi `version` (as its package states it) is older than the oldest supported one. */
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

/** Names both versions and the remedy. `own` is the version of this package. */
export function tooOldText(version: string, own: string): string {
	return `pi-chronicle ${own} needs pi ${OLDEST_PI} or newer, and this is pi ${version}: update pi (npm install -g @earendil-works/pi-coding-agent).`;
}
