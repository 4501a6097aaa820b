// The help text of `pi-chronicle rehearse`.

export const rehearseUsage = `pi-chronicle rehearse [options] [workflow | chronicle] <name> [options] [task…]

Runs a definition from start to end on a temporary copy of the project. A script, the understudy, replaces the model.

  --every            cover every transition, approval, question and tool limit, in as many runs as needed
  --runs <n>         with --every: maximum number of runs (default: 200)
  --minutes <n>      with --every: maximum number of minutes (default: 20)
  --scenario <file>  the understudy's messages and calls (default: the project's scenario for the definition, else an automatic round)
  --by-hand [folder] you answer for the model, in this terminal or in files of a new folder, written as a path: ./play
  --wait <minutes>   with --by-hand and a folder: maximum time without an answer (default: 60)
  --transcript <file> with --by-hand or --replay: where the transcript goes (default: transcript.yaml in the folder, otherwise nowhere)
  --replay <file>    give the answers of a transcript again, and report which requests differ now; takes no name
  --cwd <folder>     the project (default: here)
  --keep             keep the copy of the project
  --json             print the report as one JSON object on stdout; progress goes to stderr
  --pi <path>        pi's entry file, package folder or binary (default: the one next to this package, else on PATH)

Exit code: 0 the run reached its end, 1 it did not (with --every: something reachable was not covered, or a refusal did not hold; with --replay: the run went differently), 2 usage error or invalid definition, 130 interrupted.
`;
