import { useEffect, useState } from 'react';

const OFF = 'approval-keys-off';

/** True if A and D decide: chosen in this browser. */
export function useShortcutChoice() {
  const [isOn, setIsOn] = useState(() => localStorage.getItem(OFF) === null);
  const choose = (on: boolean) => {
    if (on) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, '1');
    setIsOn(on);
  };
  return [isOn, choose] as const;
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select'));

/** Calls what a single letter stands for: not while typing, under a dialog, or for a key that is held down. */
export function useShortcuts(isOn: boolean, keys: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event.target) || document.querySelector('[role=dialog]')) return;
      const act = keys[event.key.toLowerCase()];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOn, keys]);
}
