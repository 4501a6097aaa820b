// Says in a sentence's part what was thrown, for a person or a model. Errors of the system and of JavaScript are translated: their own texts
// are for programmers. Errors that this package throws with a message of its own are repeated.
import { getSystemErrorMap } from "node:util";

/** Errors of JavaScript itself: nobody throws them on purpose here, so they mean a defect. */
const defects = new Set(["TypeError", "ReferenceError", "RangeError", "SyntaxError", "EvalError", "URIError"]);
const missingModule = /^(?:ERR_)?MODULE_NOT_FOUND$/;
/** What `JSON.parse` says about a text that a person may have written. */
const aboutJson = /\bJSON\b/;
const reportTo = "https://github.com/pi-chronicle/pi-chronicle/issues";

/** The message of something that was thrown, without a period: `no such file or directory (/a/b)`. */
export function errorMessage(error: unknown): string {
	if (!isError(error)) return String(error);
	// `fetch` hides the failure of the connection.
	if (error.name === "TypeError" && isError(error.cause)) return errorMessage(error.cause);
	const system = systemMessage(error);
	if (system !== undefined) return system;
	if (missingModule.test(codeOf(error)))
		return "a part of pi-chronicle is missing, because it was updated or removed meanwhile: /reload or start again";
	if (error.name === "SyntaxError" && aboutJson.test(error.message)) return error.message;
	if (defects.has(error.name) || codeOf(error).startsWith("ERR_"))
		return `a defect of pi-chronicle (${error.name}${placeInStack(error)}); report it: ${reportTo}`;
	return error.message === "" ? error.name : error.message;
}

/** A code of the system in words: `EACCES` is `permission denied`. Another text is returned as it is. */
export function systemWords(code: string | undefined): string {
	if (code === undefined) return "unknown error";
	return wordsOfCode(code) ?? code;
}

function wordsOfCode(code: string): string | undefined {
	return [...getSystemErrorMap().values()].find(([name]) => name === code)?.[1];
}

/** What is wrong with a regular expression that a person wrote; `undefined` if nothing is. */
export function expressionMistake(pattern: string, flags: string): string | undefined {
	try {
		new RegExp(pattern, flags);
		return undefined;
	} catch (error) {
		return (error as Error).message.replace(/^.*: /s, "");
	}
}

/** An error of another realm, as `node:vm` throws it, is no instance of this one's class. */
function isError(error: unknown): error is Error {
	return typeof error === "object" && error !== null && "message" in error && "name" in error;
}

/** The words of the system for an error that has its number, and what it is about; `undefined` for any other. */
function systemMessage(error: NodeJS.ErrnoException): string | undefined {
	const { errno, syscall = "", path } = error;
	// Node's own errors of connections have a code of the system without its number.
	const words = typeof errno === "number" ? getSystemErrorMap().get(errno)?.[1] : wordsOfCode(codeOf(error));
	if (words === undefined) return typeof errno === "number" ? codeOf(error) : undefined;
	if (syscall.startsWith("spawn")) {
		const program = path ?? syscall.slice("spawn ".length);
		return codeOf(error) === "ENOENT"
			? `${program}, or the folder to start it in, was not found`
			: `${program} does not start: ${words}`;
	}
	const about = path ?? peerOf(error);
	return about === "" ? words : `${words} (${about})`;
}

/** The other end of a connection that failed. */
function peerOf(error: object): string {
	const { address, hostname, port }: { address?: unknown; hostname?: unknown; port?: unknown } = error;
	return [address ?? hostname, port].filter((part) => part !== undefined).join(":");
}

function codeOf(error: NodeJS.ErrnoException): string {
	return typeof error.code === "string" ? error.code : "";
}

/** ` in FILE:LINE:COLUMN` of the statement that failed. */
function placeInStack({ stack = "" }: Error): string {
	const place = /^ {4}at (?!.*\bnode:).*?([^\\/()\s]+:\d+:\d+)\)?$/m.exec(stack)?.[1];
	return place === undefined ? "" : ` in ${place}`;
}
