// A schedule for the schedulers of one machine: a line of crontab, and a systemd timer with its service. Pure.
import { commandWord } from "../phrases/index.ts";

export interface TimerOptions {
	readonly cron: string;
	readonly zone: string;
	readonly template: string;
	readonly task: string;
	readonly cwd: string;
}

export interface TimerLines {
	readonly crontab: readonly string[];
	readonly systemd: readonly string[];
	/** Both, with what they are for. */
	readonly all: readonly string[];
}

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const bounds = [
	["minute", 0, 59],
	["hour", 0, 23],
	["day", 1, 31],
	["month", 1, 12],
	["weekday", 0, 7],
] as const;

/** The lines, or what is wrong with the expression. Fields are numbers, lists, ranges and steps; names of months and days are not read. */
export function timerLines({ cron, zone, template, task, cwd }: TimerOptions): TimerLines | { readonly error: string } {
	const fields = cron.trim().split(/\s+/);
	const wrong = bounds.find(([, least, most], index) => !isField(fields[index] ?? "", least, most));
	if (fields.length !== 5 || wrong)
		return {
			error: `"${cron}" has ${fields.length === 5 ? `a wrong ${wrong?.[0]}` : "not five fields"}: minute hour day month weekday, in numbers.`,
		};
	const command = `pi-chronicle run --cwd ${commandWord(cwd)} ${commandWord(template)} -- ${commandWord(task)}`;
	// A line of crontab ends a command at an unescaped percent sign; a unit expands it, and variables.
	const crontab = [`CRON_TZ=${zone}`, `${fields.join(" ")} ${command.replaceAll("%", "\\%")}`];
	const systemd = [
		"# chronicle.timer",
		"[Timer]",
		...calendars(fields).map((calendar) => `OnCalendar=${calendar} ${zone}`),
		"Persistent=true",
		"[Install]",
		"WantedBy=timers.target",
		"# chronicle.service",
		"[Service]",
		"Type=oneshot",
		`ExecStart=/bin/sh -c ${commandWord(command).replaceAll("%", "%%").replaceAll("$", "$$$$")}`,
	];
	return {
		crontab,
		systemd,
		all: ["Without an engine, for crontab:", "", ...crontab, "", "For systemd:", "", ...systemd],
	};
}

function isField(field: string, least: number, most: number): boolean {
	return field.split(",").every((part) => {
		const [, first, last, step] = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part) ?? [];
		if (!/^[\d*]/.test(part) || (first === undefined && !part.startsWith("*"))) return false;
		const low = Number(first ?? least);
		const high = Number(last ?? first ?? most);
		return low >= least && high <= most && low <= high && (step === undefined || Number(step) > 0);
	});
}

/** cron runs when the day or the weekday fits, if both are given; systemd when all of a line do. */
function calendars([minute = "*", hour = "*", day = "*", month = "*", weekday = "*"]: readonly string[]): string[] {
	const time = `${spans(hour, 0)}:${spans(minute, 0)}:00`;
	const ofDay = `*-${spans(month, 1)}-${spans(day, 1)} ${time}`;
	if (weekday === "*") return [ofDay];
	const ofWeekday = `${days(weekday)} *-${spans(month, 1)}-* ${time}`;
	return day === "*" ? [ofWeekday] : [ofDay, ofWeekday];
}

/** Ranges with two dots; steps from the least value. */
function spans(field: string, least: number): string {
	return field.replaceAll(/\*\/(\d+)/g, `${least}/$1`).replaceAll(/(\d)-(\d)/g, "$1..$2");
}

/** Every weekday of the field by its name. */
function days(field: string): string {
	const chosen = field.split(",").flatMap((part) => {
		const [span = "", step = "1"] = part.split("/");
		const [low = 0, high] = span === "*" ? [0, 6] : span.split("-").map(Number);
		const last = high ?? (part.includes("/") ? 7 : low);
		const found: string[] = [];
		for (let at = low; at <= last; at += Number(step)) found.push(weekdays[at] ?? "");
		return found;
	});
	return [...new Set(chosen)].join(",");
}
