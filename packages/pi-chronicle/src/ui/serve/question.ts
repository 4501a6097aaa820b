// What a run asks its user, with the forms that answer it, and the forms that steer it. Each answer names the question and the files that are shown. Pure.
import { awaitedAnswer, type Run, unansweredQuestion } from "@pi-chronicle/core/machine";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import { statesOf } from "../commands/index.ts";
import { haltReason, interruptedStep, isInterrupted, nextStep, questionTitle, subjectLines } from "../phrases/index.ts";
import type { Html, HtmlContent, Markup } from "../report/index.ts";
import { drawFoldedForm, drawForm, exactly, type FormPlace, numberField, selectField, wordsField } from "./forms.ts";

export interface RunForms extends FormPlace {
	/** Address of the run's page. */
	readonly base: string;
	/** The choices of an approval. */
	readonly choices: readonly { readonly word: string; readonly about: string }[];
}

/** The question of the run, or why it waits; `undefined`: it needs nothing. `below`: its children that ask. */
export function drawQuestion(place: RunForms, read: ReadLedger, below: HtmlContent): HtmlContent {
	const { html } = place;
	const { run } = read;
	const forms = answerForms(place, run);
	const next = isInterrupted(read) ? interruptedStep(run) : nextStep(run);
	if (!next && forms === undefined)
		return below === undefined ? undefined : questionBox(place, "Its children ask", below);
	const { stage } = run;
	if (stage.kind === "asking") {
		const about = subjectLines(stage.question, run).join("\n").trim();
		const subject = html`<div class="subject" dir="auto">${html.cut(about, 20_000)}</div>`;
		return questionBox(place, questionTitle(stage.question), [subject, forms]);
	}
	const asked = unansweredQuestion(run);
	const words = asked
		? html`<p class="subject" dir="auto">${asked.text}</p>`
		: html`<p>${next?.what} ${next?.help}</p>`;
	const isWorker = asked !== undefined && asked.call !== "";
	return questionBox(place, isWorker ? "The worker asks" : asked || haltReason(run) ? "The run waits" : "The run", [
		words,
		below,
		forms,
	]);
}

function questionBox({ html }: FormPlace, title: string, content: HtmlContent): Markup {
	return html`<section class="ask" id="ask" aria-labelledby="ask-h"><h2 id="ask-h" dir="auto">${html.cut(title, 300)}</h2>${content}</section>`;
}

function answerForms(place: RunForms, run: Run): HtmlContent {
	const answers = awaitedAnswer(run) ?? unansweredQuestion(run)?.seq;
	if (unansweredQuestion(run)) return questionForm(place, run, answers);
	switch (run.status) {
		case "awaiting_approval":
			return run.stage.kind === "asking" ? approvalForms(place, run, answers) : resumeForm(place, answers);
		case "paused":
		case "budget_exceeded":
		case "awaiting_provider":
			return resumeForm(place, answers);
		case "human_intervention":
			return releaseForms(place, run, answers);
		default:
			return undefined;
	}
}

function approvalForms(place: RunForms, run: Run, answers: number | undefined): HtmlContent {
	const { html, base, choices } = place;
	const tree = run.stage.kind === "asking" ? run.stage.question.diff : undefined;
	const isConflict = run.stage.kind === "asking" && run.stage.question.side === "conflict";
	const chosen = choices.map(({ word, about }) => ({ value: word, words: about === "" ? word : `${word}: ${about}` }));
	const choice =
		choices.length === 0
			? undefined
			: selectField(
					html,
					{ id: "approve-choice", name: "choice", label: isConflict ? "Who resolves it" : "Which child" },
					[...(isConflict ? [] : [{ value: "", words: "as the worker says" }]), ...chosen],
				);
	return [
		drawForm(place, {
			action: `${base}/approve`,
			hidden: { answers, tree },
			fields: [choice, wordsAlong(html, "approve-words", "To the next worker")],
			button: "Approve",
			look: "main",
		}),
		drawFoldedForm(place, "Reject, with words", {
			action: `${base}/reject`,
			hidden: { answers },
			fields: wordsField(html, "reject-words", "What the worker should change", "required"),
			button: "Reject",
		}),
		drawFoldedForm(place, "Send it elsewhere", sendForm(place, run, answers)),
	];
}

function wordsAlong(html: Html, id: string, label: string): Markup {
	return html`<details><summary>Say something with it</summary>${wordsField(html, id, label, "optional")}</details>`;
}

function sendForm({ html, base }: RunForms, run: Run, answers: number | undefined) {
	const states = statesOf(run).map((state) => ({ value: state, words: state }));
	return {
		action: `${base}/release`,
		hidden: { answers },
		fields: [
			selectField(html, { id: "send-to", name: "to", label: "State" }, states),
			wordsField(html, "send-words", "To its worker", "optional"),
		],
		button: "Send",
	};
}

