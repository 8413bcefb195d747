/** Small CSV files that people write: a heading, quoted cells, either line end. */

export interface CsvRow {
  /** Line of the file the row begins on, from 1. */
  line: number;
  cells: string[];
}

/** The rows of a CSV text (RFC 4180, a byte order mark is skipped); lines without any cell are left out. */
export function parseCsv(text: string): CsvRow[] {
  const rows: CsvRow[] = [];
  let [cells, cell, quoted, line, begun] = [[] as string[], "", false, 1, 1];
  const endRow = () => {
    cells.push(cell);
    if (cells.some((each) => each.trim() !== "")) rows.push({ line: begun, cells });
    [cells, cell, begun] = [[], "", line];
  };
  const source = text.replace(/^\uFEFF/, "");
  for (let at = 0; at < source.length; at++) {
    const char = source[at] ?? "";
    if (char === "\n") line++;
    if (quoted) {
      if (char !== '"') cell += char;
      else if (source[at + 1] === '"') cell += source[++at];
      else quoted = false;
    } else if (char === '"' && cell.trim() === "") [quoted, cell] = [true, ""];
    else if (char === ",") [cells, cell] = [[...cells, cell], ""];
    else if (char === "\n") endRow();
    else if (char !== "\r") cell += char;
  }
  endRow();
  return rows;
}
