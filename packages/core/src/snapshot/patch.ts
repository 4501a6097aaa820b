// Parses a unified diff as written by git: files, hunks, lines. A truncated diff is parsed up to the cut. Pure.
// Source of the format: git's documentation of `diff-format`, "Generating patch text with -p".

/** Redacts the secrets in a text. */
type Redact = (text: string) => string;

export interface PatchFile {
	readonly path: string;
	/** Old path of a renamed file. */
	readonly from: string | undefined;
	readonly change: "A" | "M" | "D" | "R";
	/** The file has no lines that count: it is binary, a link or a repository, or its contents are not kept. */
	readonly binary: boolean;
	readonly hunks: readonly PatchHunk[];
	readonly added: number;
	readonly removed: number;
}

export interface PatchHunk {
	/** `@@ -1,4 +1,6 @@ function f()`. */
	readonly head: string;
	readonly lines: readonly PatchLine[];
}

export interface PatchLine {
	/** `\` starts a remark by git. */
	readonly sign: " " | "+" | "-" | "\\";
	readonly text: string;
	/** Line number; in the old file if the line was removed. */
	readonly number: number;
}

/** The files of a patch. Secrets in their lines are redacted, including those that span several lines. */
export function readPatch(text: string, redact: Redact): PatchFile[] {
	// Not with the flag m: a line may contain other line breaks than git's.
	const sections = text.split(/(?<=^|\n)(?=diff --git )/).filter((section) => section.startsWith("diff --git "));
	// A truncated patch may end before the name of its last file.
	return sections.map((section) => readPatchFile(section, redact)).filter(({ path }) => path !== "");
}

/** Lines in the head of a file without lines; links and repositories have the modes 120000 and 160000. */
const withoutLines =
	/^(?:Binary files |GIT binary patch|(?:index|new file mode|deleted file mode|new mode) .*\b1[26]0000$)/;

function readPatchFile(section: string, redact: Redact): PatchFile {
	const lines = section.split("\n");
	const start = lines.findIndex((line) => line.startsWith("@@"));
	const head = start < 0 ? lines : lines.slice(0, start);
	const after = (prefix: string): string | undefined => {
		const line = head.find((one) => one.startsWith(prefix));
		return line === undefined ? undefined : line.slice(prefix.length);
	};
	const old = patchPath(after("--- "));
	const now = patchPath(after("+++ "));
	const from = unquote(after("rename from ") ?? after("copy from "));
	const path = unquote(after("rename to ") ?? after("copy to ")) ?? now ?? old ?? pathOfHeading(lines[0] ?? "");
	const change =
		after("new file mode") !== undefined
			? "A"
			: after("deleted file mode") !== undefined
				? "D"
				: from !== undefined
					? "R"
					: "M";
	const hunks = start < 0 ? [] : readHunks(lines.slice(start), redact);
	const binary = head.some((line) => withoutLines.test(line));
	const count = (sign: string): number =>
		binary ? 0 : hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.sign === sign).length, 0);
	return { path, from, change, binary, hunks, added: count("+"), removed: count("-") };
}

/** `a/src/x.ts` → `src/x.ts`; nothing for `/dev/null`. */
function patchPath(name: string | undefined): string | undefined {
	// git appends a tab to a name with spaces.
	const path = unquote(name?.replace(/\t$/, ""));
	return path === undefined || path === "/dev/null" ? undefined : path.replace(/^[ab]\//, "");
}

/** The path in `diff --git a/x b/x`, if both are the same. */
function pathOfHeading(line: string): string {
	const names = line.slice("diff --git ".length);
	const quoted = /"((?:[^"\\]|\\.)*)"$/.exec(names);
	if (quoted) return patchPath(quoted[0]) ?? names;
	const half = names.slice(Math.ceil(names.length / 2));
	return half.startsWith("b/") ? half.slice(2) : names;
}

/** Decodes a name quoted by git: bytes in octal, the usual escapes. */
function unquote(name: string | undefined): string | undefined {
	if (name === undefined || !/^".*"$/s.test(name)) return name;
	const bytes = name
		.slice(1, -1)
		.replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
			/^[0-7]{3}$/.test(code) ? String.fromCharCode(Number.parseInt(code, 8) & 255) : (escapes[code] ?? code),
		);
	// Characters that git did not escape may be outside latin1.
	return /[\u0100-\uffff]/.test(bytes) ? bytes : Buffer.from(bytes, "latin1").toString("utf8");
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", a: "\u0007" };

function readHunks(lines: readonly string[], redact: Redact): PatchHunk[] {
	const hunks: { head: string; lines: PatchLine[] }[] = [];
	let old = 0;
	let now = 0;
	for (const line of lines) {
		const starts = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
		if (starts) {
			old = Number(starts[1]);
			now = Number(starts[2]);
			hunks.push({ head: line, lines: [] });
			continue;
		}
		const hunk = hunks.at(-1);
		const sign = line[0];
		if (!hunk) continue;
		if (sign === "+") hunk.lines.push({ sign, text: line.slice(1), number: now++ });
		else if (sign === "-") hunk.lines.push({ sign, text: line.slice(1), number: old++ });
		else if (sign === " ") {
			hunk.lines.push({ sign, text: line.slice(1), number: now++ });
			old += 1;
		} else if (sign === "\\") hunk.lines.push({ sign, text: line.slice(2), number: 0 });
	}
	return hunks.map(({ head, lines: own }) => ({ head: redact(head), lines: redactLines(own, redact) }));
}

/** Redacts the lines of each side, old and new, together: a key block spans several lines. */
function redactLines(lines: readonly PatchLine[], redact: Redact): PatchLine[] {
	const clean = [...lines];
	for (const side of ["-", "+"] as const) {
		const own = lines.flatMap((line, index) => (line.sign === side || line.sign === " " ? [index] : []));
		const texts = own.map((index) => lines[index]?.text ?? "");
		const shown = redactTogether(texts, redact);
		for (const [at, index] of own.entries()) {
			const line = clean[index];
			if (line) clean[index] = { ...line, text: shown[at] ?? "" };
		}
	}
	return clean;
}

function redactTogether(texts: readonly string[], redact: Redact): readonly string[] {
	const together = redact(texts.join("\n")).split("\n");
	if (together.length === texts.length) return together;
	// Redaction merged the lines of a secret: hide the lines of a key block one by one, and redact the others separately.
	let inside = false;
	return texts.map((text) => {
		const begins = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/.test(text);
		const hidden = begins || inside;
		inside = hidden && !/-----END [A-Z ]{0,40}PRIVATE KEY-----/.test(text);
		return hidden ? "•••" : redact(text);
	});
}

/** Whether the file's name marks all its contents as secret. They are not shown. */
export function isSecretFile(path: string): boolean {
	const name = path.slice(path.lastIndexOf("/") + 1);
	return (
		/\.(?:pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg)$/i.test(name) ||
		/^\.env(?!.*\b(?:example|sample|template|dist)\b)/i.test(name) ||
		/^(?:id_(?:rsa|dsa|ecdsa|ed25519)|\.netrc|\.npmrc|\.pypirc|\.git-credentials|\.htpasswd|credentials|secrets?\.(?:json|ya?ml|toml))$/i.test(
			name,
		)
	);
}
