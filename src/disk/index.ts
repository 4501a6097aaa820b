export { freeBytes } from "./free-space.ts";
export { inheritOwner, inheritOwners, makePrivateFolder } from "./ownership.ts";
export { type FileLine, readLines } from "./read-lines.ts";
export { type Disk, realDisk, replaceFile, replaceFileSync, syncFolder, undefinedIfMissing } from "./replace-file.ts";
export { usedBytes } from "./used-bytes.ts";
export { type WalkedFile, walkFiles } from "./walk-files.ts";
export { writeTogether } from "./write-together.ts";
