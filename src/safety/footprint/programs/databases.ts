// Database clients: what their statements do, as far as the text shows.
import type { Change, Effect } from "../effects.ts";
import { isKnown } from "../text.ts";
import type { Call, Program, Programs } from "./program.ts";

/** The first characters of SQL text, comments blanked out and string literals emptied, so that words in them are not taken for statements. */
function bareSql(text: string): string {
	const source = text.slice(0, 20_000);
	let bare = "";
	for (let at = 0; at < source.length; ) {
		const two = source.slice(at, at + 2);
		if (two === "--") at = endOf(source, "\n", at);
		else if (two === "/*") at = endOf(source, "*/", at + 2);
		else if (source[at] === "'") {
			at = endOf(source, "'", at + 1);
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

function endOf(text: string, mark: string, from: number): number {
	const found = text.indexOf(mark, from);
	return found < 0 ? text.length : found + mark.length;
}

/** Effects and changes of SQL text. */
export function judgeSqlText(text: string): {
	readonly effects: readonly Effect[];
	readonly changes: readonly Change[];
} {
	const effects = new Set<Effect>();
	let changes = false;
	for (const statement of bareSql(text).split(";")) {
		const sql = statement.trim();
		if (sql === "") continue;
		if (
			/\bdrop\s+(table|database|schema|view|materialized|index|user|role|sequence|function|trigger|column|type|extension|owned|keyspace|collection)\b|\btruncate\b/i.test(
				sql,
			)
		)
			effects.add("sql-drop");
		if (/\bdelete\s+(?:\*\s+)?from\b/i.test(sql)) effects.add(/\bwhere\b/i.test(sql) ? "sql-delete" : "sql-delete-all");
		if (/^\s*update\b[^;]*\bset\b/i.test(sql) && !/\bwhere\b/i.test(sql)) effects.add("sql-delete-all");
		if (
			!looksOnly.test(sql) ||
			/\b(insert|update|delete|drop|truncate|alter|create|grant|revoke|into\s+outfile|copy)\b/i.test(sql)
		)
			changes = true;
	}
	return { effects: [...effects], changes: changes ? ["database"] : [] };
}

function judgeSql(call: Call, text: string): void {
	if (!isKnown(text) || text.length > 20_000) {
		call.unknown("script", text);
		call.change("database");
	}
	const { effects, changes } = judgeSqlText(text);
	call.effect(...effects);
	call.change(...changes);
}

const looksOnly =
	/^(select|show|explain|describe|desc|with|pragma\s+\w+\s*(\(|$)|values|table|use|set|\.(tables|schema|databases|indexes|headers|mode|help|show|dump|timer|width|nullvalue))\b|^\\(?:d[a-z]*|l|z|\?|h|x|conninfo|timing|s[fv]|encoding)\+?(?:\s|$)/i;

/** A client: options for statements, for files of statements, for other values; how many operands name the database. */
function sqlClient(statements: string, files: string, values: string, database: number): Program {
	return {
		options: { [statements]: "text", [files]: "read", [values]: "text", "--log-file --output --tee": "replace" },
		also(call) {
			const texts = call.values(statements);
			for (const text of texts) {
				judgeSql(call, text);
				if (
					/(^|\n)\s*\\!|\\copy|\bsystem\b|^\s*\.(shell|system|output|once|import|read|backup|save|restore)\b/i.test(
						text,
					)
				)
					call.unknown("script", text);
			}
			const extra = call.operands.slice(database);
			for (const text of extra) judgeSql(call, text);
			if (call.has(files)) {
				call.change("database");
				call.unknown("script", call.args.join(" "), ["read"]);
			}
			if (texts.length === 0 && extra.length === 0 && !call.has(files) && call.stdin !== "") judgeSql(call, call.stdin);
		},
	};
}

/** `sqlite3 file sql`: the file is a database of its own. */
function sqlite(call: Call): void {
	const [file, ...statements] = call.operands;
	const texts = [
		...call.values("-cmd"),
		...statements,
		...(statements.length === 0 && call.stdin !== "" ? [call.stdin] : []),
	];
	for (const text of texts) {
		judgeSql(call, text);
		if (/^\s*\.(shell|system|output|once|import|read|backup|save|restore|excel)\b/im.test(text))
			call.unknown("script", text);
	}
	if (file === undefined || file === ":memory:") return;
	const writes = texts.some(
		(text) =>
			!isKnown(text) ||
			bareSql(text)
				.split(";")
				.some((sql) => sql.trim() !== "" && !looksOnly.test(sql.trim())),
	);
	call.play("read", file);
	if (writes && !call.has("-readonly")) call.play("write", file);
}

/** `redis-cli` commands. */
function redis(call: Call): void {
	const [verb = ""] = call.operands;
	const all = [verb, ...call.stdin.split("\n").map((line) => line.trim().split(/\s+/)[0] ?? "")];
	if (all.some((word) => /^flush(all|db)$/i.test(word))) call.effect("store-flush");
	if (all.some((word) => /^(shutdown|debug)$/i.test(word))) call.effect("system-service");
	if (
		all.some(
			(word) =>
				word !== "" &&
				!/^(get|mget|keys|scan|info|ping|exists|ttl|pttl|type|hget|hgetall|hkeys|hlen|lrange|llen|smembers|scard|zrange|zcard|dbsize|strlen|client|monitor|memory|time|echo|object|command|role|config|slowlog|latency)$/i.test(
					word,
				),
		)
	)
		call.change("database");
	for (const file of call.values("--eval")) call.play("read", file);
}

/** JavaScript for MongoDB. */
function mongo(call: Call): void {
	const texts = [...call.values("--eval"), ...(call.stdin === "" ? [] : [call.stdin])];
	for (const text of texts) {
		if (/\.(drop(Database|Collection|Index(es)?)?|remove|deleteMany|deleteOne|dropUser|dropRole)\s*\(/.test(text))
			call.effect(/\.drop|\b(remove|deleteMany)\s*\(\s*(\{\s*\})?\s*\)/.test(text) ? "sql-drop" : "sql-delete");
		if (
			!/^\s*(db\.\w+\.(find|count\w*|aggregate|distinct|stats|getIndexes)\b|show\b|db\.(stats|version|getCollectionNames|runCommand\(\{ping)|use\b)/.test(
				text,
			)
		)
			call.change("database");
	}
	for (const file of call.operands) if (/\.m?js$/.test(file)) call.play("run", file);
}

const dumps = (values: string, files: string): Program => ({ options: { [files]: "replace", [values]: "text" } });

export const databases: Programs = {
	cockroach: {
		subcommands: {
			sql: sqlClient("-e --execute", "-f --file", "--url --host -d --database -u --user", 0),
			"*": { changes: ["database"], opaque: "program" },
		},
	},
	"psql pgcli usql": sqlClient(
		"-c --command",
		"-f --file",
		"-h --host -p --port -U --username -d --dbname -F --field-separator -v --set --variable -P --pset -R --record-separator -T --table-attr -o -L",
		2,
	),
	"mysql mariadb mycli": {
		...sqlClient(
			"-e --execute",
			"--init-file --defaults-file --defaults-extra-file",
			"-h --host -P --port -u --user -D --database -S --socket --protocol --default-character-set",
			1,
		),
		attached: "-p --password",
	},
	"sqlcmd bcp isql clickhouse-client clickhouse duckdb-cli trino presto beeline hive impala-shell snowsql cqlsh":
		sqlClient(
			"-Q -q --query -e --execute",
			"-i -f --file",
			"-S --server -U --user -d --database -P --password -h --host --port",
			9,
		),
	"sqlite3 sqlite litecli duckdb": {
		dashes: "one",
		options: { "-cmd -separator -nullvalue -newline": "text", "-init": "read" },
		also: sqlite,
	},
	"redis-cli valkey-cli keydb-cli": {
		stops: true,
		options: { "-h -p -a -n -u --user --pass -s -i -r -x": "text", "--eval --pipe-file --rdb": "text" },
		also: redis,
	},
	"mongo mongosh": {
		options: { "--eval --host --port -u --username -p --password --authenticationDatabase -f --file": "text" },
		also: mongo,
	},
	"pg_dump pg_dumpall": dumps(
		"-h --host -p --port -U --username -d --dbname -t --table -T --exclude-table -n --schema -N --exclude-schema -F --format -j --jobs -Z --compress",
		"-f --file",
	),
	"mysqldump mariadb-dump": dumps(
		"-h --host -P --port -u --user -S --socket -w --where --ignore-table",
		"-r --result-file -T --tab",
	),
	"mongodump mongoexport": dumps(
		"-h --host --port -u --username -p --password -d --db -c --collection -q --query --uri -f --fields --type",
		"-o --out --archive",
	),
	"pg_restore mongorestore mongoimport mysqlimport pgbench pgloader": {
		changes: ["database"],
		operands: "read",
		when: { "-l --list": { harmless: true } },
	},
	"dropdb dropuser": { changes: ["database"], effects: ["sql-drop"] },
	mysqladmin: {
		changes: ["database"],
		also: (call) => {
			if (call.operands.includes("drop")) call.effect("sql-drop");
		},
	},
	"createdb createuser vacuumdb reindexdb initdb pg_ctl pg_upgrade": { changes: ["database"] },
	"pg_isready mysqlshow": {},
	"influx etcdctl": { changes: ["database"], opaque: "program" },
};
