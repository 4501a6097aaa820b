// Folders of this machine that a container sees: what a command in the container does there, it does here.
import type { Call } from "./program-spec.ts";

interface Mount {
	/** The absolute path of a folder of this machine, without a slash at the end, or the name of a volume. */
	readonly host: string;
	/** In the container, without a slash at the end. */
	readonly inside: string;
	readonly readOnly: boolean;
}

/** Takes the place of paths of the container that are no mounted ones: nothing of this machine. */
const unmounted = "/tmp/.container";
/** Programs are the container's own, but have the usual names. */
const programFolder = /^\/(?:usr\/(?:local\/)?)?s?bin\//;
/** An absolute path in a word or in shell text. */
const absolutePath = /(?<![\w./}$~-])\/(?=[\w.])[\w./-]*/g;

/** Records the folders that `docker run` mounts, and what its command does in them. */
export function runInContainer(call: Call, words: readonly string[]): void {
	const mounts = mountsOf(call);
	for (const mount of mounts) {
		mountFolder(call, mount);
		readMounted(call, mount, words);
	}
	const [program, ...args] = words;
	if (program === undefined) return;
	const writable = mounts.filter(({ readOnly }) => !readOnly);
	const place = call.values("-w --workdir").at(-1);
	const folder = place === undefined ? undefined : toHost(place, writable);
	const isNamed = args.some((word) => [...word.matchAll(absolutePath)].some(([path]) => toHost(path, writable)));
	if (folder !== undefined) call.changeDirectory(folder);
	if (folder === undefined && !isNamed) {
		// Without a working folder it works where the image says: perhaps in a mounted one.
		call.run(words, call.stdin, writable.length > 0 && place === undefined ? "elsewhere" : "container");
		return;
	}
	const mapped = args.map((word) =>
		word.replace(absolutePath, (path) =>
			programFolder.test(path) ? path : (toHost(path, writable) ?? unmounted + path),
		),
	);
	call.run([program.slice(program.lastIndexOf("/") + 1), ...mapped]);
}

/** The folders and volumes that `docker run` mounts. */
export function mountsOf(call: Call): readonly Mount[] {
	const short = call.values("-v --volume").map((mount): Mount => {
		const [host = "", inside = ""] = mount.split(":");
		return { host, inside, readOnly: /:([\w,]*,)?ro(,|$)/.test(mount) };
	});
	const long = call.values("--mount").flatMap((mount): Mount[] => {
		const host = /(?:^|,)(?:source|src)=([^,]+)/.exec(mount)?.[1];
		const inside = /(?:^|,)(?:target|destination|dst)=([^,]+)/.exec(mount)?.[1] ?? "";
		const readOnly = /(?:^|,)(readonly|ro)(?:=true|=1)?(?:,|$)/.test(mount);
		return host === undefined ? [] : [{ host, inside, readOnly }];
	});
	return [...short, ...long].map(({ host, inside, readOnly }) => ({
		// A bare name is a volume.
		host: /^[\w-]/.test(host) ? host : call.absolute(host.replace(/(.)\/+$/, "$1")),
		inside: inside.replace(/\/+$/, ""),
		readOnly,
	}));
}

function isFolderMount({ host }: Mount): boolean {
	return !/^[\w-]/.test(host);
}

/** The path on this machine of a path in the container; `undefined` if no folder of this machine is mounted there. */
function toHost(path: string, mounts: readonly Mount[]): string | undefined {
	const [mount] = mounts
		.filter(({ inside }) => inside !== "" && `${path}/`.startsWith(`${inside}/`))
		.sort((one, other) => other.inside.length - one.inside.length);
	if (!mount || !isFolderMount(mount)) return undefined;
	return mount.host + path.slice(mount.inside.length);
}

/** Files below a mounted folder that the command in the container names are read on this machine. */
function readMounted(call: Call, { host, inside }: Mount, words: readonly string[]): void {
	const here = call.values("-w --workdir").some((folder) => folder.replace(/\/+$/, "") === inside);
	for (const word of words.flatMap((text) => text.split(/[\s;|&<>"'()]+/))) {
		if (inside !== "" && word.startsWith(`${inside}/`)) call.access("read", host + word.slice(inside.length));
		else if (here && /^[\w.][\w./-]*$/.test(word) && call.exists(`${host}/${word}`))
			call.access("read", `${host}/${word}`);
	}
}

/** A folder that a container can reach; that does not mean that it reads every file. */
function mountFolder(call: Call, mount: Mount): void {
	if (!isFolderMount(mount)) return;
	call.access("read", mount.host);
	if (!mount.readOnly) call.unknown("program", `mounted: ${mount.host}`, ["write", "delete"]);
}
