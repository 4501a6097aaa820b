// The texts of a TOML file: what commands of Gemini CLI and agents of Codex consist of. Other values are left out.
const basic = String.raw`"((?:\\.|[^"\\\n])*)"`;
const entry = new RegExp(
	String.raw`^([\w-]+)[ \t]*=[ \t]*(?:"""\r?\n?((?:\\[\s\S]|[^\\])*?)"""|'''\r?\n?([\s\S]*?)'''|${basic}|'([^'\n]*)')`,
	"gm",
);
const escapes: Readonly<Record<string, string>> = { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r" };

/** By key; the first of a key, which is the one at the top level if there is one. */
export function tomlTexts(text: string): Readonly<Record<string, string>> {
	const found: Record<string, string> = Object.create(null);
	for (const [, key = "", long, literalLong, short, literal] of text.matchAll(entry))
		found[key] ??= literalLong ?? literal ?? resolveEscapes(long ?? short ?? "");
	return found;
}

function resolveEscapes(text: string): string {
	return text.replaceAll(/\\(?:u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|[ \t]*\r?\n\s*|([\s\S]))/g, (_, short, long, one) => {
		if (one !== undefined) return escapes[one] ?? one;
		const code = Number.parseInt(short ?? long ?? "", 16);
		return code <= 0x10ffff ? String.fromCodePoint(code) : "";
	});
}
