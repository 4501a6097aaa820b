// The command `pi-chronicle serve`: opens the projects, shows a link and its QR code, and serves until it is stopped.

import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { errorMessage } from "@pi-chronicle/core/definition";
import { renderUnicodeCompact } from "uqr";
import type { Project } from "../../local/index.ts";
import { exitCodes, fitText } from "../../pi/index.ts";
import { untilAborted } from "../../process/index.ts";
import { openRedaction } from "../../safety/index.ts";
import type { Complaint } from "../commands/index.ts";
import { commandWord, complaintLines } from "../phrases/index.ts";
import {
	isLoopback,
	noSupervisors,
	openSupervisors,
	type PageServer,
	type ShownProject,
	servePage,
} from "../serve/index.ts";
import { openServedProjects } from "./served-projects.ts";

const usualPort = 7878;

const grammar = {
	project: { type: "string", multiple: true },
	all: { type: "boolean" },
	host: { type: "string" },
	port: { type: "string" },
	origin: { type: "string", multiple: true },
	name: { type: "string" },
	engine: { type: "string" },
	pi: { type: "string" },
	"allow-remote": { type: "boolean" },
	"read-only": { type: "boolean" },
	supervise: { type: "boolean" },
	approve: { type: "boolean" },
	"no-approve": { type: "boolean" },
	help: { type: "boolean" },
} as const;

const usage = `pi-chronicle serve [options]

Serves a page with the runs of your projects: look at them, answer their questions and steer them from a browser, such as that of a phone.
It shows a link that works once, in one browser. It supervises no runs unless you ask for it: it is a window.
Press Enter for another link; what you type before it is the name of the device.

  --project <folder>  a project; may be repeated (default: the one here)
  --all               every project on this machine that has had a run or is trusted
  --host <address>    the address to listen on (default: 127.0.0.1, which only this machine reaches)
  --allow-remote      needed for any other address: everybody who can reach it can try links
  --port <number>     default: ${usualPort}; 0: any free one
  --origin <url>      the address of a proxy in front of it, such as https://desk.example.net; may be repeated
  --name <name>       of the first device, recorded with its answers (default: the first link)
  --read-only         only look
  --supervise         continue runs that are started or answered on the page, in processes of their own
  --engine <url>      the engine whose hosts run them (default: the setting chronicle.engine, if any)
  --approve           trust the projects for this command; --no-approve: don't (default: as saved in pi)
  --pi <path>         pi's entry file, package folder or binary

Exit code: 0 stopped, 1 it cannot listen, 2 usage.
`;

/** Runs the command; resolves to the exit code. */
export async function runServe(args: readonly string[], signal: AbortSignal): Promise<number> {
	const given = readOptions(args);
	if (typeof given === "string") return complain({ code: "usage", message: given });
	if (given.help) {
		process.stdout.write(fitText(usage, process.stdout));
		return exitCodes.done;
	}
	// Pages are short-lived data: without these, the heap grows for them to several times of what is in use, and stays so.
	for (const flag of ["--max-semi-space-size=2", "--optimize-for-size"]) setFlagsFromString(flag);
	const say = (text: string): void => void process.stderr.write(`${text}\n`);
	const projects = await openServedProjects({
		...{ folders: given.project ?? [], all: given.all ?? false, engine: given.engine, pi: given.pi, report: say },
		trust: given.approve ? "trusted" : given["no-approve"] ? "untrusted" : "as saved",
	});
	if ("code" in projects) return complain(projects);
	const server = await openServer(given, projects, say);
	if ("code" in server) return complain(server);
	if (!isLoopback(given.host)) say(remoteWarning);
	showLink(server, given.name ?? "the first link");
	await untilStopped(signal, server);
	await server.close();
	await Promise.all(projects.map(({ project }) => project.engine?.close()));
	return exitCodes.done;
}

async function openServer(
	given: Options,
	projects: readonly ShownProject[],
	say: (text: string) => void,
): Promise<PageServer | Complaint> {
	const { host, port, project: [named] = [], pi } = given;
	const trust = given.approve ? ["--approve"] : given["no-approve"] ? ["--no-approve"] : [];
	const argsOf = ({ place: { cwd } }: Project) => ["--cwd", cwd, ...trust, ...(pi === undefined ? [] : ["--pi", pi])];
	const itself = [process.execPath, process.argv[1] ?? ""];
	const place = projects.length === 1 && named !== undefined ? ["--cwd", commandWord(named)] : [];
	try {
		return await servePage({
			...{ projects, host, port, proxies: given.origin ?? [], redact: openRedaction(process.env) },
			readOnly: given["read-only"] ?? false,
			supervisors: given.supervise ? openSupervisors(itself, argsOf, say) : noSupervisors,
			prefix: ["pi-chronicle", ...place, ""].join(" "),
		});
	} catch (error) {
		const message = `The page cannot listen on ${host}:${port}: ${errorMessage(error)}.`;
		return { code: "io", message, remedy: "Choose another --port or --host.", exitCode: exitCodes.failed };
	}
}

const remoteWarning =
	"! Everybody who can reach this address can try to open the page, and what is sent is not encrypted. Use a network that you trust, or a proxy with HTTPS (--origin).";

type Options = Omit<ReturnType<typeof parse>, "host" | "port"> & { readonly host: string; readonly port: number };

function parse(args: readonly string[]) {
	return parseArgs({ args: [...args], options: grammar, strict: true, allowPositionals: false }).values;
}

/** A string is what is wrong with them. */
function readOptions(args: readonly string[]): Options | string {
	let values: ReturnType<typeof parse>;
	try {
		values = parse(args);
	} catch (error) {
		return errorMessage(error);
	}
	const { port = String(usualPort), host = "127.0.0.1", origin = [] } = values;
	if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) return `--port takes a number up to 65535, not "${port}".`;
	if (!isLoopback(host) && !values["allow-remote"])
		return `--host ${host} lets other machines reach the page: everybody who can reach it can try to open it, and what is sent is not encrypted. Add --allow-remote if that is what you want.`;
	const wrong = origin.find((one) => !URL.canParse(one) || new URL(one).origin !== one);
	if (wrong !== undefined)
		return `--origin takes the beginning of an address, such as https://desk.example.net, not "${wrong}".`;
	return { ...values, host, port: Number(port) };
}

function complain(complaint: Complaint): number {
	for (const line of complaintLines(complaint, process.cwd())) process.stderr.write(`${line}\n`);
	return complaint.exitCode ?? exitCodes.usage;
}

function showLink(server: PageServer, name: string): void {
	const [first = "", ...others] = server.links(name);
	const qrCode = process.stdout.isTTY ? `${renderUnicodeCompact(first)}\n` : "";
	process.stdout.write(`${qrCode}Open this once, within 15m: ${first}\n`);
	for (const other of others) process.stdout.write(`  or: ${other}\n`);
}

/** Shows another link for each line of the terminal. */
async function untilStopped(signal: AbortSignal, server: PageServer): Promise<void> {
	const lines = process.stdin.isTTY ? createInterface({ input: process.stdin }) : undefined;
	let count = 1;
	lines?.on("line", (line) => {
		count += 1;
		showLink(server, line.trim().slice(0, 40) || `link ${count}`);
	});
	await untilAborted(signal);
	lines?.close();
}
