// A package registry on loopback that offers the package under test under its real name, and its runtime dependencies from our own
// `node_modules`: what `pi install npm:…` and `npm install` do runs for real, without the network.
import { createReadStream, existsSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { openFolder } from "./folder.ts";
import { closeLater } from "./lifetime.ts";
import { run } from "./package-copy.ts";
import { checkout, packageUnderTest } from "./under-test.ts";

/** Starts the registry, which offers the packages in the folders `own`, by name; resolves to its URL. It closes when the test ends. */
export async function openRegistry(
	own: Readonly<Record<string, string>> = { "pi-chronicle": packageUnderTest().root },
): Promise<string> {
	const tarballs = openFolder();
	const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const server = createServer((request, response) => {
		const path = decodeURIComponent(new URL(request.url ?? "/", "http://registry").pathname).slice(1);
		const tarball = path.endsWith(".tgz") ? join(tarballs, basename(path)) : undefined;
		const folder = tarball ? undefined : folderOf(path, own);
		if (tarball && existsSync(tarball)) createReadStream(tarball).pipe(response);
		else if (folder) response.end(JSON.stringify(packument(folder)));
		else response.writeHead(404).end(JSON.stringify({ error: `not found: ${path}` }));
	});
	const packument = (folder: string) => {
		const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
		const { name, version } = manifest as { name: string; version: string };
		const file = `${name.replace("/", "-")}-${version}.tgz`;
		if (!existsSync(join(tarballs, file))) pack(folder, join(tarballs, file));
		const dist = { tarball: `${url()}/${file}` };
		return { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, scripts: {}, dist } } };
	};
	await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	closeLater(async () => {
		server.closeAllConnections();
		await new Promise((closed) => server.close(closed));
	});
	return url();
}

function folderOf(name: string, own: Readonly<Record<string, string>>): string | undefined {
	const folder = own[name] ?? join(checkout, "node_modules", name);
	return existsSync(join(folder, "package.json")) ? folder : undefined;
}

function pack(folder: string, file: string): void {
	mkdirSync(join(file, ".."), { recursive: true });
	run(folder, ["tar", "-czf", file, "--exclude=./node_modules", "--transform=s,^\\.,package,", "."]);
}
