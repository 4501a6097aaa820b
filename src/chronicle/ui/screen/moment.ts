// Times of events as a person on this machine reads them. Pure but for the machine's time zone.

/** `09:41:07` here, of an ISO 8601 time; as it is where it is none. */
export function clockTime(at: string): string {
	const time = new Date(at);
	if (Number.isNaN(time.getTime())) return at;
	return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}

/** `2030-01-31 09:41` here. */
export function dayTime(at: string): string {
	const time = new Date(at);
	if (Number.isNaN(time.getTime())) return at;
	const two = (part: number): string => String(part).padStart(2, "0");
	return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${clockTime(at).slice(0, 5)}`;
}
