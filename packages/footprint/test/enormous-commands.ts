// Commands of 64 KB that are expensive to analyze, by the reason. Shared by tests and benchmarks.

const SIZE = 65_536;

function filled(unit: string, size = SIZE): string {
	return unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
}

function numbered(count: number, make: (index: number) => string): string {
	return Array.from({ length: count }, (_, index) => make(index))
		.join("")
		.slice(0, SIZE);
}

/** Those that are expensive because of disk lookups, tracked state, or patterns. */
export const laborious: { readonly [name: string]: string } = {
	"folders of a search path": `PATH=${numbered(8000, (index) => `/p${index}:`).slice(0, 30_000)}; ${numbered(9000, (index) => `cmd${index}; `).slice(0, 30_000)}`,
	"programs of awk": `awk '${"a=1;".repeat(700)}' a; `.repeat(22),
	"pipes of awk": `awk '${"print a|b ".repeat(280)}' a; `.repeat(22),
	"subexpressions of PowerShell": `pwsh -c '"${"$(".repeat(32_000)}'`,
	"folders of CDPATH": `CDPATH=${numbered(8000, (index) => `/a${index}:`).slice(0, 20_000)}; ${numbered(9000, (index) => `cd x${index}; `).slice(0, 40_000)}`,
	"patterns of a case": `case ${"a".repeat(20_000)} in ${filled("*a*b*|", 40_000)}x) rm -rf x;; esac`,
	"searches that change what they find": numbered(
		1500,
		(index) => `find . -name 'a${index}*.json' -exec sed -i s/a/b/ {} +; `,
	),
	"searches that delete": numbered(2500, (index) => `find . -name 'a${index}*' -delete; `),
	"listings through filters": numbered(1500, (index) => `ls -a | grep a${index} | head -3 | sort | xargs rm; `),
	"a filter of many filters": `ls -a${filled(" | grep a | sort | head -5", SIZE - 10)}`,
	"alternatives of a filter": `ls -a | grep -E '${numbered(9000, (index) => `a${index}|`).slice(0, 60_000)}x' | xargs cat`,
	"exclusions of a search": `find . ${numbered(2200, (index) => `-not -path '*/a${index}/*' `).slice(0, 60_000)} -name '*.json' -exec sed -i s/a/b/ {} +`,
	"functions defined": `${numbered(2800, (index) => `f${index}() { f${index + 1}; }; `)} f0`,
	"variables exported": numbered(3500, (index) => `export A${index}=b; `),
	"brace groups in many words": numbered(2600, (index) => `rm {a${index},b,c,d,e}{1,2,3,4} `),
	"unknown wrappers": `${filled("foo -- ", SIZE - 20)}rm -rf x`,
	"programs looked up": numbered(4000, (index) => `$(which a${index}) x; `),
	"removals of folders": numbered(4000, (index) => `rm -r src/a${index}; `),
	"options among files": `chmod --reference ${numbered(1200, (index) => `-a${index} x:a `)}`,
	"text typed into terminals": `tmux send-keys ${filled("'rm -rf x' Enter ", SIZE - 20)}`,
};

