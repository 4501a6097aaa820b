// Cost of the package while installed but unused: bytes in a request, CPU at every start.
import { fileURLToPath } from "node:url";
import { fixtureExtension, openBench, say } from "../packages/pi-chronicle/test/harness/index.ts";
import { openCpuMeter } from "./cpu.ts";
import { type Figures, median } from "./figure.ts";
import { clonedCheckout, installedPackage } from "./packed.ts";

const rounds = 15;

export async function bench(): Promise<Figures> {
	const ours = installedPackage();
	const reference = fileURLToPath(new URL("../node_modules/@harms-haus/pi-workflows", import.meta.url));
	const { project, server, print } = await openBench({
		script: () => say("Hello."),
		files: {
			"README.md": "# A project\n",
			".pi/workflows/fix/workflow.yaml": "name: Fix\nshow: workflows\nphases: [a.md]\n",
		},
	});
	const meter = openCpuMeter();
	const contestants = {
		bare: { package: "none" },
		empty: { package: fixtureExtension("empty") },
		ours: { package: ours },
		clone: { package: clonedCheckout() },
		reference: { package: reference },
	} as const;
	type Name = keyof typeof contestants;
	const names = Object.keys(contestants) as Name[];
	const cpu = new Map<Name, number[]>(names.map((name) => [name, []]));
	const body = new Map<Name, string>();

	try {
		// The first round warms the disk cache and is not counted. The order is reversed every round to remove its effect.
		for (let round = 0; round <= rounds; round++) {
			for (const turn of names.keys()) {
				const name = names[(turn + round) % names.length] ?? "bare";
				const asked = server.requests.length;
				const { code, stderr } = await print("hi", { ...contestants[name], session: "none", env: meter.env });
				// The uncounted round may compile the clone's sources and print a message about it.
				if (code !== 0) throw new Error(`pi with ${name} exited with ${code}: ${stderr}`);
				const used = meter.read();
				if (round > 0) cpu.get(name)?.push(used);
				body.set(name, JSON.stringify(server.requests[asked]?.body));
			}
		}
	} finally {
		meter.close();
	}
	void project;
	const ms = (name: Name) => median(cpu.get(name) ?? []);
	const bytes = (name: Name) => Buffer.byteLength(body.get(name) ?? "");
	return {
		name: "idle",
		rows: [
			{
				figure: "bytes added to a request: ours",
				value: bytes("ours") - bytes("bare"),
				unit: "bytes",
				must: { most: 0 },
			},
			{ figure: "bytes added to a request: reference", value: bytes("reference") - bytes("bare"), unit: "bytes" },
			{
				figure: "CPU of pi -p hi: ours ÷ empty extension",
				value: ms("ours") / ms("empty"),
				unit: "×",
				must: { most: 1.08 },
			},
			{
				figure: "CPU of pi -p hi: a git clone without development tools, from its second start on ÷ empty extension",
				value: ms("clone") / ms("empty"),
				unit: "×",
				must: { most: 1.15 },
			},
			{ figure: "CPU of pi -p hi: reference ÷ empty extension", value: ms("reference") / ms("empty"), unit: "×" },
			{ figure: "CPU of pi -p hi: no extension", value: ms("bare"), unit: "ms" },
			{ figure: "CPU of pi -p hi: empty extension", value: ms("empty"), unit: "ms" },
			{ figure: "CPU of pi -p hi: ours", value: ms("ours"), unit: "ms" },
			{ figure: "CPU of pi -p hi: reference", value: ms("reference"), unit: "ms" },
		],
		how: `Medians of ${rounds} interleaved runs of real pi against a scripted server on loopback; user and system time of the pi process.`,
	};
}
