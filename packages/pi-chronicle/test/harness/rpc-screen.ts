// What a user would see of a pi in RPC mode: dialogs and their answers, notifications, status lines, widgets.
// Source of the records: pi's docs/rpc-extension-ui.md.
import type { WireRecord } from "./records.ts";

/** A question that pi asks: `select`, `confirm`, `input` or `editor`. */
export interface Dialog {
	id: string;
	method: "select" | "confirm" | "input" | "editor";
	title: string;
	message: string;
	options: string[];
	prefill: string;
	/** Milliseconds after which pi answers itself. */
	timeout: number | undefined;
	/** The answer given, `undefined` while it is open. */
	answer: DialogAnswer | undefined;
}

/** `true` or `false` for `confirm`, a text for the others (for `select`: an option, or a part of exactly one), `null` dismisses. */
export type DialogAnswer = boolean | string | null;

/** Answers taken one by one in the order of the questions, or a function; `undefined` leaves the dialog open. */
export type DialogAnswers = readonly DialogAnswer[] | ((dialog: Dialog) => DialogAnswer | undefined);

export interface Notification {
	message: string;
	type: "info" | "warning" | "error";
}

/** How the screen reaches its pi. */
export interface ScreenLink {
	send(record: Record<string, unknown>): void;
	waitUntil(what: string, ready: () => boolean, ms?: number): Promise<void>;
}

export class RpcScreen {
	/** Every dialog so far, answered or not. */
	readonly dialogs: Dialog[] = [];
	readonly notifications: Notification[] = [];
	/** Status lines that are on now, by key. */
	readonly statuses = new Map<string, string>();
	/** Every status text that ever was, oldest first; `undefined` for a line taken away. */
	readonly statusHistory: { key: string; text: string | undefined }[] = [];
	/** Widgets that are on now, by key. */
	readonly widgets = new Map<string, string[]>();
	/** Every widget that ever was, oldest first; `undefined` for one taken away. */
	readonly widgetHistory: { key: string; lines: string[] | undefined }[] = [];
	title = "";
	editorText = "";
	private readonly link: ScreenLink;
	private readonly script: DialogAnswer[];
	private readonly decide: ((dialog: Dialog) => DialogAnswer | undefined) | undefined;

	constructor(answers: DialogAnswers | undefined, link: ScreenLink) {
		this.link = link;
		this.script = typeof answers === "function" ? [] : [...(answers ?? [])];
		this.decide = typeof answers === "function" ? answers : undefined;
	}

	/** Texts of all notifications, joined by newlines: for `toContain` and `toMatch`. */
	get text(): string {
		return this.notifications.map(({ message }) => message).join("\n");
	}

	/** Waits for a notification, past ones included, that contains or matches `wanted`. */
	async notified(wanted: string | RegExp, ms?: number): Promise<Notification> {
		const find = () => this.notifications.find(({ message }) => matches(message, wanted));
		await this.link.waitUntil(`a notification with ${wanted}`, () => find() !== undefined, ms);
		return find() as Notification;
	}

	/** Waits until a status line that contains or matches `wanted` is on. */
	async status(wanted: string | RegExp, ms?: number): Promise<string> {
		const find = () => [...this.statuses.values()].find((text) => matches(plain(text), wanted));
		await this.link.waitUntil(`a status line with ${wanted}`, () => find() !== undefined, ms);
		return plain(find() ?? "");
	}

	/** Waits for an open dialog, optionally one whose title or message contains or matches `wanted`. */
	async dialog(wanted: string | RegExp = "", ms?: number): Promise<Dialog> {
		const find = () =>
			this.dialogs.find(
				(one) => one.answer === undefined && matches(`${one.title}\n${one.message}\n${one.prefill}`, wanted),
			);
		await this.link.waitUntil(`a dialog with ${wanted}`, () => find() !== undefined, ms);
		return find() as Dialog;
	}

