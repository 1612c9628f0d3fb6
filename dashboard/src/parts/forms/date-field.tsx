import { ActionIcon, Popover, TextInput, type TextInputProps } from '@mantine/core';
import { type FocusEvent, Suspense, useState } from 'react';
import { dayAndTime, dayInWords, dayTyped, isInstant } from '../../text/time.js';
import { CalendarIcon } from '../display/icons.js';
import { loadable } from '../loading/loadable.js';
import { Skeleton } from '../loading/skeleton.js';

const Calendar = loadable(
  () => import('./calendar.js'),
  ({ Calendar: Part }) => Part,
);

const UNREAD = 'Enter a date such as 29 Nov 2026';

interface Props extends Omit<
  TextInputProps,
  'value' | 'onChange' | 'type' | 'min' | 'label' | 'rightSection'
> {
  label?: string;
  /** As `2026-11-29`, a moment, or what was typed and is no day. */
  value?: string;
  onChange: (value: string) => void;
  /** The first day that can be picked. */
  min?: string;
}

/** A day, typed or picked. */
export function DateField({ value = '', onChange, min, error, onFocus, onBlur, ...rest }: Props) {
  // While it has the focus, its text stays as it is typed.
  const [typed, setTyped] = useState<string | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const isDay = dayTyped(value) === value;
  const moment = isInstant(value) ? dayAndTime(value) : null;
  const pick = (day: string) => {
    onChange(day);
    setIsOpen(false);
  };
  return (
    <TextInput
      placeholder={rest['aria-label'] ?? '29 Nov 2026'}
      autoComplete="off"
      {...rest}
      value={typed ?? moment ?? (isDay ? dayInWords(value) : value)}
      error={typed === null && value !== '' && !isDay && moment === null ? UNREAD : error}
      onFocus={(event: FocusEvent<HTMLInputElement>) => {
        onFocus?.(event);
        setTyped(event.currentTarget.value);
      }}
      onChange={({ currentTarget: { value: text } }) => {
        setTyped(text);
        onChange(dayTyped(text) ?? text.trim());
      }}
      onBlur={(event: FocusEvent<HTMLInputElement>) => {
        onBlur?.(event);
        setTyped(null);
      }}
      rightSection={
        <Popover opened={isOpen} onChange={setIsOpen} position="bottom-end" trapFocus returnFocus shadow="md">
          <Popover.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={`Choose a day: ${rest['aria-label'] ?? rest.label}`}
              onClick={() => setIsOpen(!isOpen)}
            >
              <CalendarIcon size={14} />
            </ActionIcon>
          </Popover.Target>
          <Popover.Dropdown p="xs">
            <Suspense fallback={<Skeleton h={290} w={252} />}>
              <Calendar value={isDay ? value : ''} min={min} onPick={pick} />
            </Suspense>
          </Popover.Dropdown>
        </Popover>
      }
    />
  );
}
