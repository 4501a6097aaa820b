// Unified diffs as git writes them: the change of each file, its lines with their numbers, and no secrets.
import { describe, expect, it } from "vitest";
import { isSecretFile, readPatch } from "../../src/snapshot/patch.ts";

const unchanged = (text: string) => text;
/** Hides a block of several lines as one. */
const hideKeys = (text: string) => text.replace(/-----BEGIN PRIVATE KEY-----[\s\S]*?-----END PRIVATE KEY-----/g, "KEY");

const patch = `diff --git a/src/a.ts b/src/a.ts
index 1..2 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -3,3 +3,4 @@ function a()
 same
-old
+new
+newer
 end
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/b.txt b/c.txt
rename from b.txt
rename to c.txt
diff --git a/logo.png b/logo.png
new file mode 100644
Binary files /dev/null and b/logo.png differ
`;

describe("a patch", () => {
	it("names each file's change, and counts its added and removed lines apart", () => {
		const files = readPatch(patch, unchanged);
		expect(files.map(({ hunks: _, ...file }) => file)).toEqual([
			{ path: "src/a.ts", from: undefined, change: "M", binary: false, added: 2, removed: 1 },
			{ path: "gone.txt", from: undefined, change: "D", binary: false, added: 0, removed: 1 },
			{ path: "c.txt", from: "b.txt", change: "R", binary: false, added: 0, removed: 0 },
			{ path: "logo.png", from: undefined, change: "A", binary: true, added: 0, removed: 0 },
		]);
	});

	it("numbers lines in the new file, removed ones in the old", () => {
		const [file] = readPatch(patch, unchanged);
		expect(file?.hunks[0]?.lines.map(({ sign, text, number }) => `${sign}${text} ${number}`)).toEqual([
			" same 3",
			"-old 4",
			"+new 4",
			"+newer 5",
			" end 6",
		]);
	});

	it("hides the lines of a key block, from its first to its last, and no other line", () => {
		const lines = ["+before", "+-----BEGIN PRIVATE KEY-----", "+abc", "+-----END PRIVATE KEY-----", "+after"];
		const text = `diff --git a/k b/k\nnew file mode 100644\n--- /dev/null\n+++ b/k\n@@ -0,0 +1,5 @@\n${lines.join("\n")}\n`;
		const [file] = readPatch(text, hideKeys);
		expect(file?.hunks[0]?.lines.map((line) => line.text)).toEqual(["before", "•••", "•••", "•••", "after"]);
	});

	it("that was cut anywhere is read up to the cut", () => {
		const whole = readPatch(patch, unchanged);
		expect(whole).toHaveLength(4);
		for (let length = 0; length <= patch.length; length += 1) {
			const begun = patch.slice(0, length).split("\ndiff --git ").length - (length === 0 ? 1 : 0);
			const files = readPatch(patch.slice(0, length), unchanged);
			expect([begun - 1, begun], `cut at ${length}`).toContain(files.length);
			expect(files.slice(0, -1)).toEqual(whole.slice(0, Math.max(0, files.length - 1)));
			for (const { path, hunks } of files.slice(-1)) {
				expect(path).not.toBe("");
				expect(hunks.every(({ head }) => head.startsWith("@@"))).toBe(true);
			}
		}
	});
});

describe("a file of a patch", () => {
	const only = (text: string) => readPatch(text, unchanged)[0];
	it.each<[what: string, text: string, path: string, from: string | undefined, change: string]>([
		["with spaces", "diff --git a/a b b/a b\n--- a/a b\t\n+++ b/a b\t\n@@ -1 +1 @@\n", "a b", undefined, "M"],
		["without lines", "diff --git a/x.sh b/x.sh\nold mode 100644\nnew mode 100755\n", "x.sh", undefined, "M"],
		["without lines, with spaces", "diff --git a/x y b/x y\nold mode 100644\n", "x y", undefined, "M"],
		["copied", "diff --git a/a b/b\ncopy from a\ncopy to b\n", "b", "a", "R"],
		["removed", "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n", "a", undefined, "D"],
		["added", "diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n", "a", undefined, "A"],
		[
			"named in octal",
			'diff --git "a/\\303\\274" "b/\\303\\274"\n--- "a/\\303\\274"\n+++ "b/\\303\\274"\n',
			"ü",
			undefined,
			"M",
		],
		["named with escapes", 'diff --git "a/\\t\\"x" "b/\\t\\"x"\nold mode 1\n', '\t"x', undefined, "M"],
		["renamed with quotes", 'diff --git a/a "b/\\n"\nrename from a\nrename to "\\n"\n', "\n", "a", "R"],
		["named beyond latin1 in quotes", 'diff --git "a/日\\t" "b/日\\t"\nold mode 1\n', "日\t", undefined, "M"],
		["whose heading names two", "diff --git a/one b/other\nold mode 1\n", "a/one b/other", undefined, "M"],
	])("%s has its name and its change", (_what, text, path, from, change) => {
		expect(only(text)).toMatchObject({ path, from, change });
	});

	it("numbers the lines of each hunk anew, and git's remarks not at all", () => {
		const text =
			"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@ f\n-x\n same\n+y\n\\ No newline at end of file\n@@ -10 +20 @@\n-p\n+q\n";
		expect(
			only(text)?.hunks.map(({ head, lines }) => [
				head,
				...lines.map((line) => `${line.sign}${line.text} ${line.number}`),
			]),
		).toEqual([
			["@@ -1,2 +1,2 @@ f", "-x 1", " same 1", "+y 2", "\\No newline at end of file 0"],
			["@@ -10 +20 @@", "-p 10", "+q 20"],
		]);
	});

	it("hides a secret that one side has, line by line where it joins lines, and on the other side shows the rest", () => {
		const lines = [" top", "-old", "+-----BEGIN PRIVATE KEY-----", "+abc", "+-----END PRIVATE KEY-----", " end"];
		const text = `diff --git a/k b/k\n--- a/k\n+++ b/k\n@@ -1,3 +1,5 @@ KEY\n${lines.join("\n")}\n`;
		expect(only(text) && readPatch(text, hideKeys)[0]?.hunks[0]?.lines.map((line) => line.text)).toEqual([
			"top",
			"old",
			"•••",
			"•••",
			"•••",
			"end",
		]);
		// What is between the lines of a secret on one side does not belong to that side.
		const between = lines.toSpliced(4, 0, "-gone");
		const mixed = text.replace(lines.join("\n"), between.join("\n"));
		expect(readPatch(mixed, hideKeys)[0]?.hunks[0]?.lines.map((line) => line.text)).toEqual([
			...["top", "old", "•••", "•••", "gone", "•••", "end"],
		]);
		const marked = readPatch(patch, (one) => one.replaceAll("new", "•"))[0];
		expect(marked?.hunks[0]?.lines.map((line) => line.text)).toEqual(["same", "old", "•", "•er", "end"]);
		expect(readPatch(patch, () => "•")[0]?.hunks[0]?.head).toBe("•");
	});
});

describe("secret by its file name:", () => {
	it.each([".env", "sub/.env.local", "id_rsa", "server.pem", "a/b.key", ".npmrc", "secrets.yaml", ".git-credentials"])(
		"%s is",
		(path) => expect(isSecretFile(path)).toBe(true),
	);
	it.each([".env.example", "environment.ts", "key.ts", "id_rsa.pub", "pem.md", "secrets.ts", "src/.env/readme.md"])(
		"%s is not",
		(path) => expect(isSecretFile(path)).toBe(false),
	);
});
