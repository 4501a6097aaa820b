// One valid file of each format that can be imported. Every `MARKn` is content that an import must not lose.

export interface ImportFixture {
	readonly format: string;
	/** The file that is imported, relative to the folder of the import. */
	readonly path: string;
	readonly text: string;
	/** Files next to it. */
	readonly beside?: Readonly<Record<string, string>>;
	/** The files that it becomes, sorted. */
	readonly makes: readonly string[];
	/** What they contain, in order: what has a counterpart. */
	readonly contains: readonly string[];
	/** What the notes say. */
	readonly notes: readonly string[];
}

export const formats: readonly ImportFixture[] = [
	{
		format: "a chronicle template of another project",
		path: ".pi/chronicle/workflows/feature.json",
		text: JSON.stringify({
			name: "MARK1",
			initial: "plan",
			states: {
				plan: { agent: "planner", description: "MARK2", next: ["over"], requires_approval: false, timeout_minutes: 10 },
				over: { agent: "writer", next: [] },
			},
		}),
		makes: [".pi/chronicle/workflows/feature.yaml"],
		contains: ["initial: plan", "persona: planner", "timeout_minutes: 10", "persona: writer"],
		notes: ["agents that do not exist here, used as roles in words: `planner`, `writer`"],
	},
	{
		format: "a workflow directory with shared phases",
		path: "flows/fix/workflow.yaml",
		beside: {
			"flows/fix/look.md": "---\nid: look\nname: Look\nemoji: x\n---\nMARK1\n",
			"flows/_shared/check.md": "---\nid: check\nname: Check\nemoji: x\ntools: { allow: [read] }\n---\nMARK2\n",
		},
		text: "name: MARK3\ncommandName: fix\ninitialMessage: 'MARK4 {description}'\nphases: [look.md, ../_shared/check.md]\n",
		makes: [".pi/workflows/_shared/check.md", ".pi/workflows/fix/look.md", ".pi/workflows/fix/workflow.yaml"],
		contains: ["commandName: fix"],
		notes: [],
	},
	{
		format: "a Claude Code command",
		path: ".claude/commands/fix-issue.md",
		text: `---
description: MARK1
allowed-tools: Bash(MARK2:*), Read, Edit
argument-hint: MARK3
---
MARK4 $ARGUMENTS and @docs/MARK5.md.

!\`git MARK6\`
`,
		makes: [".pi/workflows/fix-issue/01-fix-issue.md", ".pi/workflows/fix-issue/workflow.yaml"],
		contains: ["MARK4 {description}"],
		notes: ["MARK1", "MARK2", "MARK3", "MARK5", "MARK6"],
	},
	{
		format: "an agent of Claude Code",
		path: ".claude/agents/critic.md",
		text: "---\nname: Critic\ndescription: MARK1\ncolor: MARK2\ndisallowedTools: Write\n---\nYou criticize. MARK3\n",
		makes: [".pi/agents/critic.md"],
		contains: ['tools: "*"', "disallowedTools: Write"],
		notes: ["MARK2"],
	},
	{
		format: "settings of Claude Code",
		path: ".claude/settings.json",
		text: JSON.stringify({
			permissions: {
				allow: ["Bash(MARK1)"],
				deny: ["Bash(rm:*)", "Read(./.MARK2)", "Edit(/MARK3/**)", "MARK4"],
				ask: ["Bash(git push:*)", "Edit(//MARK5)"],
			},
			model: "MARK6",
		}),
		makes: [".pi/damage-control-rules.yaml"],
		contains: ["\\brm(?![\\w-])", "\\bgit\\s+push(?![\\w-])", "ask: true", "./.MARK2", "./MARK3/**", "/MARK5"],
		notes: ["MARK1", "MARK4", "refused here", "MARK6"],
	},
	{
		format: "a table of permissions",
		path: "opencode.json",
		text: JSON.stringify({
			permission: { edit: "deny", bash: { "git push *": "ask", ls: "allow", "MARK1 *": "deny" }, webfetch: "MARK2" },
		}),
		makes: [".pi/damage-control-rules.yaml"],
		contains: ["\\bgit\\s+push(?![\\w-])", "\\bMARK1(?![\\w-])", "readOnlyPaths:", "./"],
		notes: ["`ls`", "MARK2"],
	},
	{
		format: "rules of another guard",
		path: "damage-control-rules.yaml",
		text: "blocked_commands:\n  - { pattern: 'MARK1', message: MARK2 }\nprotected_paths:\n  read_only: ['*.MARK3']\n",
		makes: [".pi/damage-control-rules.yaml"],
		contains: ["blocked_commands:"],
		notes: [],
	},
	{
		format: "a teams file",
		path: ".pi/agents/teams.yaml",
		text: "MARK1:\n  - scout\n  - MARK2\n",
		makes: [".pi/agents/teams.yaml"],
		contains: ["- scout"],
		notes: [],
	},
	{
		format: "a saved sequence",
		path: ".pi/sequences/tidy.yaml",
		text: "description: MARK1\nruns: 3\nmaxCost: 77\nsteps:\n  - Look at $@\n  - /compact MARK2\n  - |\n    Clean MARK3.\n    All of it.\n",
		makes: [".pi/sequences/tidy.yaml"],
		contains: ["description: MARK1", "- /compact MARK2"],
		notes: [],
	},
	{
		format: "a run of Adventure Engine",
		path: "sessions/0123456789abcdef.json",
		text: JSON.stringify({
			id: "0123456789abcdef",
			workflowName: "Tidy backlog",
			workflowDef: {
				name: "Tidy backlog",
				description: "MARK1",
				states: {
					sort: { agent: "sorter", instructions: "MARK2", next: ["over"] },
					over: {},
				},
			},
			currentState: "sort",
			history: [],
		}),
		makes: [".pi/chronicle/workflows/tidy-backlog.yaml"],
		contains: ["name: Tidy backlog", "MARK1", "persona: sorter", "MARK2"],
		notes: ["the run itself: `id`, `currentState`, `history`", "used as roles in words: `sorter`"],
	},
];

/** Definitions of other tools, which only a plan converts: the name of the format, the path, and the text. */
export const planned: readonly (readonly [name: string, path: string, text: string])[] = [
	["an agent chain file", ".pi/agents/agent-chain.yaml", "fix:\n  steps: [{ agent: scout, prompt: $INPUT }]\n"],
	[
		"a spec-kit workflow",
		".specify/workflows/cycle/workflow.yml",
		"workflow: { id: cycle }\nsteps: [{ id: specify, command: kit.specify }]\n",
	],
	["a pi-agents workflow", ".pi/workflows/review.yaml", "name: review\nflow: { kind: sequence, steps: [] }\n"],
	["a pi-agents workflow", ".pi/workflows/review.md", "---\nname: review\nflow: { kind: agent }\n---\nWords.\n"],
	[
		"a pi-workflows workflow",
		".pi/workflows/work.workflow.yaml",
		"start: a\nsteps: { a: { prompt: x, transitions: { ready: $done } } }\n",
	],
	["a taskflow", ".pi/taskflows/t.json", '{ "phases": [{ "id": "a", "task": "x" }] }'],
	["an XState state machine", ".pi/machine.json", '{ "states": { "a": { "on": { "GO": "b" } }, "b": {} } }'],
	["a CrewAI tasks file", "workflows/tasks.yaml", "research: { description: D, expected_output: O }\n"],
	["a workflow of another tool (it has `stages`)", "workflows/stages.yaml", "stages: [build, test]\n"],
];
