// What workers, set-up and cleanup commands of a host get of its environment: never what leads to the engine's database.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openCleanupRunner } from "../../pi-chronicle/src/local/project/cleanup-runner.ts";
import { workerEnvironment } from "../../pi-chronicle/src/local/worker/command-line.ts";
import { runGit } from "../../pi-chronicle/src/local/workspace/git.ts";
import { openFolder } from "../../pi-chronicle/test/harness/folder.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { moveTo } from "../../pi-chronicle/test/local/supervisor/scripted-launcher.ts";
import { modelsText, workEnvironment } from "../src/work-environment.ts";
import { openHostStage } from "./host-stage.ts";

const engine = "postgres://host_a:hunter2@db/chronicle";
const secret = {
	...{ PGPASSWORD: "hunter2", PGUSER: "host_a", PGHOST: "db", PGSERVICE: "x", PGSSLKEY: "/k", pgpassfile: "/f" },
	...{ PI_CHRONICLE_ENGINE: engine, PI_CHRONICLE_PROJECT: "app" },
};
const unknown = { DATABASE_URL: engine, SESSION_SECRET: "x", NPM_TOKEN: "y", npm_config__authToken: "z" };
const usual = {
	...{
		PATH: "/bin",
		HOME: "/home/c",
		LANG: "C",
		LC_TIME: "C",
		TMPDIR: "/tmp",
		https_proxy: "http://p",
		JAVA_HOME: "/j",
	},
	...{ ANTHROPIC_API_KEY: "k", MISTRAL_API_KEY: "k", AWS_PROFILE: "p", HF_TOKEN: "k", PI_OFFLINE: "1", NVM_DIR: "/n" },
};

describe("the environment of the work on a host", () => {
	it("has what programs, toolchains and providers need, and nothing else", () => {
		const { env, withheld } = workEnvironment({ ...usual, ...unknown, ...secret }, []);
		expect(env).toEqual(usual);
		expect(withheld).toEqual(["DATABASE_URL", "NPM_TOKEN", "SESSION_SECRET"]);
	});

	it("has no secret of a toolchain, such as the token of a registry, unless the host's owner names it", () => {
		const secrets = {
			...{ NODE_AUTH_TOKEN: "x", CARGO_REGISTRY_TOKEN: "x", CARGO_REGISTRIES_OURS_TOKEN: "x", UV_PUBLISH_TOKEN: "x" },
			...{ UV_PUBLISH_PASSWORD: "x", MAVEN_PASSWORD: "x", GRADLE_PUBLISH_SECRET: "x" },
		};
		const settings = {
			CARGO_HOME: "/c",
			NODE_OPTIONS: "-r x",
			GIT_AUTHOR_NAME: "n",
			SSH_AUTH_SOCK: "/s",
			UV_INDEX: "u",
		};
		const { env, withheld } = workEnvironment({ ...secrets, ...settings }, []);
		expect(env).toEqual(settings);
		expect(withheld).toEqual(Object.keys(secrets).sort());
		expect(workEnvironment(secrets, ["*_TOKEN"]).withheld).toHaveLength(3);
	});

	it("has what the host's owner names, but never what leads to the database", () => {
		const { env, withheld } = workEnvironment({ ...unknown, ...secret }, ["NPM_*", "SESSION_SECRET", "*"]);
		expect(env).toEqual(unknown);
		expect(withheld).toEqual([]);
	});

	it("has the keys that pi's models name", () => {
		const folder = openFolder();
		writeFileSync(
			join(folder, "models.json"),
			'{ "providers": { "own": { "apiKey": "$OUR_KEY", "headers": { "x": "${OUR_ID}" } } } }',
		);
		const all = { OUR_KEY: "1", OUR_ID: "2", OUR_KEYS: "3", PGPASSWORD: "apiKey" };
		expect(workEnvironment(all, [], modelsText(folder)).env).toEqual({ OUR_KEY: "1", OUR_ID: "2" });
		expect(modelsText(join(folder, "absent"))).toBe("");
	});

	it("has no address of an engine on any machine", async () => {
		expect(workerEnvironment({ ...usual, ...secret }, "run", "/brief")).not.toHaveProperty("PI_CHRONICLE_ENGINE");
		const runner = openCleanupRunner({
			...{ run: "run", standing: () => "approved", rules: () => ({ kind: "unreadable", detail: "" }) },
			...{ agentFolder: "/nowhere", env: { ...process.env, ...secret } },
		});
		const { output } = await runner.run("env", "/", patient(10_000), new AbortController().signal, "hash");
		expect(output).toContain("PATH=");
		expect(output).not.toContain("PI_CHRONICLE_ENGINE");
	});

	it("is what git gets, too: a repository's settings can name programs", async () => {
		const folder = openFolder();
		const before = { ...process.env };
		Object.assign(process.env, secret);
		try {
			spawnSync("git", ["init", "-q"], { cwd: folder });
			const said = await runGit({ args: ["-c", "alias.show-all=!env", "show-all"], cwd: folder });
			const text = said.kind === "done" ? said.output.toString() : "";
			expect(text).toContain("PATH=");
			expect(text).not.toMatch(/^(?:PG|PI_CHRONICLE_ENGINE)/m);
		} finally {
			for (const name of Object.keys(secret)) if (!(name in before)) delete process.env[name];
		}
	});
});

describe("a host", needsPostgres, () => {
	it("gives it to workers and set-up commands", { timeout: patient(60_000) }, async () => {
		const stage = await openHostStage();
		const file = join(stage.root, "set-up.txt");
		const place = { agentFolder: stage.root, home: stage.root, env: { ...process.env, ...unknown, ...secret }, pi: {} };
		// A command reads the files of the host's user, and not the variables of the database.
		writeFileSync(join(stage.root, "users-file.txt"), "mine\n");
		const served = {
			setup: `env > ${file}; cat ${stage.root}/users-file.txt >> ${file}`,
			passes: ["NPM_TOKEN"],
			place: place as never,
		};
		const given: NodeJS.ProcessEnv[] = [];
		const host = await stage.host("a", {
			served,
			play(_, project) {
				given.push(project.place.env ?? {});
				return moveTo("done");
			},
		});
		expect(host.log.join("\n")).toMatch(/do not get these variables: .*DATABASE_URL, .*SESSION_SECRET/);
		expect(host.log.join("\n")).not.toMatch(/hunter2|NPM_TOKEN/);
		await stage.submit(1);
		const over = async () => (await stage.database.query("SELECT FROM chronicle.run WHERE status = 'done'")).count;
		await expect.poll(over, { timeout: patient(30_000) }).toBe(1);
		expect(readFileSync(file, "utf8")).toMatch(/^mine$/m);
		for (const text of [
			readFileSync(file, "utf8"),
			Object.keys(given[0] ?? {})
				.map((name) => `${name}=`)
				.join("\n"),
		]) {
			expect(text).toMatch(/^PATH=/m);
			expect(text).toMatch(/^NPM_TOKEN=/m);
			expect(text).not.toMatch(
				/^(?:PG|pgpassfile|PI_CHRONICLE_ENGINE|PI_CHRONICLE_PROJECT|DATABASE_URL|SESSION_SECRET)/m,
			);
		}
		await host.stop();
	});
});
