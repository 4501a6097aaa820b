// What PowerShell cmdlets, their aliases and cmd commands do: a table by name, then by verb. To add one, add a row.
import { byName } from "../by-name.ts";
import type { ChangeKind, Effect } from "../effects.ts";
import type { AccessKind } from "../footprint.ts";

/** The access to a path; `text` is not a path. */
export type PathRole = AccessKind | "replace" | "move" | "text";

export interface Cmdlet {
	/** Roles of the paths given as operands or by `-Path`, in order; the last one applies to all that follow. */
	readonly paths?: readonly PathRole[];
	/** Its own parameters that name paths, in lower case; `pathParameters` lists those of all cmdlets. */
	readonly parameters?: { readonly [name: string]: PathRole };
	readonly effects?: readonly Effect[];
	readonly changes?: readonly ChangeKind[];
	/** Effects of certain words after its name. */
	readonly harms?: { readonly [effect in Effect]?: RegExp };
	/** Without a path it works on the current directory. */
	readonly here?: AccessKind;
	/** Its operands are text that is run, or a program and its arguments. */
	readonly runs?: "text" | "program";
	/** Its operand becomes the current directory. */
	readonly enters?: true;
}

/** Parameters that name a path in every cmdlet that has them. */
export const pathParameters: { readonly [name: string]: PathRole } = {
	destination: "replace",
	destinationpath: "replace",
	outfile: "replace",
	newname: "write",
	infile: "read",
};

const looks: Cmdlet = {};

/** Verbs of cmdlets that only read or print, unless the table overrides them (`Format-Volume`). */
const lookingVerbs =
	/^(get|test|measure|select|compare|convertto|convertfrom|show|find|resolve|format|sort|group|where|write|join|split|wait|foreach|receive|read|out)-[a-z]+$/;

const rows: readonly (readonly [names: string, cmdlet: Cmdlet])[] = [
	["remove-item ri rm rmdir rd del erase", { paths: ["delete"] }],
	[
		"clear-content clc clear-item cli set-content sc",
		{ paths: ["replace"], harms: { "destroy-content": /^\S+ (-\w+ )?'[^']*[*?]/ } },
	],
	["out-file export-csv epcsv export-clixml tee-object tee", { paths: ["replace"] }],
	["add-content ac", { paths: ["write"] }],
	["new-item ni mkdir md", { paths: ["write"], parameters: { name: "write", target: "link" } }],
	["mklink", { paths: ["write", "link"] }],
	["copy-item cpi copy cp xcopy", { paths: ["read", "replace"] }],
	// `/MIR` and `/PURGE` remove what the source does not have.
	["robocopy", { paths: ["read", "delete"] }],
	["move-item mi move mv rename-item rni ren", { paths: ["move", "replace"] }],
	["expand-archive compress-archive", { paths: ["read", "replace"], changes: ["worktree"] }],
	["get-content gc cat type get-filehash import-csv ipcsv import-clixml format-hex more", { paths: ["read"] }],
	["select-string sls findstr", { paths: ["text", "read"] }],
	["get-childitem gci ls dir tree get-item gi test-path resolve-path rvpa", { paths: ["list"], here: "list" }],
	["get-itemproperty gp get-acl convert-path", { paths: ["list"], here: "list" }],
	["set-location sl cd chdir push-location pushd pop-location popd", { enters: true }],
	["invoke-webrequest iwr invoke-restmethod irm curl wget start-bitstransfer", {}],
	["invoke-expression iex", { runs: "text" }],
	["invoke-command icm start-job sajb start-threadjob", { changes: ["remote"] }],
	["start-process saps start", { runs: "program" }],
	["set-item si set-itemproperty sp new-itemproperty set-acl", { paths: ["write"], changes: ["system"] }],
	["remove-itemproperty rp clear-itemproperty", { paths: ["write"], changes: ["system"] }],
	["icacls takeown attrib cacls", { paths: ["write"], changes: ["system"] }],
	[
		"stop-process spps kill taskkill",
		{ changes: ["system"], harms: { "kill-all": / '\*'( |$)/, "end-programs": /^\S+( -\w+)*$| -n(ame)? | \/im /i } },
	],
	["stop-computer restart-computer shutdown", { changes: ["system"], effects: ["power-off"] }],
	[
		"format-volume clear-disk initialize-disk remove-partition new-partition diskpart format",
		{ changes: ["system"], effects: ["format-disk"] },
	],
	[
		"set-executionpolicy set-mppreference add-mppreference register-scheduledtask new-localuser add-localgroupmember set-localuser remove-localuser set-netfirewallprofile set-netfirewallrule new-netfirewallrule disable-netfirewallrule",
		{ changes: ["system"], effects: ["security-settings"] },
	],
	[
		"start-service sasv stop-service spsv restart-service set-service new-service remove-service sc.exe net reg regedit schtasks",
		{ changes: ["system"], effects: ["system-service"] },
	],
	["install-module install-package update-module uninstall-module install-script", { changes: ["system"] }],
	["clear-history clhy clear-recyclebin", { changes: ["system"], effects: ["clear-history"] }],
	[
		"echo write oss oh sleep start-sleep foreach % where ? select sort measure group compare diff ft fl gps ps gsv gcm help gm history h gl pwd gu new-object new-timespan add-member import-module ipmo gmo where.exe whoami hostname set-variable sv set new-variable remove-variable exit return break continue param function if else elseif while for do switch try catch finally throw trap in cls clear-host ver vol date time title rem pause",
		looks,
	],
];

const table = byName(rows);

/** The description of a cmdlet, alias or cmd command by its name in any case; `undefined` if it is unknown. */
export function findCmdlet(name: string): Cmdlet | undefined {
	const lower = name.toLowerCase();
	return table.get(lower) ?? table.get(lower.replace(/\.exe$/, "")) ?? (lookingVerbs.test(lower) ? looks : undefined);
}
