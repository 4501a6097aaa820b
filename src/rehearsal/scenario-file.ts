// Reads a scenario from the text of a YAML or JSON file. No I/O.
// F1 every problem is found in one pass, each with line and column; F2 a scenario with an error is not returned at all, so that a
// rehearsal never runs on half of what was written.
import {
	type Document,
	isAlias,
	isMap,
	isScalar,
	isSeq,
	LineCounter,
	type Node,
	parseDocument,
	type YAMLMap,
} from "yaml";
import type { Diagnostic } from "../definition/index.ts";
import type { Cue, Exit, Scenario, ScriptedCall } from "./scenario.ts";

export interface ReadScenario {
	/** `undefined` when a diagnostic is an error. */
	readonly scenario: Scenario | undefined;
	readonly diagnostics: readonly Diagnostic[];
}

const topKeys = ["$schema", "description", "phases", "states", "idle"];
const cueKeys = ["say", "call", "remember", "next", "loop", "cancel", "go", "wait", "fail"];
const longestWaitMs = 60_000;

/** Reads the scenario in `text`; `file` (absolute) stands in the diagnostics. The format: docs/rehearsal.md. */
export function readScenario(text: string, file: string): ReadScenario {
	const lines = new LineCounter();
	const document = parseDocument(text.replace(/^\uFEFF/, ""), { lineCounter: lines, prettyErrors: false });
	const diagnostics: Diagnostic[] = [];
	const complain = (offset: number | undefined, code: string, message: string, remedy: string): void => {
		const place = offset === undefined ? undefined : lines.linePos(offset);
		diagnostics.push({
			file,
			severity: "error",
			code,
			message,
			remedy,
			...(place && place.line > 0 ? { line: place.line, column: place.col } : {}),
		});
	};
	for (const error of document.errors) {
		complain(
			error.pos[0],
			"yaml-syntax",
			`This is not valid YAML: ${error.message}.`,
			"Correct the syntax at this place.",
		);
	}
	if (diagnostics.length > 0) return { scenario: undefined, diagnostics };

	try {
		const scenario = new Reader(document, complain).scenario(file);
		return { scenario: diagnostics.length > 0 ? undefined : scenario, diagnostics };
	} catch (error) {
		// What the library refuses to expand: aliases without end.
		complain(undefined, "yaml-aliases", `This YAML cannot be expanded: ${String(error)}.`, "Write it without aliases.");
		return { scenario: undefined, diagnostics };
	}
}

type Complain = (offset: number | undefined, code: string, message: string, remedy: string) => void;

class Reader {
	readonly #document: Document;
	readonly #complain: Complain;

	constructor(document: Document, complain: Complain) {
		this.#document = document;
		this.#complain = complain;
	}

	scenario(file: string): Scenario {
		const root = this.#resolve(this.#document.contents);
		const empty: Scenario = { file, phases: new Map(), states: new Map(), idle: [] };
		if (root === null) return empty;
		if (!isMap(root)) {
			this.#wrong(root, "A scenario", "a mapping with `phases`, `states` or `idle`");
			return empty;
		}
		const fields = this.#fields(root, topKeys, "a scenario");
		return {
			file,
			phases: this.#scripts(fields.get("phases"), "phases"),
			states: this.#scripts(fields.get("states"), "states"),
			idle: this.#cues(fields.get("idle"), "idle"),
		};
	}

	#scripts(node: Node | null | undefined, what: string): Map<string, readonly Cue[]> {
		const scripts = new Map<string, readonly Cue[]>();
		if (node === undefined || node === null) return scripts;
		if (!isMap(node)) {
			this.#wrong(node, `\`${what}\``, "a mapping from names to lists of messages");
			return scripts;
		}
		for (const { key, value } of node.items) {
			const name = isScalar(key) ? String(key.value) : "";
			if (!/^[^#]+(#[1-9]\d*)?$/.test(name)) {
				this.#complain(
					offsetOf(key),
					"bad-name",
					`\`${name}\` under \`${what}\` is no name of a ${what === "phases" ? "phase" : "state"}.`,
					"Write its id, and `#2` behind it for what happens from the second visit on.",
				);
				continue;
			}
			scripts.set(name, this.#cues(this.#resolve(value), `${what}.${name}`));
		}
		return scripts;
	}

	#cues(node: Node | null | undefined, what: string): readonly Cue[] {
		if (node === undefined || node === null) return [];
		if (!isSeq(node)) {
			this.#wrong(node, `\`${what}\``, "a list of messages");
			return [];
		}
		return node.items.map((item) => this.#cue(this.#resolve(item), what));
	}

