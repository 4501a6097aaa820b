// Notifications on this machine: the terminal's own, where it has them, otherwise those of the desktop; and the bell.
import { appendFileSync } from "node:fs";
import { systemWords } from "@pi-chronicle/core/definition";
import type { NoticeTerminal } from "../../local/index.ts";
import { withoutControls } from "../../pi/index.ts";
import type { SendResult } from "./send-result.ts";

/** Rings the bell of the terminal in which the run is supervised. */
export function ringBell(terminal: NoticeTerminal | undefined): SendResult {
	return writeNotice(terminal, "\x07") ?? { ok: false, answer: "the run has no terminal" };
}

type DesktopWords = { readonly title: string; readonly text: string };

/** Shows a notification of the terminal; `undefined`: it has none. */
export function notifyInTerminal(terminal: NoticeTerminal | undefined, words: DesktopWords): SendResult | undefined {
	return terminal?.sequence ? writeNotice(terminal, sequences[terminal.sequence](onOneLineEach(words))) : undefined;
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

function writeNotice(terminal: NoticeTerminal | undefined, text: string): SendResult | undefined {
	if (!terminal) return undefined;
	try {
		appendFileSync(terminal.device, text);
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
