// Texts of up to 64 KB in the shapes that make an analysis slow: one thing again and again, in depth, in length, and mixed. The same seed gives
// the same texts.
import { programGroups } from "../src/programs/table.ts";

/** Of one text, in UTF-16 units. */
const longestText = 65_536;

/** Random numbers, the same for the same seed: mulberry32. */
export function randomNumbers(seed: number): (below: number) => number {
	let state = seed >>> 0;
	return (below) => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
	};
}

const programs = programGroups.flatMap((group) =>
	Object.entries(group).flatMap(([names, { options = {}, when = {}, subcommands = {} }]) => {
		const spellings = [...Object.keys(options), ...Object.keys(when)].flatMap((all) => all.split(" "));
		const below = Object.keys(subcommands).flatMap((all) => all.split(" "));
		return names
			.split(" ")
			.map((name) => ({ name, options: spellings, subcommands: below.filter((one) => one !== "*") }));
	}),
);

const segments =
	"a src .. . .git node_modules dist link \"\" * ? [a] {a,b} $x ${x} $(x) ~ .env .pi a\\ b 'a b' README.md".split(" ");
const values =
	"a src/a.ts . .. / ~ $x $(x) * src/* **/*.ts - -- a=b @a s/a/b/ {} + ; 1 0 -1 http://x/a x:a /tmp/x .env {a,b} 'a' \"$x\"".split(
		" ",
	);
const units = [
	..."( ) { } ; | & \" ' ` < > \n \\ # ! * ? [ ] = ~ / - : % ^ @ + , . a 0 $ $( $(( )) ${ }} << <<E && || ;; |& <( >( &> 2>&1 [[ ]] (( if then else fi for in do done while case esac select coproc time ! eval trap x= x+= a[ a[0]= ${a[ ${a:- ${!a ${a// ${a@P} $'a' $\"a\" \\\n é \u{1F600} \uE000 \uE001 \t function\tf alias\ta=".split(
		" ",
	),
	" ",
	"rm a;",
	"cd a;",
	"x=$x$x;",
	"a+=(a b);",
	'a=("${a[@]}" $x);',
	"f() { f; };",
	"echo $((x+1));",
	"let x=x+1;",
	"((x[x]++));",
	"declare -i x=x;",
	"[[ a -eq b ]];",
	"test -v a;",
	"for i in a b; do ",
	"if a; then ",
	"while a; do ",
	"case a in a) ",
	"a | ",
	"a && ",
	"$(a ",
	"`a ",
	"<(a ",
	"${a:-",
	"{a,",
	"{1..9}",
	"*/",
	"[a-",
	"a/",
	"../",
	"x=a ",
	"2>&1 ",
	"> a ",
	"<<< a ",
	"<<E\na\nE\n",
	"sh -c ",
	"sudo ",
	"xargs ",
	"env a=b ",
	"git -C src ",
	"find . -exec ",
	"trap a EXIT;",
	"export a=b;",
	'set -- "$@" "$@";',
	"s/a/b/;",
	"rm -rf src;",
	"ln -s a b;",
	"mkdir -p a/b;",
	"cat a > b;",
	"source a;",
	"echo a > f; . f;",
	"pushd a;",
	"printf -v x %s $x;",
	"read x <<< a;",
	"local x;",
] as const;

type Pick = <Item>(items: readonly Item[]) => Item;

/** One text. */
export function makeText(below: (limit: number) => number): string {
	const pick: Pick = (items) => items[below(items.length)] as (typeof items)[number];
	const size = pick([64, 512, 4096, 16_384, longestText]);
	const shape = pick([
		path,
		path,
		operands,
		options,
		nested,
		repeated,
		alternating,
		manyCommands,
		soup,
		longWord,
		pipeline,
		listing,
		quoted,
	]);
	return shape(pick, size, below).slice(0, size);
}

/** `unit` up to `size`; `#` in it becomes a number that no other repetition has. */
function fill(unit: string, size: number): string {
	if (!unit.includes("#")) return unit.repeat(Math.ceil(size / unit.length));
	const parts: string[] = [];
	for (let length = 0, at = 0; length < size; at++) {
		const part = unit.replaceAll("#", String(at));
		parts.push(part);
		length += part.length;
	}
	return parts.join("");
}

/** The beginning of a command: a program, sometimes a subcommand and an option of it. */
function head(pick: Pick, below: (limit: number) => number): { text: string; options: readonly string[] } {
	const { name, options, subcommands } = pick(programs);
	const sub = subcommands.length > 0 && below(3) > 0 ? ` ${pick(subcommands)}` : "";
	const option = options.length > 0 && below(2) > 0 ? ` ${pick(options)}` : "";
	const before = pick(["", "", "", "sudo ", "xargs ", "find . -exec ", "cd src; ", "x=a; ", "git -C src "]);
	return { text: `${before}${name}${sub}${option} `, options };
}

const path = (pick: Pick, size: number, below: (limit: number) => number): string => {
	const unit = `${pick(segments)}${pick(["", "", "#"])}/${pick(["", `${pick(segments)}/`])}`;
	return `${head(pick, below).text}${pick(["", "/", "~/", "./", "$x/", "src/"])}${fill(unit, size)}`;
};

const operands = (pick: Pick, size: number, below: (limit: number) => number): string =>
	`${head(pick, below).text}${fill(`${pick(values)}${pick(["", "#"])}${pick([" ", " ", ` ${pick(values)} `])}`, size)}`;

