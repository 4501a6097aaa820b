// Commands for the comparison with the real bash: a grammar of harmless pieces over a small tree of files. Generators only.
import fc from "fast-check";

/** The tree that every generated command starts in: text of files, `null` for directories, `->` for links. */
export const tree: { readonly [path: string]: string | null } = {
	a: "alpha\n",
	b: "bravo\n",
	"c.txt": "charlie\ncharlie\n",
	"e.txt": "a\nb\n",
	".h": "hidden\n",
	"s p": "blank\n",
	d: null,
	"d/x": "x-ray\n",
	"d/y.txt": "yankee\n",
	"d/e": null,
	"d/e/z": "zulu\n",
	l: "->d",
	m: "->a",
};

const file = fc.constantFrom(
	"a",
	"b",
	"c.txt",
	"e.txt",
	".h",
	"'s p'",
	"d/x",
	"d/y.txt",
	"d/e/z",
	"l/x",
	"m",
	"new",
	"d/new",
);
const folder = fc.constantFrom("d", "d/e", "l", "nowhere", "d/fresh");
const known = fc.constantFrom("d", "d/e", "l");

/** A word in one of the spellings that mean the same to the shell. */
function spelled(word: fc.Arbitrary<string>): fc.Arbitrary<string> {
	return fc
		.tuple(word, fc.constantFrom("plain", "single", "double", "ansi", "split", "brace", "echo", "printf", "glob"))
		.map(([text, how]) => {
			if (text.includes("'")) return text;
			switch (how) {
				case "single":
					return `'${text}'`;
				case "double":
					return `"${text}"`;
				case "ansi":
					return `$'${[...text].map((char) => (char === "/" ? char : `\\x${char.charCodeAt(0).toString(16)}`)).join("")}'`;
				case "split":
					return text.length > 1 ? `${text[0]}''"${text.slice(1)}"` : `\\${text}`;
				case "brace":
					return `{${text},b}`;
				case "echo":
					return `$(echo ${text})`;
				case "printf":
					return `"$(printf %s ${text})"`;
				case "glob":
					return text.length > 1 && !text.includes("/") ? `${text.slice(0, -1)}?` : text;
				default:
					return text;
			}
		});
}

const place = spelled(file);
const several = fc.array(place, { minLength: 1, maxLength: 3 }).map((words) => words.join(" "));
const pattern = fc.constantFrom("*", "*.txt", "?", "d/*", "[ab]", "{a,b}", "d/{x,y.txt}", "*/x", ".??", "nothing*");
const source = fc.oneof({ weight: 3, arbitrary: several }, { weight: 1, arbitrary: pattern });

