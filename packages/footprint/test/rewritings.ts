// Different ways to write the same command: quoting, wrapping. Generators for property tests.
import fc from "fast-check";

/** One word in a spelling that the shell reads back as the same word. */
function spelledWord(word: string): fc.Arbitrary<{ readonly before: string; readonly text: string }> {
	const single = `'${word.replaceAll("'", "'\\''")}'`;
	const double = `"${word.replace(/[\\"$`]/g, "\\$&")}"`;
	const hex = `$'${[...word].map((char) => `\\x${(char.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`).join("")}'`;
	const octal = `$'${[...word].map((char) => `\\${(char.codePointAt(0) ?? 0).toString(8).padStart(3, "0")}`).join("")}'`;
	const plain = /^[\w./:=@%+,-]+$/.test(word) ? word : single;
	const middle = Math.floor(word.length / 2);
	const same = (text: string) => ({ before: "", text });
	const ways = [
		same(plain),
		same(single),
		same(double),
		same(hex),
		same(octal),
		same(
			[...word]
				.map((char) => (/\w/.test(char) ? `\\${char}` : `'${char.replaceAll("'", "'\\''")}'`))
				.join("")
				.replace(/^\\/, (mark) => mark),
		),
		same(`${quoted(word.slice(0, middle))}""${quoted(word.slice(middle))}`),
		{ before: `w=${single};`, text: '"$w"' },
		{ before: `w=${quoted(word.slice(0, middle))}; w+=${quoted(word.slice(middle))};`, text: '"${w}"' },
		{ before: `w=(${single});`, text: '"${w[0]}"' },
		{ before: "", text: `"\${unset:-${word.replace(/[\\"$`}]/g, "\\$&")}}"` },
		{ before: "", text: `"$(printf %s ${single})"` },
		{ before: "", text: `"\`printf %s ${single.replace(/[\\`$]/g, "\\$&")}\`"` },
	];
	return fc.constantFrom(...ways);
}

function quoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A command given by its words, each spelled in some way. The first word is never a variable of its own assignment. */
export function spelledCommand(words: readonly string[]): fc.Arbitrary<string> {
	return fc
		.tuple(...words.map(spelledWord))
		.map((spelled) =>
			spelled.reduce((text, { before, text: word }, index) => {
				const name = `w${index}`;
				const fresh = (part: string) =>
					part
						.replace(/\bw(?=[=+(])/g, name)
						.replace(/\$w\b/g, `$${name}`)
						.replace(/\$\{w\b/g, `\${${name}`);
				return `${fresh(before)}${text}${text === "" ? "" : " "}${fresh(word)}`;
			}, ""),
		)
		.map((text) => text);
}

/** Wrappings of any command text that preserve its effect. */
export const wrappings: readonly ((text: string) => string)[] = [
	(text) => `( ${text} )`,
	(text) => `{ ${text}; }`,
	(text) => `true; ${text}`,
	(text) => `true && { ${text}; }`,
	(text) => `false || { ${text}; }`,
	(text) => `:\n${text}\n:`,
	(text) => `if true; then ${text}; fi`,
	(text) => `if false; then :; else ${text}; fi`,
	(text) => `for i in 1; do ${text}; done`,
	(text) => `while true; do ${text}; break; done`,
	(text) => `case x in x) ${text} ;; esac`,
	(text) => `case x in y) : ;; *) ${text} ;; esac`,
	(text) => `f() { ${text}; }; f`,
	(text) => `f() ( ${text} ); f`,
	(text) => `eval ${quoted(text)}`,
	(text) => `bash -c ${quoted(text)}`,
	(text) => `bash -lc ${quoted(text)}`,
	(text) => `/bin/bash -c ${quoted(text)}`,
	(text) => `bash <<'END${text.length}'\n${text}\nEND${text.length}\n`,
	(text) => `bash <<< ${quoted(text)}`,
	(text) => `printf %s ${quoted(text)} | bash`,
	(text) => `echo ${quoted(text)} | bash`,
	(text) => `cat <<'END${text.length}' | bash\n${text}\nEND${text.length}\n`,
	(text) => `source <(printf %s ${quoted(text)})`,
	(text) => `bash <(printf %s ${quoted(text)})`,
	(text) => `x=$( ${text})`,
	(text) => `echo "$( ${text})"`,
	(text) => `cat < <( ${text})`,
	(text) => `trap ${quoted(text)} EXIT`,
	(text) => `env A=b bash -c ${quoted(text)}`,
	(text) => `nice timeout 5 bash -c ${quoted(text)}`,
	(text) => `{ nohup bash -c ${quoted(text)} & }`,
	(text) => `xargs -n1 bash -c ${quoted(text)} <<< x`,
	(text) => (text.includes("{}") ? text : `find . -maxdepth 0 -exec bash -c ${quoted(text)} \\;`),
	(text) => `x=${quoted(text)}; eval "$x"`,
	(text) => `export x=${quoted(text)}; bash -c 'eval "$x"'`,
	(text) => `alias a=${quoted(text)}; a`,
	(text) => `coproc { ${text}; }`,
	(text) => `! { ${text}; }`,
	(text) => `time { ${text}; }`,
	(text) => `{ ${text}; } 2>&1 | cat`,
	(text) => `cd . && { ${text}; }`,
	(text) => `pushd . > /dev/null; ${text}; popd > /dev/null`,
];

/** Prefixes of a simple command that preserve its effect. */
export const prefixes: readonly string[] = [
	"command ",
	"env ",
	"env A=b ",
	"A=b ",
	"nice -n 5 ",
	"timeout 5 ",
	"nohup ",
	"setsid ",
	"stdbuf -oL ",
	"sudo ",
	"sudo -u root -- ",
	"exec ",
	"builtin command ",
	"busybox ",
	"time -p ",
	"! ",
	"/usr/bin/env -i ",
];