const options = (pick: Pick, size: number, below: (limit: number) => number): string => {
	const { text, options: known } = head(pick, below);
	const option = known.length > 0 && below(3) > 0 ? pick(known) : pick(["-a", "--a", "-", "--", "-a#", "--a#=b", "+a"]);
	return `${text}${fill(`${option}${pick([" ", "=", " a ", ` ${pick(values)} `, ` ${pick(values)}# `])}`, size)}`;
};

/** The same opening again and again, closed or not. */
const nested = (pick: Pick, size: number): string => {
	const [open, close] = pick([
		["$(", ")"],
		["(", ")"],
		["{ ", ";}"],
		["`", "`"],
		["${a:-", "}"],
		["${a[", "]}"],
		["$((", "))"],
		["((", "))"],
		["a[", "]"],
		["if a; then ", "; fi"],
		["for i in a b; do ", "; done"],
		["while a; do ", "; done"],
		["case a in a) ", ";; esac"],
		["f() { ", "; }"],
		["<(", ")"],
		["[[ ! ", " ]]"],
		["sh -c '", "'"],
		["eval ", ""],
		["{a,", "}"],
		['"$(', ')"'],
		["x=$(", ")"],
		['echo a | sh -c "', '"'],
		["sudo ", ""],
		["find . -exec ", " ;"],
		["git -c alias.a='!", "' a"],
	] as const);
	const depth = Math.floor(size / (open.length + close.length + 1));
	const some = pick([8, 20, 40, depth]);
	const inner = pick(["rm a", "a", "", "rm -rf src", "echo $x"]);
	return `${pick(["", "echo ", "x="])}${open.repeat(some)}${inner}${pick([close.repeat(some), ""])}`;
};

/** One statement with as many parts as fit: assignments, arms of `case`, terms, alternatives in braces, here-documents within each other. */
const listing = (pick: Pick, size: number): string => {
	const [open, unit, close] = pick([
		["", "x#=a# ", "rm a"],
		["", "x#=$x#$y;", "rm $x1"],
		["declare ", "x#=$x ", ""],
		["case $x in ", "a#|*.#) rm a#;; ", "esac"],
		["case $x in ", "[a-z]*#) x=$x#;; ", "*) rm $x;; esac"],
		["echo $((", "x#+", "0))"],
		["echo $((", "x[x#]*(", "0"],
		["((", "x#++,", "1))"],
		["rm ", "{a#,b#}", ""],
		["rm a{", "b{c#,d},", "e}"],
		["rm ", "{1..#}", ""],
		["", "cat <<E#\n$(", "rm a"],
		["cat ", "<<E#\na\nE#\n<<F# ", ""],
		["a=(", "[#]=b ", ") rm a"],
	] as const);
	return `${open}${fill(unit, size - open.length - close.length - 8)}${close}`;
};

/** Text quoted again and again for a further shell. */
const quoted = (pick: Pick, size: number): string => {
	const shell = pick(["sh -c ", "eval ", "echo ", "ssh host "]);
	const mark = pick(["'", '"', "both"] as const);
	let text = pick(["rm a", "echo 'a' \"b\"", "$x"]);
	for (let depth = 0; text.length * 2 < size; depth++) {
		const single = mark === "both" ? depth % 2 === 0 : mark === "'";
		text = `${shell}${single ? `'${text.replaceAll("'", "'\\''")}'` : `"${text.replace(/[\\"$`]/g, "\\$&")}"`}`;
	}
	return text;
};

const repeated = (pick: Pick, size: number): string =>
	`${pick(["", "", "echo ", "rm ", "x=", "a=(", ": "])}${fill(`${pick(units)}${pick(["", "", "#"])}`, size)}`;

const alternating = (pick: Pick, size: number): string =>
	`${pick(["", "", "echo "])}${fill(`${pick(units)}${pick(["", " "])}${pick(units)}${pick(["", " ", "#", ";"])}`, size)}`;

const manyCommands = (pick: Pick, size: number, below: (limit: number) => number): string => {
	const one = `${head(pick, below).text}${pick(values)}${pick(["", "#"])} ${pick(values)}`;
	return fill(`${one}${pick(["; ", " && ", " | ", " || ", "\n", " & "])}`, size);
};

const soup = (pick: Pick, size: number, below: (limit: number) => number): string => {
	const parts: string[] = [];
	for (let length = 0; length < size; ) {
		const part = below(4) === 0 ? head(pick, below).text : pick(units).repeat(pick([1, 1, 1, 3, 50]));
		parts.push(part);
		length += part.length + 1;
	}
	return parts.join(pick(["", " "]));
};

const longWord = (pick: Pick, size: number, below: (limit: number) => number): string =>
	`${head(pick, below).text}${pick(["", '"', "'", "$'"])}${fill(`${pick(["a", "ab", "-", "=", "/", ".", "%", "\\", "*", "[", "(", "a.b", "s/a/", "SELECT ", "DROP TABLE ", '{"a":', "a,b ", "rm -rf a\n", "os.remove('a');", "*a*b", "1+"])}${pick(["", "#"])}`, size)}`;

const pipeline = (pick: Pick, size: number, below: (limit: number) => number): string => {
	const from = pick([
		"ls -a",
		"echo a b",
		"git ls-files",
		"find . -name '*a*'",
		"printf '%s\\n' a b",
		"cat src/a.ts",
		"seq 9",
	]);
	const filter = pick([
		"grep a",
		"sort",
		"head -3",
		"sed s/a/b/",
		"awk '{print $1}'",
		"xargs rm",
		"xargs -n1 cat",
		"tee a",
		"tr a b",
		"cut -d/ -f1",
		"sh",
		head(pick, below).text,
	]);
	return `${from} ${fill(`| ${filter} `, size)}`;
};
