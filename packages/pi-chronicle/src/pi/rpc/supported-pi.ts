// The versions of pi that this package supports. The range is that of `peerDependencies` in package.json; a test compares them.
// An unreadable version counts as supported, because distributions of pi may use other version schemes.

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

/**
 * How to get a pi that is new enough. With a Node older than pi needs, npm installs an old pi. `node`: the version of the Node that pi runs on.
 */
export function updatePiText(node = process.versions.node): string {
	const update = "pi (npm install -g @earendil-works/pi-coding-agent)";
	const [major = 0, minor = 0] = node.split(".").map(Number);
	return major > 22 || (major === 22 && minor >= 19)
		? `Update ${update}`
		: `Update Node to 22.19 or newer (https://nodejs.org; this is ${node}), then ${update}`;
}

/** A message with both versions and the remedy. `own` is this package's version. */
export function tooOldText(version: string, own: string): string {
	return `pi-chronicle ${own} needs pi ${OLDEST_PI} or newer, but this is pi ${version}. ${updatePiText()}.`;
}
