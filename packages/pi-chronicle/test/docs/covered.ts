// Commands of documents that `docs.test.ts` does not run in the document's project, and what runs them instead. A row that no document
// uses fails the test, as does a row whose test is gone.

export type Coverage =
	/** Run by a test or by the checks: the file, and words of the test's title or of the script. */
	| { command: string | RegExp; by: string; title: string }
	/** Run by `docs.test.ts` itself, in a copy of this folder of the checkout. */
	| { command: string; runIn: string };

export const covered: readonly Coverage[] = [
	{
		command: "npm ci && npm start",
		by: "packages/pi-chronicle/test/start.deep.test.ts",
		title: "runs the workflow to its end, reports every phase as it ends, and exits with 0",
	},
	{ command: "npm ci && npm test", by: ".ci/run", title: "PATH=$bare npm test" },
	{
		command: /^pi-chronicle rehearse (?:.* --by-hand|--replay )/,
		by: "packages/pi-chronicle/test/tools/rehearsal/by-hand.deep.test.ts",
		title: "plays over files, writes a transcript, and replays it",
	},
	{ command: "npm test", by: ".ci/run", title: "npm test" },
	{ command: "npm run test:deep", by: ".ci/run", title: "npm run test:deep" },
	{ command: "npm run check", by: ".ci/run", title: "npm run check" },
	{ command: "node src/cli.js data/march.csv", runIn: "examples/receipts" },
	{
		command: /^(?:pi remove npm:|npm uninstall -g )pi-chronicle$/,
		by: "packages/pi-chronicle/test/package.test.ts",
		title: "pi remove",
	},
	{
		command: /^pi-chronicle run .*--apart/,
		by: "packages/pi-chronicle/test/runs/apart.deep.test.ts",
		title: "works in a copy with what is not committed or ignored",
	},
	{
		command: /^pi-chronicle run --approve /,
		by: "packages/pi-chronicle/test/docs/in-use.deep.test.ts",
		title: "a user with an empty home follows",
	},
	{
		command:
			/^npm install -g pi-chronicle @pi-chronicle\/postgres$|^npm install -g pi-chronicle@latest$|^pi update --extensions$|^pi-chronicle (?:run|engine (?:init|worker|status)) --engine /,
		by: "packages/pi-chronicle/test/docs/in-use.deep.test.ts",
		title: "a user with an empty home follows",
	},
	{
		command:
			/^pi-chronicle (?:engine (?:drain|status$|metrics|doctor|init$|init --members host_b|worker --name a --approve$)|(?:status|resume|abort) <run>|prune )|^(?:pg_dump|pg_restore|git clone --quiet --mirror|git -C engine\.git|psql "\$PI)/,
		by: "packages/pi-chronicle/test/docs/in-use.deep.test.ts",
		title: "a user with an empty home follows",
	},
	{
		command: /^pi-chronicle serve --host .* --name phone$/,
		by: "packages/pi-chronicle/test/docs/in-use.deep.test.ts",
		title: "a user with an empty home follows",
	},
	{
		command: /^pi-chronicle serve/,
		by: "packages/pi-chronicle/test/ui/serve/answers.deep.test.ts",
		title: "an approval is answered on the page",
	},
	{
		command: /^pi-chronicle doctor --try /,
		by: "packages/pi-chronicle/test/tools/doctor/trial.test.ts",
		title: "doctor --try",
	},
	{
		command: /^pi-chronicle engine /,
		by: "packages/postgres/test/hosts.test.ts",
		title: "executes a run that is submitted, approved and viewed from another machine",
	},
	{
		command: /^psql -c /,
		by: "packages/postgres/test/roles.test.ts",
		title: "confine users to their projects and roles",
	},
];
