// Text that bash evaluates a second time, against the real bash: where a command in it runs, the footprint has the command or an unknown.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { needsProgram } from "../../pi-chronicle/test/harness/needs.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { deep } from "../../pi-chronicle/test/harness/runs.ts";
import { shell } from "./host-environment.ts";
import { knowledgeOf } from "./knowledge.ts";

/** The command that a text hides; it changes nothing but the folder that it runs in. */
const command = "touch ran";

/** Texts with the command in them, to be evaluated as a number, a subscript or a name. */
const texts = [
	`x[$(${command})]`,
	`x[\`${command}\`]`,
	`x[y[$(${command})]]`,
	`x[1+$(${command})0]`,
	`x[\${z:-$(${command})}]`,
	`x[$((y[$(${command})]))]`,
	`x["$(${command})"]`,
	`$(${command})1`,
	`\`${command}\``,
] as const;

/** Ways to have a text evaluated; `T` is the text, `Q` the same in single quotes. */
const forms = [
	"((T))",
	"((a=T))",
	"((T++))",
	"((1 ? T : 0))",
	"echo $((T))",
	"echo $[T]",
	': "$((T))"',
	"a=Q; echo $((a))",
	"a=Q; ((a))",
	"a=Q; b=a; ((b+1))",
	"a=Q; echo $[a]",
	"a=Q; export a; ((a))",
	"a=Q; sleep $((0*a))",
	"a=Q; case $((a)) in *) ;; esac",
	"a=Q; for ((i=a; i<1; i++)); do break; done",
	"a=Q; for ((i=0; i<a; i++)); do break; done",
	"a=Q; cat <<< $((a))",
	"a=Q; cat <<E\n$((a))\nE",
	"a=Q; f() { echo $(($1)); }; f a",
	"f() { echo $(($1)); }; f Q",
	"set -- Q; echo $(($1))",
	"a=Q; ((a)) && ls || ls",
	"a=Q; while ((a)); do break; done",
	"a=Q; if ((a)); then :; fi",
	"a=Q; x=abc; echo ${x:a}",
	"a=Q; x=abc; echo ${x:0:a}",
	"a=Q; x=(1 2); echo ${x[@]:a}",
	"a=Q; set -- 1 2; echo ${@:a}",
	"a=Q; x=(1 2); echo ${x[a]}",
	"x=(1 2); echo ${x[Q]}",
	"x=(1 2); echo ${#x[Q]}",
	"x=(1 2); echo ${x[T]:-y}",
	"x=(1 2); echo ${!x[T]}",
	"x[T]=1",
	"x[Q]=1",
	"x=([T]=1)",
	"x=(['T']=1)",
	"let Q",
	"let a=Q",
	"let 'a=T' b",
	"declare -i a=Q",
	"typeset -i a=Q",
	"declare -i a; a=Q",
	"declare -ai a=(Q)",
	"declare -ai a; a=(Q)",
	"declare -i a; a+=Q",
	"f() { local -i a=Q; }; f",
	"declare Q=1",
	"export Q=1",
	"readonly Q=1",
	"declare -n r=Q; echo $r",
	"r=Q; echo ${!r}",
	"r=Q; echo ${!r:-x}",
	"[[ T -eq 1 ]]",
	"[[ Q -gt 1 ]]",
	"a=Q; [[ $a -lt 1 ]]",
	"a=Q; [[ 1 -ne a ]]",
	"[[ -v Q ]]",
	"test -v Q",
	"[ -v Q ]",
	"printf -v Q x",
	"printf -vQ x",
	"read Q <<< x",
	"read -r a Q <<< 'x y'",
	"read -a Q <<< x",
	"mapfile -t Q <<< x",
	"unset Q",
	"unset -v Q",
	"getopts a Q -a",
	"true & wait -n -p Q",
	"SECONDS=Q",
	"RANDOM=Q",
	"OPTIND=Q",
	"exec {x[Q]}> /dev/null",
	"PS4=Q; set -x; :",
	"export PS4=Q; set -x; :",
	"a=Q; echo ${a@P}",
	"PS1=Q; echo ${PS1@P}",
	"a=(Q); echo ${a[@]@P}",
	"set -- Q; echo ${1@P}",
	"echo x | mapfile -c1 -C 'T;'",
	"echo [T]",
	"echo x[T]y",
	"shopt -s extglob; echo @(T|b)",
	"x=a; echo ${x^^T}",
	"x=a; echo ${x/T/b}",
	"x=a; echo ${x#T}",
	"echo ${@/T/b}",
	"echo ${#x[T]}",
	"echo {a,T}",
	"echo ${none:-T}",
	"x=a; echo ${x:+T}",
	": ${none=T}",
	"cat < $(echo /dev/null) T",
	"eval echo Q",
	"trap Q EXIT",
	"sh -c Q",
	"declare -a 'a=(T)'",
	"declare -A m; m[T]=1",
	"declare -A m; m[Q]=1; unset 'm[T]'",
	"jobs -x Q",
	"hash -p /bin/sh ls; ls -c 'T'",
] as const;

/** Every form with some of the texts, with others of them each time. */
const written = forms.flatMap((form, index) =>
	[0, 4, 7].slice(0, deep ? 3 : 1).map((step) => {
		const text = texts[(index + step) % texts.length] ?? "";
		return form.replaceAll("Q", `'${text.replaceAll("'", "'\\''")}'`).replaceAll("T", text);
	}),
);

/** Runs every script in a folder of its own, and answers which of them ran the command. */
function whichRan(scripts: readonly string[]): ReadonlySet<string> {
	const top = mkdtempSync(join(tmpdir(), "evaluated-"));
	const driver =
		'i=0; while IFS= read -r -d "" s; do mkdir $i; (cd $i; bash -c "$s" < /dev/null > /dev/null 2>&1); i=$((i+1)); done';
	try {
		spawnSync("bash", ["-c", driver], { cwd: top, input: scripts.map((script) => `${script}\0`).join("") });
		return new Set(scripts.filter((_script, index) => existsSync(join(top, String(index), "ran"))));
	} finally {
		rmSync(top, { recursive: true, force: true });
	}
}

const hasBash = spawnSync("bash", ["-c", "exit 7"]).status === 7;

describe("text that bash evaluates again", () => {
	it("does not hide a command that runs", { ...needsProgram("bash", hasBash), timeout: patient(60_000) }, () => {
		const ran = whichRan(written);
		expect(ran.size).toBeGreaterThan(written.length / 4);
		expect([...ran].filter((script) => knowledgeOf(shell(script)) === "reads")).toEqual([]);
	});

	it.each([
		"n=$(wc -l < a); echo $((n + 1))",
		"x=(a b c); for i in 0 1 2; do echo ${x[i]} ${x[$i]} ${x[$((i+1))]}; done",
		"declare -i n=3; ((n += 2)); echo $n",
		"s=abc; echo ${s:1:2} ${s: -1} ${#s}",
		'declare -A seen; while read -r l; do [[ -v seen[$l] ]] || seen[$l]=1; done < a; echo "${!seen[@]}"',
		'[[ $(ls | wc -l) -gt 3 ]] && echo "more than $((1 + 2))"',
		"let n=1+2; test -v n && printf -v s '%03d' $n; echo $s",
		'read -r first rest <<< "a b c"; echo ${first@Q} ${rest^^}',
		"PS4='+ '; set -x; ls",
	])("may be harmless: %s", (script) => {
		expect(knowledgeOf(shell(script)), JSON.stringify(shell(script).unknowns)).toBe("reads");
	});
});