/** Simple commands that write, remove, move, copy and link. */
const simple = fc.oneof(
	source.map((words) => `rm ${words}`),
	source.map((words) => `rm -f ${words}`),
	fc.tuple(known, fc.constantFrom("-r", "-rf", "-fR", "--recursive")).map(([path, how]) => `rm ${how} ${path}`),
	fc.tuple(place, place).map(([from, to]) => `mv ${from} ${to}`),
	fc.tuple(source, known).map(([from, to]) => `mv ${from} ${to}`),
	fc.tuple(place, place).map(([from, to]) => `cp ${from} ${to}`),
	fc.tuple(source, known).map(([from, to]) => `cp ${from} ${to}/`),
	fc.tuple(source, known).map(([from, to]) => `cp -t ${to} ${from}`),
	fc.tuple(known, folder).map(([from, to]) => `cp -r ${from} ${to}`),
	fc.tuple(place, place).map(([to, name]) => `ln -s ${to} ${name}`),
	fc.tuple(place, place).map(([to, name]) => `ln -f ${to} ${name}`),
	several.map((words) => `touch ${words}`),
	folder.map((path) => `mkdir -p ${path}`),
	folder.map((path) => `rmdir ${path}`),
	place.map((path) => `unlink ${path}`),
	place.map((path) => `truncate -s 0 ${path}`),
	place.map((path) => `sed -i s/a/q/ ${path}`),
	place.map((path) => `sed -n 'w new' ${path}`),
	fc.tuple(place, place).map(([from, to]) => `sort ${from} -o ${to}`),
	fc.tuple(place, place).map(([from, to]) => `dd if=${from} of=${to} status=none`),
	fc.tuple(place, place).map(([from, to]) => `install ${from} ${to}`),
	place.map((path) => `gzip -kf ${path}`),
	place.map((path) => `gzip -f ${path}`),
	place.map((path) => `gzip -c ${path} > p.gz; gunzip -f p.gz`),
	place.map((path) => `split -l 1 ${path}`),
	fc.tuple(place, known).map(([path, to]) => `split -l 1 ${path} ${to}/part`),
	fc.tuple(place, known).map(([from, to]) => `cp --parents ${from} ${to}`),
	fc.tuple(place, place).map(([from, to]) => `cp -T ${from} ${to}`),
	fc.tuple(known, folder).map(([from, to]) => `mv -T ${from} ${to}`),
	fc.tuple(source, known).map(([from, to]) => `mv -t ${to} ${from}`),
	fc.tuple(place, place).map(([from, to]) => `cp -l ${from} ${to}`),
	fc.tuple(place, known).map(([from, to]) => `cp -s "$PWD"/${from} ${to}`),
	fc.tuple(known, folder).map(([from, to]) => `tar -cf t.tar ${from} && mkdir -p ${to} && tar -xf t.tar -C ${to}`),
	place.map((path) => `perl -pi -e s/a/q/ ${path}`),
	place.map((path) => `rm -f l/../${path}`),
	fc.tuple(known, known).map(([from, to]) => `find ${from} -type f -exec cp {} ${to} \\;`),
	known.map((path) => `find ${path} -type f | while read -r f; do truncate -s 1 "$f"; done`),
	known.map((path) => `find ${path} -name '*.txt' -exec sh -c 'rm -f "$1"' _ {} \\;`),
	several.map((words) => `echo ${words} | xargs -n1 -I{} mv {} d`),
	several.map((words) => `for f in ${words} *.txt; do mv "$f" "\${f%.txt}.md"; done`),
	several.map((words) => `bash <<EOF\nrm -f ${words}\nEOF`),
	place.map((path) => `exec 3> ${path}; echo text >&3; exec 3>&-`),
	place.map((path) => `{ echo one; echo two; } >> ${path}`),
	place.map((path) => `ln -s "$PWD/a" k; echo text > k; rm -f k ${path}`),
	fc.tuple(known, place).map(([from, to]) => `tar -cf ${to} ${from}`),
	fc.tuple(place, place).map(([from, to]) => `awk '{ print > "${"out"}" }' ${from} ${to}`),
	fc.tuple(place, fc.constantFrom(">", ">>", ">|", "&>", "2>")).map(([path, how]) => `echo text ${how} ${path}`),
	place.map((path) => `> ${path}`),
	place.map((path) => `: > ${path}`),
	several.map((words) => `echo text | tee ${words} > /dev/null`),
	several.map((words) => `echo text | tee -a ${words} > /dev/null`),
	known.map((path) => `find ${path} -name 'x*' -delete`),
	known.map((path) => `find ${path} -type f -exec rm {} \\;`),
	known.map((path) => `find ${path} -name '*.txt' | xargs rm -f`),
	several.map((words) => `echo ${words} | xargs rm -f`),
	several.map((words) => `printf '%s\\n' ${words} | xargs -n1 touch`),
	several.map((words) => `printf '%s\\n' ${words} | while read -r f; do rm -f "$f"; done`),
	fc.tuple(place, place).map(([from, to]) => `cat <<EOF > ${to}\n$(cat ${from})\nEOF`),
	place.map((path) => `cat ${path}`),
	place.map((path) => `grep -c a ${path}`),
	place.map((path) => `test -f ${path}`),
);