	#cue(node: Node | null, what: string): Cue {
		if (isScalar(node) && typeof node.value === "string") return { ...silent, say: node.value };
		if (!isMap(node)) {
			this.#wrong(node, `A message of \`${what}\``, "a text, or a mapping with `say`, `call`, `next`, …");
			return silent;
		}
		const fields = this.#fields(node, cueKeys, "a message");
		const calls = this.#calls(fields.get("call"));
		if (fields.has("remember")) {
			calls.push({ tool: "workflow_update_snapshot", input: { data: this.#plain(fields.get("remember")) } });
		}
		return {
			say: this.#text(fields, "say") ?? "",
			calls,
			exit: this.#exit(node, fields),
			waitMs: this.#wait(fields),
			fail: this.#text(fields, "fail"),
		};
	}

	#calls(node: Node | null | undefined): ScriptedCall[] {
		if (node === undefined || node === null) return [];
		const maps = isSeq(node) ? node.items.map((item) => this.#resolve(item)) : [node];
		return maps.flatMap((map) => {
			if (!isMap(map)) {
				this.#wrong(
					map as Node | null,
					"`call`",
					"a mapping from tools to their arguments, or a list of such mappings",
				);
				return [];
			}
			return map.items.map(({ key, value }) => {
				const input = this.#plain(value);
				if (input !== null && (typeof input !== "object" || Array.isArray(input))) {
					this.#wrong(this.#resolve(value), `The arguments of \`${String(this.#plain(key))}\``, "a mapping");
				}
				return { tool: String(this.#plain(key)), input: (input ?? {}) as Record<string, unknown> };
			});
		});
	}

	#exit(node: YAMLMap, fields: ReadonlyMap<string, Node | null>): Exit | undefined {
		const exits: Exit[] = [];
		for (const action of ["next", "loop", "cancel"] as const) {
			const summary = this.#text(fields, action);
			if (summary !== undefined) exits.push({ kind: "step", action, summary });
		}
		if (fields.has("go")) {
			const go = fields.get("go") ?? null;
			if (isScalar(go) && typeof go.value === "string") exits.push({ kind: "transition", to: go.value, summary: "" });
			else if (isMap(go)) {
				const parts = this.#fields(go, ["to", "summary"], "`go`");
				const to = this.#text(parts, "to");
				if (to === undefined) this.#wrong(go, "`go`", "a mapping with `to: <state>`");
				else exits.push({ kind: "transition", to, summary: this.#text(parts, "summary") ?? "" });
			} else this.#wrong(go, "`go`", "the name of a state, or a mapping with `to` and `summary`");
		}
		if (exits.length > 1) {
			this.#complain(
				offsetOf(node),
				"two-exits",
				"One message ends its phase or state in two ways.",
				"Keep one of `next`, `loop`, `cancel` and `go`.",
			);
		}
		return exits[0];
	}

	#wait(fields: ReadonlyMap<string, Node | null>): number {
		if (!fields.has("wait")) return 0;
		const node = fields.get("wait") ?? null;
		const ms = isScalar(node) ? node.value : undefined;
		if (typeof ms === "number" && ms >= 0 && ms <= longestWaitMs) return ms;
		this.#wrong(node, "`wait`", `a number of milliseconds from 0 to ${longestWaitMs}`);
		return 0;
	}

	#text(fields: ReadonlyMap<string, Node | null>, key: string): string | undefined {
		if (!fields.has(key)) return undefined;
		const node = fields.get(key) ?? null;
		if (node === null || (isScalar(node) && node.value === null)) return "";
		if (isScalar(node) && typeof node.value === "string") return node.value;
		this.#wrong(node, `\`${key}\``, "a text");
		return undefined;
	}

	#fields(map: YAMLMap, known: readonly string[], what: string): Map<string, Node | null> {
		const fields = new Map<string, Node | null>();
		for (const { key, value } of map.items) {
			const name = String(this.#plain(key));
			if (known.includes(name)) fields.set(name, this.#resolve(value));
			else {
				this.#complain(
					offsetOf(key),
					"unknown-key",
					`\`${name}\` means nothing in ${what}.`,
					`Use ${known.map((word) => `\`${word}\``).join(", ")}.`,
				);
			}
		}
		return fields;
	}

	#resolve(node: unknown): Node | null {
		const found = isAlias(node) ? node.resolve(this.#document) : node;
		return (found ?? null) as Node | null;
	}

	#plain(node: unknown): unknown {
		return this.#resolve(node)?.toJS(this.#document, { maxAliasCount: 100 }) ?? null;
	}

	#wrong(node: Node | null, what: string, expected: string): void {
		this.#complain(offsetOf(node), "wrong-type", `${what} must be ${expected}.`, "Write it that way, or take it out.");
	}
}

const silent: Cue = { say: "", calls: [], exit: undefined, waitMs: 0, fail: undefined };

function offsetOf(node: unknown): number | undefined {
	return (node as { range?: readonly number[] | null } | null)?.range?.[0];
}
