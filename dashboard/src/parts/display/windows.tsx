import { Drawer as MantineDrawer, Modal as MantineModal } from '@mantine/core';
import { type ComponentProps, useEffect, useState } from 'react';

/*
 * Dialogs and drawers cost a screen nothing before they are first opened: closed ones, of which a wallet has seven,
 * took a third of the time in which it was drawn.
 */

export function Modal(props: ComponentProps<typeof MantineModal>) {
  const isOpen = useOpening(props.opened);
  return isOpen === null ? null : <MantineModal {...props} opened={isOpen} />;
}

export function Drawer(props: ComponentProps<typeof MantineDrawer>) {
  const isOpen = useOpening(props.opened);
  return isOpen === null ? null : <MantineDrawer {...props} opened={isOpen} />;
}

/** Null before the first opening. Mounted briefly before, to note what has the focus. */
function useOpening(opened: boolean): boolean | null {
  const [isReady, setIsReady] = useState<boolean | null>(opened || null);
  if (opened && isReady === null) setIsReady(false);
  useEffect(() => {
    if (isReady !== false) return;
    const next = setTimeout(() => setIsReady(true));
    return () => clearTimeout(next);
  }, [isReady]);
  return isReady === null ? null : isReady && opened;
}
