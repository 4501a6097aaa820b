// Describes the limits of a phase, for the model and for templates.
import { projectStopText } from "../../safety/index.ts";
import type { Capability, ToolLimits } from "../definitions/index.ts";
import { mayRunCommands, type Stop, stepTool, writesAreMeant } from "./judge.ts";

/** The tools that a phase allows: `read, grep`, or `all except: edit, write`. Omits `workflow_step`, which is always allowed. */
export function allowedTools(limits: ToolLimits): string {
	switch (limits.kind) {
		case "free":
			return "all";
		case "blacklist":
			return `all except: ${listed(limits.names)}`;
		case "whitelist":
			return listed(limits.names);
		case "capabilities":
			return capabilityText(limits.may);
	}
}

/** The tools that a phase forbids; `(none)` if it forbids nothing. */
export function blockedTools(limits: ToolLimits): string {
	switch (limits.kind) {
		case "free":
			return "(none)";
		case "blacklist":
			return listed(limits.names);
		case "whitelist":
			return limits.names.every((name) => name === stepTool) ? "all" : `all except: ${listed(limits.names)}`;
		case "capabilities": {
			if (limits.may.length === 0) return "all";
			const lacks = [
				...(limits.may.includes("write") ? [] : ["anything that writes files outside temporary folders"]),
				...(limits.may.includes("exec") ? [] : ["programs and tools whose effect is unknown"]),
			];
			return lacks.length === 0 ? "(none)" : lacks.join(" and ");
		}
	}
}

/** The description of a phase's limits for the model; `undefined` without limits. */
export function limitsText(limits: ToolLimits): string | undefined {
	switch (limits.kind) {
		case "free":
			return undefined;
		case "blacklist":
			return `Not available in this phase: ${listed(limits.names)}.${shellText(limits)}`;
		case "whitelist":
			return `Only available in this phase, besides ${stepTool}: ${listed(limits.names)}.${shellText(limits)}`;
		case "capabilities":
			if (limits.may.length === 3) return undefined;
			if (limits.may.length === 0) return `No tool is available in this phase, besides ${stepTool}.`;
			return mayText(limits.may);
	}
}

/** The limits of a phase by effects. */
function mayText(may: readonly Capability[]): string {
	const can = [
		...(may.includes("read") ? ["read"] : []),
		...(may.includes("write") ? ["write files"] : []),
		...(may.includes("exec") ? ["run programs"] : []),
	];
	const refused = [
		...(may.includes("write") ? [] : ["writes a file outside temporary folders"]),
		...(may.includes("exec") ? [] : ["runs a program that may do more (a test, a script, the project itself)"]),
	];
	return `This phase may only ${can.join(" and ")}. Every call that ${refused.join(" or ")} is refused, whichever tool makes it.`;
}

/** That a copy may be changed, if the limits allow it. */
export function copyText(limits: ToolLimits): string {
	return mayChangeCopy(limits) ? "A copy in a temporary folder outside the project may be changed." : "";
}

function mayChangeCopy(limits: ToolLimits): boolean {
	switch (limits.kind) {
		case "free":
			return false;
		case "blacklist":
		case "whitelist":
			return limits.shell !== "unrestricted" && !writesAreMeant(limits) && mayRunCommands(limits);
		case "capabilities":
			return limits.may.length > 0 && !limits.may.includes("write");
	}
}

function shellText(limits: Extract<ToolLimits, { kind: "blacklist" | "whitelist" }>): string {
	if (writesAreMeant(limits) || !mayRunCommands(limits)) return "";
	switch (limits.shell) {
		case "unrestricted":
			return "";
		case "judged":
			return ` Calls that would change the project are refused too, including shell commands. ${copyText(limits)}`;
		case "strict":
			return ` Calls that would change the project, or whose effect is unknown and cannot be contained, are refused too, including shell commands. ${copyText(limits)}`;
	}
}

/** The exact reason why a call was stopped; `undefined` if the tool's name is the reason. */
export function stopText(stop: Stop): string | undefined {
	switch (stop.kind) {
		case "name":
			return undefined;
		case "shell-writes":
		case "starts-agent":
		case "shell-unknown":
			return projectStopText(stop, "phase");
		case "capability":
			return stop.lacks === "write"
				? `This phase may not write, and ${stop.what}.`
				: `This phase may only run programs known to be harmless, and ${stop.what}.`;
	}
}

/** A short, stable name for each kind of stop, used to count repeats. */
export function stopRule(stop: Stop): string {
	switch (stop.kind) {
		case "name":
			return "tool-name";
		case "shell-writes":
		case "starts-agent":
		case "shell-unknown":
			return stop.kind;
		case "capability":
			return `no-${stop.lacks}`;
	}
}

function capabilityText(may: readonly Capability[]): string {
	if (may.length === 0) return "(none)";
	const words = ["anything that only reads"];
	if (may.includes("write")) words.push("anything that reads or writes files");
	if (may.includes("exec")) words.push("programs with any effect");
	return may.includes("write") ? words.slice(1).join(" and ") : words.join(" and ");
}

function listed(names: readonly string[]): string {
	const others = names.filter((name) => name !== stepTool);
	return others.length === 0 ? "(none)" : others.join(", ");
}
