/** The `start_time` and `end_time` parameters: a window of the day, start inclusive, end exclusive. */
import { invalid, type ParamInvalid, type ParamProblem } from "./denial.ts";

/** A time of day in Beijing as the number HHMMSSmmm: 93000010 is 09:30:00.010. */
export type TimeOfDay = number;

/** From `start` (inclusive) to `end` (exclusive). */
export interface TimeWindow {
  start: TimeOfDay;
  end: TimeOfDay;
}

/** The window when both parameters are left out. `END_OF_DAY` is no time of day: only a bound. */
export const START_OF_DAY: TimeOfDay = 0;
export const END_OF_DAY: TimeOfDay = 240_000_000;

/** HH:MM, HH:MM:SS, HHMMSS, HHMMSSmmm (spec 4.3). */
const TIME_FORM =
  /^(?:(?<h>\d\d):(?<m>\d\d)(?::(?<s>\d\d))?|(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)(?<ms>\d{3})?)$/;

/**
 * `value` as a time of day, or what is wrong with it. A short form names the first millisecond of its
 * minute or second. Hours go to 23, minutes and seconds to 59: neither 24:00 nor a leap second is a time
 * of a record, and a window that runs to the day's end simply leaves `end_time` out.
 *
 * @example parseTimeOfDay("09:30") // 93000000
 */
export function parseTimeOfDay(value: unknown): TimeOfDay | ParamProblem {
  if (typeof value !== "string") return "not_string";
  if (/^\d{8}$/.test(value)) return "time_eight_digits";
  const parts = TIME_FORM.exec(value)?.groups;
  if (parts === undefined) return "time_form";
  const hour = Number(parts.h ?? parts.hour);
  const minute = Number(parts.m ?? parts.minute);
  const second = Number(parts.s ?? parts.second ?? 0);
  if (hour > 23 || minute > 59 || second > 59) return "time_out_of_day";
  return hour * 10_000_000 + minute * 100_000 + second * 1000 + Number(parts.ms ?? 0);
}

/**
 * The window of a query; `undefined` stands for a parameter left out. Refuses other forms than the four,
 * naming the parameter, and a window that holds no instant (start ≥ end).
 */
export function parseTimeWindow(startTime: unknown, endTime: unknown): TimeWindow | ParamInvalid {
  const start = startTime === undefined ? START_OF_DAY : parseTimeOfDay(startTime);
  if (typeof start !== "number") return invalid("start_time", start, startTime);
  const end = endTime === undefined ? END_OF_DAY : parseTimeOfDay(endTime);
  if (typeof end !== "number") return invalid("end_time", end, endTime);
  if (start < end) return { start, end };
  return invalid("start_time", "empty_window", formatWindow({ start, end }));
}

/** `time` as exactly nine digits. */
export function formatTimeOfDay(time: TimeOfDay): string {
  return String(time).padStart(9, "0");
}

/** `HHMMSSmmm-HHMMSSmmm`, the end exclusive: the value of `X-Window`. */
export function formatWindow({ start, end }: TimeWindow): string {
  return `${formatTimeOfDay(start)}-${formatTimeOfDay(end)}`;
}
