// Permissions of other agents: settings of Claude Code (`allow`, `ask`, `deny` with `Tool(argument)`), and tables of commands with a decision.
// They become a rule file of the guard.
// Nothing is widened: a call that asks elsewhere but cannot ask here is refused, with a note; exceptions from a ban become notes.
import { basename } from "node:path";
import { stringify } from "yaml";
import { type ImportDraft, importNote, notesOnRest, originComment } from "./draft.ts";
import { isPlainRecord, type Plain, type PlainRecord, plainList, recordOf } from "./plain-value.ts";

export const ruleFilePath = ".pi/damage-control-rules.yaml";

interface RuleLists {
	readonly bashToolPatterns: PlainRecord[];
	readonly zeroAccessPaths: string[];
	readonly readOnlyPaths: string[];
}

/** `format`: the name of its format with the article. */
export function importPermissions(from: string, format: string, fields: PlainRecord): ImportDraft {
	const key = isPlainRecord(fields.permissions) ? "permissions" : "permission";
	const table = recordOf(fields[key]);
	const rules: RuleLists = { bashToolPatterns: [], zeroAccessPaths: [], readOnlyPaths: [] };
	const found: string[] = [];
	const allowed = plainList(table.allow).map(String);
	if (allowed.length > 0)
		found.push(`the guard allows what no rule forbids, so these need no rule: ${allowed.join(", ")}`);
	for (const decision of ["deny", "ask"] as const)
		for (const written of plainList(table[decision])) found.push(...readPermission(String(written), decision, rules));
	found.push(...readCommandTable(table.bash, rules));
	const edit = table.edit ?? table.write;
	if (edit === "deny") rules.readOnlyPaths.push("./");
	else if (edit === "ask") found.push("edit: `ask`: the guard has no rule that asks before every change of a file");
	const settled = ["allow", "deny", "ask", "bash", ...(edit === "deny" || edit === "ask" ? ["edit", "write"] : [])];
	const notes = [...found.map(importNote), ...notesOnRest(table, settled, `${key}: `), ...notesOnRest(fields, [key])];
	const lists = Object.fromEntries(Object.entries(rules).filter(([, list]) => list.length > 0));
	const text = originComment({ from, format, notes }) + stringify(lists, { lineWidth: 0 });
	const files = [{ path: ruleFilePath, text }];
	return { kind: "rule file", name: basename(ruleFilePath), from, format, files, notes };
}

/** Adds the rule for a permission; returns notes on what differs. */
function readPermission(written: string, decision: "deny" | "ask", rules: RuleLists): string[] {
	const [, tool = written.trim(), argument] = /^\s*([\w*]+)\((.*)\)\s*$/s.exec(written) ?? [];
	if (/^bash$/i.test(tool)) {
		rules.bashToolPatterns.push(commandRule(argument ?? "*", decision));
		return [];
	}
	const isReading = /^read$/i.test(tool);
	if ((!isReading && !/^(edit|write|multiedit|notebookedit)$/i.test(tool)) || argument === undefined)
		return [`${decision}: \`${written}\` has no counterpart among the guard's rules`];
	(isReading ? rules.zeroAccessPaths : rules.readOnlyPaths).push(permissionPlace(argument));
	return decision === "ask" ? [`ask: \`${written}\` is refused here: the guard cannot ask about paths`] : [];
}

/** A path as the guard writes it: in Claude Code, `//` is the root and `/` is the project. */
function permissionPlace(path: string): string {
	if (path.startsWith("//")) return path.slice(1);
	return path.startsWith("/") ? `.${path}` : path;
}

/** A table `"git push *": "ask"`, or one decision for every command. */
function readCommandTable(table: Plain | undefined, rules: RuleLists): string[] {
	const entries = isPlainRecord(table) ? Object.entries(table) : table === undefined ? [] : [["*", table] as const];
	return entries.flatMap(([command, decision]) => {
		if (decision !== "deny" && decision !== "ask")
			return [
				`bash: \`${command}\`: ${JSON.stringify(decision)} needs no rule, and cannot be an exception from another`,
			];
		rules.bashToolPatterns.push(commandRule(command, decision));
		return [];
	});
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
