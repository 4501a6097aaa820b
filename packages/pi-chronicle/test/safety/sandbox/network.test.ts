// The network of the sandbox: none, or only named hosts, by a real box and servers of the test.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needsProgram } from "../../harness/needs.ts";
import { openTestBoxAsync } from "./async-box.ts";
import { sandbox } from "./box.ts";

let server: Server;
let port: number;

beforeAll(async () => {
	server = createServer((_from, to) => void to.end("MARK-PAGE"));
	await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
	port = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());

/** Reaches the server by a proxy if there is one. */
const get = (host: string) =>
	`exec 3<>/dev/tcp/127.0.0.1/3128 && printf 'GET http://${host}:${String(port)}/ HTTP/1.1\\r\\nHost: ${host}\\r\\nConnection: close\\r\\n\\r\\n' >&3 && cat <&3`;
const connect = (host: string) =>
	`exec 3<>/dev/tcp/127.0.0.1/3128 && printf 'CONNECT ${host}:${String(port)} HTTP/1.1\\r\\n\\r\\nGET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n' >&3 && cat <&3`;
const direct = () => `exec 3<>/dev/tcp/127.0.0.1/${String(port)} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`;

describe("the network of the sandbox", needsProgram("bwrap", sandbox), () => {
	it("is open or closed as the call needs it, and as the user has chosen", async () => {
		expect((await openTestBoxAsync({}).run(direct(), "open")).text).toContain("MARK-PAGE");
		expect((await openTestBoxAsync({}).run(direct(), "off")).text).not.toContain("MARK-PAGE");
		expect((await openTestBoxAsync({ network: "off" }).run(direct(), "open")).text).not.toContain("MARK-PAGE");
	});

	it("reaches only named hosts, through the proxy; a refused one is named", async () => {
		const box = openTestBoxAsync({ network: ["127.0.0.1"] });
		expect((await box.run(direct(), "open")).text).not.toContain("MARK-PAGE");
		expect((await box.run(get("127.0.0.1"), "open")).text).toContain("MARK-PAGE");
		expect((await box.run(connect("127.0.0.1"), "open")).text).toMatch(/200 Connection[\s\S]*MARK-PAGE/);
		for (const how of [get, connect]) {
			const refused = await box.run(how("localhost"), "open");
			expect(refused.text).toContain("does not allow the host localhost");
			expect(refused.text).not.toContain("MARK-PAGE");
			expect(refused.told).toContain("It may not reach localhost");
		}
	});

	it("reaches a host that the user allows", async () => {
		const asked: string[] = [];
		const box = openTestBoxAsync({
			network: [],
			askHost: async (host) => {
				asked.push(host);
				return true;
			},
		});
		expect((await box.run(get("127.0.0.1"), "open")).text).toContain("MARK-PAGE");
		expect(asked).toEqual(["127.0.0.1"]);
	});

	it("keeps exit code, output and input of the command", async () => {
		const box = openTestBoxAsync({ network: ["a.org"] });
		expect(await box.run("echo out; echo err >&2; cat; exit 5", "open")).toMatchObject({ code: 5, text: "out\nerr\n" });
	});
});
