// What PowerShell's cmdlets, their aliases and the commands of cmd do with their paths. Data: to add one, add a row.
import type { Change, Effect } from "../effects.ts";
import type { Access } from "../footprint.ts";

export interface Cmdlet {
	/** What is done to the paths given as operands or by `-Path`, in order; the last one stands for all that follow. */
	readonly paths?: readonly (Access | "replace" | "move" | "text")[];
	/** Parameters that name paths beside `-Path` and `-LiteralPath`, in lower case, with what is done to them. */
	readonly parameters?: { readonly [name: string]: Access | "replace" | "text" };
	readonly effects?: readonly Effect[];
	readonly changes?: readonly Change[];
	/** Without a path it works on the current directory. */
	readonly here?: Access;
	/** Its operand is text that is run. */
	readonly runs?: "text" | "program";
	/** Its operand is the new current directory. */
	readonly enters?: true;
}

const removes: Cmdlet = { paths: ["delete"] };
const nothing: Cmdlet = {};

const rows: readonly (readonly [names: string, cmdlet: Cmdlet])[] = [
	["remove-item ri rm rmdir rd del erase", removes],
	["clear-content clc clear-item cli", { paths: ["replace"] }],
	[
		"set-content sc out-file export-csv epcsv export-clixml tee-object tee",
		{ paths: ["replace"], parameters: { filepath: "replace" } },
	],
	["add-content ac", { paths: ["write"] }],
	[
		"new-item ni mkdir md",
		{ paths: ["write"], parameters: { name: "write", value: "text", itemtype: "text", type: "text", target: "link" } },
	],
	["set-item si set-itemproperty sp new-itemproperty set-acl", { paths: ["write"], changes: ["system"] }],
	["remove-itemproperty rp clear-itemproperty", { paths: ["write"], changes: ["system"] }],
	["copy-item cpi copy cp xcopy robocopy", { paths: ["read", "replace"], parameters: { destination: "replace" } }],
	[
		"move-item mi move mv rename-item rni ren",
		{ paths: ["move", "replace"], parameters: { destination: "replace", newname: "write" } },
	],
	["get-content gc cat type get-filehash import-csv ipcsv import-clixml format-hex more", { paths: ["read"] }],
	["select-string sls findstr", { paths: ["text", "read"], parameters: { pattern: "text" } }],
	[
		"get-childitem gci ls dir tree get-item gi test-path resolve-path rvpa get-itemproperty gp get-acl convert-path",
		{ paths: ["list"], here: "list" },
	],
	["set-location sl cd chdir push-location pushd", { enters: true }],
	["pop-location popd", { enters: true }],
	["invoke-expression iex", { runs: "text" }],
	["invoke-command icm start-job sajb start-threadjob", { changes: ["remote"] }],
	["start-process saps start", { runs: "program" }],
	[
		"invoke-webrequest iwr invoke-restmethod irm curl wget start-bitstransfer",
		{ parameters: { outfile: "replace", destination: "replace", infile: "read", uri: "text", method: "text" } },
	],
	[
		"expand-archive compress-archive",
		{ paths: ["read", "replace"], parameters: { destinationpath: "replace" }, changes: ["worktree"] },
	],
	["stop-process spps kill taskkill", { changes: ["system"] }],
	["stop-computer restart-computer shutdown", { changes: ["system"], effects: ["power-off"] }],
	[
		"format-volume clear-disk initialize-disk remove-partition new-partition diskpart format",
		{ changes: ["system"], effects: ["format-disk"] },
	],
	[
		"set-executionpolicy start-service sasv stop-service spsv restart-service set-service new-service remove-service sc.exe net reg regedit schtasks set-mppreference",
		{ changes: ["system"], effects: ["system-service"] },
	],
	["install-module install-package update-module uninstall-module install-script", { changes: ["system"] }],
	["clear-history clhy clear-recyclebin", { changes: ["system"], effects: ["clear-history"] }],
	["icacls takeown attrib cacls", { paths: ["write"], changes: ["system"] }],
	["mklink", { paths: ["write", "link"] }],
	[
		"write-host write-output echo write write-error write-warning write-verbose write-debug out-null out-string oss out-host oh out-default set-variable sv set new-variable get-variable remove-variable sleep start-sleep foreach-object foreach % where-object where ? select-object select sort-object sort measure-object measure group-object group compare-object diff format-table ft format-list fl format-wide convertto-json convertfrom-json convertto-csv convertfrom-csv convertto-xml convertto-html join-path split-path get-date get-process gps ps get-service gsv get-command gcm get-help help get-member gm get-history h get-location gl pwd get-host get-random get-unique gu new-object new-timespan add-type-name add-member import-module ipmo get-module gmo where.exe whoami hostname exit return break continue param function if else elseif while do switch try catch finally throw trap in cls clear-host ver vol date time title rem pause wait-process wait-job receive-job get-job read-host get-eventlog get-winevent get-computerinfo get-wmiobject get-ciminstance test-connection test-netconnection get-nettcpconnection resolve-dnsname get-psdrive get-alias get-culture get-error",
		nothing,
	],
];

const table: ReadonlyMap<string, Cmdlet> = new Map(
	rows.flatMap(([names, cmdlet]) => names.split(" ").map((name) => [name, cmdlet] as const)),
);

/** The description of a cmdlet, alias or cmd command, by its name in any case; `Get-…` and its kin only tell. */
export function findCmdlet(name: string): Cmdlet | undefined {
	const lower = name.toLowerCase();
	const found = table.get(lower);
	if (found) return found;
	return /^(get|test|measure|select|compare|convertto|convertfrom|show|find|resolve|format|sort|group|where|write)-[a-z]+$/.test(
		lower,
	)
		? nothing
		: undefined;
}
