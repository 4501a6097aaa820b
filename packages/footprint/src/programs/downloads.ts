// Network clients: what they download, upload and write.
import { isFileText, isKnown, UNKNOWN_VALUE } from "../text.ts";
import { isRemotePath } from "./archives.ts";
import { describe } from "./notation.ts";
import type { Call } from "./program-spec.ts";
import { runProxies } from "./wrappers.ts";

/** `curl`: prints unless an option makes it write; sends data with `-d`, `-F`, `-T`. */
function curl(call: Call): void {
	curlInputs(call);
	curlOutputs(call);
	const method = call.values("-X --request")[0]?.toUpperCase();
	const asks = method === undefined && call.has("-G --get");
	const sends = method !== undefined && !/^(GET|HEAD|OPTIONS)$/.test(method);
	const named = call.values("-H --header --url-query").some((value) => /^[\w-]*@/.test(value));
	const talks = call.operands.some((url) => /^(?:telnet|gopher|mqtts?|smtps?|tftp):/i.test(url));
	if (
		sends ||
		named ||
		talks ||
		(call.has(curlData) && !asks) ||
		call.has("-Q --quote --mail-from --mail-rcpt --form-string")
	)
		call.change("remote");
}

/** Options of curl that send data. */
const curlData = "-d --data --data-binary --data-ascii --data-raw --data-urlencode --json -F --form -T --upload-file";

/** Files that are sent: named within other values (`-d @file`, `-F field=@file`). */
function curlInputs(call: Call): void {
	for (const data of call.values(
		"-d --data --data-binary --data-ascii --data-urlencode --json -F --form -H --header -b --cookie --url-query",
	)) {
		const file = /(?:^|^[\w.-]+=?|=)[@<]([^;,]+)/.exec(data)?.[1];
		if (file !== undefined && file !== "-") call.applyRole("read", file);
	}
	for (const cookies of call.values("-b --cookie")) if (!cookies.includes("=")) call.applyRole("read", cookies);
	for (const url of call.operands) if (url.startsWith("file://")) call.applyRole("read", url.slice(7));
}

function curlOutputs(call: Call): void {
	const [folder] = call.values("--output-dir");
	const byUrl = call.has("-O --remote-name --remote-name-all") ? call.operands.map(fileNameOf) : [];
	for (const name of [...call.values("-o --output"), ...byUrl])
		call.applyRole("replace", folder === undefined || name.startsWith("/") ? name : `${folder}/${name}`);
	// `-w '%output{file}'`
	for (const format of call.values("-w --write-out"))
		for (const [, file = ""] of format.matchAll(/%output\{(?:>>)?([^}]+)\}/g)) call.applyRole("replace", file);
}

