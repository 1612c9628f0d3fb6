import { useMemo } from 'react';
import { type SetURLSearchParams, useSearchParams } from 'react-router';

/**
 * What a screen shows, kept in its address: a page, a filter, an open drawer. So it survives a reload, the back
 * button and a link. What equals `null` is left out.
 */
export function useAddress() {
  const [search, setSearch] = useSearchParams();
  return useMemo(() => addressOf(search, setSearch), [search, setSearch]);
}

function addressOf(search: URLSearchParams, setSearch: SetURLSearchParams) {
  const changed = (changes: Readonly<Record<string, string | null>>, from = search): string => {
    const next = new URLSearchParams(from);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === '') next.delete(name);
      else next.set(name, value);
    }
    return next.toString();
  };
  return {
    get: (name: string) => search.get(name),
    /** The value, if it is one of these; else the first. */
    oneOf: <Value extends string>(name: string, [first, ...rest]: readonly [Value, ...Value[]]): Value =>
      rest.find((value) => value === search.get(name)) ?? first,
    /** A page number, from 1. */
    page: (name = 'page') => {
      const page = Number(search.get(name));
      return Number.isSafeInteger(page) && page > 0 && page <= 1_000_000 ? page : 1;
    },
    /** The address of this screen with these changes, for a link. */
    to: (changes: Readonly<Record<string, string | null>>) => `?${changed(changes)}`,
    /** `replace`: the back button doesn't stop here. */
    set: (changes: Readonly<Record<string, string | null>>, { replace = false } = {}) =>
      // Two changes within a moment: the second one starts from what the first one left.
      setSearch(changed(changes, new URLSearchParams(window.location.search)), {
        replace,
        preventScrollReset: true,
      }),
  };
}
