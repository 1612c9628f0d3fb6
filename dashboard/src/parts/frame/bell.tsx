import { ActionIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { countUnread } from '../../api/notifications.js';
import { queryKeys } from '../../api/query-keys.js';
import { BellIcon } from '../display/bell-icon.js';

/** Notices come a moment behind the live events of what they tell. */
const ASK_EVERY_MS = 60_000;

/** Loaded behind the first screen. */
export default function Bell() {
  const { data: unread = 0 } = useQuery({
    queryKey: queryKeys.unreadCount,
    queryFn: countUnread,
    refetchInterval: ASK_EVERY_MS,
  });
  return (
    <ActionIcon
      component={Link}
      to="/notifications"
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={unread === 0 ? 'Notifications' : `Notifications, ${unread} unread`}
    >
      <BellIcon isRinging={unread > 0} />
    </ActionIcon>
  );
}
