// SQL text: which statements only read, which change data, and which drop or empty tables.
import type { ChangeKind, Effect } from "../effects.ts";
import { isKnown } from "../text.ts";
import type { Call } from "./program-spec.ts";

/** The first 20,000 characters of SQL text without comments and the contents of string literals, whose words could look like statements. */
function bareSql(text: string): string {
	const source = text.slice(0, 20_000);
	let bare = "";
	for (let at = 0; at < source.length; ) {
		const two = source.slice(at, at + 2);
		if (two === "--") at = endOfMark(source, "\n", at);
		else if (two === "/*") at = endOfMark(source, "*/", at + 2);
		else if (source[at] === "'") {
			at = endOfMark(source, "'", at + 1);
			bare += "''";
			continue;
		} else {
			bare += source[at++];
			continue;
		}
		bare += " ";
	}
	return bare;
}

function endOfMark(text: string, mark: string, from: number): number {
	const found = text.indexOf(mark, from);
	return found < 0 ? text.length : found + mark.length;
}

const reading =
	/^(\(*select|show|explain|describe|desc|with|values|table|use|list|summarize|from|exists|\.(tables|schema|databases|indexes|indices|headers?|mode|help|show|dump|timer|width|nullvalue|separator|print|echo|stats|changes|bail|fullschema|dbinfo|lint|limit|eqp|explain|version|vfsinfo|vfslist|quit|exit))\b|^\\(?:d[a-zS+]*|l|z|\?|h|x|q|conninfo|timing|s[fv]|encoding|pset|a|t|f|H|echo|set|unset|c|connect|errverbose|du|dg|watch)\+?(?:\s|$)/i;
/** Words that change something anywhere in a statement. */
const changing =
	/\b(insert|update|delete|drop|truncate|alter|create|grant|revoke|merge|replace\s+into|copy|attach|detach|vacuum|reindex|install|load\s+data|load\s+'|export\s+database|import\s+database|into\s+(outfile|dumpfile|temp|temporary|table|unlogged)|call|do\s+\$|refresh|lock|kill|optimize|rename)\b/i;
/** Functions that change something when a query calls them. */
const changingFunctions =
	/\b(pg_(terminate|cancel)_backend|pg_reload_conf|pg_rotate_logfile|pg_switch_wal|pg_promote|pg_create_\w+|pg_drop_\w+|pg_replication_\w+|pg_stat_reset\w*|pg_stat_statements_reset|pg_file_\w+|pg_import_\w+|pg_log_backend_memory_contexts|pg_notify|pg_wal_replay_\w+|pg_logical_\w+|pg_start_backup|pg_stop_backup|pg_backup_\w+|adminpack\w*|setval|nextval|lo_\w+|dblink\w*|query_to_xml|xp_\w+|sp_(configure|rename|executesql|oa\w+|addlogin|droplogin|adduser|dropuser|detach_db|attach_db)|sys_(exec|eval)|utl_\w+\.|dbms_\w+\.|writefile|load_extension|edit|fts\w+_\w+|file\s*\(|url\s*\(|remote\s*\(|executable\s*\()/i;
/** `select … into name from` creates a table. */
const intoTable = /^\(*(select|with)\b.*\binto\s+(?!@|:)[\w."[#]+/is;
const readingPragma =
	/^pragma\s+(?:\w+\.)?(?:(?:table_x?info|table_list|index_x?info|index_list|foreign_key_list|foreign_key_check|integrity_check|quick_check|function_list|module_list|pragma_list|database_list|collation_list|compile_options|show_tables|database_size|version|storage_info|metadata_info)\b\s*(?:\(.*\))?|(?!optimize|incremental_vacuum|wal_checkpoint|shrink_memory)\w+)$/i;
/** Settings of the current connection. */
const ownSettings =
	/^(set|reset|begin|commit|rollback|end|start\s+transaction)\b(?!\s+(global|persist|persist_only|password|role|session\s+authorization)\b)(?!.*@@global)/i;

/** Whether one statement (from `bareSql`) changes nothing that outlasts the connection. */
function onlyLooks(sql: string): boolean {
	if (/^pragma\b/i.test(sql)) return readingPragma.test(sql);
	if (ownSettings.test(sql)) return true;
	// A copy to the client only reads.
	const shown = sql
		.replace(/^(\\?copy)\b(.*)\bto\s+(stdout|pstdout)\b/i, "select $2")
		.replace(/\bfor\s+(no\s+key\s+)?update\b/gi, "");
	const explained = /^explain\b(?!.*\banalyz?e\b)/i.test(shown);
	if (explained) return true;
	return reading.test(shown) && !changing.test(shown) && !changingFunctions.test(shown) && !intoTable.test(shown);
}

/** Effects and changes of SQL text. */
export function judgeSqlText(text: string): {
	readonly effects: readonly Effect[];
	readonly changes: readonly ChangeKind[];
} {
	const statements = bareSql(text)
		.split(";")
		.map((statement) => statement.trim())
		.filter((statement) => statement !== "");
	return {
		effects: [...new Set(statements.flatMap(effectsOf))],
		changes: statements.every(onlyLooks) ? [] : ["database"],
	};
}

const drops =
	/\bdrop\s+(table|warehouse|database|schema|view|materialized|index|user|role|sequence|function|trigger|column|type|extension|owned|keyspace|collection)\b|\btruncate\b/i;

function effectsOf(statement: string): readonly Effect[] {
	const picksRows = /\bwhere\b(?!\s+(?:true|not\s+false|1(?:\s*=\s*1)?|'[^']*'\s*=\s*'[^']*')\s*$)/i.test(statement);
	const effects: Effect[] = drops.test(statement) ? ["sql-drop"] : [];
	if (/^(grant\s+all|(create|alter|drop)\s+(user|role|login))\b/i.test(statement)) effects.push("security-settings");
	if (/\bdelete\s+(?:\*\s+)?from\b/i.test(statement)) effects.push(picksRows ? "sql-delete" : "sql-delete-all");
	if (/^update\b[^;]*\bset\b/i.test(statement) && !picksRows) effects.push("sql-delete-all");
	return effects;
}

/** Records what statements do; unknown or long text may do anything to the database. */
export function judgeSql(call: Call, text: string): void {
	if (!isKnown(text) || text.length > 20_000) {
		call.unknown("script", text);
		call.change("database");
	}
	const { effects, changes } = judgeSqlText(text);
	call.effect(...effects);
	call.change(...changes);
}
