// Database clients, judged by the statements they are given.
import { isBlank, isFileText } from "../text.ts";
import { runEscapes } from "./escapes.ts";
import { embedded } from "./local-databases.ts";
import { describe } from "./notation.ts";
import type { Call } from "./program-spec.ts";
import { judgeSql } from "./sql.ts";

/** Commands of the client among its statements: shell escapes, and files that are read or written. */
function readClientText(call: Call, text: string): void {
	runEscapes(call, /^(?:mysql|mariadb)/.test(call.name) ? "mysql" : "psql", text);
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

/** The contents of a file of statements, if known. */
function sqlFile(call: Call, file: string): readonly string[] {
	const text = call.content(file);
	if (text !== undefined && isBlank(text)) call.runProgramFile(file);
	return text === undefined ? [] : [text];
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

/** A client: its options for statements and for files of statements, and how many operands name the database. */
const sqlClient =
	(statements: string, files: string, database: number) =>
	(call: Call): void => {
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
	};

/** Redis commands that only read, also with the words after them. */
const redisLooks =
	/^(m?get|getrange|substr|keys|scan|randomkey|info|ping|exists|p?ttl|p?expiretime|type|dump|h(?:get|mget|getall|keys|vals|len|exists|strlen|scan)|l(?:range|len|index|pos)|s(?:members|card|ismember|mismember|scan|inter|union|diff)|z(?:range\w*|revrange\w*|card|count|score|mscore|rank|revrank|scan)|x(?:range|revrange|len|read|pending|info)|geo(?:pos|dist|hash|search)|getbit|bitcount|bitpos|pfcount|dbsize|strlen|monitor|time|echo|lastsave|p?subscribe|hello|auth|select|quit|exit|multi|discard|role|(?:config|slowlog) get|client (?:list|info|id)|memory (?:usage|stats|doctor)|object \w+|command|cluster (?:info|nodes|slots|shards)|acl (?:list|users|getuser|whoami)|module list|latency (?:latest|history|doctor)|pubsub \w+)(?: |$)/i;

/** `redis-cli` commands, given as words or line by line on standard input. */
function redis(call: Call): void {
	for (const file of call.values("--eval")) {
		call.applyRole("read", file);
		call.change("database");
		call.unknown("script", call.text);
	}
	for (const file of call.values("--rdb --functions-rdb")) call.applyRole("replace", file);
	if (call.has("--pipe --lru-test --cluster --replica")) call.change("database");
	const lines = [call.operands.join(" "), ...call.stdin.split("\n").map((line) => line.trim())];
	for (const line of lines.slice(0, 500)) redisCommand(call, line.replace(/\s+/g, " "));
}

function redisCommand(call: Call, line: string): void {
	if (line === "" || line.startsWith("#")) return;
	if (/^(?:flushall|flushdb|(?:script|function) flush)(?: |$)/i.test(line)) call.effect("store-flush");
	if (/^(?:shutdown|debug|failover|replicaof|slaveof)(?: |$)/i.test(line)) call.effect("system-service");
	if (!redisLooks.test(line)) call.change("database");
}

export const databases = describe(
	`
psql | @psql | -c --command: text | -f --file: read | -h --host -p --port -U --username -d --dbname -F --field-separator -v \
		--set --variable -P --pset -R --record-separator -T --table-attr: text | -o -L --log-file --output --tee: replace
mysql mariadb | @mysql | -e --execute: text | --init-file --defaults-file --defaults-extra-file: read \
		| -h --host -P --port -u --user -D --database -S --socket --protocol --default-character-set: text \
		| --log-file --output --tee: replace | -p --password ?
sqlcmd clickhouse-client | @sqlOnly | -Q -q --query -e --execute: text | -i -f --file: read \
		| -S --server -U --user -d --database -P --password -h --host --port: text | --log-file --output --tee: replace
$embeds | dash @embedded | -cmd -separator -nullvalue -newline -maxsize -mmap -pagecache -lookaside -heap -vfs -init: text
sqlite3 | =embeds
duckdb | =embeds | -c -s -f: text
redis-cli valkey-cli keydb-cli | first @redis | -h -p -a -n -u --user --pass -s -i -r -t -d -D --sni --cacert --cert --key --eval \
		--rdb --functions-rdb --pattern --count --intrinsic-latency --memkeys-samples --lru-test --show-pushes: text
mongosh mongo | @mongo | --eval --host --port -u --username -p --password --authenticationDatabase -f --file: text
pg_dump pg_dumpall | -f --file: replace | -h --host -p --port -U --username -d --dbname -t --table -T --exclude-table -n --schema -N \
		--exclude-schema -F --format -j --jobs -Z --compress: text
mysqldump mariadb-dump | -r --result-file -T --tab: replace | -h --host -P --port -u --user -S --socket -w --where --ignore-table: text
$mongo | -o --out --archive: replace \
		| -h --host --port -u --username -p --password -d --db -c --collection -q --query --uri -f --fields --type: text
mongodump | =mongo | ~worktree in:directory | -o --out --archive > unchanged
mongoexport | =mongo
pg_restore mongorestore mongoimport mysqlimport pgbench pgloader | read* ~database | -l --list > harmless
dropdb dropuser | ~database +sql-drop
mysqladmin createdb createuser pg_ctl | ~database
etcdctl | --endpoints --cacert --cert --key -w --write-out --user --password --command-timeout --dial-timeout: text
	get watch version check help
	member alarm user role lease auth
		list get
		* | ~database
	del | ~database | --prefix --from-key > +store-flush
	* | ~database
`,
	{
		embedded,
		mongo,
		mysql: sqlClient("-e --execute", "--init-file --defaults-file --defaults-extra-file", 1),
		psql: sqlClient("-c --command", "-f --file", 2),
		redis,
		sql: sqlClient("-e --execute", "-f --file", 0),
		sqlOnly: sqlClient("-Q -q --query -e --execute", "-i -f --file", 9),
	},
	"abbreviating",
);
