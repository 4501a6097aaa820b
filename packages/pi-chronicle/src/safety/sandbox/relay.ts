// Runs a command in a sandbox without a network, beside a relay from a port of its loopback to the proxy outside.

/** The port of the relay; the loopback of the sandbox is its own. */
export const RELAY_PORT = 3128;

/** JavaScript for `node -e`; its arguments are the proxy's socket and the words of the command. */
export const relayScript = `
const net = require("node:net");
const [socket, program, ...words] = process.argv.slice(1);
const server = net.createServer((near) => {
	const far = net.connect(socket);
	near.pipe(far).pipe(near);
	for (const end of [near, far]) end.on("error", () => { near.destroy(); far.destroy(); });
});
server.listen(${RELAY_PORT}, "127.0.0.1", () => {
	const child = require("node:child_process").spawn(program, words, { stdio: "inherit" });
	child.on("error", () => process.exit(127));
	child.on("exit", (code, signal) => process.exit(code ?? 128 + (require("node:os").constants.signals[signal] ?? 0)));
});
`;
