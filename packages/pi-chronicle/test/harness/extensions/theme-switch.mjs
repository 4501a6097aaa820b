// Switches between pi's dark and light theme when F12 is pressed, whatever covers the screen.
const f12 = "\u001b[24~";

export default function themeSwitch(pi) {
	pi.on("session_start", (_event, ctx) => {
		if (ctx.mode !== "tui") return;
		let current = ctx.ui.theme.name;
		ctx.ui.onTerminalInput((data) => {
			if (data !== f12) return undefined;
			current = current === "dark" ? "light" : "dark";
			ctx.ui.setTheme(current);
			return { consume: true };
		});
	});
}
