// Formats times of events in the local time zone. Pure except for that time zone.

/** An ISO 8601 time as `09:41:07` in local time; any other text unchanged. */
export function clockTime(at: string): string {
	const time = new Date(at);
	if (Number.isNaN(time.getTime())) return at;
	return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}

/** An ISO 8601 time as `2030-01-31 09:41` in local time; any other text unchanged. */
export function dayTime(at: string): string {
	const time = new Date(at);
	if (Number.isNaN(time.getTime())) return at;
	const two = (part: number): string => String(part).padStart(2, "0");
	return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${clockTime(at).slice(0, 5)}`;
}

/** An ISO 8601 time as `09:41` in local time, with the day if that is not the one of `near`; any other text unchanged. */
export function timeOf(at: string, near = at): string {
	const time = new Date(at);
	if (Number.isNaN(time.getTime())) return at;
	return time.toDateString() === new Date(near).toDateString() ? clockTime(at).slice(0, 5) : dayTime(at);
}
