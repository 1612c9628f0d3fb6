import { useEffect } from 'react';
import { NAME } from '../../look/brand.js';

/** Names the screen in the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${NAME}`;
  }, [title]);
}
