/** Exit statuses of commands, and errors with one sentence for the operator. */

export const EXIT = {
  ok: 0,
  /** The service refused the request, or the command failed. */
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** Done, but rows, days or files were left out. */
  degraded: 3,
} as const;

type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/** An error that ends the command with a sentence for the operator on stderr, without stack or secrets. */
export class CommandFailure extends Error {
  readonly status: ExitStatus;

  constructor(sentence: string, status: ExitStatus = EXIT.failed) {
    super(sentence);
    this.status = status;
  }
}

/** The command line is wrong. */
export class UsageFailure extends CommandFailure {
  constructor(sentence: string) {
    super(sentence, EXIT.usage);
  }
}

/** The service refused a request. The reason, if there is one, is for scripts, for example `implausible`. */
export class ServiceRefusal extends CommandFailure {
  readonly refused: { httpStatus: number; reason: string | undefined };

  constructor(sentence: string, refused: ServiceRefusal["refused"]) {
    super(sentence);
    this.refused = refused;
  }
}

/** Returns the first line of an error's message. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n", 1)[0] ?? error.name) : String(error);
}

/** Returns an error as JSON: `sentence`, the exit status and, for a refusal, the service's reason and HTTP status. */
export function jsonOf(error: unknown, exitStatus: number, sentence: string): string {
  const refused = error instanceof ServiceRefusal ? error.refused : {};
  return JSON.stringify({ error: sentence.replace(/^error: /, ""), exitStatus, ...refused });
}
