// The channels of notices: `chronicle.notify` in pi's settings files, or `--notify`. Where there are none, nothing of this costs anything.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { anyObject, eitherOf, isText, optional } from "@pi-chronicle/core/definition";
import { userSettings } from "../../pi/index.ts";
import type { ProjectEnvironment } from "../worker/index.ts";
import { isNoticeKind, type NoticeKind, noticeKinds } from "./kind.ts";

/** `name` is shown, `id` names the channel in records: it stays the same while the receiver does. */
interface NamedChannel {
	readonly id: string;
	readonly name: string;
	readonly kinds: ReadonlySet<NoticeKind>;
}

/** JSON, or a text, with placeholders. */
export type BodyTemplate = string | Readonly<Record<string, unknown>>;

export type Channel = NamedChannel &
	(
		| { readonly channel: "bell" | "desktop" }
		| { readonly channel: "command"; readonly command: readonly [string, ...string[]]; readonly body?: BodyTemplate }
		| {
				readonly channel: "webhook";
				/** These three may name variables of the environment: `env:NAME`. */
				readonly url: string;
				readonly secret?: string;
				readonly headers?: Readonly<Record<string, string>>;
				readonly body?: BodyTemplate;
		  }
	);

export interface Channels {
	readonly channels: readonly Channel[];
	/** One sentence for each entry that cannot be used. */
	readonly problems: readonly string[];
}

const none: Channels = { channels: [], problems: [] };

type NoticePlace = Pick<ProjectEnvironment, "cwd" | "agentFolder" | "trust" | "env">;

/** The channels of the settings; a trusted project's list replaces the user's. A rehearsal has none. */
export function savedChannels({ cwd, agentFolder, trust, env = process.env }: NoticePlace): Channels {
	if (env.PI_CHRONICLE_REHEARSAL) return none;
	const { notify } = {
		...userSettings(join(agentFolder, "settings.json")),
		...(trust === "trusted" ? userSettings(join(cwd, ".pi", "settings.json")) : {}),
	} as { readonly notify?: unknown };
	return readChannels(notify);
}

/** The channels of `--notify`: `desktop`, `bell`, addresses of webhooks, or `none`, separated by commas. As the settings write them. */
export function namedChannels(text: string): readonly object[] {
	return text
		.split(",")
		.map((word) => word.trim())
		.filter((word) => word !== "" && word !== "none")
		.map((word) => (/^(?:https?:|env:)/.test(word) ? { channel: "webhook", url: word } : { channel: word }));
}

/** Parses a list of channels as the settings write it. */
export function readChannels(written: unknown): Channels {
	if (written === undefined || written === null) return none;
	const entries = Array.isArray(written) ? written : [written];
	const read = entries.map((entry, index) => readChannel(entry, `notify[${index}]`));
	return {
		channels: read.filter((one) => typeof one === "object"),
		problems: read.filter((one) => typeof one === "string"),
	};
}

type Written = Readonly<Record<string, unknown>>;

function readChannel(entry: unknown, place: string): Channel | string {
	if (typeof entry !== "object" || entry === null)
		return `${place}: a channel is an object, such as { "channel": "desktop" }.`;
	const written = entry as Written;
	const kinds = readKinds(written.kinds);
	if (typeof kinds === "string") return `${place}.kinds: ${kinds}`;
	const read = readChannelFields(written);
	if (typeof read === "string") return `${place}${read}`;
	const { receiver, label, ...fields } = read;
	const id = createHash("sha256").update(`${fields.channel} ${receiver}`).digest("hex").slice(0, 12);
	const name = typeof written.name === "string" && written.name.trim() !== "" ? written.name.trim() : label;
	return { id, name, kinds, ...fields } as Channel;
}

function readKinds(written: unknown): ReadonlySet<NoticeKind> | string {
	if (written === undefined) return new Set(Object.keys(noticeKinds).filter(isNoticeKind));
	const list = Array.isArray(written) ? written : [written];
	const wrong = list.find((kind) => !isNoticeKind(kind));
	if (wrong !== undefined)
		return `"${String(wrong)}" is no kind of notice; there are ${Object.keys(noticeKinds).join(", ")}.`;
	return new Set(list.filter(isNoticeKind));
}

interface ReadFields {
	readonly channel: Channel["channel"];
	/** What tells the receiver from others, and what is shown of it: no secret. */
	readonly receiver: string;
	readonly label: string;
}

function readChannelFields(written: Written): ReadFields | string {
	const { channel } = written;
	switch (channel) {
		case "bell":
		case "desktop":
			return { channel, receiver: "", label: channel };
		case "command":
			return readCommandChannel(written);
		case "webhook":
			return readWebhook(written);
		default:
			return `.channel: "${String(channel)}" is no channel; there are command, webhook, desktop and bell.`;
	}
}

function readCommandChannel({ command, body }: Written): ReadFields | string {
	const isList =
		Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === "string" && word !== "");
	if (!isList)
		return `.command: a list of the program and its arguments is needed, such as ["notify-phone", "--urgent"].`;
	if (!isBody(body)) return ".body: a text or an object is needed.";
	const [program = ""] = command as readonly string[];
	return { channel: "command", receiver: JSON.stringify(command), label: `command ${program}`, ...{ command, body } };
}

function readWebhook({ url, secret, headers, body }: Written): ReadFields | string {
	const address = typeof url === "string" ? url : "";
	const isVariable = /^env:[A-Za-z_]\w*/.test(address);
	if (!isVariable && !isAddress(address))
		return ".url: an http or https address is needed, or env: and the variable that has it.";
	if (secret !== undefined && typeof secret !== "string") return ".secret: a text is needed, such as env:HOOK_SECRET.";
	if (headers !== undefined && !isTexts(headers)) return ".headers: an object of texts is needed.";
	if (!isBody(body)) return ".body: a text or an object is needed.";
	const label = `webhook ${isVariable ? address : new URL(address).host}`;
	return {
		channel: "webhook",
		receiver: `${address} ${JSON.stringify(body ?? null)}`,
		label,
		...{ url: address, secret, headers, body },
	};
}

/** Whether notices can be sent to the address. */
export function isAddress(text: string): boolean {
	return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

const isBody = optional(eitherOf<string, object>(isText, anyObject));

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
	return anyObject(value) && Object.values(value).every(isText);
}
