// Program text that only reads: each of its words is known. Whatever could run, write or load something makes it unknown.
import { describe, expect, it } from "vitest";
import { onlyReads } from "../src/shell/reading-code.ts";

describe("only reads", () => {
	it.each([
		["node", "console.log(JSON.stringify(require('./package.json').scripts, null, 2))"],
		["node", "import fs from 'fs'; console.log(fs.readdirSync('src'))"],
		[
			"node",
			"const fs = require('node:fs'); const s = fs.readFileSync('a', 'utf8'); console.log(s.split('\\n').length)",
		],
		["node", "Object.entries(require('./package.json').dependencies).forEach(x => console.log(x))"],
		["python3", "import json\nprint(json.load(open('package.json'))['name'])"],
		["python3", "import ast, sys; ast.parse(open('a.py').read())"],
		["python3", "import json, sys\nfor k, v in json.load(sys.stdin).items():\n    print(f'{k}: {len(v)}')"],
		["python3", "print(open('a', 'rb').read()) # rm -rf"],
		["perl", 'print "hi\\n"'],
		["ruby", "puts 1"],
	])("%s %j", (language, text) => {
		expect(onlyReads(text, language)).toBe(true);
	});
});

describe("may do anything", () => {
	it.each([
		["calls what is not known", "python", "import os; os.system('x')"],
		["by another name", "python", "from os import system as p; p('x')"],
		["by a name that is its own elsewhere", "python", "system = 1; import os; list(map(os.system, ['x']))"],
		["by a computed name", "python", "getattr(os, 'x')('y')"],
		["by a computed name", "php", "$f = 'a'.'b'; $f('x');"],
		["by a computed name", "node", "const k = 'rm' + 'Sync'; [1].map(require('fs')[k])"],
		["by the constructor", "node", "[0].map(['exit()'].map(''['sub']['constructor'])[0])"],
		["by an escape", "node", "''['\\x63onstructor']"],
		["by destructuring", "node", "const {rmSync: log} = require('fs'); log('x')"],
		["by destructuring", "node", "let rmSync; ({rmSync} = require('fs')); ['x'].map(rmSync)"],
		["by destructuring", "node", "const {rmSync = 1} = require('fs'); ['x'].map(rmSync)"],
		["by a comprehension", "python", "[print for print in [os.remove]]"],
		["in letters of another width", "python", "import os; os.\uff53\uff59\uff53('x')"],
		["between quotes that are no string", "python", "'''a'\"''' ; os.system(1) ; \""],
		["between quotes of an expression", "node", "/'/; require('fs').rmSync('x') /'/"],
		["within a formatted string", "python", "print(f\"{__import__('os').system('x')}\")"],
		["within a string", "ruby", 'puts "#{system(1)}"'],
		["within backquotes", "ruby", "puts `x`"],
		["loads a module", "python", "import evil"],
		["loads a module", "node", "import x from './x.mjs'"],
		["loads a module", "node", "['child_process'].map(require)"],
		["loads a file", "ruby", "load './x.rb'"],
		["opens to write", "python", "open('a', 'w')"],
		["opens to write", "python", "from pathlib import Path; Path('a').open('w')"],
		["opens a command", "ruby", "puts open('|x').read"],
		["renames", "python", "import os; os.replace('a', 'b')"],
	])("%s: %s %j", (_what, language, text) => {
		expect(onlyReads(text, language)).toBe(false);
	});

	it("a long text", () => {
		expect(onlyReads(`print(1)\n${" ".repeat(2000)}`, "python")).toBe(false);
	});
});
