import { parseDate } from "../format.js";
import type { CalendarEvent } from "../types.js";

/** Month of a year; months count from 0. */
export interface CalendarMonth {
  year: number;
  month: number;
}

/** Event with its days: the first and the last, as keys of `dayKey`. */
export interface DatedEvent {
  event: CalendarEvent;
  start: Date;
  firstDay: string;
  lastDay: string;
}

/** Returns a day as a key that sorts by time. */
export function dayKey(date: Date): string {
  const part = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${part(date.getMonth() + 1)}-${part(date.getDate())}`;
}

/** Returns events with their days in the order of their start. Events without a readable start are left out. */
export function datedEvents(events: readonly CalendarEvent[]): DatedEvent[] {
  return events
    .flatMap((event) => {
      const start = parseDate(event.start);
      if (!start) return [];
      const end = (event.end === undefined ? undefined : parseDate(event.end)) ?? start;
      return [
        { event, start, firstDay: dayKey(start), lastDay: dayKey(end < start ? start : end) },
      ];
    })
    .sort((a, b) => a.start.getTime() - b.start.getTime());
}

/** Returns the weeks of a month, each with seven days. `firstWeekday` is 0 for Sunday. */
export function monthWeeks({ year, month }: CalendarMonth, firstWeekday: number): Date[][] {
  const first = new Date(year, month, 1);
  const offset = (first.getDay() - firstWeekday + 7) % 7;
  const days = new Date(year, month + 1, 0).getDate();
  const count = Math.ceil((offset + days) / 7);
  return Array.from({ length: count }, (_, week) =>
    Array.from({ length: 7 }, (_, day) => new Date(year, month, 1 - offset + week * 7 + day)),
  );
}

/** Returns the first day of the week in the person's language, 0 for Sunday. */
export function firstWeekday(): number {
  try {
    const locale = new Intl.Locale(navigator.language) as Intl.Locale & {
      getWeekInfo?: () => { firstDay: number };
      weekInfo?: { firstDay: number };
    };
    return ((locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1) % 7;
  } catch {
    return 1;
  }
}
