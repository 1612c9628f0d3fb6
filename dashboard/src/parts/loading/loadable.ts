import { createElement, lazy, type ReactNode } from 'react';
import { ApiError } from '../../api/request.js';
import { reloadIfServed } from '../../start/release.js';
import type { Loader } from './loader.js';

/** How each part that failed to load is made ready to be loaded again. */
const failed = new Set<() => void>();

/** Has what failed to load be loaded again when it is next drawn: React's `lazy` alone remembers a failure for good. */
export function renewFailed(): void {
  for (const renew of failed) renew();
  failed.clear();
}

/**
 * A component of a module that is loaded when it is first drawn, as by React's `lazy`, and again after a failure. An
 * error boundary shows the failure until then.
 */
export function loadable<Module, Props extends object>(
  load: Loader<Module>,
  pick: (module: Module) => (props: Props) => ReactNode,
): (props: Props) => ReactNode {
  let failures = 0;
  const attempt = async () => {
    if (failures > 0) reloadFailedStyles();
    try {
      return { default: pick(await load()) };
    } catch (error) {
      failures += 1;
      failed.add(renew);
      // Some browsers remember a failed import for as long as the page lives.
      if (failures > 1) await reloadIfServed();
      throw new ApiError(0, 'NOT_LOADED', String(error));
    }
  };
  let Part: ((props: Props) => ReactNode) | undefined;
  const renew = () => {
    Part = undefined;
  };
  return (props) => {
    // React's `lazy` shows a fallback first, for 300 ms at least.
    Part ??= load.loaded ? pick(load.loaded) : (lazy(attempt) as (props: Props) => ReactNode);
    return createElement(Part, props);
  };
}

/** Vite asks for the styles of a chunk once, whatever came of it. */
function reloadFailedStyles(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')) {
    if (!link.sheet) link.replaceWith(link.cloneNode());
  }
}
