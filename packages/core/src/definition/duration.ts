// Durations as people write them: `90s`, `30m`, `1h30m`, `12 h`, `2d`; a number alone is minutes. Pure.
const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const written = /^(?:\s*\d+(?:\.\d+)?\s*[smhd](?![a-z]))+\s*$/i;

/** Milliseconds; `undefined` if `value` is no duration. */
export function readDuration(value: unknown): number | undefined {
	if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? value * 60_000 : undefined;
	if (typeof value !== "string") return undefined;
	if (/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return Number(value) * 60_000;
	const text = value.replace(/\s*(sec|min|hour|day)[a-z]*/gi, (_, [unit = ""]: string) => unit);
	if (!written.test(text.replaceAll(/(?<=[smhd])(?=\d)/gi, " "))) return undefined;
	const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*([smhd])/gi)];
	return parts.reduce((sum, [, amount = "", unit = ""]) => sum + Number(amount) * (unitMs[unit.toLowerCase()] ?? 0), 0);
}
