import '@mantine/notifications/styles.css';
import { Notifications, notifications } from '@mantine/notifications';

const COLORS = { good: 'green', info: 'ink', bad: 'red' } as const;

export function show({
  title,
  message,
  tone = 'good',
}: {
  title?: string;
  message: string;
  tone?: keyof typeof COLORS;
}): void {
  notifications.show({
    title,
    message,
    color: COLORS[tone],
    autoClose: 6_000,
    closeButtonProps: { 'aria-label': 'Dismiss' },
  });
}

export default function ToastStack() {
  return <Notifications position="bottom-right" limit={3} />;
}