/** Commands around commands: everything that leaves their effect as it is or makes it depend on the shell's state. */
export const commands: fc.Arbitrary<string> = fc.letrec<{ list: string; one: string }>((tie) => ({
	one: fc.oneof(
		{ depthSize: "small", withCrossShrink: true },
		{ weight: 12, arbitrary: simple },
		{ weight: 1, arbitrary: tie("list").map((list) => `( ${list} )`) },
		{ weight: 1, arbitrary: tie("list").map((list) => `{ ${list}\n}`) },
		{ weight: 1, arbitrary: tie("list").map((list) => `if true; then ${list}\nfi`) },
		{
			weight: 1,
			arbitrary: fc
				.tuple(simple, tie("list"), tie("list"))
				.map(([test, yes, no]) => `if ${test}\nthen ${yes}\nelse ${no}\nfi`),
		},
		{
			weight: 2,
			arbitrary: fc.tuple(source, simple).map(([words, body]) => `for f in ${words}; do rm -f "$f"; ${body}\ndone`),
		},
		{
			weight: 2,
			arbitrary: fc
				.tuple(file, fc.constantFrom("rm -f", "touch", "truncate -s 1"))
				.map(([path, what]) => `x=${path}; ${what} $x "\${x%.txt}" "\${x:-b}" \${x/a/b}`),
		},
		{ weight: 1, arbitrary: file.map((path) => `x=${path}; sh -c 'rm -f "\${x:-b}"'`) },
		{ weight: 1, arbitrary: file.map((path) => `export x=${path}; sh -c 'rm -f "\${x:-b}"'; unset x`) },
		{ weight: 1, arbitrary: file.map((path) => `x=${path} bash -c 'rm -f "$x" "$1"' _ b`) },
		{ weight: 1, arbitrary: file.map((path) => `f() { local p=$1; rm -f "$p" "\${2:-b}"; }; f ${path}; f a c.txt`) },
		{ weight: 1, arbitrary: simple.filter((text) => !/['\n]|EOF/.test(text)).map((text) => `sh -c '${text}'`) },
		{ weight: 1, arbitrary: simple.filter((text) => !/['\n]|EOF/.test(text)).map((text) => `eval '${text}'`) },
		{ weight: 1, arbitrary: simple.filter((text) => !/['\n]|EOF/.test(text)).map((text) => `echo '${text}' | bash`) },
		{
			weight: 1,
			arbitrary: simple
				.filter((text) => /^(rm|mv|cp|touch|ln) /.test(text))
				.map((text) => `env LC_ALL=C nice -n 5 timeout 5 ${text}`),
		},
		{
			weight: 1,
			arbitrary: simple.filter((text) => /^(rm|mv|cp|touch|ln) /.test(text)).map((text) => `command \\${text}`),
		},
		{ weight: 2, arbitrary: fc.tuple(folder, tie("one")).map(([path, then]) => `cd ${path} && ${then}`) },
		{ weight: 1, arbitrary: fc.tuple(folder, tie("one")).map(([path, then]) => `cd ${path}; ${then}`) },
		{
			weight: 1,
			arbitrary: fc
				.tuple(known, simple, simple)
				.map(([path, inside, outside]) => `pushd ${path} > /dev/null; ${inside}\npopd > /dev/null; ${outside}`),
		},
		{
			weight: 1,
			arbitrary: fc.tuple(file, simple).map(([path, body]) => `case ${path} in a|b) ${body}\n;; *) touch other;; esac`),
		},
		{ weight: 1, arbitrary: fc.tuple(several).map(([words]) => `list=(${words}); rm -f "\${list[@]}"`) },
		{ weight: 1, arbitrary: several.map((words) => `set -- ${words}; while [ $# -gt 0 ]; do rm -f "$1"; shift; done`) },
		{ weight: 1, arbitrary: simple.map((text) => `trap "touch trapped" EXIT; ${text}`) },
		{
			weight: 1,
			arbitrary: fc.constantFrom(
				"i=0; while [ $i -lt 3 ]; do touch n$i; i=$((i+1)); done",
				"for i in {1..3}; do touch n$i; done",
				"i=1; touch n$((i+1))",
				"y=a; x=y; rm -f ${!x}",
				"printf -v q '%s' a; rm -f $q",
				"IFS=,; x=a,b; rm -f $x",
				"x='a b'; rm -f $x",
				"x='a b'; rm -f \"$x\"",
				"cd d; cd ..; rm -f a",
				"cd l; cd ..; rm -f a",
				"rm -f l/../a",
				'cat a > "$(basename d/q)"',
				"until rm -f a; do :; done",
				"rm -f {a,b}{,.txt}",
				'mapfile -t q < e.txt; rm -f "${q[@]}"',
				"while read -r q; do rm -f $q; done < e.txt",
				"x=b; { x=a; }; rm -f $x",
				"x=b; ( x=a ); rm -f $x",
				"x=b; true | x=a; rm -f $x",
			),
		},
	),
	list: fc
		.array(fc.tuple(tie("one"), fc.constantFrom("\n", " && ", " || ", "; ", " &\nwait\n")), {
			minLength: 1,
			maxLength: 3,
			depthIdentifier: "list",
		})
		.map((items) =>
			items
				.map(([text, glue], index) =>
					index === items.length - 1 ? text : text.includes("<<EOF") ? `${text}\n` : text + glue,
				)
				.join(""),
		),
})).list;
