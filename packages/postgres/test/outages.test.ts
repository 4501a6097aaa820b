// An outage of the database or of the git remote is waited for: it is no answer, and no attempt of a run counts as failed because of it.
import { expect, it } from "vitest";
import { remoteFailure, thrownFailure } from "../../pi-chronicle/src/local/remote/git-remote.ts";
import { runGit } from "../../pi-chronicle/src/local/workspace/index.ts";
import { openFolder } from "../../pi-chronicle/test/harness/folder.ts";
import { databaseFailure, isOutage, untilReached } from "../src/database-failure.ts";
import { openLeftovers } from "../src/leftovers.ts";
import { failedOn } from "../src/settle.ts";

const outage = {
	ok: false,
	failure: { reason: "database_away", message: "No route.", remedy: "Wait." },
} as const;
const removed = { ok: false, failure: { reason: "unknown", message: "No run has the id.", remedy: "" } };

it.each([
	["own", 2],
	["shared", 0],
])("what the parent of a child with %s files keeps is read until the database answers", async (files, reads) => {
	const answers = [outage, removed];
	const store = { read: async () => answers.shift() };
	const run = { id: "child", parent: { run: "parent", files } };
	const leftovers = openLeftovers({ store, run, database: { name: "db", shell: "" } } as never);
	expect(await leftovers.keep()).toEqual({ ok: true, value: [] });
	expect(2 - answers.length).toBe(reads);
});

it("what throws instead of returning an outage throws its failure, which is said once", async () => {
	const thrown = await untilReached(0, async () => outage).catch((error: unknown) => error);
	expect(isOutage(thrown)).toBe(true);
	expect(databaseFailure(thrown, { name: "db/x", shell: "" })).toEqual(outage.failure);
});

it("what a git remote says has no NUL, which Postgres takes in no text", async () => {
	const said = await runGit({ args: ["-c", "alias.say=!printf 'a\\0b' >&2; exit 1", "say"], cwd: openFolder() });
	expect(said).toMatchObject({ kind: "failed", message: "ab" });
});

const ofDatabase = (code: string, message: string) =>
	({ ok: false, failure: databaseFailure({ code, message }, { name: "db/x", shell: "" }) }) as const;
const ofGit = (message: string) => remoteFailure({ kind: "failed", code: 128, message, raw: "" });

it.each([
	["again", ofGit("ssh: connect to host git.example port 22: Connection refused")],
	["again", ofGit("fatal: unable to access 'https://git.example/': Could not resolve host: git.example")],
	["again", ofGit("fatal: the remote end hung up unexpectedly")],
	["failed", ofGit("git@git.example: Permission denied (publickey).")],
	["failed", ofGit("fatal: couldn't find remote ref refs/chronicle/x")],
	["failed", ofGit("error: file write error: No space left on device")],
	["failed", ofGit("fatal: Authentication failed for 'https://git.example/a.git/'")],
	["failed", ofGit("remote: Repository not found.\nfatal: repository 'https://git.example/a.git/' not found")],
	["failed", ofGit("fatal: could not read Username for 'https://git.example': terminal prompts disabled")],
	["failed", ofGit("fatal: unable to access 'https://git.example/': The requested URL returned error: 403")],
	["failed", ofGit("Host key verification failed.\nfatal: Could not read from remote repository.")],
	["failed", ofGit(" ! [remote rejected] main -> main (pre-receive hook declined)")],
	["failed", ofGit("fatal: remote error: upload-pack: not our ref 1234")],
	["failed", ofGit("fatal: unable to access 'https://git.example/': SSL certificate problem: certificate has expired")],
	...[
		"remote: fatal: loose object 52ab (stored in ./objects/52/ab) is corrupt",
		"remote: aborting due to possible repository corruption on the remote side.\nfatal: protocol error: bad pack header",
		"error: object file ./objects/2e/fd is empty\nfatal: loose object 2efd is corrupt\nfatal: the remote end hung up unexpectedly",
		"remote: fatal: bad tree object df55",
		"error: inflate: data stream error (invalid bit length repeat)\nfatal: unpack-objects failed",
		"fatal: pack is corrupted (SHA1 mismatch)",
		"error: packfile ./objects/pack/pack-4.pack does not match index\nfatal: the remote end hung up unexpectedly",
	].map((said) => ["failed", ofGit(said), /remote is damaged: .* Run git fsck there/s] as const),
	["again", ofGit("fatal: unable to access 'https://git.example/': The requested URL returned error: 503")],
	["again", ofGit("remote: fatal: write error: No space left on device\nerror: unpack failed: unpacker error")],
	["again", ofGit("fatal: '/srv/a.git' does not appear to be a git repository")],
	["again", ofGit("error: RPC failed; curl 56 Recv failure: Connection reset by peer\nfatal: early EOF")],
	["again", ofGit("ssh: connect to host git.example port 22: Connection timed out")],
	["failed", thrownFailure(new Error("The run's folder is gone."))],
	["failed", thrownFailure(new Error("The set-up command failed: a\0b"))],
	["again", thrownFailure(new Error("connection terminated unexpectedly"))],
	["again", outage],
	["failed", { ok: false, failure: { reason: "io", message: "The database x cannot be reached: y.", remedy: "" } }],
	["again", ofDatabase("ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:5432")],
	["again", ofDatabase("EAI_AGAIN", "getaddrinfo EAI_AGAIN db.example")],
	["again", ofDatabase("ENETDOWN", "connect ENETDOWN 10.0.0.1:5432")],
	["again", ofDatabase("57P01", "terminating connection due to administrator command")],
	["again", ofDatabase("57P03", "the database system is starting up")],
	["again", ofDatabase("57014", "canceling statement due to statement timeout")],
	["again", ofDatabase("53100", "could not extend file")],
	["again", ofDatabase("53300", "sorry, too many clients already")],
	["again", ofDatabase("25006", "cannot execute UPDATE in a read-only transaction")],
	["again", ofDatabase("40P01", "deadlock detected")],
	["failed", ofDatabase("42501", "permission denied for table run")],
	["failed", ofDatabase("28P01", "password authentication failed")],
	["failed", ofDatabase("XX000", "internal")],
] as const)("a run that failed on a host is tried %s", (kind, failed, reason = /^/) => {
	if (failed.ok) throw new Error("no failure");
	const how = failedOn("a", failed.failure);
	expect(how).toMatchObject({ kind, ...(kind === "failed" ? { reason: expect.stringMatching(reason) } : {}) });
	expect(JSON.stringify(how)).not.toContain("\\u0000");
	if (failed.failure.reason === "remote_away")
		expect(how).toMatchObject({ hindered: { detail: expect.stringContaining("The host a gave it back: ") } });
});
