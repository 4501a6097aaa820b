// Finds the state that a worker names as its target. Every worker loads this, so it imports nothing.

/** The one of `targets` that a model means by `name`: case and spaces do not count, unless they tell targets apart. */
export function findTarget(name: string, targets: readonly string[]): string | undefined {
	const plain = (text: string): string => text.trim().replace(/\s+/g, " ").toLowerCase();
	const alike = targets.filter((target) => plain(target) === plain(name));
	return alike.find((target) => target === name.trim()) ?? (alike.length === 1 ? alike[0] : undefined);
}
