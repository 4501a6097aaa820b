// Definitions in the shapes that people publish: folders, fields and placeholders as each tool documents them.

export interface Shape {
	readonly shape: string;
	/** Relative to the project that is imported. */
	readonly path: string;
	readonly text: string;
	/** The file that it becomes; `undefined`: none, and `said` has the reason. */
	readonly makes: string | undefined;
	/** What that file contains; of a workflow, its phase. */
	readonly contains?: readonly string[];
	/** The lines of the result about it: what has no counterpart, and why it became nothing. */
	readonly said?: readonly string[];
}

export const shapes: readonly Shape[] = [
	{
		shape: "an agent of Claude Code with examples in its description, and a tool for some arguments",
		path: ".claude/agents/reviewer.md",
		text: '---\nname: reviewer\ndescription: Use this agent when: code was written. For example:\n\n<example>\nContext: done\nuser: "Check it"\n</example>\ntools: Read, Grep, Bash(git diff:*)\nmodel: inherit\ncolor: cyan\n---\nYou review.\n',
		makes: undefined,
		said: ["Already part of the project", ".claude/agents/reviewer.md"],
	},
	{
		shape: "an agent with every tool, by a star without quotes",
		path: "plugins/tools/agents/star.md",
		text: "---\nname: star\ndescription: Does it: all\n  of it\ntools: *\n---\nYou do it.\n",
		makes: ".pi/agents/star.md",
		contains: ['tools: "*"'],
	},
	{
		shape: "a command of Claude Code with every kind of placeholder",
		path: ".claude/commands/git/commit.md",
		text: "---\nallowed-tools: Bash(git commit:*)\nargument-hint: [message] | --amend\ndescription: Commit: well\nmodel: haiku\n---\nStatus: !`git status`\n\nCommit $ARGUMENTS by @CONTRIBUTING.md, $1, $12, ${2:-x}, $ARGUMENTS[0].\n",
		makes: ".pi/workflows/commit/01-commit.md",
		contains: ["Commit {description} by", "$ARGUMENTS[0]"],
		said: [
			"`!`git status``",
			"`@CONTRIBUTING.md`",
			"`$1`",
			"`$12`",
			"`${2:-x}`",
			"`$ARGUMENTS[0]`",
			"the guard decides",
		],
	},
	{
		shape: "a command of Claude Code that forbids tools and names its arguments",
		path: ".claude/commands/deep.md",
		text: "---\ndescription: Deep\narguments: issue branch\ncontext: fork\ndisallowed-tools: Write, Bash(rm:*), WebFetch, mcp__docs\n---\nLook at $issue on $branch in $HOME.\n",
		makes: ".pi/workflows/deep/01-deep.md",
		contains: ["blacklist:", "- write", "- bash", "- mcp__docs__*"],
		said: [
			'`context` "fork"',
			"`Bash(rm:*)`: here, the whole tool",
			"`disallowed-tools`: `WebFetch` forbids nothing",
			"`$issue` is plain text",
			"`$branch` is plain text",
		],
	},
	{
		shape: "a prompt of Codex with named arguments",
		path: ".codex/prompts/draft.md",
		text: '---\ndescription: Draft\nargument-hint: [FILES=<paths>] [PR_TITLE="<title>"]\n---\nBranch for $FILES, a PR named $PR_TITLE. $1 $ARGUMENTS\n',
		makes: ".pi/workflows/draft/01-draft.md",
		contains: ["$1 {description}"],
		said: ["`$FILES` is plain text", "`$PR_TITLE` is plain text", "`$1` is plain text"],
	},
	{
		shape: "a prompt of Codex without front matter",
		path: ".codex/prompts/plain.md",
		text: "Read it and say what it does.\n",
		makes: ".pi/workflows/plain/01-plain.md",
		contains: ["say what it does"],
	},
	{
		shape: "an agent of Codex",
		path: ".codex/agents/audit.toml",
		text: 'name = "audit"\nsandbox_mode = "read-only"\ndeveloper_instructions = """\nAudit it.\n"""\n',
		makes: undefined,
		said: ["audit.toml: This is an agent of Codex. To draft"],
	},
	{
		shape: "a rule of Cursor",
		path: ".cursor/rules/style.mdc",
		text: "---\ndescription: Style\nglobs: **/*.ts\nalwaysApply: false\n---\nUse tabs.\n",
		makes: undefined,
		said: ["style.mdc: a Cursor rule"],
	},
	{
		shape: "a command of Cursor",
		path: ".cursor/commands/tidy.md",
		text: "# Tidy\n\nTidy up.\n",
		makes: ".pi/workflows/tidy/01-tidy.md",
		contains: ["Tidy up."],
	},
	{
		shape: "a read-only agent of Cursor",
		path: ".cursor/agents/verifier.md",
		text: "---\nname: verifier\ndescription: Validates\nmodel: inherit\nreadonly: true\nis_background: true\n---\nVerify.\n",
		makes: ".pi/agents/verifier.md",
		contains: ["readonly: true"],
		said: ["`is_background` true has no effect"],
	},
	{
		shape: "an agent of OpenCode that switches tools off",
		path: ".opencode/agent/critic.md",
		text: "---\ndescription: Reviews\nmode: subagent\ntemperature: 0.1\ntools:\n  write: false\n  edit: false\n---\nReview.\n",
		makes: ".pi/agents/critic.md",
		contains: ["write: false", "edit: false"],
		said: ["`temperature` 0.1 has no effect"],
	},
	{
		shape: "an agent of OpenCode with permissions",
		path: ".opencode/agents/guarded.md",
		text: '---\ndescription: Audits\nmode: subagent\nsteps: 5\npermission:\n  edit: deny\n  bash:\n    "*": ask\n    "git diff": allow\n---\nAudit.\n',
		makes: ".pi/agents/guarded.md",
		contains: ["edit: deny"],
		said: ["`steps` 5 has no effect"],
	},
	{
		shape: "a command of OpenCode in its folder `command`",
		path: ".opencode/command/unit.md",
		text: "---\ndescription: Tests\nagent: build\nsubtask: true\n---\nRun $ARGUMENTS\n!`npm test`\n@src/x.ts\n",
		makes: ".pi/workflows/unit/01-unit.md",
		contains: ["Run {description}"],
		said: ['`agent` "build"', "`subtask` true", "`!`npm test``", "`@src/x.ts`"],
	},
	{
		shape: "a command of OpenCode without front matter",
		path: ".opencode/command/bare.md",
		text: "Run the tests.\n",
		makes: ".pi/workflows/bare/01-bare.md",
		contains: ["Run the tests."],
	},
	{
		shape: "a configuration of OpenCode with agents",
		path: "opencode.json",
		text: '{\n\t// Ours\n\t"agent": { "r": { "mode": "subagent", "prompt": "You review.", "tools": { "write": false } } }\n}\n',
		makes: undefined,
		said: ["opencode.json: This is an OpenCode configuration with agents or commands. To draft"],
	},
	{
		shape: "modes of Roo",
		path: ".roomodes",
		text: "customModes:\n  - slug: docs\n    name: Docs\n    roleDefinition: You write docs.\n    groups:\n      - read\n      - - edit\n        - fileRegex: \\.md$\n",
		makes: undefined,
		said: [".roomodes: This is a file of Roo modes. To draft"],
	},
	{
		shape: "a command of Roo",
		path: ".roo/commands/deploy.md",
		text: "---\ndescription: Deploy\nargument-hint: <env>\nmode: code\n---\nDeploy.\n",
		makes: ".pi/workflows/deploy/01-deploy.md",
		said: ['`mode` "code"'],
	},
	{
		shape: "a command of Gemini CLI",
		path: ".gemini/commands/git/message.toml",
		text: 'description = "Say \\"why\\""\nprompt = """\nWrite a message for:\n!{git diff --staged}\nby @{docs/rules.md}, \\\n  {{args}}\n"""\n',
		makes: ".pi/workflows/message/01-message.md",
		contains: ["Write a message for:\n!{git diff", "by @{docs/rules.md}, {description}"],
		said: ["a Gemini CLI command", "`!{git diff --staged}` is plain text", "`@{docs/rules.md}` is plain text"],
	},
	{
		shape: "a command of Gemini CLI in literal text",
		path: ".gemini/commands/literal.toml",
		text: "prompt = '''\nSearch for \\d+ in {{args}}.'''\n",
		makes: ".pi/workflows/literal/01-literal.md",
		contains: ["Search for \\d+ in {description}."],
	},
	{
		shape: "an agent of Gemini CLI",
		path: ".gemini/agents/sec.md",
		text: "---\nname: sec\ndescription: Audits.\nkind: local\ntools:\n  - read_file\n  - grep_search\nmax_turns: 10\n---\nAudit.\n",
		makes: ".pi/agents/sec.md",
		contains: ["- read_file"],
		said: ["`max_turns` 10 has no effect"],
	},
	{
		shape: "a policy of Gemini CLI",
		path: ".gemini/policies/push.toml",
		text: '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "git push"\ndecision = "deny"\n',
		makes: undefined,
		said: ["In an unknown format", ".gemini/policies/push.toml"],
	},
	{
		shape: "a prompt of Copilot",
		path: ".github/prompts/form.prompt.md",
		text: "---\nmode: agent\ntools: ['githubRepo', 'search/codebase']\ndescription: 'Make a form'\n---\nMake ${input:name:the name} from ${selection}.\n",
		makes: ".pi/workflows/form/01-form.md",
		said: ['`tools` ["githubRepo"', "`${input:name:the name}`", "`${selection}`"],
	},
	{
		shape: "an agent of Copilot",
		path: ".github/agents/plan.agent.md",
		text: "---\ndescription: Plan\ntools: ['search', 'github/*', 'edit', 'agent']\nhandoffs:\n  - label: Go\n    agent: agent\n---\nPlan.\n",
		makes: ".pi/agents/plan.md",
		said: ["`handoffs`", "`github/*` is omitted", "`agent` is omitted"],
	},
	{
		shape: "a workflow of Windsurf",
		path: ".windsurf/workflows/steps.md",
		text: "---\ndescription: Review\n---\n1. Read\n2. Write\n",
		makes: ".pi/workflows/steps/01-steps.md",
		contains: ["1. Read"],
	},
];
