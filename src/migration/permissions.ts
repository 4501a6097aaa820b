// Permissions of other agents: settings of Claude Code (`allow`, `ask`, `deny` with `Tool(argument)`), and tables of commands with a decision.
// They become a rule file of the guard.
// P1 nothing is widened: a call that asks elsewhere but cannot ask here is refused, with a note; exceptions from a ban become notes.
import { basename } from "node:path";
import { stringify } from "yaml";
import { type ImportDraft, type ImportNote, importNote, originComment } from "./draft.ts";
import { ForeignFields, isRecord, type Plain, type PlainRecord, plainList } from "./foreign-fields.ts";
import type { ForeignFileInput } from "./foreign-file.ts";

export const ruleFilePath = ".pi/damage-control-rules.yaml";

interface RuleLists {
	readonly bashToolPatterns: PlainRecord[];
	readonly zeroAccessPaths: string[];
	readonly readOnlyPaths: string[];
}

export function importPermissions(input: ForeignFileInput): readonly ImportDraft[] {
	const top = new ForeignFields(input.fields, "");
	const table = new ForeignFields(top.record("permissions") ?? top.record("permission") ?? {}, "permissions");
	const rules: RuleLists = { bashToolPatterns: [], zeroAccessPaths: [], readOnlyPaths: [] };
	const notes: ImportNote[] = [];
	const allowed = plainList(table.list("allow")).map(String);
	if (allowed.length > 0)
		notes.push(
			importNote("allow", `the guard allows what no rule forbids, so these need no rule: ${allowed.join(", ")}`),
		);
	for (const decision of ["deny", "ask"] as const)
		for (const written of plainList(table.list(decision))) readPermission(String(written), decision, rules, notes);
	readCommandTable(table.any("bash"), rules, notes);
	const edit = table.text("edit") ?? table.text("write");
	if (edit === "deny") rules.readOnlyPaths.push("./");
	else if (edit === "ask")
		notes.push(importNote("edit", "`ask`: the guard has no rule that asks before every change of a file"));
	notes.push(...table.rest(), ...top.rest());
	const lists = Object.fromEntries(Object.entries(rules).filter(([, list]) => list.length > 0));
	const text = originComment(basename(input.file), input.format, notes) + stringify(lists, { lineWidth: 0 });
	const files = [{ path: ruleFilePath, text }];
	return [{ kind: "rule file", name: basename(ruleFilePath), from: input.file, format: input.format, files, notes }];
}

function readPermission(written: string, decision: "deny" | "ask", rules: RuleLists, notes: ImportNote[]): void {
	const [, tool = written.trim(), argument] = /^\s*([\w*]+)\((.*)\)\s*$/s.exec(written) ?? [];
	if (/^bash$/i.test(tool)) {
		rules.bashToolPatterns.push(commandRule(argument ?? "*", decision));
		return;
	}
	const isReading = /^read$/i.test(tool);
	if ((!isReading && !/^(edit|write|multiedit|notebookedit)$/i.test(tool)) || argument === undefined) {
		notes.push(importNote(decision, `\`${written}\` has no counterpart among the guard's rules`));
		return;
	}
	(isReading ? rules.zeroAccessPaths : rules.readOnlyPaths).push(placeOf(argument));
	if (decision === "ask")
		notes.push(importNote("ask", `\`${written}\` is refused here: the guard cannot ask about paths`));
}

/** A path as the guard writes it: in Claude Code, `//` is the root and `/` is the project. */
function placeOf(path: string): string {
	if (path.startsWith("//")) return path.slice(1);
	return path.startsWith("/") ? `.${path}` : path;
}

/** A table `"git push *": "ask"`, or one decision for every command. */
function readCommandTable(table: Plain | undefined, rules: RuleLists, notes: ImportNote[]): void {
	const entries = isRecord(table) ? Object.entries(table) : table === undefined ? [] : [["*", table] as const];
	for (const [command, decision] of entries) {
		if (decision === "deny" || decision === "ask") rules.bashToolPatterns.push(commandRule(command, decision));
		else
			notes.push(
				importNote(
					"bash",
					`\`${command}\`: ${JSON.stringify(decision)} needs no rule, and cannot be an exception from another`,
				),
			);
	}
}

/** `git push:*`, `git push *` and `git push` mean the same: the command with any arguments. */
function commandRule(command: string, decision: "deny" | "ask"): PlainRecord {
	const words = command
		.replace(/:?\*+$/, "")
		.trim()
		.split(/\s+/)
		.filter((word) => word !== "");
	const escaped = words.map((word) => word.replaceAll(/[\\^$.+?()[\]{}|]/g, "\\$&").replaceAll("*", "\\S*"));
	const first = escaped[0] ?? "";
	const pattern = first === "" ? ".+" : `${/^\w/.test(first) ? "\\b" : ""}${escaped.join("\\s+")}(?![\\w-])`;
	const reason = `${decision === "ask" ? "asked about" : "forbidden"} in the imported permissions: ${command}`;
	return { pattern, reason, ...(decision === "ask" ? { ask: true } : {}) };
}
