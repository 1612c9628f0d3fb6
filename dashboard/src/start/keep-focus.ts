let observer: MutationObserver | undefined;

/**
 * Called where an action begins. What has the focus then gets it back when it is enabled again, unless something else
 * took it meanwhile: a button that is loading is disabled, and a button that becomes disabled loses the focus.
 */
export function keepFocus(): void {
  const origin = originOf(document.activeElement);
  if (!origin) return;
  observer?.disconnect();
  observer = new MutationObserver((_, self) => {
    if (origin.matches(':disabled')) return;
    self.disconnect();
    const now = originOf(document.activeElement);
    if (!now || now === origin) origin.focus({ preventScroll: true });
  });
  observer.observe(origin, { attributeFilter: ['disabled'] });
}

/** A menu's item disappears with it; its button takes the focus. */
function originOf(element: Element | null): HTMLElement | null {
  const opener = element?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  const origin = opener ? document.getElementById(opener) : element;
  return origin instanceof HTMLElement && origin !== document.body ? origin : null;
}
