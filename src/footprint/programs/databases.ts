// Database clients, judged by the statements they are given.

import { isBlank, isFileText } from "../text.ts";
import { changesUnless } from "./common-specs.ts";
import { runEscapes } from "./escapes.ts";
import { localDatabases } from "./local-databases.ts";
import { abbreviating, type Call, type ProgramSpec, type ProgramSpecs } from "./program-spec.ts";
import { judgeSql } from "./sql.ts";

/** Commands of the client among its statements: shell escapes, and files that are read or written. */
function readClientText(call: Call, text: string): void {
	runEscapes(call, /^(?:mysql|mariadb|mycli)/.test(call.name) ? "mysql" : "psql", text);
	if (
		/(^|\n)\s*\\!|\\copy|\b(?:system|program)\b|\binto\s+(?:outfile|dumpfile)\b|^\s*\.(shell|system|output|once|import|read|backup|save|restore)\b/i.test(
			text,
		)
	)
		call.unknown("script", text);
	for (const [, verb = "", file = ""] of text.matchAll(/\\(o|out|w|write|i|ir|include)\s+([^\s|'"]+)/g))
		call.applyRole(/^i/.test(verb) ? "read" : "replace", file);
	for (const [, way = "", file = ""] of text.matchAll(/\bcopy\b[^;\n]{0,500}?\b(to|from)\s+'([^'\n]+)'/gi))
		call.applyRole(/to/i.test(way) ? "replace" : "read", file);
}

/** A client: its options for statements, files of statements and other values, and how many operands name the database. */
function sqlClient(statements: string, files: string, values: string, database: number): ProgramSpec {
	return {
		options: { [statements]: "text", [files]: "read", [values]: "text", "--log-file --output --tee": "replace" },
		custom(call) {
			const given = call.values(statements);
			const operands = call.operands.slice(database);
			for (const text of operands) judgeSql(call, text);
			const contents = call.values(files).flatMap((file) => sqlFile(call, file));
			const isFile = call.has(files) || isFileText(call.stdin);
			if (isFile) {
				call.change("database");
				call.unknown("script", call.text, ["read"]);
			}
			const fromInput = given.length === 0 && operands.length === 0 && !isFile;
			for (const text of [...given, ...contents, ...(fromInput ? [call.stdin] : [])]) {
				judgeSql(call, text);
				readClientText(call, text);
			}
		},
	};
}

/** The contents of a file of statements, if known. */
function sqlFile(call: Call, file: string): readonly string[] {
	const text = call.content(file);
	if (text !== undefined && isBlank(text)) call.runProgramFile(file);
	return text === undefined ? [] : [text];
}

/** Redis commands that only read. */
const redisLooks =
	/^(get|mget|getrange|substr|keys|scan|randomkey|info|ping|exists|ttl|pttl|expiretime|pexpiretime|type|dump|hget|hmget|hgetall|hkeys|hvals|hlen|hexists|hstrlen|hscan|hrandfield|lrange|llen|lindex|lpos|smembers|scard|sismember|smismember|srandmember|sscan|sinter|sunion|sdiff|sintercard|zrange|zrevrange|zrangebyscore|zrevrangebyscore|zrangebylex|zcard|zcount|zlexcount|zscore|zmscore|zrank|zrevrank|zscan|zinter|zunion|zdiff|zrandmember|xrange|xrevrange|xlen|xread|xpending|geopos|geodist|geohash|geosearch|getbit|bitcount|bitpos|pfcount|dbsize|strlen|monitor|time|echo|lolwut|lastsave|subscribe|psubscribe|hello|auth|select|readonly|eval_ro|evalsha_ro|fcall_ro|sort_ro|georadius_ro|help|quit|exit|multi|discard|wait)$/i;
/** Commands that only read with these words after them. */
const redisForms: { readonly [name: string]: RegExp } = {
	config: /^(get|help)$/i,
	client: /^(list|info|id|getname|help|no-evict|trackinginfo|getredir)$/i,
	memory: /^(usage|stats|doctor|malloc-stats|help)$/i,
	object: /^\w+$/,
	command: /^\w*$/,
	slowlog: /^(get|len|help)$/i,
	latency: /^(latest|history|graph|doctor|histogram|help)$/i,
	cluster: /^(info|nodes|slots|shards|keyslot|countkeysinslot|getkeysinslot|myid|links|replicas|help)$/i,
	acl: /^(list|users|getuser|cat|whoami|log|genpass|dryrun|help)$/i,
	module: /^(list|help)$/i,
	script: /^(exists|help)$/i,
	function: /^(list|dump|stats|help)$/i,
	pubsub: /^\w+$/,
	xinfo: /^\w+$/,
	role: /^$/,
	debug: /^(object|help|sleep)$/i,
};

/** `redis-cli` commands, given as words or line by line on standard input. */
function redis(call: Call): void {
	for (const file of call.values("--eval")) {
		call.applyRole("read", file);
		call.change("database");
		call.unknown("script", call.text);
	}
	for (const file of call.values("--rdb --functions-rdb")) call.applyRole("replace", file);
	if (call.has("--pipe --lru-test --cluster --replica")) call.change("database");
	const lines = [call.operands, ...call.stdin.split("\n").map((line) => line.trim().split(/\s+/))];
	for (const words of lines.slice(0, 500)) redisCommand(call, words);
}

function redisCommand(call: Call, words: readonly string[]): void {
	const [verb = "", form = ""] = words;
	if (verb === "" || verb.startsWith("#")) return;
	if (/^(flushall|flushdb)$/i.test(verb)) call.effect("store-flush");
	if (/^(shutdown|debug|failover|replicaof|slaveof)$/i.test(verb)) call.effect("system-service");
	if (/^(script|function)$/i.test(verb) && /^flush$/i.test(form)) call.effect("store-flush");
	const forms = Object.hasOwn(redisForms, verb.toLowerCase()) ? redisForms[verb.toLowerCase()] : undefined;
	if (!(forms ? forms.test(form) : redisLooks.test(verb))) call.change("database");
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
	for (const file of call.operands) if (/\.m?js$/.test(file)) call.applyRole("run", file);
}

const dumps = (values: string, files: string): ProgramSpec => ({ options: { [files]: "replace", [values]: "text" } });

export const databases: ProgramSpecs = {
	cockroach: {
		subcommands: {
			sql: sqlClient("-e --execute", "-f --file", "--url --host -d --database -u --user", 0),
			"*": { changes: ["database"], opaque: "program" },
		},
	},
	...abbreviating({
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
	}),
	"sqlcmd isql trino presto beeline hive impala-shell snowsql cqlsh": sqlClient(
		"-Q -q --query -e --execute",
		"-i -f --file",
		"-S --server -U --user -d --database -P --password -h --host --port",
		9,
	),
	...localDatabases,
	"redis-cli valkey-cli keydb-cli": {
		optionsFirst: true,
		options: {
			"-h -p -a -n -u --user --pass -s -i -r -t -d -D --sni --cacert --cert --key --eval --rdb --functions-rdb --pattern --count --intrinsic-latency --memkeys-samples --lru-test --show-pushes":
				"text",
		},
		custom: redis,
	},
	"mongo mongosh": {
		options: { "--eval --host --port -u --username -p --password --authenticationDatabase -f --file": "text" },
		custom: mongo,
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
		custom: (call) => {
			if (call.operands.includes("drop")) call.effect("sql-drop");
		},
	},
	"createdb createuser vacuumdb reindexdb initdb pg_ctl pg_upgrade": { changes: ["database"] },
	"pg_isready mysqlshow": {},
	influx: { changes: ["database"], opaque: "program" },
	etcdctl: {
		options: {
			"--endpoints --cacert --cert --key -w --write-out --user --password --command-timeout --dial-timeout": "text",
		},
		subcommands: {
			"get watch version check help": {},
			"member alarm user role lease auth": changesUnless("list get", "database"),
			endpoint: {},
			del: {
				changes: ["database"],
				when: { "--prefix --from-key": { effects: ["store-flush"] } },
			},
			snapshot: {
				subcommands: { status: { operands: "read" }, save: { operands: "replace" }, "*": { changes: ["database"] } },
			},
			"*": { changes: ["database"] },
		},
	},
	bcp: { changes: ["database"], opaque: "program" },
};
