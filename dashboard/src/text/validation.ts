import { koboTyped, NAIRA_PROBLEM } from '../money/money.js';
import { endOfDay } from './time.js';

/* What a field must hold, said in words at the field before anything is sent. Null: it is fine. */

type Problem = string | null;

export const emailProblem = (value: string): Problem =>
  /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value.trim())
    ? null
    : value.trim()
      ? 'Enter a valid email address, such as ada@example.com'
      : 'Enter your email address';

const PASSWORD_MIN = 6;
const PASSWORD_MAX = 200;

export function newPasswordProblem(value: string): Problem {
  if (value.length < PASSWORD_MIN) return `Use at least ${PASSWORD_MIN} characters`;
  return value.length > PASSWORD_MAX ? `Use at most ${PASSWORD_MAX} characters` : null;
}

export const businessNameProblem = (value: string): Problem =>
  value.trim().length >= 2 && value.trim().length <= 200 ? null : 'Enter a name of 2 to 200 characters';

/** A phone number may be left out. */
export function phoneProblem(value: string): Problem {
  const typed = value.trim();
  if (!typed) return null;
  const digits = typed.replace(/\D/g, '').length;
  return /^\+?[\d\s()./-]+$/.test(typed) && digits >= 7 && digits <= 15
    ? null
    : 'Enter a phone number, such as +234 801 234 5678';
}

export const amountProblem = (value: string): Problem => (koboTyped(value) === null ? NAIRA_PROBLEM : null);

const DAYS_MAX = 3650;

export const daysProblem = (value: string): Problem =>
  /^[1-9]\d{0,3}$/.test(value.trim()) && Number(value) <= DAYS_MAX
    ? null
    : `Enter a whole number of days, 1 to ${DAYS_MAX}`;

/** The spending limit of a period can't be below what one payment may be. */
export function periodLimitProblem(value: string, perPayment: string): Problem {
  const problem = amountProblem(value);
  if (problem) return problem;
  const [period, once] = [koboTyped(value), koboTyped(perPayment)];
  return period !== null && once !== null && period < once ? 'Must be at least the per-payment limit' : null;
}

export function expiryProblem(value: string, now = new Date()): Problem {
  const end = endOfDay(value);
  if (!end) return 'Choose a date';
  return end <= now ? 'Choose a date in the future' : null;
}

/** As {@link expiryProblem}, where it may be left out. */
export const optionalExpiryProblem = (value: string): Problem => (value ? expiryProblem(value) : null);

export const nameProblem = (value: string): Problem => (value.trim() ? null : 'Enter a name');

export const accountProblem = (value: string): Problem =>
  /^\d{10}$/.test(value.trim()) ? null : 'Enter the 10 digits of the account number';

export const webAddressProblem = (value: string): Problem =>
  /^https?:\/\/[^\s/]+/i.test(value.trim()) ? null : 'Enter an address that starts with https://';

/** Apps show it in groups, with spaces or hyphens between them. */
export const codeProblem = (value: string): Problem =>
  /^\d{6}$/.test(value.replace(/[\s\p{Pd}]/gu, '')) ? null : 'Enter the 6 digits that your app shows';
