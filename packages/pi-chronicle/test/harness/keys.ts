// What a terminal sends for a key press. Combinations follow xterm's `CSI 1;<modifier><letter>` and, for keys without a letter
// of their own, the kitty keyboard protocol's `CSI <code>;<modifier>u`.

const plainKeys: Record<string, string> = {
	enter: "\r",
	// As the kitty keyboard protocol writes it. The bare byte is ambiguous: a busy pi reads it and the next key at once, as Alt and that key.
	escape: "\u001b[27u",
	tab: "\t",
	backspace: "\u007f",
	space: " ",
	delete: "\u001b[3~",
	insert: "\u001b[2~",
	pageup: "\u001b[5~",
	pagedown: "\u001b[6~",
};
const letterKeys: Record<string, string> = { up: "A", down: "B", right: "C", left: "D", end: "F", home: "H" };
const codedKeys: Record<string, number> = { enter: 13, escape: 27, tab: 9, backspace: 127, space: 32 };
const modifiers: Record<string, number> = { shift: 1, alt: 2, ctrl: 4 };

/** The bytes of a key: `enter`, `up`, `ctrl+c`, `ctrl+enter`, `shift+tab`, `alt+left`, `x`. Throws on a name it does not know. */
export function keyBytes(name: string): string {
	const parts = name.toLowerCase().split("+");
	const key = parts.pop() ?? "";
	const held = parts.reduce((sum, part) => {
		const value = modifiers[part];
		if (value === undefined) throw new Error(`Unknown modifier "${part}" in key "${name}".`);
		return sum + value;
	}, 0);
	const letter = letterKeys[key];
	if (letter !== undefined) return held === 0 ? `\u001b[${letter}` : `\u001b[1;${held + 1}${letter}`;
	if (name === "shift+tab") return "\u001b[Z";
	const plain = plainKeys[key] ?? (key.length === 1 ? name.slice(-1) : undefined);
	if (plain === undefined) throw new Error(`Unknown key "${name}".`);
	if (held === 0) return plain;
	if (held === modifiers.alt) return `\u001b${plain}`;
	if (held === modifiers.ctrl && /^[a-z]$/.test(key)) return String.fromCharCode(key.charCodeAt(0) - 96);
	const code = codedKeys[key] ?? key.charCodeAt(0);
	return `\u001b[${code};${held + 1}u`;
}
