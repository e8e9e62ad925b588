import { useMemo, useState } from "react";
import { safeHref } from "../../markdown/safeHref.js";
import { ComponentFrame } from "../ComponentFrame.js";
import { seriesColor } from "../colors.js";
import { formatDate } from "../format.js";
import type { CalendarData, CalendarEvent } from "../types.js";
import {
  type CalendarMonth,
  type DatedEvent,
  datedEvents,
  dayKey,
  firstWeekday,
  monthWeeks,
} from "./calendarDays.js";

/** Events of a day that are shown before the rest is counted. */
const EVENTS_PER_DAY = 3;
/** Events of the list that are shown at first, and that are added. */
const LIST_STEP = 50;

/** Calendar of an agent: by month or as a list. */
export function DynamicCalendar({ data }: { data: CalendarData }) {
  const [isList, setList] = useState(false);
  const events = useMemo(() => datedEvents(data.events), [data.events]);
  const [month, setMonth] = useState<CalendarMonth>(() => {
    const start = events[0]?.start ?? new Date();
    return { year: start.getFullYear(), month: start.getMonth() };
  });
  return (
    <ComponentFrame
      component="calendar"
      title={data.title}
      description={data.description}
      getRows={() => [
        ["Title", "Start", "End", "Location", "Description"],
        ...data.events.map((event) => [
          event.title,
          event.start,
          event.end ?? "",
          event.location ?? "",
          event.description ?? "",
        ]),
      ]}
    >
      <div className="pincite-toolbar">
        {!isList && <MonthButtons title={data.title} month={month} onChange={setMonth} />}
        <button type="button" aria-pressed={isList} onClick={() => setList(!isList)}>
          List
        </button>
      </div>
      {isList ? (
        <EventList events={events} />
      ) : (
        <MonthTable month={month} events={events} title={data.title} />
      )}
    </ComponentFrame>
  );
}

function MonthButtons({
  title,
  month,
  onChange,
}: {
  title: string;
  month: CalendarMonth;
  onChange: (month: CalendarMonth) => void;
}) {
  const go = (step: number) => {
    const date = new Date(month.year, month.month + step, 1);
    onChange({ year: date.getFullYear(), month: date.getMonth() });
  };
  return (
    <>
      <button type="button" aria-label={`Previous month of ${title}`} onClick={() => go(-1)}>
        <span aria-hidden="true">‹</span>
      </button>
      <strong role="status">
        {new Date(month.year, month.month, 1).toLocaleDateString(undefined, {
          month: "long",
          year: "numeric",
        })}
      </strong>
      <button type="button" aria-label={`Next month of ${title}`} onClick={() => go(1)}>
        <span aria-hidden="true">›</span>
      </button>
    </>
  );
}

function MonthTable({
  month,
  events,
  title,
}: {
  month: CalendarMonth;
  events: readonly DatedEvent[];
  title: string;
}) {
  const weeks = monthWeeks(month, firstWeekday());
  const today = dayKey(new Date());
  return (
    <section className="pincite-scroll" tabIndex={0} aria-label={`Month of ${title}`}>
      <table className="pincite-month">
        <thead>
          <tr>
            {weeks[0]?.map((day) => (
              <th key={day.getDay()} scope="col">
                {day.toLocaleDateString(undefined, { weekday: "short" })}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={dayKey(week[0] ?? new Date())}>
              {week.map((day) => {
                const key = dayKey(day);
                return (
                  <td
                    key={key}
                    data-outside={day.getMonth() === month.month ? undefined : ""}
                    data-today={key === today ? "" : undefined}
                  >
                    <DayCell
                      day={day}
                      events={events.filter(
                        ({ firstDay, lastDay }) => firstDay <= key && key <= lastDay,
                      )}
                    />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function DayCell({ day, events }: { day: Date; events: readonly DatedEvent[] }) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? events : events.slice(0, EVENTS_PER_DAY);
  return (
    <>
      <time dateTime={dayKey(day)}>{day.getDate()}</time>
      {shown.length > 0 && (
        <ul>
          {shown.map(({ event, start }) => (
            <li
              key={event.id}
              style={
                event.color ? { borderInlineStartColor: seriesColor(event.color, 0) } : undefined
              }
            >
              {!event.allDay && event.start.length > 10 && (
                <span>{start.toLocaleTimeString(undefined, { timeStyle: "short" })} </span>
              )}
              <EventTitle event={event} />
            </li>
          ))}
        </ul>
      )}
      {!isOpen && events.length > EVENTS_PER_DAY && (
        <button type="button" onClick={() => setOpen(true)}>
          {events.length - EVENTS_PER_DAY} more
        </button>
      )}
    </>
  );
}

function EventTitle({ event }: { event: CalendarEvent }) {
  const href = event.url === undefined ? undefined : safeHref(event.url);
  return href === undefined ? (
    <bdi>{event.title}</bdi>
  ) : (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      <bdi>{event.title}</bdi>
    </a>
  );
}

function EventList({ events }: { events: readonly DatedEvent[] }) {
  const [count, setCount] = useState(LIST_STEP);
  return (
    <>
      <ol className="pincite-list">
        {events.slice(0, count).map(({ event }) => (
          <li key={event.id}>
            <div>
              <strong>
                <EventTitle event={event} />
              </strong>
              <p>
                {formatDate(event.start)}
                {event.end !== undefined && ` – ${formatDate(event.end)}`}
                {event.location !== undefined && ` · ${event.location}`}
              </p>
              {event.description && <p dir="auto">{event.description}</p>}
            </div>
          </li>
        ))}
      </ol>
      {events.length > count && (
        <button type="button" onClick={() => setCount(count + LIST_STEP)}>
          Show {Math.min(LIST_STEP, events.length - count)} more
        </button>
      )}
    </>
  );
}
