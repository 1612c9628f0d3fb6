import '@mantine/dates/styles.css';
import { DatePicker } from '@mantine/dates';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { dateInput, dayInWords, daysLater, monthsLater } from '../../text/time.js';

interface Props {
  value: string;
  min?: string | undefined;
  onPick: (day: string) => void;
}

/** Moves of the keys of a calendar, as WAI-ARIA names them. */
const MOVES: Readonly<Record<string, (day: string) => string>> = {
  ArrowLeft: (day) => daysLater(day, -1),
  ArrowRight: (day) => daysLater(day, 1),
  ArrowUp: (day) => daysLater(day, -7),
  ArrowDown: (day) => daysLater(day, 7),
  PageUp: (day) => monthsLater(day, -1),
  PageDown: (day) => monthsLater(day, 1),
};

/** The month of the value, or this one; the keys lead over its ends, which the library's don't. */
export function Calendar({ value, min, onPick }: Props) {
  const [month, setMonth] = useState(value || dateInput(0));
  const [focused, setFocused] = useState(month);
  const days = useRef<HTMLDivElement>(null);
  useEffect(() => {
    days.current?.querySelector<HTMLElement>(`[data-day="${focused}"]:not([data-outside])`)?.focus();
  }, [focused]);
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const day = (event.target as HTMLElement).dataset.day;
    const next = day && MOVES[event.key]?.(day);
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    if (min && next < min) return;
    setMonth(next);
    setFocused(next);
  };
  return (
    <div ref={days} onKeyDownCapture={move}>
      <DatePicker
        size="sm"
        hideOutsideDates
        value={value || null}
        onChange={(day) => day !== null && onPick(day)}
        date={month}
        onDateChange={setMonth}
        {...(min && { minDate: min })}
        firstDayOfWeek={1}
        weekendDays={[]}
        highlightToday
        __stopPropagation
        getDayProps={(day) => ({ 'data-day': day })}
        getDayAriaLabel={dayInWords}
        ariaLabels={{
          previousMonth: 'Previous month',
          nextMonth: 'Next month',
          previousYear: 'Previous year',
          nextYear: 'Next year',
          previousDecade: 'Previous decade',
          nextDecade: 'Next decade',
        }}
      />
    </div>
  );
}
