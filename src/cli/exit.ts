/** How a command ends: its exit status and, when it did not do its work, one sentence that says why. */

export const EXIT = {
  ok: 0,
  /** Refused by the service or failed on the way. */
  failed: 1,
  /** The command line itself is wrong. */
  usage: 2,
  /** Done, but with rows left out. */
  degraded: 3,
} as const;

type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/** The service refused; `reason` is its one word for scripts, such as `implausible`, if it gave one. */
export interface Refused {
  httpStatus: number;
  reason: string | undefined;
}

/** Ends a command with a sentence on stderr. The sentence is for an operator: no stack, no secret. */
export class CommandFailure extends Error {
  readonly status: ExitStatus;

  constructor(sentence: string, status: ExitStatus = EXIT.failed) {
    super(sentence);
    this.status = status;
  }
}

/** The service understood a request and did not carry it out. */
export class ServiceRefusal extends CommandFailure {
  readonly refused: Refused;

  constructor(sentence: string, refused: Refused) {
    super(sentence);
    this.refused = refused;
  }
}
