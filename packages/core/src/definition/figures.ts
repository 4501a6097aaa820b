// Money, time, counts and shares as every message and screen writes them: short, and the same everywhere. Pure.

/** `950`, `12.3k`, `2.1M`. */
export function shortCount(count: number): string {
	if (count < 1000) return String(Math.round(count));
	if (count < 999_950) return `${trimmed(count / 1000)}k`;
	return `${trimmed(count / 1_000_000)}M`;
}

function trimmed(value: number): string {
	return value >= 100 ? String(Math.round(value)) : value.toFixed(1).replace(/\.0$/, "");
}

/** US dollars: `$0.0042`, `$0.42`, `$12.30`. */
export function shortCost(usd: number): string {
	if (usd === 0) return "$0";
	return usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

/** Milliseconds as `42s`, `4m10s`, `2h05m`, `3d04h`. */
export function shortTime(ms: number): string {
	const seconds = Math.floor(Math.max(0, ms) / 1000);
	if (seconds < 60) return `${seconds}s`;
	const minutes = Math.floor(seconds / 60);
	const two = (value: number) => String(value).padStart(2, "0");
	if (minutes < 60) return `${minutes}m${two(seconds % 60)}s`;
	const hours = Math.floor(minutes / 60);
	if (hours < 24) return `${hours}h${two(minutes % 60)}m`;
	return `${Math.floor(hours / 24)}d${two(hours % 24)}h`;
}

/** A measured time in milliseconds of which parts of a second matter: `0.4s`, `12.3s`; from a minute on like {@link shortTime}. */
export function exactTime(ms: number): string {
	return ms < 59_950 ? `${(Math.max(0, ms) / 1000).toFixed(1)}s` : shortTime(ms);
}

/** A time in milliseconds that somebody set, as they would write it: `0.3s`, `30s`, `5m`, `1h30m`, `12h`, `2d`. */
export function setTime(ms: number): string {
	if (ms < 60_000) return `${Math.round(ms / 100) / 10}s`;
	return shortTime(ms).replace(/(?<=[mhd])00?[smh]$/, "");
}

/** A share from 0 to 1: `81 %`. Rounds down, so that only what is complete is `100 %`. */
export function percent(share: number): string {
	return `${Math.floor(share * 100 + 1e-9)} %`;
}
