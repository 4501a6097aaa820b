// `/chronicle` in pi: what extension.ts registers; everything behind the command is imported when it first runs.
export {};