export const enormous: { readonly [name: string]: string } = {
	...laborious,
	"one command again and again": filled("rm a;"),
	"many commands": numbered(9000, (index) => `rm f${index};`),
	"many variables": numbered(9000, (index) => `a${index}=${index};`),
	"a variable that doubles": `a=xxxxxxxxxxxx;${filled("a=$a$a;", SIZE - 20)}`,
	"nested substitutions": filled("$("),
	"nested subshells": filled("("),
	"nested groups": filled("{ "),
	"nested ifs": filled("if "),
	"nested fors": `${numbered(300, (index) => `for x${index} in a b; do `)}rm $x1${filled("; done", 1800)}`,
	"nested whiles": `${filled("while x=$y; do y=$x$x; ", 300)}rm $x${"; done".repeat(13)}`,
	"nested test negations": `[[ ${filled("! ", SIZE - 10)} a ]]`,
	"nested arithmetic": `echo $((${filled("1+", SIZE - 20)}1))`,
	"nested parameter defaults": filled("${a:-"),
	"double quotes": filled('"'),
	"single quotes": filled("'"),
	backquotes: filled("`"),
	backslashes: filled("\\"),
	braces: `echo ${filled("{a,b}", SIZE - 6)}`,
	"open braces": `echo ${filled("{a,", SIZE - 6)}`,
	stars: `ls ${filled("*", SIZE - 4)}`,
	"stars in folders": `ls ${filled("*/", SIZE - 4)}`,
	"globs again and again": filled("ls src/**/* ;"),
	"a long word": `cat ${filled("a", SIZE - 5)}`,
	"a deep path": `cat ${filled("a/", SIZE - 5)}`,
	"a path upwards": `cat ${filled("../safety/", SIZE - 5)}`,
	"a directory that deepens": filled("cd a;"),
	"many arguments": `rm ${filled("ab ", SIZE - 4)}`,
	"many redirections": filled(">a "),
	"a long pipeline": filled("a|"),
	"a long and-list": filled("a&&"),
	"many cases": `case x in ${filled("a) rm b;; ", SIZE - 20)} esac`,
	"many alternatives": `if x; then a=1 b=1 c=1 d=1; else a=2 b=2 c=2 d=2; fi; ${filled("rm $a$b$c$d;", SIZE - 60)}`,
	"functions that call each other": `${numbered(100, (index) => `f${index}() { f${index + 1}; f${index + 1}; };`)}f0`,
	"a function that calls itself": "f() { f; f; f; }; f",
	"an eval that doubles": 'a=\'eval "$a$a"\'; eval "$a"',
	"aliases defined": numbered(4000, (index) => `alias a${index}=b; `),
	"aliases in a ring": "alias a='b b' b='c c' c='d d' d='e e' e='a a'; a",
	"evals of evals": `${filled("eval ", SIZE - 3)}rm`,
	"sudos of sudos": filled("sudo "),
	"xargs of xargs": filled("xargs "),
	"many substitutions": filled("$(ls) "),
	"many process substitutions": filled("cat <(ls) "),
	"a here-document with substitutions": `cat <<EOF\n${filled("x $y `a`\n", SIZE - 20)}EOF`,
	"a long sed script": `sed '${filled("s/a/b/;", SIZE - 10)}' f`,
	"an open sed script": `sed '${filled("s/", SIZE - 10)}' f`,
	"a long awk program": `awk '${filled("print > ", SIZE - 10)}' f`,
	"an awk program of quotes": `awk '${filled('"\\', SIZE - 10)}' f`,
	"a long statement": `psql -c '${filled("delete from x ", SIZE - 12)}'`,
	"open comments": `psql -c "${filled("/*", SIZE - 12)}"`,
	"a long python program": `python -c '${filled('open("', SIZE - 14)}'`,
	"a python program of names": `python -c '${filled("read", SIZE - 14)}'`,
	"a statement of open comments": `psql -c "${filled("/* ", SIZE - 12)}"`,
	"a statement of quotes": `psql -c "${filled("'", SIZE - 12)}"`,
	"a long printf": `printf '${filled("%s", SIZE - 20)}' a b | sh`,
	"many lines into xargs": `printf '%s\\n' ${filled("a ", SIZE - 40)} | xargs -n1 rm`,
	"pattern removals": `a=${filled("a", 1900)}; ${filled("echo ${a%%*b*};", SIZE - 1920)}`,
	"pattern replacements": `a=${filled("a", 290)}; ${filled("echo ${a//a*b/x};", SIZE - 310)}`,
	"find with brackets": `find . ${filled("\\( ", SIZE - 10)}`,
	"find with alternatives": `find . ${filled("-name a -o ", SIZE - 10)}`,
	"find with commands": `find . ${filled("-exec rm {} \\; ", SIZE - 10)}`,
	"tar with folders": `tar ${filled("-C a b ", SIZE - 6)}`,
	"git with settings": `git ${filled("-c alias.x=!rm ", SIZE - 6)}`,
	"env with assignments": `env ${filled("A=b ", SIZE - 10)}rm x`,
	traps: filled("trap 'rm x' EXIT;"),
	"letters and signs": numbered(SIZE, (index) => String.fromCharCode(32 + ((index * 7919) % 95))),
};

/** PowerShell texts of 64 KB that are hard on an analysis. */
export const enormousPowerShell: { readonly [name: string]: string } = {
	"one command again and again": filled("Remove-Item a;"),
	"open blocks": filled("{"),
	"open subexpressions": filled("$("),
	"open here-strings": filled("@'"),
	quotes: filled('"'),
	backticks: filled("`"),
	variables: filled("$x.y[0]"),
	assignments: filled("$x=$x;"),
	pipes: filled("a|"),
	wildcards: filled("rm *a*;"),
};

/** Strings of 64 KB that are hard on the walk over another tool's arguments. */
export const enormousArguments: { readonly [name: string]: string } = {
	dots: filled("."),
	slashes: filled("a/"),
	words: filled("a.b "),
	"patch headers": filled("+++ b/x\n"),
	"a command": filled("rm a;"),
};
