/**
 * The cells of a row of JSON as texts of an arena. What repeats has its texts once; what does not is formatted for
 * a batch of rows at a time, column by column, into slots that the next batch uses again.
 */
import { NUMBER_BYTES, PLAIN_BELOW, putInteger, putNumber, putTenThousandths } from "./number-text.ts";
import { amountOf } from "./record.ts";
import type { JsonColumn } from "./row-template.ts";
import type { TextArena, Texts } from "./text-arena.ts";

/** Rows of a batch: few enough that what they touch stays near the processor. */
export const BATCH_ROWS = 256;

/** What may stand before the value in a slot. */
export const MAX_LEAD_BYTES = 4;

const SLOT_BYTES = MAX_LEAD_BYTES + NUMBER_BYTES;
const NINE = 9;

/** Rows `from` up to but not including `until` (at most `BATCH_ROWS`), the texts of their cells row by row. */
export interface Batch {
  from: number;
  until: number;
  texts: Texts;
  /** Cells of a row. */
  stride: number;
}

/** One cell of every row. */
export interface Cell {
  /** No row's text is longer. */
  maxBytes: number;
  /** Says where its texts lie: of the batch's texts every `stride`th from `first` on. */
  place(batch: Batch, first: number): void;
}

/** The same text in every row. */
export function constantCell(start: number, length: number): Cell {
  const place = ({ from, until, texts: { starts, lengths }, stride }: Batch, first: number) => {
    for (let row = from, at = first; row < until; row++, at += stride) {
      starts[at] = start;
      lengths[at] = length;
    }
  };
  return { maxBytes: length, place };
}

/** A text of `table`, which one by `index[row]`. */
export function tableCell(table: Texts, index: Uint16Array): Cell {
  const place = ({ from, until, texts: { starts, lengths }, stride }: Batch, first: number) => {
    const { starts: tableStarts, lengths: tableLengths } = table;
    for (let row = from, at = first; row < until; row++, at += stride) {
      const entry = index[row] ?? 0;
      starts[at] = tableStarts[entry] ?? 0;
      lengths[at] = tableLengths[entry] ?? 0;
    }
  };
  return { maxBytes: table.lengths.reduce((longest, length) => Math.max(longest, length), 0), place };
}

type ColumnOf<Kind> = Extract<JsonColumn, { kind: Kind }>;

/** Nine digits behind `lead`. */
export function digitsCell(lead: Uint8Array, column: ColumnOf<"nineDigits">, arena: TextArena): Cell {
  const slots = takeSlots(lead, arena);
  const { bytes, first: firstDigit, stride: rowBytes } = column;
  const digits = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const place = ({ from, until, texts: { starts, lengths }, stride }: Batch, first: number) => {
    const { view } = arena;
    let slot = slots;
    let digit = firstDigit + from * rowBytes;
    for (let row = from, at = first; row < until; row++, at += stride) {
      const value = slot + lead.length;
      view.setUint32(value, digits.getUint32(digit, true), true);
      view.setUint32(value + 4, digits.getUint32(digit + 4, true), true);
      view.setUint8(value + 8, digits.getUint8(digit + 8));
      starts[at] = slot;
      lengths[at] = lead.length + NINE;
      slot += SLOT_BYTES;
      digit += rowBytes;
    }
  };
  return { maxBytes: lead.length + NINE, place };
}

/** An integer behind `lead`. */
export function integersCell(lead: Uint8Array, { values }: ColumnOf<"integers">, arena: TextArena): Cell {
  const slots = takeSlots(lead, arena);
  const place = ({ from, until, texts: { starts, lengths }, stride }: Batch, first: number) => {
    const { view } = arena;
    let slot = slots;
    for (let row = from, at = first; row < until; row++, at += stride) {
      starts[at] = slot;
      lengths[at] = putInteger(view, slot + lead.length, values[row] ?? 0) - slot;
      slot += SLOT_BYTES;
    }
  };
  return { maxBytes: SLOT_BYTES, place };
}

/** Price × volume behind `lead`. */
export function amountsCell(
  lead: Uint8Array,
  { prices, volumes }: ColumnOf<"amounts">,
  arena: TextArena,
): Cell {
  const slots = takeSlots(lead, arena);
  const place = ({ from, until, texts: { starts, lengths }, stride }: Batch, first: number) => {
    const { view } = arena;
    let slot = slots;
    for (let row = from, at = first; row < until; row++, at += stride) {
      const priceE4 = prices.numbers[prices.index[row] ?? 0] ?? 0;
      const volume = volumes.numbers[volumes.index[row] ?? 0] ?? 0;
      const units = priceE4 * volume;
      const value = slot + lead.length;
      // Below 10^15 the product is exact and its ten-thousandth has the plain decimal.
      const end =
        units < PLAIN_BELOW
          ? putTenThousandths(view, value, units)
          : putNumber(view, value, amountOf(priceE4, volume));
      starts[at] = slot;
      lengths[at] = end - slot;
      slot += SLOT_BYTES;
    }
  };
  return { maxBytes: SLOT_BYTES, place };
}

/** Slots for the rows of a batch, each with `lead` (at most `MAX_LEAD_BYTES`) in it; returns the first one's place. */
function takeSlots(lead: Uint8Array, arena: TextArena): number {
  const slots = arena.take(BATCH_ROWS * SLOT_BYTES);
  for (let slot = 0; slot < BATCH_ROWS; slot++) arena.set(slots + slot * SLOT_BYTES, lead);
  return slots;
}
