// What `pi-chronicle rehearse --help` prints.

export const rehearseUsage = `pi-chronicle rehearse [options] [workflow | chronicle] <name> [options] [task…]

Plays a definition from its first part to its last on a temporary copy of the project. A script, the understudy, stands in for the model.

  --every            cover every transition, answer to an approval, limit and tool limit, in as many runs as it takes
  --runs <n>         with --every: at most so many runs (default: 200)
  --minutes <n>      with --every: at most so many minutes (default: 20)
  --scenario <file>  what the understudy says and calls (default: the project's own for it, else it improvises)
  --cwd <folder>     the project (default: here)
  --keep             leave the copy of the project for a look at it
  --json             the report as one JSON object on stdout, progress on stderr
  --pi <path>        pi's entry file, package folder or binary (default: the one beside this package)

Exit code: 0 it came to its end, 1 it did not (with --every: something that can be reached was not covered, or a limit did not hold), 2 usage or a definition that does not load, 130 interrupted.
`;
