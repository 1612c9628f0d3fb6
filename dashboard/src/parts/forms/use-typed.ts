import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

const TYPING_MS = 300;

/** Moves typed text into the address after a pause. */
export function useTyped(value: string, onTyped: (value: string) => void) {
  const [typed, setTyped] = useState(value);
  const [last, setLast] = useState(value);
  const [told, setTold] = useState('');
  if (value !== last) {
    setLast(value);
    // Cleared, or gone back to; what was typed here may have grown since.
    if (value !== told) setTyped(value);
  }
  const tell = useDebouncedCallback((text: string) => {
    setTold(text);
    onTyped(text);
  }, TYPING_MS);
  return {
    value: typed,
    type: (text: string) => {
      setTyped(text);
      tell(text);
    },
  };
}
