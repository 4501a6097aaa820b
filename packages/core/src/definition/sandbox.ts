// How commands are contained, as a template or the settings say it: `sandbox: required`, or an object.
import { custom, type ReadContext, wrongType } from "./field.ts";
import { didYouMean } from "./near-names.ts";
import type { Node } from "./node.ts";
import { plainOf } from "./plain.ts";

/** `default`: where a sandbox works; `required`: nothing runs without one. */
type SandboxUse = "default" | "off" | "required";

/** `open`: as without a sandbox; a list: only these hosts. */
export type SandboxNetwork = "open" | "off" | readonly string[];

export interface SandboxChoice {
	readonly use: SandboxUse;
	/** Absent: `open`, and `off` where the project must not be changed. */
	readonly network?: SandboxNetwork;
	/** Further paths that commands may write: absolute, from the home directory (`~/`), or from the project's folder. */
	readonly write?: readonly string[];
}

const uses: readonly SandboxUse[] = ["default", "off", "required"];
const keys = ["use", "network", "write"];
/** A host's name, or `*.` and the end of one. */
const hostName = /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;

const wanted = '"default", "off", "required", or an object of `use`, `network` and `write`';

const names = { type: "array", items: { type: "string", minLength: 1 }, uniqueItems: true };

/** The field `sandbox` of a template or state. */
export function sandboxField<const O extends { readonly about: string; readonly shown: string }>(options: O) {
	return custom<SandboxChoice, O>(
		options,
		"`default`, `off`, `required`, or object",
		{
			anyOf: [
				{ enum: uses },
				{
					type: "object",
					properties: {
						use: { enum: uses },
						network: { anyOf: [{ enum: ["open", "off"] }, names] },
						write: names,
					},
					additionalProperties: false,
				},
			],
		},
		readSandbox,
	);
}

function readSandbox(node: Node, reading: ReadContext): SandboxChoice | undefined {
	const read = readSandboxChoice(plainOf(node));
	if ("choice" in read) return read.choice;
	const wrong = node.kind === "map" ? [...node.entries].filter(([key]) => !keys.includes(key)) : [];
	if (wrong.length === 0) return wrongType(node, reading, wanted, read.remedy);
	for (const [key, { keyStart }] of wrong)
		reading.report.error(reading.source.place(keyStart), {
			code: "unknown-key",
			message: `In \`${reading.path}\`, ${unknownKey(key)}`,
			remedy: "Correct its name, or remove it.",
		});
	return undefined;
}

/** Reads a choice from JSON; `remedy` is a sentence. */
export function readSandboxChoice(value: unknown): { readonly choice: SandboxChoice } | { readonly remedy: string } {
	if (isUse(value)) return { choice: { use: value } };
	// YAML reads `off` as a word, and older readers as false.
	if (value === false) return { choice: { use: "off" } };
	if (typeof value !== "object" || value === null || Array.isArray(value)) return { remedy: `Write ${wanted}.` };
	const { use = "default", network, write } = value as Readonly<Record<string, unknown>>;
	const unknown = Object.keys(value).find((key) => !keys.includes(key));
	if (unknown !== undefined) return { remedy: unknownKey(unknown) };
	if (!isUse(use)) return { remedy: "`use` is `default`, `off` or `required`." };
	const net = network === false ? "off" : network;
	const isNetwork =
		net === undefined ||
		net === "open" ||
		net === "off" ||
		(isListOfTexts(net) && net.every((name) => hostName.test(name)));
	if (!isNetwork)
		return {
			remedy: "`network` is `open`, `off` or a list of host names such as `registry.npmjs.org` or `*.example.org`.",
		};
	if (write !== undefined && !isListOfTexts(write)) return { remedy: "`write` is a list of paths." };
	return {
		choice: {
			use,
			...(net === undefined ? {} : { network: net as SandboxNetwork }),
			write,
		},
	};
}

function unknownKey(key: string): string {
	return `\`${key}\` is not one of \`use\`, \`network\` and \`write\`.${didYouMean(key, keys)}`;
}

function isUse(value: unknown): value is SandboxUse {
	return uses.some((use) => use === value);
}

function isListOfTexts(value: unknown): value is readonly string[] {
	return Array.isArray(value) && value.every((text) => typeof text === "string" && text !== "");
}
