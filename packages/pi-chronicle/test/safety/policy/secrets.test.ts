// The table of secrets: every kind in the texts where it occurs, and texts that must stay unchanged.
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openRedaction, redactInput, redactSecrets, redactText } from "../../../src/safety/index.ts";
import { isSecretName, secretKinds } from "../../../src/safety/policy/secrets.ts";
import { cpuMs } from "../../harness/cpu.ts";
import { within } from "../../harness/patience.ts";

// Put together here, so that no scanner takes this file for a leak.
const fill = (length: number, alphabet = "aB3xY9kQ7mZ1") =>
	Array.from({ length }, (_, n) => alphabet[(n * 5 + (n >> 2)) % alphabet.length]).join("");
const small = (length: number) => fill(length, "a3f9c0d7b1e2");
const pem = (kind: string) =>
	[`-----BEGIN ${kind}-----`, `${fill(48)}/${fill(12)}`, fill(40), `-----END ${kind}-----`].join("\n");

/** A secret of each kind of the table: the part that must not be seen. */
const secrets: readonly [kind: string, text: string, secret: string][] = [
	["private key", pem("RSA PRIVATE KEY"), fill(40)],
	["private key", pem("OPENSSH PRIVATE KEY"), fill(40)],
	["private key", pem("PRIVATE KEY"), fill(40)],
	["private key", pem("ENCRYPTED PRIVATE KEY"), fill(40)],
	["private key", pem("PGP PRIVATE KEY BLOCK"), fill(40)],
	["age key", `AGE-SECRET-KEY-1${fill(58, "Q2W3E4R5T6Y7")}`, fill(20, "Q2W3E4R5T6Y7")],
	["authorization header", `Authorization: Token ${small(20)}`, small(20)],
	["authorization header", `X-Api-Key: ${small(12)}`, small(12)],
	["session cookie", `Cookie: sid=${small(12)}`, small(12)],
	["bearer", `bearer ${fill(20)}`, fill(20)],
	["bearer", `Basic ${fill(24)}=`, fill(24)],
	["named value", `SERVICE_TOKEN=${small(8)}`, small(8)],
	["named value", `{"client_secret": "${small(10)}"}`, small(10)],
	["value in prose", `The password is ${small(9)}`, small(9)],
	["option", `--password ${small(9)}`, small(9)],
	["option", `--token=${small(9)}`, small(9)],
	["address with a password", `postgres://ann:${small(9)}@db.example/x`, small(9)],
	["address with a password", `https://ann:${small(9)}@example.com/x.git`, small(9)],
	["API key", `sk-ant-api03-${fill(30)}`, fill(30)],
	["API key", `sk_live_${fill(24)}`, fill(24)],
	["forge token", `ghp_${fill(36)}`, fill(36)],
	["forge token", `github_pat_${fill(40)}`, fill(40)],
	["forge token", `glpat-${fill(20)}`, fill(20)],
	["registry token", `npm_${fill(36)}`, fill(36)],
	["registry token", `pypi-${fill(60)}`, fill(60)],
	["registry token", `hf_${fill(34)}`, fill(34)],
	["chat token", `xoxb-${fill(24)}`, fill(24)],
	["chat token", `123456789:AA${fill(33)}`, fill(33)],
	["cloud key", `AKIA${fill(16, "A3F9C0D7B1E2")}`, fill(16, "A3F9C0D7B1E2")],
	["cloud key", `AIza${fill(35)}`, fill(35)],
	["cloud key", `ya29.${fill(40)}`, fill(40)],
	["cloud key", `GOCSPX-${fill(28)}`, fill(28)],
	["cloud key", `SG.${fill(22)}.${fill(43)}`, fill(22)],
	["cloud key", `dop_v1_${small(64)}`, small(64)],
	["JSON web token", `eyJ${fill(20)}.eyJ${fill(20)}.${fill(20)}`, `eyJ${fill(20)}`],
	["random word", small(38), small(38)],
	["random word", fill(40), fill(40)],
	["random word", small(40), small(40)],
	["random word", small(64), small(64)],
];