/** The name a download is saved under. */
function fileNameOf(url: string): string {
	const path = url.replace(/^[a-z]+:\/\//i, "").replace(/[?#].*$/s, "");
	const name = path.includes("/") ? (path.split("/").at(-1) ?? "") : "";
	return name === "" ? "index.html" : name;
}

/** `wget`: writes unless an option makes it print or only check. */
function wget(call: Call): void {
	if (call.has("--post-data --post-file --body-data --body-file --method")) call.change("remote");
	if (call.has("--spider")) return;
	const output = call.values("-O --output-document")[0];
	if (output !== undefined) {
		call.applyRole("replace", output);
		return;
	}
	const folder = call.values("-P --directory-prefix")[0];
	const recursive = call.has("-r --recursive -m --mirror -p --page-requisites");
	for (const url of call.operands) {
		if (recursive) call.access("write", folder ?? ".", { recursive: true });
		else call.access("write", folder === undefined ? fileNameOf(url) : `${folder}/${fileNameOf(url)}`);
	}
	if (call.has("-i --input-file")) call.access("write", `${folder ?? "."}/${UNKNOWN_VALUE}`);
}

function remoteCopy(call: Call): void {
	runProxies(call);
	const destination = call.operands.at(-1) ?? "";
	const recursive = call.has("-r -R") ? { recursive: true } : {};
	for (const source of call.operands.slice(0, -1)) if (!isRemotePath(source)) call.applyRole("read", source, recursive);
	if (isRemotePath(destination)) call.change("remote");
	else call.access("write", destination, { ...recursive, replaces: true });
}

/** `nc -e`, `socat EXEC:…`: a program that reads from the connection. */
function connect(call: Call): void {
	const given = call.values("-e -c --exec --sh-exec --lua-exec");
	const addressed = call.args.flatMap((arg) => /^(?:EXEC|SYSTEM|SHELL):["']?([^"',]+)/i.exec(arg)?.[1] ?? []);
	for (const command of [...given, ...addressed]) {
		call.script(command, { input: UNKNOWN_VALUE });
		call.effect("remote-shell");
		call.unknown("script", call.text);
	}
	if (!call.has("-z")) call.change("remote");
}

/** Commands of a file transfer, on standard input or by `-c` and `-e`: `put` reads local files, `get` writes them. */
function transfer(call: Call): void {
	runProxies(call);
	for (const line of [call.stdin, ...call.values("-c -e")].flatMap((text) => text.split(/[\n;]/)).slice(0, 200)) {
		const [verb = "", ...words] = line.trim().split(/\s+/);
		const files = words.filter((word) => !word.startsWith("-"));
		if (/^(m?put|reput|send)$/i.test(verb)) for (const file of files) call.applyRole("read", file, { recursive: true });
		if (/^(m?get|reget|recv)$/i.test(verb)) for (const file of files.slice(-1)) call.access("write", file);
		if (verb.startsWith("!")) call.script(line.trim().slice(1));
	}
}

/** `ssh-keygen` creates a key pair, unless an option shows or searches something. */
function makeKeys(call: Call): void {
	const given = call.values("-f")[0];
	const looks = call.has("-l -F -y -B -H -L -Q") && !call.has("-R -A");
	const known = `${call.home}/.ssh/known_hosts`;
	if (call.has("-R -H")) call.access("write", given ?? known);
	else if (looks) call.applyRole("read", given ?? (call.has("-F") ? known : `${call.home}/.ssh/id_ed25519`));
	else if (call.has("-A")) call.change("system");
	else if (call.has("-s -Y -k -u -M -I")) call.change("worktree");
	else call.access("write", given ?? `${call.home}/.ssh/id_ed25519`);
}

/** `http` and its like: fields and files among the words are sent. */
function requestUrl(call: Call): void {
	const method = call.operands.find((word) => /^[A-Z]+$/.test(word));
	const sends = call.operands.some((word, index) => index > 0 && /^[\w-]+(=(?!=)|:=|@)/.test(word));
	if ((method !== undefined && !/^(GET|HEAD|OPTIONS)$/.test(method)) || sends) call.change("remote");
	// Writes a file named after the URL, or the files of a session.
	if (call.has("-d --download")) call.change("worktree");
	if (call.has("--session")) call.change("system");
	for (const word of call.operands) {
		const file = /^[\w-]*(?:@|=@|:=@)(.+)$/.exec(word)?.[1];
		if (file !== undefined) call.applyRole("read", file);
	}
}

/** `telnet`, `openssl s_client`: input that is more than words of the command is sent. */
function talk(call: Call): void {
	if (!isKnown(call.stdin) || isFileText(call.stdin)) call.change("remote");
}

function useCertificates(call: Call): void {
	const [verb = ""] = call.operands;
	if (call.has("-CAcreateserial") || /^(ca|rehash|fipsinstall)$/.test(verb)) call.change("worktree");
	if (verb === "s_client") talk(call);
	if (verb === "s_server" || call.has("-port")) call.change("remote");
	if (verb === "engine") call.unknown("program", call.text);
}

export const downloads = describe(
	`
curl | fetches @curl | -o --output --output-dir -d --data --data-binary --data-ascii --data-raw --data-urlencode --json -F --form -b \
		--cookie -H --header -X --request -u --user -A --user-agent -e --referer -m --max-time --connect-timeout --retry --retry-delay \
		-w --write-out -x --proxy -r --range --limit-rate --resolve --interface -y -Y -z --time-cond --url --url-query -C --continue-at \
		--max-redirs --noproxy --ciphers --tls-max --oauth2-bearer --aws-sigv4 --max-filesize --unix-socket --variable -Q --quote \
		--mail-from --mail-rcpt --form-string -P --parallel-max: text \
		| -T --upload-file -E --cert --cert-type --key --cacert --netrc-file: read | -K --config --engine: load \
		| -c --cookie-jar -D --dump-header --trace --trace-ascii --stderr --etag-save --hsts --libcurl --alt-svc --ssl-sessions: replace \
		| --parallel --netrc !
wget | fetches @wget | -O --output-document -P --directory-prefix -t --tries -T --timeout --header -U --user-agent --user --password \
		--post-data --body-data --method -A --accept -R --reject -D --domains -l --level -w --wait --limit-rate -Q --quota \
		--max-redirect -B --base -X -I --cut-dirs: text \
		| -i --input-file --post-file --body-file --load-cookies --certificate --private-key --ca-certificate: read \
		| -o --output-file -a --append-output --save-cookies --hsts-file --rejected-log --warc-file: replace | --use-askpass: script | -e --execute --config: load | --no-check-certificate ?
http https xh httpie | fetches @request | -o --output: replace | --session-read-only: read \
		| -a --auth -A --auth-type -p --print -s --style --timeout --verify --session: text
yt-dlp youtube-dl | ~worktree | --exec: script | -o --output -f --format -P --paths: text \
		| -F --list-formats -j --dump-json -s --simulate -g --get-url > harmless
scp | @remoteCopy | -i -F: read | -P -o -l -c -J -D -X: text | -S: script
sftp ftp lftp | ~remote ?program @transfer | -b -i -F: read | -c -e -o -P: text
nc netcat ncat socat | @connect | -e -c --exec --sh-exec --lua-exec: text
ping traceroute mtr dig nslookup host whois lsof pg_isready
telnet | @talk
openssl | dash @useCertificates | -in -key -cert -CAfile -inkey -certfile -signkey -rand: read | -config -engine -provider -provider-path -provider_path: load \
		| -out -keyout -writerand -sess_out -keylogfile -CAserial -certsout -signer: replace \
		| -days -subj -newkey -connect -passin -passout -pass -servername -addext -digest: text
gpg gpg2 age | read* ~system | -o --output: replace | -r --recipient -u --local-user -i -R: text | --options --homedir: load \
		| -k --list-keys -K --list-secret-keys --verify --fingerprint > harmless
ssh-keygen | @makeKeys | -f -t -b -C -N -P -R -F -E -m -O -V -n -I -s -a -D -z -Y -r: text
ssh-add ssh-copy-id | read* ~system | -i: read | -t -s -e -E -o -p: text | -l -L > harmless
ssh-agent | command ~system first | -a -t -P -E: text
`,
	{ connect, curl, makeKeys, remoteCopy, request: requestUrl, talk, transfer, useCertificates, wget },
	"abbreviating",
);
