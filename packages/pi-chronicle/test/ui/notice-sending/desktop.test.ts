// The bell, the notifications of terminals, and those of desktops.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { desktopCommand, notifyInTerminal, ringBell } from "../../../src/ui/notice-sending/send-desktop.ts";
import { closeLater } from "../../harness/lifetime.ts";

/** A file in the place of a terminal. */
function terminalFile(): string {
	const folder = mkdtempSync(join(tmpdir(), "terminal-"));
	closeLater(() => rmSync(folder, { recursive: true, force: true }));
	const device = join(folder, "tty");
	writeFileSync(device, "");
	return device;
}

it("rings the bell of the run's terminal, and says that there is none", () => {
	const device = terminalFile();
	const claim = `${device}-claim`;
	// A sender that is killed after it has rung leaves the claim to the next one.
	for (let times = 0; times < 2; times += 1) expect(ringBell({ device }, claim).ok).toBe(true);
	expect(readFileSync(device, "utf8")).toBe("\x07");
	expect(ringBell({ device: join(device, "gone") }, `${claim}-2`)).toEqual({
		ok: false,
		answer: "the terminal is gone (not a directory)",
	});
	expect(ringBell(undefined, claim)).toEqual({ ok: false, answer: "the run has no terminal" });
});

it.each([
	["osc9", "\x1b]9;a b: c d\x1b\\"],
	["osc99", "\x1b]99;i=chronicle:d=0;a b\x1b\\\x1b]99;i=chronicle:p=body;c d\x1b\\"],
	["osc777", "\x1b]777;notify;a b;c d\x1b\\"],
] as const)("%s shows title and text without what a terminal would obey", (sequence, shown) => {
	const device = terminalFile();
	expect(notifyInTerminal({ device, sequence }, { title: "a\x1b b", text: "c\x07\nd" }, `${device}-claim`)?.ok).toBe(
		true,
	);
	expect(readFileSync(device, "utf8")).toBe(shown);
	expect(notifyInTerminal({ device }, { title: "", text: "" }, "")).toBeUndefined();
});

it("hands title and text to the desktop as arguments, never as a script", () => {
	const words = { title: '"; rm -rf /', text: "$(x)" };
	expect(desktopCommand(words, "linux").slice(-3)).toEqual(["--", words.title, words.text]);
	expect(desktopCommand(words, "darwin").slice(-2)).toEqual([words.title, words.text]);
	expect(desktopCommand(words, "win32").join(" ")).not.toContain("rm -rf");
});