describe("secrets", () => {
	it("of every kind in the table have a case", () => {
		expect([...new Set(secrets.map(([kind]) => kind))].toSorted()).toEqual(
			secretKinds.map(({ name }) => name).toSorted(),
		);
	});
	it.each(secrets)("%s: %s", (_, text, secret) => {
		for (const around of [text, `Use ${text} for it.`, `(${text})`, JSON.stringify({ say: `it: ${text}\nend` })]) {
			for (const clean of [redactSecrets(around), redactText(around, 2000), redactInput({ command: around }, 2000)]) {
				expect(clean).not.toContain(secret);
				expect(clean).toContain("•••");
			}
			expect(redactSecrets(redactSecrets(around))).toBe(redactSecrets(around));
		}
	});
	it.each([
		`commit ${small(40)}`,
		`HEAD is now at ${small(40)}`,
		`sha256:${small(64)}`,
		`The net, with sha256: test/a-today.test.js ${small(64)} (24 tests); src/b.js ${small(64)}`,
		`${small(64)}  test/a.test.js\n${small(64)} *b.bin`,
		`git show ${small(40)}`,
		"123e4567-e89b-42d3-a456-426614174000",
		"src/components/workflow/definitions/reader-of-many-files.ts",
		"should_return_404_when_the_page_of_the_book_is_missing",
		"testThatTheReaderOfManyFilesReturnsNothing2",
		"ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJ",
		"--------------------------------------------",
		"0123456789012345678901234567890123456789",
		"npm_config_registry and npm_lifecycle_event",
		"the tokens: 12345 of max_tokens=4096",
		"sk-learn and pk-fields",
	])("do not include %s", (text) => expect(redactSecrets(text)).toBe(text));

	it("include random tokens of any alphabet, nearly always", () => {
		const made = (n: number): string[] => [
			randomBytes(24).toString("hex"),
			randomBytes(40).toString("base64url").replaceAll(/[-_]/g, "x"),
			n % 2 ? randomBytes(19).toString("hex") : randomBytes(33).toString("hex"),
		];
		const words = Array.from({ length: 500 }, (_, n) => made(n)).flat();
		const missed = words.filter((word) => redactSecrets(`x ${word}`).includes(word));
		expect(missed.length / words.length).toBeLessThan(0.05);
	});

	/** A word with so many letters and digits, its kinds of characters following each other in blocks: `changes` places where they change. */
	const blocks = (length: number, changes: number, digits: number, kinds: readonly string[]): string => {
		const block = (at: number) => kinds[at % kinds.length] ?? "a";
		const ends = Array.from({ length: changes + 1 }, (_, at) => block(at));
		let missing = length - ends.length;
		let wanted = digits - ends.filter((kind) => kind === "1").length;
		return ends
			.map((kind) => {
				const most = kind === "1" ? wanted : missing - Math.max(0, wanted);
				const more = Math.max(0, Math.min(missing, most));
				missing -= more;
				if (kind === "1") wanted -= more;
				return kind.repeat(1 + more);
			})
			.join("");
	};
	it.each<[string, boolean]>([
		// Two kinds of characters: 28 of 100 places change; three kinds: 45.
		[blocks(50, 14, 7, ["a", "1"]), true],
		[blocks(50, 13, 7, ["a", "1"]), false],
		[blocks(40, 18, 6, ["a", "1", "A"]), true],
		[blocks(40, 17, 6, ["a", "1", "A"]), false],
		// At least 3 digits.
		["aBcDaBcDaBcDaBcDaBcDaBcDaBcDaB123", true],
		["aBcDaBcDaBcDaBcDaBcDaBcDaBcDaBc12", false],
		["aBcDaBcDaBcDaBcDaBcDaBcDaBcDaBcDa", false],
		// A part of at least 24 characters, wherever it is.
		[`name-${fill(24)}-name`, true],
		[`name-${fill(23)}-names`, false],
		[`${"name".repeat(8)}-${fill(24)}`, true],
		[`${fill(24)}_${"name".repeat(8)}`, true],
		// 32 characters in all.
		[fill(32), true],
		[fill(31), false],
	])("%s looks random: %s", (word, expected) => {
		expect(redactSecrets(`use ${word} now`).includes(word)).toBe(!expected);
	});

	it.each([32, 40, 64])("%d hex digits are a digest if the preceding text says so, otherwise a secret", (length) => {
		const digest = small(length);
		for (const before of ["tree ", "sha1: ", "checksum of it = ", "0a1b2c3..", "commit of the long branch: "])
			expect(redactSecrets(before + digest)).toBe(before + digest);
		for (const before of [
			"",
			"a ",
			"commit\n",
			"token.txt ",
			"api-key.js ",
			"config.json: ",
			"See README.md. ",
			`commit ${"x ".repeat(13)}`,
			"the key of commit ",
			"auth tree ",
		])
			expect(redactSecrets(before + digest)).toBe(`${before}•••`);
		expect(redactSecrets(`commit ${small(length + 1)}`)).toBe("commit •••");
		// Whatever names a secret among the last 30 characters before it.
		expect(redactSecrets(`key${".".repeat(20)}commit ${digest}`)).toContain("•••");
		expect(redactSecrets(`key${".".repeat(21)}commit ${digest}`)).toContain(digest);
	});

	it.each<[name: string, value: string, secret: boolean]>([
		["DB_PASSWORD", "sesame", true],
		["DB_PASSWORD", "sesam", false],
		["DB_PASSWORD", "true", false],
		["DB_PASSWORD", "1234567", false],
		["DB_PASSWORD", "12345678", true],
		["SSH_KEY", "/home/me/key", false],
		["EDITOR", "sesame", false],
	])("the value of %s=%s is a secret: %s", (name, value, secret) => {
		expect(openRedaction({ [name]: value })(`say ${value} twice`)).toBe(
			secret ? "say ••• twice" : `say ${value} twice`,
		);
	});

	it("values of the environment are found in their JSON and URL encodings, the longest first", () => {
		const redact = openRedaction({ A_SECRET: "open", B_SECRET: 'open "sesame"\n', C_SECRET: 'open "sesame"\nnow' });
		expect(redact(JSON.stringify({ a: 'open "sesame"\n' }))).toBe('{"a":"•••"}');
		expect(redact(`x?a=${encodeURIComponent('open "sesame"\nnow')}&b`)).toBe("x?a=•••&b");
		expect(redact('open "sesame"\nnow')).toBe("•••");
	});

	it.each<[string, boolean]>([
		["db_password", true],
		["API_KEY", true],
		["Authorization", true],
		["tokens", false],
		["keyboard", false],
	])("%s names a secret: %s", (name, expected) => {
		expect(isSecretName(name)).toBe(expected);
	});

	it("include values of the environment anywhere", () => {
		const redact = openRedaction({ SERVICE_SECRET: "plain words here", PATH: "/usr/bin", MAX_TOKENS: "4096" });
		expect(redact("it says plain words here")).toBe("it says •••");
		expect(redact("/usr/bin 4096")).toBe("/usr/bin 4096");
	});
	it("leave other text unchanged, and redaction never fails", () => {
		fc.assert(fc.property(fc.string({ maxLength: 400 }), (text) => void redactSecrets(text)));
	});
	it("are found in time linear in the text", async () => {
		const units = "a,a1,-,a_,token ,cookie:,password is ,AA:,0:AA,://a:,eyJ,SG.,+/".split(",");
		const ms = await cpuMs(() => {
			for (const unit of units) redactSecrets(unit.repeat(200_000 / unit.length));
		});
		expect(ms).toBeLessThan(within(3000));
	});
});
