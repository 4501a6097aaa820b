// A tool call in readable form: `bash npm test` instead of `bash command=npm test`. Pure.

/** The tool and its arguments. `args` is the line `key=value key=value` in the ledger. */
export function callWords(tool: string, args: string): readonly [tool: string, words: string] {
	// The first argument identifies the call; its name adds nothing.
	return [tool, args.replace(/^[A-Za-z_]\w*=/, "")];
}
