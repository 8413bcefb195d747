/** Shows progress on stderr. On a terminal, one line is rewritten. In a log, a new line is written every 10 seconds. */

const TERMINAL_INTERVAL_MS = 200;
const LOG_INTERVAL_MS = 10_000;

/** Returns a progress display for `total` bytes: `label: 12.3 of 45.6 MB (27 %)`. */
export function byteProgress(label: string, total: number, stream: NodeJS.WriteStream = process.stderr) {
  const lineOf = (done: number) => {
    const share = total === 0 ? 1 : done / total;
    return `${label}: ${megabytes(done)} of ${megabytes(total)} MB (${percent(share)})`;
  };
  return progressLine(lineOf, stream, total);
}

/** Returns a progress display for overlapping stages, each from 0 to 1: `label: read 100 %, sort 41 %, write 40 %`. */
export function stageProgress(label: string, stream: NodeJS.WriteStream = process.stderr) {
  return progressLine((shares: Readonly<Record<string, number>>) => {
    const stages = Object.entries(shares).map(([stage, share]) => `${stage} ${percent(share)}`);
    return `${label}: ${stages.join(", ")}`;
  }, stream);
}

/**
 * Returns a progress display: `update` shows the progress at a limited rate, `end` ends the line. On a terminal, it
 * finally shows `all`, or the latest state when `all` is absent.
 */
function progressLine<Done>(lineOf: (done: Done) => string, stream: NodeJS.WriteStream, all?: Done) {
  const interval = stream.isTTY ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS;
  let shownAt = Date.now() - (stream.isTTY ? interval : 0);
  let shown = 0;
  let latest = all;
  const show = (done: Done) => {
    const line = lineOf(done);
    // Padded, because the end of a longer previous line would stay visible.
    stream.write(stream.isTTY ? `\r${line.padEnd(shown)}` : `${line}\n`);
    shown = line.length;
    shownAt = Date.now();
  };
  return {
    update(done: Done) {
      latest = all ?? done;
      if (Date.now() - shownAt >= interval) show(done);
    },
    end() {
      if (shown === 0 || !stream.isTTY) return;
      if (latest !== undefined) show(latest);
      stream.write("\n");
    },
  };
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

/** Formats bytes as megabytes (10^6) with one decimal, so that the unit stays the same. */
function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
