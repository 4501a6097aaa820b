export { branchOfRef, checkedOutQuery, parseCheckedOut, readCheckedOut } from "./checked-out.ts";
export {
	attempt,
	deepestRealPath,
	folderEntries,
	folderNames,
	isNoFile,
	jsonObject,
	readSmallFile,
	realPathOf,
} from "./look-up.ts";
export { inheritOwner, inheritOwnerSync, inheritOwners, makePrivateFolder } from "./ownership.ts";
export { readLines } from "./read-lines.ts";
export { type Disk, realDisk, replaceFile, replaceFileSync, syncFolder, undefinedIfMissing } from "./replace-file.ts";
export { freeBytes, usedBytes } from "./space.ts";
export { findTestCommand, withTestCommand } from "./test-command.ts";
export { readUncommitted } from "./uncommitted.ts";
export { walkFiles } from "./walk-files.ts";
export { watchFolder } from "./watch-folder.ts";
export { writeTogether } from "./write-together.ts";
