import type { KeyboardEvent } from 'react';

/** The arrow keys go from day to day of a chart; Tab goes past it. */
export function walkDays(event: KeyboardEvent<HTMLElement>): void {
  const days = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-day]')];
  const at = days.indexOf(event.target as HTMLElement);
  const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: days.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  days[next]?.focus();
}
