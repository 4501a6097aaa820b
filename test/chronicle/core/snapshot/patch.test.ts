// Unified diffs as git writes them: the change of each file, its lines with their numbers, and no secrets.
import { describe, expect, it } from "vitest";
import { isSecretFile, readPatch } from "../../../../src/chronicle/core/snapshot/patch.ts";

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
		for (let length = 0; length <= patch.length; length += 1)
			for (const { path, hunks } of readPatch(patch.slice(0, length), unchanged)) {
				expect(path).not.toBe("");
				expect(hunks.every(({ head }) => head.startsWith("@@"))).toBe(true);
			}
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
