// The notebook of one session: reads its branch, writes entries, and activates the model's tools while it is on.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import {
	aboutTool,
	chronicleSettings,
	customEntries,
	foreignTools,
	newestFirst,
	say,
	withoutControls,
} from "../../pi/index.ts";
import { checkPage, entryTypes, foldNotebook, type Notebook, normalizeTopic, pageName } from "./notebook.ts";
import type { NotebookSession } from "./notebook-session.ts";
import { primer, topicLine } from "./texts.ts";

/** Custom message type of the index and the topic for the model. */
const messageType = "notebook:index";

/** Opens the notebook of the session that `pi` belongs to. Reads nothing before `refresh`. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one closure over the state of one notebook, of short functions
export function openNotebook(pi: ExtensionAPI): NotebookSession {
	let notebook: Notebook = foldNotebook([]);
	/** Names of the model's tools; empty until they are registered. */
	let tools: readonly string[] = [];
	/** Why the tools cannot be activated. */
	let foreign: string | undefined;
	const listeners: ((ctx: ExtensionContext) => void)[] = [];

	const isOn = () => foreign === undefined && (notebook.on ?? chronicleSettings(pi).notebook === true);
	const fold = (session: ExtensionContext["sessionManager"]) =>
		foldNotebook(customEntries(session, Object.values(entryTypes)));

	// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: what can have changed during the import is checked in this order
	async function activate(): Promise<void> {
		if (isOn() && tools.length === 0) {
			const made = (await import("./tools.ts")).notebookTools(self);
			if (tools.length === 0) for (const tool of made) pi.registerTool(tool);
			tools = made.map(({ name }) => name);
			foreign = foreignTools(pi, tools, "the notebook");
		}
		// The notebook may have been switched during the import.
		if (tools.length === 0) return;
		if (foreign !== undefined) return withdraw();
		const others = pi.getActiveTools().filter((name) => !tools.includes(name));
		const active = pi.getActiveTools().length !== others.length;
		if (active !== isOn()) pi.setActiveTools(isOn() ? [...others, ...tools] : others);
	}

	/** Deactivates this package's tools; the other extension keeps its own. */
	function withdraw(): void {
		const own = tools.filter((name) => aboutTool(pi, name)?.own === true);
		if (pi.getActiveTools().some((name) => own.includes(name)))
			pi.setActiveTools(pi.getActiveTools().filter((name) => !own.includes(name)));
	}

	const self: NotebookSession = {
		get notebook() {
			return notebook;
		},
		get on() {
			return isOn();
		},
		async refresh(ctx) {
			notebook = fold(ctx.sessionManager);
			const known = foreign;
			await activate();
			if (foreign !== undefined && foreign !== known) say(ctx, foreign, "warning");
		},
		async turn(on, ctx) {
			if (foreign !== undefined && on) return foreign;
			if (on === isOn()) return undefined;
			const before = notebook.on;
			notebook = { ...notebook, on };
			await activate();
			if (foreign !== undefined) {
				notebook = { ...notebook, on: before };
				return foreign;
			}
			pi.appendEntry(entryTypes.mode, { on });
			for (const listener of listeners) listener(ctx);
			return undefined;
		},
		onSwitch: (listener) => void listeners.push(listener),
		write(name, content) {
			const clean = withoutControls(content);
			const checked = checkPage(name, clean);
			if (checked.kind === "refused") return checked.reason;
			const epoch = notebook.epoch ?? Date.now();
			pi.appendEntry(entryTypes.page, { version: 1, epoch, name: checked.name, content: clean });
			const pages = new Map([...notebook.pages, [checked.name, clean] as const].sort(([a], [b]) => (a < b ? -1 : 1)));
			notebook = { ...notebook, epoch, pages };
			return undefined;
		},
		remove(name) {
			const page = pageName(name);
			if (!notebook.pages.has(page)) return noPage(page);
			pi.appendEntry(entryTypes.removed, { name: page });
			notebook = { ...notebook, pages: new Map([...notebook.pages].filter(([known]) => known !== page)) };
			return undefined;
		},
		rename(from, to) {
			const [old, wanted] = [pageName(from), pageName(to)];
			const content = notebook.pages.get(old);
			if (content === undefined) return noPage(old);
			if (notebook.pages.has(wanted)) return `The page "${wanted}" already exists.`;
			return self.write(wanted, content) ?? self.remove(old);
		},
		clearTopic() {
			if (notebook.topic === undefined) return;
			pi.appendEntry(entryTypes.topic, { name: null, source: "human" });
			notebook = { ...notebook, topic: undefined };
		},
		setTopic(text, source) {
			const name = normalizeTopic(text);
			if (name === undefined) return "A topic needs at least one letter or digit.";
			const { topic } = notebook;
			if (topic?.name === name) return undefined;
			if (source === "agent" && topic !== undefined) {
				return topic.source === "human"
					? `The user set the topic "${topic.name}"; only they change it.`
					: `The topic is already "${topic.name}"; a session keeps its topic unless the user changes it.`;
			}
			pi.appendEntry(entryTypes.topic, { name, source });
			notebook = { ...notebook, topic: { name, source } };
			return undefined;
		},
		news({ sessionManager }) {
			if (!isOn()) return undefined;
			switch (unseenPart(sessionManager)) {
				case "all":
					return self.introduction();
				case "topic":
					return { customType: messageType, content: topicLine(notebook), display: false };
				case "nothing":
					return undefined;
			}
		},
		introduction: () => (isOn() ? { customType: messageType, content: primer(notebook), display: false } : undefined),
		share() {
			const { pages, topic, epoch } = notebook;
			const page = ([name, content]: [string, string]) => ({
				customType: entryTypes.page,
				data: { version: 1, epoch, name, content },
			});
			return [
				{ customType: entryTypes.mode, data: { on: isOn() } },
				...(topic === undefined ? [] : [{ customType: entryTypes.topic, data: topic }]),
				...[...pages].map(page),
			];
		},
		take(customType, data) {
			const { topic, pages } = foldNotebook([{ customType, data }]);
			if (topic !== undefined && notebook.topic === undefined) {
				pi.appendEntry(entryTypes.topic, { ...topic, from: "child" });
				notebook = { ...notebook, topic };
			}
			const [page] = pages;
			if (page === undefined || self.write(...page) !== undefined) return undefined;
			return page[0];
		},
	};
	return self;
}

function noPage(name: string): string {
	return `There is no page "${name}". /notebook lists them.`;
}

/**
 * The part of the notebook that the model has not seen on this branch: all if there was no message since the newest compaction, or a topic
 * that the model did not set.
 */
function unseenPart(session: ExtensionContext["sessionManager"]): "all" | "topic" | "nothing" {
	let topic = false;
	for (const entry of newestFirst(session)) {
		if (entry.type === "compaction") return "all";
		if (entry.type === "custom_message" && entry.customType === messageType) return topic ? "topic" : "nothing";
		if (entry.type !== "custom") continue;
		if (entry.customType === entryTypes.removed) return "all";
		topic ||= entry.customType === entryTypes.topic && isSetByOthers(entry.data);
	}
	return "all";
}

/** Whether the user or a child session set the topic. */
function isSetByOthers(data: unknown): boolean {
	const { source, from } = (data ?? {}) as { source?: unknown; from?: unknown };
	return source === "human" || from === "child";
}
