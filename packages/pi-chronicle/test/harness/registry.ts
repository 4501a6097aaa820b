// A package registry on loopback that offers the package under test under its real name, and its runtime dependencies from our own
// `node_modules`: what `pi install npm:…` and `npm install` do runs for real, without the network.
import { createReadStream, existsSync, globSync, mkdirSync, readFileSync } from "node:fs";
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
		const folders = tarball ? [] : foldersOf(path, own);
		if (tarball && existsSync(tarball)) createReadStream(tarball).pipe(response);
		else if (folders.length > 0) response.end(JSON.stringify(packument(folders)));
		else response.writeHead(404).end(JSON.stringify({ error: `not found: ${path}` }));
	});
	const packed = (folder: string) => {
		const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
		const { name, version } = manifest as { name: string; version: string };
		const file = `${name.replace("/", "-")}-${version}.tgz`;
		if (!existsSync(join(tarballs, file))) pack(folder, join(tarballs, file));
		return { ...manifest, name, version, scripts: {}, dist: { tarball: `${url()}/${file}` } };
	};
	const packument = (folders: readonly string[]) => {
		const all = folders.map(packed);
		const versions = Object.fromEntries(all.map((one) => [one.version, one]));
		return { name: all[0]?.name, "dist-tags": { latest: all[0]?.version }, versions };
	};
	await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	closeLater(async () => {
		server.closeAllConnections();
		await new Promise((closed) => server.close(closed));
	});
	return url();
}

/** The folders of a package, of which several versions may be there; first the one that is used at the top. */
function foldersOf(name: string, own: Readonly<Record<string, string>>): readonly string[] {
	const modules = join(checkout, "node_modules");
	const below = ["*", "@*/*"].flatMap((parent) => globSync(join(parent, "node_modules", name), { cwd: modules }));
	const folders = [own[name] ?? join(modules, name), ...(own[name] ? [] : below.map((path) => join(modules, path)))];
	return folders.filter((folder) => existsSync(join(folder, "package.json")));
}

function pack(folder: string, file: string): void {
	mkdirSync(join(file, ".."), { recursive: true });
	run(folder, ["tar", "-czf", file, "--exclude=./node_modules", "--transform=s,^\\.,package,", "."]);
}
