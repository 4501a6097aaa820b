// Parses the arguments of `/notebook` for the command, its completions and the sequence recorder. Pure. Loaded at every start of pi.

export const notebookVerbs = ["on", "off", "topic", "search", "rename", "delete"] as const;

export type NotebookRequest =
	| { readonly kind: "browse" }
	| { readonly kind: "switch"; readonly on: boolean }
	/** `undefined`: no topic. */
	| { readonly kind: "topic"; readonly words: string | undefined }
	| { readonly kind: "search"; readonly words: string }
	| { readonly kind: "rename"; readonly from: string; readonly to: string }
	| { readonly kind: "delete"; readonly page: string }
	| { readonly kind: "refused"; readonly reason: string };

const usage: Readonly<Record<(typeof notebookVerbs)[number], string>> = {
	on: "/notebook on takes no arguments.",
	off: "/notebook off takes no arguments.",
	topic: "Give a topic: /notebook topic <words>, or /notebook topic off.",
	search: "Give the words to search for: /notebook search <words>",
	rename: 'Give the page and its new name: /notebook rename <page> <new name>. Quote names with spaces: "api notes".',
	delete: "Give the page: /notebook delete <page>",
};

/** Parses `/notebook <args>`. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one flat switch over the verbs
export function readNotebookRequest(args: string): NotebookRequest {
	const [, written = "", more = ""] = /^\s*(\S*)\s*([\s\S]*?)\s*$/.exec(args) ?? [];
	if (written === "") return { kind: "browse" };
	const verb = notebookVerbs.find((known) => known === written.toLowerCase());
	const refused = (reason: string): NotebookRequest => ({ kind: "refused", reason });
	switch (verb) {
		case "on":
		case "off":
			return more === "" ? { kind: "switch", on: verb === "on" } : refused(usage[verb]);
		case "topic":
			if (more === "") return refused(usage.topic);
			return { kind: "topic", words: more.toLowerCase() === "off" ? undefined : more };
		case "search":
			return more === "" ? refused(usage.search) : { kind: "search", words: more };
		case "delete": {
			const [quoted, ...others] = splitQuoted(more);
			if (more === "") return refused(usage.delete);
			return { kind: "delete", page: quoted !== undefined && others.length === 0 ? quoted : more };
		}
		case "rename": {
			const [from, to, ...others] = splitQuoted(more);
			if (from === undefined || to === undefined || others.length > 0) return refused(usage.rename);
			return { kind: "rename", from, to };
		}
		default:
			return refused(
				`Unknown command: /notebook ${written}. Commands: ${notebookVerbs.join(", ")}. To set the topic: /notebook topic ${args.trim()}`,
			);
	}
}

/** The mistake in the arguments of `/notebook`, as a sentence; `undefined` if there is none. */
export function notebookMistake(args: string): string | undefined {
	const request = readNotebookRequest(args);
	return request.kind === "refused" ? request.reason : undefined;
}

/** Splits at white space; text in double or single quotes is one argument, without the quotes. */
function splitQuoted(text: string): string[] {
	return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
		([, double, single, plain]) => double ?? single ?? plain ?? "",
	);
}
