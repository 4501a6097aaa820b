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
		format: "agent chains",
		path: ".pi/agents/agent-chain.yaml",
		text: `look-fix:
  description: MARK1 first look, then fix
  colour: MARK2
  steps:
    - agent: scout
      prompt: "MARK3 look at $INPUT"
    - agent: fixer
      prompt: "Fix this:\\n$INPUT\\nfor $ORIGINAL"
      retries: MARK4
`,
		makes: [".pi/chronicle/workflows/look-fix.yaml"],
		contains: [
			"scout:",
			"look at [the task of this run]",
			"next:",
			"- fixer",
			"[the result of the previous state]",
			"- done",
		],
		notes: ["MARK2", "MARK4", "there is no agent `scout` here"],
	},
	{
		format: "spec-kit",
		path: ".specify/workflows/cycle/workflow.yml",
		text: `schema_version: "1.0"
workflow: { id: cycle, name: MARK1 cycle, author: MARK2 }
inputs: { what: { type: string, prompt: MARK3 } }
steps:
  - { id: specify, command: kit.MARK4, input: { args: "{{ inputs.what }}" } }
  - { id: agree, type: gate, message: MARK5?, on_reject: MARK6 }
  - id: size
    type: if
    condition: "{{ inputs.size == 'MARK7' }}"
    then: [{ id: plan, type: prompt, prompt: "MARK8 {{ steps.specify.output.file }}" }]
    else: [{ id: small, type: shell, run: echo MARK9 }]
  - id: which
    type: switch
    expression: "{{ MARK10 }}"
    cases: { MARK11: [{ id: one, command: kit.one }] }
    default: [{ id: two, command: kit.two }]
  - id: again
    type: do-while
    condition: MARK12
    max_iterations: 6
    steps: [{ id: try, command: kit.try, continue_on_error: true }]
  - { id: all, type: fan-out, items: "{{ steps.plan.output.MARK13 }}", step: { id: part, command: kit.MARK14 } }
  - { id: collect, type: fan-in, wait_for: [all] }
  - { id: strange, type: telepathy, strength: MARK15 }
`,
		makes: [".pi/chronicle/workflows/cycle.yaml"],
		contains: [
			"pair_moves: 7",
			"specify:",
			"[what, from the task of this run]",
			"size:",
			"requires_approval: entry",
			"small:",
			"echo MARK9",
			"[the result of the state specify: file]",
			"strange:",
			"done: {}",
		],
		notes: ["MARK2", "MARK3", "MARK6", "`continue_on_error` true", "MARK15"],
	},
	{
		format: "pi-agents",
		path: ".pi/workflows/review.yaml",
		text: `name: Review MARK1
description: MARK2
trigger: when MARK3
display: report
params: [{ name: what, description: MARK4 }]
flow:
  kind: sequence
  steps:
    - kind: parallel
      as: both
      concurrency: 2
      branches:
        bugs: { kind: agent, name: scout, task: "MARK5 in {params.what}", tools: [read, bash] }
        tests:
          kind: sequence
          steps:
            - { kind: agent, task: MARK6 }
            - { kind: agent, task: "Use {both}", cwd: MARK7 }
      reduce: { agent: writer, task: "Merge {branches} MARK8" }
    - kind: while
      on: "{both}"
      condition: { eq: [outcome, MARK9] }
      max: 2
      body: { kind: agent, as: repair, task: MARK10, thinking: high }
    - kind: switch
      on: "{both}"
      cases:
        - { when: { eq: [a, MARK11] }, then: { kind: value, value: MARK12 } }
      else: { kind: workflow, name: MARK13, params: { x: MARK14 } }
    - { kind: spell, words: MARK15 }
`,
		makes: [".pi/chronicle/workflows/review-mark1.yaml"],
		contains: [
			"branches:",
			"bugs:",
			"run:",
			"max_parallel: 2",
			"Merge [the result of the previous state] MARK8",
			"repair:",
			"thinking: high",
		],
		notes: ["MARK4", "MARK7", "MARK12", "MARK13", "MARK15"],
	},
	{
		format: "pi-workflows",
		path: ".pi/workflows/work.workflow.yaml",
		beside: { ".pi/workflows/steps/plan.md": "MARK1 plan {{workflow.input}}\n" },
		text: `version: 1
id: work
description: MARK2
start: plan
maxStepVisits: 9
steps:
  build:
    title: MARK3
    prompt: "Build {{last.summary}} MARK4"
    maxToolCalls: 24
    permissions: { tools: [read, bash, edit], bash: { mode: allow-list, allow: [{ executable: MARK5 }] }, mcp: [MARK6] }
    transitions: { ready: $done, blocked: $pause, gaps: plan, odd: MARK7 }
  plan:
    prompt: { file: steps/plan.md }
    subagent: { agent: planner, timeoutMs: 900000, turnBudget: { maxTurns: 25, graceTurns: 3 }, artifacts: MARK8 }
    permissions: { tools: [read], skills: [MARK9] }
    gate: { provider: MARK10 }
    workspace: { bindOn: [MARK11] }
    transitions: { ready: build, handoff: plan }
`,
		makes: [".pi/chronicle/workflows/work.yaml"],
		contains: [
			"plan:",
			"persona: planner",
			"plan [the task of this run]",
			"requires_approval: true",
			"timeout_minutes: 15",
			"requests: 25",
			"- build",
			"build:",
			"tools:",
			"- read",
			"- edit",
			"calls: 24",
			"- done",
		],
		notes: ["MARK5", "MARK6", "MARK7", "MARK8", "MARK9", "MARK10", "MARK11", "$pause", "maxStepVisits"],
	},
	{
		format: "taskflow",
		path: ".pi/taskflows/audit.json",
		text: JSON.stringify({
			name: "audit",
			description: "MARK1",
			concurrency: 2,
			budget: { maxUSD: 3, maxTokens: "MARK2" },
			phases: [
				{ id: "scan", agent: "scout", task: "MARK3 in {args.dir}" },
				{ id: "a", dependsOn: ["scan"], task: "MARK4 {steps.scan.output}", tools: ["read"], output: "MARK5" },
				{ id: "b", dependsOn: ["scan"], type: "map", over: "{steps.scan.json}", task: "MARK6 {item}" },
				{ id: "pass", type: "gate", dependsOn: ["a", "b"], task: "MARK7" },
				{ id: "go", type: "approval", dependsOn: ["pass"], message: "MARK8?" },
				{ id: "again", type: "loop", dependsOn: ["go"], until: "MARK9", maxIterations: 4, task: "MARK10" },
				{ id: "best", type: "tournament", dependsOn: ["again"], task: "MARK11", variants: 3, judge: "MARK12" },
			],
		}),
		makes: [".pi/chronicle/workflows/audit.yaml"],
		contains: [
			"cost_usd: 3",
			"pair_moves: 5",
			"scan:",
			"branches:",
			"a:",
			"b:",
			"max_parallel: 2",
			"- failed",
			"requires_approval: entry",
			"failed: {}",
		],
		notes: ["MARK2", "MARK5", "MARK12", "`variants` 3", "`tournament`"],
	},
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
		notes: ["there is no agent `planner` here", "there is no agent `writer` here"],
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
		contains: ["whitelist:", "- read", "- edit", "MARK4 {description}"],
		notes: ["MARK1", "MARK2", "MARK3", "MARK5", "MARK6"],
	},
	{
		format: "a skill with a list of steps",
		path: ".claude/skills/ship/SKILL.md",
		text: `---
name: ship-it
description: MARK1
license: MARK2
---
MARK3 before.

## Checklist

1. **Run the tests** — MARK4
   and look at them
2. **Get approval** — MARK5
3. **Tag it** — MARK6

## Notes

MARK7
`,
		makes: [
			".pi/workflows/ship-it/01-run-the-tests.md",
			".pi/workflows/ship-it/02-get-approval.md",
			".pi/workflows/ship-it/03-tag-it.md",
			".pi/workflows/ship-it/workflow.yaml",
		],
		contains: ["commandName: ship-it"],
		notes: ["MARK1", "MARK2"],
	},
	{
		format: "a skill with headings for steps",
		path: ".claude/skills/dig/SKILL.md",
		text: `---
name: dig
---
MARK1

## Phase 1: Look

MARK2

\`\`\`
## Phase 9: not a heading MARK3
\`\`\`

## Phase 2: Change

MARK4

## Remember

MARK5
`,
		makes: [
			".pi/workflows/dig/01-phase-1-look.md",
			".pi/workflows/dig/02-phase-2-change.md",
			".pi/workflows/dig/workflow.yaml",
		],
		contains: ["commandName: dig"],
		notes: [],
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
		makes: [
			".pi/workflows/tidy/01-look-at.md",
			".pi/workflows/tidy/02-compact-mark2.md",
			".pi/workflows/tidy/03-clean-mark3.md",
			".pi/workflows/tidy/workflow.yaml",
		],
		contains: ["Look at {description}"],
		notes: ["`runs` 3", "77", "/compact MARK2"],
	},
	{
		format: "a session with a recording",
		path: "session.jsonl",
		text: [
			{ type: "session", id: "s" },
			{
				type: "custom",
				customType: "sequence:snapshot",
				data: { version: 1, sequenceId: "a", steps: ["old"], updatedAt: 1 },
			},
			{
				type: "custom",
				customType: "sequence:snapshot",
				data: { version: 1, sequenceId: "b", steps: ["MARK1", "MARK2"], updatedAt: 2 },
			},
		]
			.map((line) => `${JSON.stringify(line)}\n`)
			.join(""),
		makes: [
			".pi/workflows/session/01-mark1.md",
			".pi/workflows/session/02-mark2.md",
			".pi/workflows/session/workflow.yaml",
		],
		contains: ["Recorded sequence"],
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
		notes: ["the run itself: `id`, `currentState`, `history`", "there is no agent `sorter` here"],
	},
];