function questionForm(place: RunForms, run: Run, answers: number | undefined): HtmlContent {
	const { html, base } = place;
	const { choices = [] } = unansweredQuestion(run) ?? {};
	const picks = choices.map(
		(choice, at) =>
			html`<label class="choice"><input type="radio" name="picked" value="${exactly(choice)}"${at === 0 ? html` checked` : undefined}> <span dir="auto">${choice}</span></label>`,
	);
	const list = picks.length > 0 ? html`<fieldset><legend>Proposed answers</legend>${picks}</fieldset>` : undefined;
	const label = picks.length > 0 ? "Or in your own words" : "Your answer";
	return drawForm(place, {
		action: `${base}/answer`,
		hidden: { answers },
		fields: [list, wordsField(html, "answer-words", label, picks.length > 0 ? "optional" : "required")],
		button: "Answer",
		look: "main",
	});
}

function resumeForm(place: RunForms, answers: number | undefined): HtmlContent {
	const { html, base } = place;
	const limits = html`<details><summary>Raise the limits of the run</summary><div class="row">${numberField(html, "resume-cost", "cost", "Cost, USD")}${numberField(html, "resume-tokens", "tokens", "Tokens")}${numberField(html, "resume-minutes", "minutes", "Minutes")}${numberField(html, "resume-moves", "moves", "Moves")}</div></details>`;
	return drawForm(place, {
		action: `${base}/resume`,
		hidden: { answers },
		fields: [limits, wordsAlong(html, "resume-words", "To the worker")],
		button: "Resume",
		look: "main",
	});
}

function releaseForms(place: RunForms, run: Run, answers: number | undefined): HtmlContent {
	const { html, base } = place;
	const states = statesOf(run).map((state) => ({ value: state, words: `Go to ${state}` }));
	const move = run.refused ? [{ value: "", words: `Make the refused move to ${run.refused.to}` }] : [];
	return drawForm(place, {
		action: `${base}/release`,
		hidden: { answers },
		fields: [
			selectField(html, { id: "release-to", name: "to", label: "How it continues" }, [
				...move,
				...states,
				{ value: "done!", words: "End the run as done" },
			]),
			wordsField(html, "release-words", "To its worker", "optional"),
		],
		button: "Release",
		look: "main",
	});
}

/** What can be done to the run besides answering. `visits`: those that can be rewound to, newest first. */
export function drawSteering(
	place: RunForms,
	read: ReadLedger,
	visits: readonly { readonly number: number; readonly words: string }[],
): HtmlContent {
	const { html, base, session } = place;
	const { run } = read;
	if (!session) return undefined;
	const isOver = run.stage.kind === "over";
	const answers = awaitedAnswer(run);
	const rewinds = [
		...visits.map(({ number, words }) => ({ value: String(number), words })),
		...(run.kept.length > 0 ? [{ value: "undo", words: "Undo the last rewind" }] : []),
	];
	const resume = { action: `${base}/resume`, button: "Resume" };
	const reopen = { action: `${base}/reopen`, button: "Reopen" };
	const forms: HtmlContent[] = [
		isOver
			? undefined
			: drawFoldedForm(place, "Tell the worker", {
					action: `${base}/tell`,
					fields: wordsField(html, "tell-words", "Message", "required"),
					button: "Send",
				}),
		run.status === "running" ? drawFoldedForm(place, "Pause", { action: `${base}/pause`, button: "Pause" }) : undefined,
		isInterrupted(read) ? drawFoldedForm(place, "Resume", { ...resume, hidden: { answers: answers ?? 0 } }) : undefined,
		isOver ? drawFoldedForm(place, "Reopen", { ...sendForm(place, run, answers), ...reopen }) : undefined,
		rewinds.length === 0
			? undefined
			: drawFoldedForm(place, "Rewind", {
					action: `${base}/rewind`,
					fields: selectField(html, { id: "rewind-to", name: "to", label: "To the start of" }, rewinds),
					button: "Show what it would change",
				}),
		run.parent
			? drawFoldedForm(place, "Drop", { action: `${base}/drop`, button: "Continue without this child", look: "danger" })
			: undefined,
		isOver
			? undefined
			: drawFoldedForm(place, "Abort", {
					action: `${base}/abort`,
					fields: wordsField(html, "abort-words", "Why", "optional"),
					button: "Abort the run",
					look: "danger",
				}),
	];
	return html`<div class="steer" id="steer" data-part>${forms}</div>`;
}