	/** Answers an open dialog. Throws when the answer does not fit it. */
	answer(dialog: Dialog, answer: DialogAnswer): void {
		dialog.answer = answer;
		const reply = (rest: Record<string, unknown>) =>
			this.link.send({ type: "extension_ui_response", id: dialog.id, ...rest });
		if (answer === null) reply({ cancelled: true });
		else if (dialog.method === "confirm") {
			if (typeof answer !== "boolean") throw new Error(`"${dialog.title}" wants true or false, not "${answer}".`);
			reply({ confirmed: answer });
		} else {
			if (dialog.method === "select" && typeof answer === "boolean") {
				const word = answer ? "Yes" : "No";
				const option = dialog.options.find((one) => one === word || one.startsWith(`${word},`));
				if (option === undefined) throw new Error(`"${dialog.title}" has no answer that begins with "${word}".`);
				reply({ value: option });
				return;
			}
			if (typeof answer !== "string") throw new Error(`"${dialog.title}" wants a text, not ${answer}.`);
			reply({ value: dialog.method === "select" ? optionOf(dialog, answer) : answer });
		}
	}

	/** Takes in one request of pi. */
	accept(record: WireRecord): void {
		const text = (key: string) => (typeof record[key] === "string" ? record[key] : "");
		switch (record.method) {
			case "notify":
				this.notifications.push({
					message: text("message"),
					type: (text("notifyType") || "info") as Notification["type"],
				});
				break;
			case "setStatus": {
				const status = record.statusText as string | undefined;
				this.statusHistory.push({ key: text("statusKey"), text: status });
				if (status === undefined) this.statuses.delete(text("statusKey"));
				else this.statuses.set(text("statusKey"), status);
				break;
			}
			case "setWidget": {
				const lines = record.widgetLines as string[] | undefined;
				this.widgetHistory.push({ key: text("widgetKey"), lines });
				if (lines === undefined) this.widgets.delete(text("widgetKey"));
				else this.widgets.set(text("widgetKey"), lines);
				break;
			}
			case "setTitle":
				this.title = text("title");
				break;
			case "set_editor_text":
				this.editorText = text("text");
				break;
			default:
				this.ask({
					id: text("id"),
					method: text("method") as Dialog["method"],
					title: text("title"),
					message: text("message"),
					options: (record.options ?? []) as string[],
					prefill: text("prefill"),
					timeout: record.timeout as number | undefined,
					answer: undefined,
				});
		}
	}

	/** Dismisses what is still open, so that pi can end. */
	dismissAll(): void {
		for (const dialog of this.dialogs) if (dialog.answer === undefined) this.answer(dialog, null);
	}

	/** Lines for an error message. */
	summary(): string[] {
		return [
			...this.notifications.slice(-8).map(({ type, message }) => `notified ${type}: ${message.slice(0, 300)}`),
			...[...this.statuses].map(([key, status]) => `status ${key}: ${status}`),
			...this.dialogs
				.filter(({ answer }) => answer === undefined)
				.map(({ method, title, message }) => `open ${method}: ${title} ${message}`),
		];
	}

	private ask(dialog: Dialog): void {
		this.dialogs.push(dialog);
		const answer = this.decide ? this.decide(dialog) : this.script.shift();
		if (answer !== undefined) this.answer(dialog, answer);
	}
}

/** Text without terminal colors. */
export function plain(text: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences start with a control character
	return text.replace(/\u001b\[[0-9;]*m/g, "");
}

function matches(text: string, wanted: string | RegExp): boolean {
	return typeof wanted === "string" ? text.includes(wanted) : wanted.test(text);
}

/** The option that `answer` names: itself, or the only one that contains it. */
function optionOf(dialog: Dialog, answer: string): string {
	if (dialog.options.includes(answer)) return answer;
	const [option, ...more] = dialog.options.filter((one) => one.includes(answer));
	if (option === undefined || more.length > 0) {
		throw new Error(`"${answer}" is not one option of "${dialog.title}": ${JSON.stringify(dialog.options)}`);
	}
	return option;
}
