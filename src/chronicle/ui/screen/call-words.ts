// A tool call as a person reads it: `bash npm test` instead of `bash command=npm test`. Pure.

/** The tool, and what it is called with. `args` is the one line `key=value key=value` that the ledger keeps. */
export function callWords(tool: string, args: string): readonly [tool: string, words: string] {
	// The first argument says what a call is about; its name adds nothing.
	return [tool, args.replace(/^[A-Za-z_]\w*=/, "")];
}
