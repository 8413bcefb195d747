/** Progress on stderr: one line that is rewritten on a terminal, a line now and then in a log. */

const TERMINAL_INTERVAL_MS = 200;
const LOG_INTERVAL_MS = 10_000;

export interface Progress {
  /** `done` of the total is behind us; shown at most every so often. */
  update(done: number): void;
  /** Ends the line. */
  end(): void;
}

/** Progress of `total` bytes under a label; `label: 12.3 of 45.6 MB (27 %)`. */
export function byteProgress(
  label: string,
  total: number,
  stream: NodeJS.WriteStream = process.stderr,
): Progress {
  const interval = stream.isTTY ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS;
  let shownAt = Date.now() - (stream.isTTY ? interval : 0);
  let shown = false;
  const show = (done: number) => {
    const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
    const line = `${label}: ${megabytes(done)} of ${megabytes(total)} MB (${percent} %)`;
    stream.write(stream.isTTY ? `\r${line}` : `${line}\n`);
    shown = true;
    shownAt = Date.now();
  };
  return {
    update(done) {
      if (Date.now() - shownAt >= interval) show(done);
    },
    end() {
      if (shown && stream.isTTY) {
        show(total);
        stream.write("\n");
      }
    },
  };
}

/** Bytes as megabytes (10^6) with one decimal: the same unit from the first byte to the last. */
function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
