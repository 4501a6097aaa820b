// Notifications on this machine: the terminal's own, where it has them, otherwise those of the desktop; and the bell.
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { systemWords } from "@pi-chronicle/core/definition";
import type { NoticeTerminal } from "../../local/index.ts";
import { withoutControls } from "../../pi/index.ts";
import type { SendResult } from "./send-result.ts";

/** Rings the bell of the terminal in which the run is supervised. `claim`: the file of the attempt. */
export function ringBell(terminal: NoticeTerminal | undefined, claim: string): SendResult {
	return writeNotice(terminal, "\x07", claim) ?? { ok: false, answer: "the run has no terminal" };
}

type DesktopWords = { readonly title: string; readonly text: string };

/** Shows a notification of the terminal; `undefined`: it has none. */
export function notifyInTerminal(
	terminal: NoticeTerminal | undefined,
	words: DesktopWords,
	claim: string,
): SendResult | undefined {
	if (!terminal?.sequence) return undefined;
	return writeNotice(terminal, sequences[terminal.sequence](onOneLineEach(words)), claim);
}

const sequences: Readonly<Record<NonNullable<NoticeTerminal["sequence"]>, (words: DesktopWords) => string>> = {
	osc9: ({ title, text }) => `\x1b]9;${title}: ${text}\x1b\\`,
	osc99: ({ title, text }) => `\x1b]99;i=chronicle:d=0;${title}\x1b\\\x1b]99;i=chronicle:p=body;${text}\x1b\\`,
	osc777: ({ title, text }) => `\x1b]777;notify;${title};${text}\x1b\\`,
};

function onOneLineEach({ title, text }: DesktopWords): DesktopWords {
	const one = (words: string): string => withoutControls(words.replace(/\s+/g, " ")).replaceAll(";", ",").slice(0, 250);
	return { title: one(title), text: one(text) };
}

/** Writes nothing where a sender that was killed has made the claim: it wrote then. */
function writeNotice(terminal: NoticeTerminal | undefined, text: string, claim: string): SendResult | undefined {
	if (!terminal) return undefined;
	mkdirSync(dirname(claim), { recursive: true, mode: 0o700 });
	const isFirst = !existsSync(claim);
	writeFileSync(claim, "", { mode: 0o600 });
	try {
		if (isFirst) appendFileSync(terminal.device, text);
		return { ok: true, answer: "written to the terminal" };
	} catch (error) {
		return { ok: false, answer: `the terminal is gone (${systemWords((error as NodeJS.ErrnoException).code)})` };
	}
}

const windowsScript = `
Add-Type -AssemblyName System.Windows.Forms
$icon = New-Object System.Windows.Forms.NotifyIcon
$icon.Icon = [System.Drawing.SystemIcons]::Information
$icon.Visible = $true
$icon.ShowBalloonTip(10000, $env:PI_CHRONICLE_NOTICE_TITLE, $env:PI_CHRONICLE_NOTICE_TEXT, 'Info')
Start-Sleep -Seconds 11
$icon.Dispose()`;

/** The command that shows a notification of the desktop. */
export function desktopCommand(
	{ title, text }: DesktopWords,
	platform: NodeJS.Platform = process.platform,
): readonly string[] {
	switch (platform) {
		case "darwin": {
			const show = "display notification (item 2 of argv) with title (item 1 of argv)";
			return ["osascript", "-e", "on run argv", "-e", show, "-e", "end run", title, text];
		}
		case "win32":
			return ["powershell", "-NoProfile", "-Command", windowsScript];
		default:
			return ["notify-send", "--app-name=pi-chronicle", "--", title, text];
	}
}
