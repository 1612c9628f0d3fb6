import '@mantine/notifications/styles.css';
import { Button, Group } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Notifications, notifications } from '@mantine/notifications';

const COLORS = { good: 'green', info: 'ink', bad: 'red' } as const;
const SHOWN_MS = 6_000;
/** Longer, since one has to decide. */
const UNDO_SHOWN_MS = 12_000;

/** What lies under a toast can be pressed; a pointer that rests there doesn't keep the toast. Its own buttons can be too. */
const LETS_THROUGH = { pointerEvents: 'none' } as const;
const PRESSABLE = { pointerEvents: 'auto' } as const;

/** A short message after an action. */
export interface Toast {
  title?: string;
  message: string;
  tone?: 'good' | 'info' | 'bad';
  /** Takes the action back, while the message stands. */
  undo?: () => void;
}

/** Shows a message; it goes by itself. */
export function show({ title, message, tone = 'good', undo }: Toast): void {
  const id = notifications.show({
    title,
    color: COLORS[tone],
    autoClose: undo ? UNDO_SHOWN_MS : SHOWN_MS,
    style: LETS_THROUGH,
    styles: { closeButton: PRESSABLE },
    closeButtonProps: { 'aria-label': 'Dismiss' },
    message: undo ? (
      <Group justify="space-between" gap="sm" wrap="nowrap" c="var(--mantine-color-text)">
        {message}
        <Button
          size="compact-sm"
          variant="default"
          flex="none"
          style={PRESSABLE}
          onClick={() => {
            notifications.hide(id);
            undo();
          }}
        >
          Undo
        </Button>
      </Group>
    ) : (
      message
    ),
  });
}

export default function ToastStack() {
  // On a phone what one acts on stands at the bottom, elsewhere at the right and in the middle.
  const isNarrow = useMediaQuery('(max-width: 48em)');
  return (
    <Notifications
      position={isNarrow ? 'top-center' : 'bottom-left'}
      containerWidth={400}
      limit={3}
      style={LETS_THROUGH}
      className="toasts"
    />
  );
}
